"""Answer questions from what is known here: by the model of the session, or with a plain list (S4-36, T-100).

What goes by rules answers no question in words: there it is the list too.
"""

from collections import OrderedDict, deque

from sayso.assistant.desk import Desk
from sayso.assistant.hearing import heard
from sayso.assistant.hears import Hears
from sayso.assistant.listing import listing
from sayso.assistant.prompt import question as prompt
from sayso.assistant.prompt.budget import bounded
from sayso.core.context import Context
from sayso.core.errors import ProviderError
from sayso.core.model import Asked, Model, Turn
from sayso.dialects.lines import LINES
from sayso.models.vendors import EMBEDDED

PAIRS = 10
SESSIONS = 200
"""Of more sessions the ones not asked in for longest are forgotten."""

Pair = tuple[str, str]


class Remembered:
    """Ten pairs of each session (T-100)."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, deque[Pair]] = OrderedDict()

    def of(self, session: str) -> tuple[Pair, ...]:
        """Return the pairs of a session, oldest first."""
        return tuple(self._sessions.get(session, ()))

    def add(self, session: str, question: str, answer: str) -> None:
        """Remember a pair."""
        self._sessions.setdefault(session, deque(maxlen=PAIRS)).append((question, answer))
        self._sessions.move_to_end(session)
        if len(self._sessions) > SESSIONS:
            self._sessions.popitem(last=False)


class Answering:
    """Answers questions in their place among other actions; nothing is carried out of what the model says."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._serving: OrderedDict[str, tuple[Model, Hears]] = OrderedDict()
        self._before = Remembered()

    def serve(self, session: str, model: Model, hears: Hears) -> None:
        """Say which model answers the questions of a session from now on; without one a plain list does."""
        self._serving[session] = (model, hears)
        self._serving.move_to_end(session)
        if len(self._serving) > SESSIONS:
            self._serving.popitem(last=False)

    async def answer(self, question: str, session: str) -> str:
        """Return the answer. Raises what the model's stream raises."""
        serving = self._serving.get(session)
        most = self._desk.longest_context(serving[0].name if serving else EMBEDDED)
        context = bounded(await self._desk.context(session, query=True), most)
        said = await self._said(context, question, session)
        self._before.add(session, question, said)
        return said

    async def _said(self, context: Context, question: str, session: str) -> str:
        serving = self._serving.get(session)
        if serving is None:
            return listing(context, question)
        model, hears = serving
        turn = Turn("user", prompt.user(context, question, self._before.of(session)))
        asked = Asked(prompt.SYSTEM, (turn,), question, LINES, context=context)
        if model.name == EMBEDDED:
            return listing(context, question)
        reply = await heard(model, asked, hears, None, self._desk.longest_reply)
        if reply.ended.model == EMBEDDED:  # it answered in the place of another one
            return listing(context, question)
        if not reply.text.strip():
            raise ProviderError(f"{reply.ended.model} did not answer the question", "model.silent")
        return reply.text.strip()
