"""The apps backend of a Linux desktop, over whatever screen there is."""

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, ChangeRef, Fact, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.core.provider import Capability
from sayso.providers.apps import geometry
from sayso.providers.apps.geometry import Bounds, WindowLayout, fit_within
from sayso.providers.apps.linux.actions import AppActions
from sayso.providers.apps.linux.applications import AppLauncher, instances_of_token, lives
from sayso.providers.apps.linux.reads import AppsSnapshot, LinuxApps, combine_sight, installed_fact
from sayso.providers.apps.linux.screen import SILENT, Display, ReportsIdle, Screen
from sayso.providers.apps.memory import at
from sayso.providers.apps.model import (
    ActivateApp,
    AppInstalled,
    AppRunning,
    BoundsBeneath,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    Steps,
    WindowAt,
    describe_change,
)


def where(step: Steps, left: Facts) -> str:
    """Return one clause about the window that a step placed; nothing when it is exactly as was asked."""
    match step:
        case PlaceWindow():
            return _differs(step, left, step.state)
        case PlaceNewWindow() | OpenAppPlaced() if not step.fit:
            return _differs(step, left, "normal")
        case _:
            return ""


def _differs(step: PlaceWindow | PlaceNewWindow | OpenAppPlaced, left: Facts, state: str) -> str:
    now = next((fact for fact in left if isinstance(fact, WindowAt)), None)
    asked = (step.left, step.top, step.right, step.bottom)
    if now is None or ((now.left, now.top, now.right, now.bottom) == asked and now.state == state):
        return ""
    size = f"{now.right - now.left} wide and {now.bottom - now.top} high"
    other = f", {now.state}" if now.state not in {"normal", state} else ""
    return f"the window of {step.name} is now at {now.left}, {now.top}, {size}{other}"


def settle_step(step: Steps, expects: Facts, sight: AppsSnapshot) -> Settlement:
    """Compare what a step wanted and what it expected with what is there; starts nothing."""
    match step:
        case QuitApp(name):
            return _quit(name, expects, sight)
        case OpenApp(name, _, token):
            return _settle_open(name, token, sight)
        case OpenAppPlaced(name, _, left, top, right, bottom, fit, token):
            return _open_placed(name, token, Bounds(left, top, right, bottom), sight, fit=fit)
        case ActivateApp(name):
            return CannotTell(f"the desktop does not tell who brought {name} to the front")
        case PlaceWindow(name, window):
            return _settle_place(step, name, window, expects, sight)
        case PlaceNewWindow(name):
            return CannotTell(f"nobody knows where the window of {name} was before")


def _quit(name: str, expects: Facts, sight: AppsSnapshot) -> Settlement:
    meant = {one for fact in expects if isinstance(fact, AppRunning) for one in fact.instances}
    if not meant:
        return CannotTell(f"it is not known which {name} was meant")
    there = {one for one in meant if lives(one) or one in {instance for instance, _ in sight.instances}}
    if not there:
        return Applied((AppRunning(name, ()),))
    return NotDone(f"{name} still runs") if there == meant else CannotTell(f"a part of {name} has ended")


def _settle_open(name: str, token: str, sight: AppsSnapshot) -> Settlement:
    running, ours = sight.of(name), instances_of_token(token)
    if ours & set(running):
        return Applied((AppRunning(name, running),))
    if running:
        return CannotTell(f"{name} runs, and may have been opened by somebody else")
    return CannotTell(f"{name} was started, and shows no window") if ours else NotDone(f"{name} does not run")


def _open_placed(name: str, token: str, to: Bounds, sight: AppsSnapshot, *, fit: bool) -> Settlement:
    opened = _settle_open(name, token, sight)
    if not isinstance(opened, Applied):
        return opened
    window = next((one for one in sight.windows if one.app == name), None)
    if window is None or window.bounds != (fit_within(window.bounds, to) if fit else to):
        return CannotTell(f"{name} was opened, and its window is not where it was to go")
    return Applied((*opened.facts, at(window)))


