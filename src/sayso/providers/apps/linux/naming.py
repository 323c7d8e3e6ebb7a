"""Tell which application a window belongs to, and what that one is called on the desktop."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sayso.providers.apps.linux.processes import launched_as, programs
from sayso.providers.apps.linux.screen import Shown
from sayso.providers.entries.entry import Entry, readable
from sayso.providers.entries.installed import SUFFIX


class Names:
    """The names of applications by what their windows and processes tell, over the entries of this machine."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._by_class = _grouped(entries, lambda entry: entry.wm_class.casefold())
        self._by_id = _grouped(entries, lambda entry: entry.id.removesuffix(SUFFIX).casefold())
        self._by_path = _grouped(entries, lambda entry: entry.path)
        self._by_last = _grouped(entries, lambda entry: _last(entry.id))
        self._by_program = _grouped(entries, lambda entry: entry.program)
        self._by_pid: dict[tuple[int, tuple[str, ...]], Entry | None] = {}

    def entry(self, window: Shown) -> Entry | None:
        """Return the entry of a window's application, None where nothing tells."""
        key = (window.pid or 0, window.classes)
        if key not in self._by_pid:
            self._by_pid[key] = next(self._told(window), None)
        return self._by_pid[key]

    def name(self, window: Shown) -> str:
        """Return what the application of a window is called; without an entry, what the window calls itself."""
        return next((name for name in self._said(window) if readable(name)), "unknown")

    def _said(self, window: Shown) -> Iterator[str]:
        entry = self.entry(window)
        if entry:
            yield entry.name
            return
        yield from reversed(window.classes)
        if window.pid:
            yield from programs(window.pid)

    def _told(self, window: Shown) -> Iterator[Entry]:
        classes = [name.casefold() for name in window.classes if name]
        yield from _only(self._by_class, classes)
        yield from _only(self._by_id, classes)
        if window.pid and (path := launched_as(window.pid)):
            yield from _only(self._by_path, [path])
        yield from _only(self._by_last, classes)
        if window.pid:
            yield from _only(self._by_program, programs(window.pid))


def _grouped(entries: Iterable[Entry], key: Callable[[Entry], str]) -> Mapping[str, Sequence[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return groups


def _only(groups: Mapping[str, Sequence[Entry]], keys: Iterable[str]) -> Iterator[Entry]:
    """Yield the entry that fits; of several that stand in the menus none, for it could be any."""
    fitting = [entry for key in dict.fromkeys(keys) for entry in groups.get(key, ())]
    in_menus = [entry for entry in fitting if not entry.hidden]
    if len(in_menus) == 1 or (not in_menus and len(fitting) == 1):
        yield (in_menus or fitting)[0]


def _last(id_: str) -> str:
    """Return the last part of an id such as `org.xfce.mousepad.desktop`."""
    return id_.removesuffix(SUFFIX).rpartition(".")[2].casefold()
