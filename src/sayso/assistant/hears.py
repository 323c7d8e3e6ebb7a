"""Who is shown what goes on while a model answers, and may stop it."""

from typing import Protocol

from anyio import sleep_forever


class Hears(Protocol):
    """Who is shown what goes on."""

    def shown(self, text: str) -> None:
        """Take more of the text that is for the person; it only ever grows."""
        ...

    def doing(self, line: str) -> None:
        """Take one line about a call that is being carried out (S1-59), or about who answers in another's place."""
        ...

    async def stopped(self) -> None:
        """Return when the person wants no more of it; else never."""
        ...


class Nobody:
    """Is shown nothing, and never stops it."""

    def shown(self, text: str) -> None:
        """Take it."""

    def doing(self, line: str) -> None:
        """Take it."""

    async def stopped(self) -> None:
        """Wait for ever."""
        await sleep_forever()