def _settle_place(step: PlaceWindow, name: str, id_: str, expects: Facts, sight: AppsSnapshot) -> Settlement:
    window = sight.window(id_)
    if window is None:
        return CannotTell(f"the window of {name} is not there any more")
    now = at(window)
    if any(isinstance(fact, WindowAt) and fact == now for fact in expects):
        return NotDone(f"the window of {name} is where it was")
    wanted = WindowAt(id_, name, step.left, step.top, step.right, step.bottom, step.state, step.desktop or now.desktop)
    return Applied((now,)) if now == wanted else CannotTell(f"the window of {name} is neither where it was nor there")


class LinuxAppsBackend:
    """The apps backend of a Linux desktop."""

    imagines = True
    note = ""

    def __init__(
        self,
        screens: Display,
        menu: AppLauncher,
        layouts: tuple[WindowLayout, ...] = (),
        kill: KillPoint = no_kill_point,
    ) -> None:
        self._screens = screens
        self._menu = menu
        self._kill = kill
        self.name = screens.name
        self.reads = LinuxApps(self._look, self._idle, menu.entries, layouts, names=menu.token)
        self.asked = False
        """Whether the settings name this screen, so that it is trouble where it cannot be seen."""

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step if everything still is as expected. Raises `ProviderError`, and `Uncertain`."""
        try:
            async with self._screens.open() as screen:
                return await self._execute_step(screen, step, expects)
        except SetupError as gone:
            raise ProviderError(f"{gone}; nothing was changed", gone.code) from gone

    async def _execute_step(self, screen: Screen, step: Steps, expects: Facts) -> Applied:
        sight = await self._sight(screen)
        for fact in expects:
            if not _holds(sight, fact):
                raise ProviderError(f"{describe_change(fact)}; nothing was changed", "world.changed")
        self._kill(f"{step.step}.before")
        try:
            facts = await AppActions(screen, self._menu, lambda: self._sight(screen)).do(step, expects)
        except SetupError as odd:
            raise Uncertain(str(odd), odd.code) from odd
        except ProviderError as odd:
            if odd.code != SILENT:
                raise
            raise Uncertain(f"{odd}, in the middle of it", SILENT) from odd
        self._kill(f"{step.step}.after")
        return Applied(facts)

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Look at what became of a step."""
        return settle_step(step, expects, await self._look())

    def imagine(self, seen: LinuxApps, step: Steps, ref: ChangeRef) -> LinuxApps:
        """Return reads in which a step has been done."""
        return seen.after(step, ref)

    def tells(self, step: Steps, left: Applied) -> str:
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
        entries = self._menu.entries().menu_entries()
        menus = Capability("applications", f"{len(entries)} in your menus", "from the desktop entries of this session")
        none = Capability("applications", "", "no desktop entry was found", "install one, or set XDG_DATA_DIRS")
        return windows, menus if entries else none

    async def _look(self) -> AppsSnapshot:
        async with self._screens.open() as screen:
            return await self._sight(screen)

    async def _idle(self) -> float | None:
        async with self._screens.open() as screen:
            return await screen.idle() if isinstance(screen, ReportsIdle) else None

    async def _sight(self, screen: Screen) -> AppsSnapshot:
        return combine_sight(await screen.look(), self._menu.entries())


def _says(odd: SaysoError, fix: str) -> str:
    return str(odd).removesuffix(f"; {fix}")


def _holds(sight: AppsSnapshot, fact: Fact) -> bool:
    match fact:
        case AppRunning(name, instances):
            return sight.of(name) == tuple(sorted(instances))
        case AppInstalled(name):
            return any(installed_fact(entry) == fact for entry in sight.installed.menu_entries() if entry.name == name)
        case WindowAt(id_):
            found = sight.window(id_)
            return found is not None and at(found) == fact
        case BoundsBeneath():
            return True
        case _:
            return False


def desktop(ground: BackendContext, screens: Display) -> LinuxAppsBackend:
    """Return the backend over a screen, with the menus and layouts of the person."""
    menu = AppLauncher(ground.environ, ground.home, ground.roots, ground.ids)
    made = LinuxAppsBackend(screens, menu, geometry.read(ground.settings), ground.kill)
    made.asked = ground.settings.get("kind") not in {None, "", "auto"}
    return made
