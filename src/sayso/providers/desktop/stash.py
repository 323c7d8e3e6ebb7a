"""Former contents of the clipboard, kept in private files until they are restored."""

import os
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct

from sayso.core.errors import ProviderError

FOLDER = "clipboard"


class ClipboardContent(Struct, frozen=True):
    """The content of a clipboard in one type.

    The type is empty when the clipboard was empty, or when nothing of its content is kept.
    """

    kind: str
    data: bytes = b""
    lost: str = ""
    """The part of a message that says what was not kept of the content; empty when everything was kept."""


class ClipboardStash:
    """Former contents of the clipboard, each in its own file inside sayso's own folder."""

    def __init__(self, own: str) -> None:
        self._folder = Path(own) / FOLDER

    def keep(self, name: str, held: ClipboardContent) -> None:
        """Store a content under a name; when this returns, it is on the disk."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._at(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(file, "wb") as open_file:
            open_file.write(f"{held.kind}\t{held.lost}\n".encode() + held.data)
            open_file.flush()
            os.fsync(open_file.fileno())

    def has(self, name: str) -> bool:
        """Return whether something is kept under this name."""
        return self._at(name).is_file()

    def get(self, name: str) -> ClipboardContent:
        """Return the content kept under a name. Raises `ProviderError` when it is no longer kept."""
        try:
            head, _, data = self._at(name).read_bytes().partition(b"\n")
        except FileNotFoundError:
            raise ProviderError("what the clipboard held before is no longer kept", "clipboard.gone") from None
        kind, _, lost = head.decode().partition("\t")
        return ClipboardContent(kind, data, lost)

    def lost(self, name: str) -> str:
        """Return what part of the content was not kept; empty when nothing is kept under this name."""
        try:
            return self.get(name).lost
        except ProviderError:
            return ""

    def forget(self, name: str) -> None:
        """Remove the content kept under a name."""
        self._at(name).unlink(missing_ok=True)

    def prune(self, now: datetime, age: timedelta) -> int:
        """Remove stored contents older than `age`; return how many were removed."""
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
