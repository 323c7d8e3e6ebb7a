"""See what runs on a screen: each window with its application, each application with its instances."""

from collections.abc import Iterator

from sayso.core.values import dataclass
from sayso.providers.apps.geometry import Monitor
from sayso.providers.apps.linux.naming import Names
from sayso.providers.apps.linux.processes import instance
from sayso.providers.apps.linux.screen import Look, Shown
from sayso.providers.apps.world import Window
from sayso.providers.entries.installed import Installed


@dataclass(frozen=True)
class Sight:
    """What was seen at one moment."""

    windows: tuple[Window, ...]
    """Front first, without those that stand before another window of their application."""
    instances: tuple[tuple[str, str], ...]
    """Instance and name of each running application, windows front first."""
    ids: tuple[tuple[str, str], ...]
    """Name and desktop entry of each."""
    monitors: tuple[Monitor, ...]
    installed: Installed
    shown: tuple[tuple[str, Shown], ...]
    """Every window with the name of its application."""

    def of(self, name: str) -> tuple[str, ...]:
        """Return the instances of an application."""
        return tuple(sorted(instance for instance, app in self.instances if app == name))

    def all_of(self, name: str) -> tuple[Shown, ...]:
        """Return every window of an application, questions it asks included."""
        return tuple(window for app, window in self.shown if app == name)

    def window(self, id_: str) -> Window | None:
        """Return one window."""
        return next((window for window in self.windows if window.id == id_), None)


def seen(look: Look, installed: Installed) -> Sight:
    """Put together what a screen shows and what is installed."""
    names = Names(installed.entries)
    shown = tuple((names.name(window), window) for window in look.windows)
    windows = tuple(
        Window(window.id, name, of_window(window), window.bounds, window.state, window.desktop, window.title)
        for name, window in _placeable(shown)
    )
    instances = dict.fromkeys((of_window(window), name) for name, window in shown)
    ids = {name: entry.id for name, window in shown if (entry := names.entry(window))}
    return Sight(windows, tuple(instances), tuple(ids.items()), look.monitors, installed, shown)


def _placeable(shown: tuple[tuple[str, Shown], ...]) -> Iterator[tuple[str, Shown]]:
    """Yield the windows that a person would call windows of an application; the minimised ones last."""
    with_a_window = {name for name, window in shown if not window.belongs}
    ones = [(name, window) for name, window in shown if not window.belongs or name not in with_a_window]
    yield from sorted(ones, key=lambda one: one[1].state == "minimised")


def of_window(window: Shown) -> str:
    """Return the instance behind a window: its process, or the window itself where nobody knows that."""
    return (instance(window.pid) if window.pid else None) or f"window-{window.id}"
