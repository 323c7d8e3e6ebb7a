"""Plan a layout: each placement in order, and what cannot be placed with its reason (T-101)."""

from collections import Counter

from sayso.core.errors import ProviderError
from sayso.core.plan import Change
from sayso.core.values import dataclass
from sayso.providers.apps import placing
from sayso.providers.apps.geometry import Monitor
from sayso.providers.apps.names import near, perhaps
from sayso.providers.apps.presets import Placement, Preset
from sayso.providers.apps.store import App, Apps, Program


@dataclass(frozen=True, slots=True)
class Layout:
    """The changes of a layout, and what became of each placement while planning."""

    changes: tuple[Change, ...]
    placed: tuple[str, ...]
    already: tuple[str, ...]
    not_placed: tuple[tuple[str, str], ...]
    """Application and reason."""


@dataclass(frozen=True, slots=True)
class _World:
    running: dict[str, App]
    installed: dict[str, list[Program]]
    monitors: tuple[Monitor, ...]


async def laid_out(apps: Apps, preset: Preset) -> Layout:
    """Plan each placement of `preset`; one that is impossible does not stop the others."""
    by_name: dict[str, list[Program]] = {}
    for program in await apps.installed():
        by_name.setdefault(program.name, []).append(program)
    world = _World(
        {app.name: app for app in await apps.running()},
        by_name,
        await apps.monitors(),
    )
    changes: list[Change] = []
    placed: list[str] = []
    already: list[str] = []
    not_placed: list[tuple[str, str]] = []
    turns: Counter[str] = Counter()
    for placement in preset.placements:
        turn = turns[placement.app_name]
        turns[placement.app_name] += 1
        try:
            change = await _placement(apps, world, placement, turn)
        except ProviderError as impossible:
            not_placed.append((placement.app_name, str(impossible)))
            continue
        (placed if change else already).append(placement.app_name)
        changes += [change] if change else []
    return Layout(tuple(changes), tuple(placed), tuple(already), tuple(not_placed))


async def _placement(apps: Apps, world: _World, placement: Placement, turn: int) -> Change | None:
    name = placement.app_name
    only_opened = placement.bounds is None and placement.monitor is None
    to = placing.target(placement.bounds, placement.monitor or "main", world.monitors)
    app = world.running.get(name)
    if app is None:
        return placing.open_placed(_launchable(world, placement, turn), to, apps.token())
    if only_opened:
        return None
    if app.new:
        return placing.place_new(app, to)
    windows = await apps.windows(app.name)
    if turn >= len(windows):
        raise ProviderError(_too_few(name, len(windows)), "window.missing")
    return placing.place(windows[turn], to, world.monitors)


def _launchable(world: _World, placement: Placement, turn: int) -> Program:
    name = placement.app_name
    programs = world.installed.get(name)
    if not programs:
        hint = perhaps(near(name, (*world.running, *world.installed)))
        raise ProviderError(f"no application is called “{name}”{hint}", "app.unknown")
    if not placement.launch:
        raise ProviderError(f"{name} is not running", "app.not_running")
    if turn:
        raise ProviderError(f"{name} is only being opened; it has one window", "window.missing")
    if len(programs) > 1:
        ids = ", ".join(program.id for program in programs)
        raise ProviderError(
            f"{len(programs)} applications are called “{name}” ({ids}); open it by hand", "app.ambiguous"
        )
    return programs[0]


def _too_few(name: str, count: int) -> str:
    if count == 0:
        return f"{name} has no window"
    return f"{name} has only {count} window" + ("s" if count > 1 else "")
