"""The person's own named commands, which the settings define."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Applied
from sayso.core.ports import Ids
from sayso.core.quotes import quoted
from sayso.providers.programs.run import ProgramCall, ProgramRunner

INPUT = "{input}"
"""In a list of arguments, this word is replaced with the path of the file that contains the input."""
USUAL_SECONDS = 120


class ShortcutSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shortcut as the settings define it in `[shortcuts.NAME]`."""

    argv: tuple[str, ...]
    input: Literal["stdin", "file"] = "stdin"
    seconds: int | None = None


class Shortcuts(Struct, frozen=True):
    """The person's shortcuts by name, and a folder for private files with their inputs."""

    runner: ProgramRunner
    by_name: Mapping[str, ShortcutSettings]
    folder: str
    home: str
    ids: Ids

    async def run(self, name: str, given: str | None, seconds: int = USUAL_SECONDS) -> Applied:
        """Run a shortcut to its end. Raises `ProviderError` if the shortcut fails or takes too long."""
        shortcut = self.by_name.get(name)
        if shortcut is None:
            raise ProviderError(f"no shortcut is called {quoted(name)}", "shortcut.unknown")
        limit = seconds if shortcut.seconds is None else shortcut.seconds
        data = b"" if given is None else given.encode("utf-8", "replace")
        file = self._file() if given is not None and shortcut.input == "file" else ""
        program, *words = _with_input(shortcut.argv, file)
        call = ProgramCall(
            program,
            tuple(words),
            data=b"" if file else data,
            seconds=limit,
            kept=True,
            file=file,
            filed=data,
            folder=self.home,
            whole=True,
        )
        done = await self.runner.run(call)
        if done.code:
            raise ProviderError(f"the shortcut {quoted(name)} failed: {done.complaint}", "shortcut.failed")
        return Applied()

    def _file(self) -> str:
        Path(self.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(Path(self.folder) / f"shortcut-{self.ids.token()}")


def read_shortcuts(table: Json) -> Mapping[str, ShortcutSettings]:
    """Return the shortcuts of the settings. Raises `SetupError` that names what is wrong."""
    try:
        return msgspec.convert(table or {}, dict[str, ShortcutSettings])
    except msgspec.ValidationError as error:
        raise SetupError(f"[shortcuts] in the settings is wrong: {error}", "config.shortcuts") from error


def _with_input(argv: tuple[str, ...], file: str) -> tuple[str, ...]:
    if not file:
        return tuple(word for word in argv if word != INPUT)
    if INPUT in argv:
        return tuple(file if word == INPUT else word for word in argv)
    return (*argv, file)
