"""Answer questions at a home; what answers them is imported when the first is asked."""

from typing import Protocol, cast

from sayso.assistant.hears import Hears
from sayso.core.errors import ProviderError
from sayso.core.loading import load
from sayso.core.model import Model


class Answering(Protocol):
    """What answers (`assistant/answering.py`)."""

    def serve(self, session: str, model: Model, hears: Hears) -> None:
        """Say which model answers the questions of a session from now on."""
        ...

    async def answer(self, question: str, session: str) -> str:
        """Return the answer."""
        ...


class Questions:
    """What the questions of a home are put to, from before there is the home."""

    def __init__(self) -> None:
        self._home: object = None
        self._answering: Answering | None = None

    def at(self, home: object) -> None:
        """Say whose questions they are."""
        self._home = home

    @property
    def answering(self) -> Answering:
        """Return what answers them. Raises `ProviderError` where there is no home."""
        if self._home is None:
            raise ProviderError("nothing is known here to answer from", "query.nowhere")
        found = self._answering or cast("Answering", load("sayso.assistant.answering:Answering")(self._home))
        self._answering = found
        return found

    async def answer(self, question: str, session: str) -> str:
        """Return the answer."""
        return await self.answering.answer(question, session)
