"""Applications and windows of a Linux desktop: the three verbs, over whatever screen there is."""

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Fact, Facts, Left, Ref, Settled
from sayso.core.ports import KillPoint, no_kill_point
from sayso.providers.apps.facts import Beneath, Installed, Running, WindowAt, moved_on
from sayso.providers.apps.linux.doing import Doing
from sayso.providers.apps.linux.looking import Sight, seen
from sayso.providers.apps.linux.menu import Menu
from sayso.providers.apps.linux.reads import Reads, installed
from sayso.providers.apps.linux.screen import SILENT, Screen, Screens
from sayso.providers.apps.linux.settling import settled
from sayso.providers.apps.presets import Preset
from sayso.providers.apps.steps import Steps
from sayso.providers.apps.world import at


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
        self.reads = Reads(self._look, menu.entries, layouts)

    async def apply(self, step: Steps, expects: Facts) -> Left:
        """Do a step if everything still is as expected."""
        async with self._screens.open() as screen:
            sight = await self._sight(screen)
            for fact in expects:
                if not _holds(sight, fact):
                    raise ProviderError(f"{moved_on(fact)}; nothing was changed", "world.changed")
            self._kill(f"{step.step}.before")
            try:
                facts = await Doing(screen, self._menu, lambda: self._sight(screen)).do(step, expects)
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

    async def _look(self) -> Sight:
        async with self._screens.open() as screen:
            return await self._sight(screen)

    async def _sight(self, screen: Screen) -> Sight:
        return seen(await screen.look(), self._menu.entries())


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
