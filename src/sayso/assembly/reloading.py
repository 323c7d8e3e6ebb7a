"""The settings of this moment: read again when a file of theirs has changed."""

from collections.abc import Collection, Mapping
from pathlib import Path

from sayso.config import Settings, load, places
from sayso.config.administrator import ADMINISTRATOR

Stamp = tuple[tuple[int, int, int] | None, ...]


class Reloading:
    """Gives the settings; each call looks whether the files are still the ones that were read.

    `others` are the sections of providers that other packages bring.
    """

    def __init__(self, environ: Mapping[str, str], others: Collection[str] = ()) -> None:
        self._environ = environ
        self._others = others
        self._files = (places(environ).config, ADMINISTRATOR)
        self._stamp: Stamp | None = None
        self._settings: Settings | None = None

    def __call__(self) -> Settings:
        """Return the settings. Raises `SetupError` when a file says something it may not say."""
        stamp = tuple(_stamp(file) for file in self._files)
        if self._settings is None or stamp != self._stamp:
            self._settings, self._stamp = load(self._environ, others=self._others), stamp
        return self._settings


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)
