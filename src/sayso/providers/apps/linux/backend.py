"""The apps backend of a Linux desktop, over whatever screen there is."""

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Fact, Facts, Left, Ref, Settled
from sayso.core.ports import Ground, KillPoint, no_kill_point
from sayso.core.provider import Capability
from sayso.providers.apps import geometry
from sayso.providers.apps.geometry import Preset
from sayso.providers.apps.linux.actions import Doing
from sayso.providers.apps.linux.applications import Menu
from sayso.providers.apps.linux.reads import Reads, Sight, installed, seen
from sayso.providers.apps.linux.screen import SILENT, KnowsIdle, Screen, Screens
from sayso.providers.apps.linux.settle import settled, where
from sayso.providers.apps.memory import at
from sayso.providers.apps.model import Beneath, Installed, Running, Steps, WindowAt, moved_on


class Desktop:
    """The apps backend of a Linux desktop."""

    imagines = True
    note = ""

    def __init__(
        self, screens: Screens, menu: Menu, layouts: tuple[Preset, ...] = (), kill: KillPoint = no_kill_point
    ) -> None:
        self._screens = screens
        self._menu = menu
        self._kill = kill
        self.name = screens.name
        self.reads = Reads(self._look, self._idle, menu.entries, layouts, names=menu.token)
        self.asked = False
        """Whether the settings name this screen, so that it is trouble where it cannot be seen."""

    async def apply(self, step: Steps, expects: Facts) -> Left:
        """Do a step if everything still is as expected. Raises `ProviderError`, and `Uncertain`."""
        try:
            async with self._screens.open() as screen:
                return await self._done(screen, step, expects)
        except SetupError as gone:
            raise ProviderError(f"{gone}; nothing was changed", gone.code) from gone

    async def _done(self, screen: Screen, step: Steps, expects: Facts) -> Left:
        sight = await self._sight(screen)
        for fact in expects:
            if not _holds(sight, fact):
                raise ProviderError(f"{moved_on(fact)}; nothing was changed", "world.changed")
        self._kill(f"{step.step}.before")
        try:
            facts = await Doing(screen, self._menu, lambda: self._sight(screen)).do(step, expects)
        except SetupError as odd:
            raise Uncertain(str(odd), odd.code) from odd
        except ProviderError as odd:
            if odd.code != SILENT:
                raise
            raise Uncertain(f"{odd}, in the middle of it", SILENT) from odd
        self._kill(f"{step.step}.after")
        return Left(facts)

    async def settle(self, step: Steps, expects: Facts) -> Settled:
        """Look at what became of a step."""
        return settled(step, expects, await self._look())

    def imagine(self, seen: Reads, step: Steps, ref: Ref) -> Reads:
        """Return reads in which a step has been done."""
        return seen.after(step, ref)

    def tells(self, step: Steps, left: Left) -> str:
        """Say where a window really is, when it is not exactly where it was to go."""
        return where(step, left.facts)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say whether windows can be seen, and how many applications the person's menus hold."""
        try:
            sight = await self._look()
        except SaysoError as odd:
            windows = Capability("windows", "", _says(odd, self._screens.fix), self._screens.fix, asked=self.asked)
        else:
            monitors = ", ".join(monitor.name for monitor in sight.monitors)
            windows = Capability("windows", self.name, f"{self._screens.why}; monitors: {monitors or 'none'}")
        entries = self._menu.entries().shown()
        menus = Capability("applications", f"{len(entries)} in your menus", "from the desktop entries of this session")
        none = Capability("applications", "", "no desktop entry was found", "install one, or set XDG_DATA_DIRS")
        return windows, menus if entries else none

    async def _look(self) -> Sight:
        async with self._screens.open() as screen:
            return await self._sight(screen)

    async def _idle(self) -> float | None:
        async with self._screens.open() as screen:
            return await screen.idle() if isinstance(screen, KnowsIdle) else None

    async def _sight(self, screen: Screen) -> Sight:
        return seen(await screen.look(), self._menu.entries())


def _says(odd: SaysoError, fix: str) -> str:
    return str(odd).removesuffix(f"; {fix}")


def _holds(sight: Sight, fact: Fact) -> bool:
    match fact:
        case Running(name, instances):
            return sight.of(name) == tuple(sorted(instances))
        case Installed(name):
            return any(installed(entry) == fact for entry in sight.installed.shown() if entry.name == name)
        case WindowAt(id_):
            found = sight.window(id_)
            return found is not None and at(found) == fact
        case Beneath():
            return True
        case _:
            return False


def desktop(ground: Ground, screens: Screens) -> Desktop:
    """Return the backend over a screen, with the menus and layouts of the person."""
    menu = Menu(ground.environ, ground.home, ground.roots, ground.ids)
    made = Desktop(screens, menu, geometry.read(ground.settings), ground.kill)
    made.asked = ground.settings.get("kind") not in {None, "", "auto"}
    return made
