"""Tell which application a window belongs to, and what that one is called on the desktop."""

from collections.abc import Callable, Iterator, Sequence

from sayso.providers.apps.linux.processes import launched_as, programs
from sayso.providers.apps.linux.screen import Shown
from sayso.providers.entries.entry import Entry, readable
from sayso.providers.entries.installed import SUFFIX


class Names:
    """The names of applications by what their windows and processes tell, over the entries of this machine."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = sorted(entries, key=lambda entry: entry.hidden)
        self._by_pid: dict[tuple[int, tuple[str, ...]], Entry | None] = {}

    def entry(self, window: Shown) -> Entry | None:
        """Return the entry of a window's application, None where nothing tells."""
        key = (window.pid or 0, window.classes)
        if key not in self._by_pid:
            self._by_pid[key] = next(self._told(window), None)
        return self._by_pid[key]

    def name(self, window: Shown) -> str:
        """Return what the application of a window is called; without an entry, what the window calls itself."""
        entry = self.entry(window)
        said = (entry.name,) if entry else (*reversed(window.classes), *(programs(window.pid) if window.pid else ()))
        return next((name for name in said if readable(name)), "unknown")

    def _told(self, window: Shown) -> Iterator[Entry]:
        classes = [name.casefold() for name in window.classes if name]
        yield from self._only(lambda entry: entry.wm_class.casefold() in classes)
        yield from self._only(lambda entry: entry.id.removesuffix(SUFFIX).casefold() in classes)
        if window.pid:
            path = launched_as(window.pid)
            yield from self._only(lambda entry: entry.path == path)
        yield from self._only(lambda entry: _last(entry.id) in classes)
        if window.pid:
            running = programs(window.pid)
            yield from self._only(lambda entry: entry.program in running)

    def _only(self, fits: Callable[[Entry], bool]) -> Iterator[Entry]:
        """Yield the entry that fits; of several that stand in the menus none, for it could be any."""
        fitting = [entry for entry in self._entries if fits(entry)]
        in_menus = [entry for entry in fitting if not entry.hidden]
        if len(in_menus) == 1 or (not in_menus and len(fitting) == 1):
            yield (in_menus or fitting)[0]


def _last(id_: str) -> str:
    """Return the last part of an id such as `org.xfce.mousepad.desktop`."""
    return id_.removesuffix(SUFFIX).rpartition(".")[2].casefold()
