"""The person's own named commands, as their settings write them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Left
from sayso.core.ports import Ids
from sayso.core.values import dataclass
from sayso.providers.programs.run import Call, Runner

INPUT = "{input}"
"""The word of an argument list in whose place the path of the input's file stands."""
USUAL_SECONDS = 120


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shortcut as `[shortcuts.NAME]` writes it."""

    argv: tuple[str, ...]
    input: Literal["stdin", "file"] = "stdin"
    seconds: int | None = None


@dataclass(frozen=True)
class Shortcuts:
    """The shortcuts by name, and where a private file may lie for a moment."""

    runner: Runner
    known: Mapping[str, Written]
    folder: str
    home: str
    ids: Ids

    async def run(self, name: str, given: str | None, seconds: int = USUAL_SECONDS) -> Left:
        """Run a shortcut to its end. Raises `ProviderError` with its error text, or when it takes too long."""
        shortcut = self.known.get(name)
        if shortcut is None:
            raise ProviderError(f"no shortcut is called “{name}”", "shortcut.unknown")
        limit = seconds if shortcut.seconds is None else shortcut.seconds
        data = b"" if given is None else given.encode("utf-8", "replace")
        file = self._file() if given is not None and shortcut.input == "file" else ""
        program, *words = _with_input(shortcut.argv, file)
        call = Call(
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
            raise ProviderError(f"the shortcut “{name}” failed: {done.complaint}", "shortcut.failed")
        return Left()

    def _file(self) -> str:
        Path(self.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(Path(self.folder) / f"shortcut-{self.ids.token()}")


def written(table: Json) -> Mapping[str, Written]:
    """Read the shortcuts of the settings. Raises `SetupError` that names what is wrong."""
    try:
        return msgspec.convert(table or {}, dict[str, Written])
    except msgspec.ValidationError as wrong:
        raise SetupError(f"[shortcuts] in the settings is wrong: {wrong}", "config.shortcuts") from wrong


def _with_input(argv: tuple[str, ...], file: str) -> tuple[str, ...]:
    if not file:
        return tuple(word for word in argv if word != INPUT)
    if INPUT in argv:
        return tuple(file if word == INPUT else word for word in argv)
    return (*argv, file)
