"""The current settings: their files are read again whenever one of them has changed."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from msgspec.structs import replace

from sayso.config import Settings, load, places
from sayso.config.load import ADMINISTRATOR
from sayso.core.errors import SetupError
from sayso.policy.settings import Policy
from sayso.runtime.services import log_warning

Stamp = tuple[tuple[int, int, int] | None, ...]


def nowhere(policy: Policy) -> tuple[str, ...]:
    """Return no paths; the default where no program files have to be protected."""
    return ()


class ReloadingSettings:
    """Returns the current settings when called; each call checks whether the files have changed.

    `others` are the names of the sections that providers from other packages own. `program` returns the paths of
    sayso's own program files, which no action may change.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        others: Collection[str] = (),
        program: Callable[[Policy], tuple[str, ...]] = nowhere,
    ) -> None:
        self._environ = environ
        self._others = others
        self._program = program
        self._files = (places(environ).config, ADMINISTRATOR)
        self._stamp: Stamp | None = None
        self._good: Settings | None = None
        self._now: Settings | None = None

    def __call__(self) -> Settings:
        """Return the settings.

        Raises `SetupError` if the files are invalid and no valid settings were read before. If valid settings were
        read before, those are returned with `paused` set, until the files are valid again.
        """
        stamp = tuple(_stamp(file) for file in self._files)
        if self._now is None or stamp != self._stamp:
            self._now, self._stamp = self._read(), stamp
        return self._now

    def _read(self) -> Settings:
        try:
            read = load(self._environ, others=self._others)
        except SetupError as wrong:
            if self._good is None:
                raise
            if self._now is self._good:
                log_warning("the settings cannot be read any more, so everything is paused: %s", wrong)
            return replace(self._good, policy=replace(self._good.policy, paused=True))
        self._good = replace(read, policy=replace(read.policy, program=self._program(read.policy)))
        return self._good


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    # ctime, unlike mtime, also changes with the permissions, and no program can set it back.
    return (found.st_ino, found.st_size, found.st_ctime_ns)
