"""What the clipboard held, kept whole and private until it is put back."""

import os
from datetime import datetime, timedelta
from pathlib import Path

from sayso.core.errors import ProviderError
from sayso.core.values import dataclass

FOLDER = "clipboard"


@dataclass(frozen=True)
class Held:
    """Something a clipboard held, as one type; an empty type is an empty clipboard."""

    kind: str
    data: bytes = b""
    lost: str = ""
    """What of it was not kept, in one clause; empty where all of it was."""


class Kept:
    """A folder in sayso's own, one file for each thing."""

    def __init__(self, own: str) -> None:
        self._folder = Path(own) / FOLDER

    def keep(self, name: str, held: Held) -> None:
        """Keep something under a name; it is on the disk when this returns."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._at(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(file, "wb") as open_file:
            open_file.write(f"{held.kind}\t{held.lost}\n".encode() + held.data)
            open_file.flush()
            os.fsync(open_file.fileno())

    def has(self, name: str) -> bool:
        """Say whether something is kept under this name."""
        return self._at(name).is_file()

    def get(self, name: str) -> Held:
        """Return what is kept under a name. Raises `ProviderError` when it is not any more."""
        try:
            head, _, data = self._at(name).read_bytes().partition(b"\n")
        except FileNotFoundError:
            raise ProviderError("what the clipboard held before is no longer kept", "clipboard.gone") from None
        kind, _, lost = head.decode().partition("\t")
        return Held(kind, data, lost)

    def lost(self, name: str) -> str:
        """Return what was not kept of what lies under this name; nothing where it is no longer kept at all."""
        try:
            return self.get(name).lost
        except ProviderError:
            return ""

    def forget(self, name: str) -> None:
        """Remove what is kept under a name."""
        self._at(name).unlink(missing_ok=True)

    def prune(self, now: datetime, age: timedelta) -> int:
        """Remove what was kept longer than this; return how much that was."""
        old = [file for file in self._files() if now.timestamp() - file.stat().st_mtime > age.total_seconds()]
        for file in old:
            file.unlink(missing_ok=True)
        return len(old)

    def _files(self) -> list[Path]:
        return list(self._folder.iterdir()) if self._folder.is_dir() else []

    def _at(self, name: str) -> Path:
        if not name.isascii() or not name.isalnum():
            raise ProviderError("nothing is kept under this name", "clipboard.gone")
        return self._folder / name
