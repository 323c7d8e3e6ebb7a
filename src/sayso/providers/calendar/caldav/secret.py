"""Where the password of a calendar comes from: the environment, or the program that prints it."""

from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.ports import Ids
from sayso.providers.programs.call import Call
from sayso.providers.programs.running import Runner

VARIABLE = "SAYSO_CALENDAR_PASSWORD"


class Secret:
    """Knows how to get the password, and asks for it once."""

    def __init__(self, settings: Mapping[str, Json], environ: Mapping[str, str], ids: Ids) -> None:
        command = settings.get("password_command")
        self._command = tuple(str(word) for word in cast("Sequence[Json]", command)) if command else ()
        self._environ = environ
        self._ids = ids
        self._known: str | None = None

    async def password(self) -> str:
        """Return the password. Raises `SetupError` that says how to give one."""
        if self._known is None:
            self._known = self._environ.get(VARIABLE) or await self._printed()
        return self._known

    async def _printed(self) -> str:
        if not self._command:
            raise SetupError(
                f"there is no password for the calendar: set {VARIABLE}, or calendar.password_command",
                "calendar.password",
            )
        ended = await Runner(self._environ, self._ids).run(Call(self._command[0], self._command[1:], whole=True))
        words = ended.text
        if ended.code or not words:
            raise SetupError(f"calendar.password_command gave no password: {ended.complaint}", "calendar.password")
        return words
