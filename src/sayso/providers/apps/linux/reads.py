"""The reads of the apps store over a real screen, as it is now or as earlier steps of a batch would leave it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from sayso.core.plan import Fact, Ref
from sayso.core.pretend import Seen
from sayso.core.values import dataclass
from sayso.providers.apps import store
from sayso.providers.apps.facts import Installed, Running
from sayso.providers.apps.geometry import Monitor
from sayso.providers.apps.linux.looking import Sight
from sayso.providers.apps.presets import Preset
from sayso.providers.apps.steps import Steps
from sayso.providers.apps.world import World, at, imagined
from sayso.providers.entries.entry import Entry
from sayso.providers.entries.installed import Installed as Entries


@dataclass(frozen=True)
class Reads:
    """What operations look at."""

    look: Callable[[], Awaitable[Sight]]
    untouched: Callable[[], Awaitable[float | None]]
    entries: Callable[[], Entries]
    layouts: tuple[Preset, ...] = ()
    earlier: tuple[tuple[Steps, Ref], ...] = ()
    """What earlier actions of the batch will have done."""
    exact: bool = False
    names: Callable[[], str] = str
    """Where new names come from."""

    def exactly(self) -> "Reads":
        """Return these reads for names that are meant letter for letter."""
        return replace(self, exact=True)

    def after(self, step: Steps, ref: Ref) -> "Reads":
        """Return these reads with one more step that will have been done."""
        return replace(self, earlier=(*self.earlier, (step, ref)))

    async def running(self) -> tuple[store.App, ...]:
        """Return what runs and has a window, the front one first."""
        seen, ids = await self._seen()
        world = seen.look()
        names = dict.fromkeys(name for _, name in world.running)
        return tuple(_app(seen, name, ids.get(name, "")) for name in names)

    async def installed(self) -> tuple[store.Program, ...]:
        """Return what stands in the person's menus."""
        return tuple(store.Program(entry.name, entry.id, installed(entry)) for entry in self.entries().shown())

    async def windows(self, app: str) -> tuple[store.Window, ...]:
        """Return the windows of an application, front first, minimised ones last."""
        seen, _ = await self._seen()
        return _windows(seen, app)

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors."""
        return (await self.look()).monitors

    async def presets(self) -> tuple[Preset, ...]:
        """Return the layouts that the person wrote."""
        return self.layouts

    async def idle(self) -> float | None:
        """Return for how many seconds nobody has touched keyboard or mouse; None where nobody can tell."""
        return await self.untouched()

    def token(self) -> str:
        """Return a new name, for what is launched to carry in its environment."""
        return self.names()

    async def _seen(self) -> tuple[Seen[World], dict[str, str]]:
        sight = await self.look()
        world = World(running=sight.instances, windows=sight.windows, monitors=sight.monitors)
        installed_ids = {entry.name: entry.id for entry in sight.installed.shown()}
        return imagined(world, self.earlier), {**installed_ids, **dict(sight.ids)}


def installed(entry: Entry) -> Installed:
    """Return the fact that an application is this very one: the file and what it holds."""
    return Installed(entry.name, f"{entry.path} {entry.mark}")


def _app(seen: Seen[World], name: str, id_: str) -> store.App:
    world = seen.look()
    new = name in world.new
    running: Fact = seen.fact(Running(name, world.instances(name)))
    return store.App(name, id_, running, () if new else _windows(seen, name), new)


def _windows(seen: Seen[World], app: str) -> tuple[store.Window, ...]:
    return tuple(
        store.Window(window.id, app, window.bounds, window.state, seen.fact(at(window)), window.desktop, window.title)
        for window in seen.look().windows
        if window.app == app
    )
