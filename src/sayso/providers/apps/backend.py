"""What the backends for applications share: waiting for the screen, settling after a crash, telling differences."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from msgspec import Struct

from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.providers.apps.geometry import fit_within
from sayso.providers.apps.model import (
    ActivateApp,
    AppRunning,
    AppsState,
    OpenApp,
    OpenAppPlaced,
    PlaceNewWindow,
    PlaceWindow,
    QuitApp,
    Steps,
    WindowAt,
)


def describe_difference(step: Steps, left: Facts) -> str:
    """Return the part of a message that says where a window is after a step, if that is not the requested place.

    For a window that was fitted into an area, any place is accepted.
    """
    match step:
        case PlaceWindow():
            wanted = step.state
        case PlaceNewWindow() | OpenAppPlaced() if not step.fit:
            wanted = "normal"
        case _:
            return ""
    now = next((fact for fact in left if isinstance(fact, WindowAt)), None)
    if now is None or (now.bounds == step.bounds and now.state == wanted):
        return ""
    size = f"{now.bounds.width} wide and {now.bounds.height} high"
    other = f", {now.state}" if now.state not in {"normal", wanted} else ""
    return f"the window of {step.name} is now at {now.left}, {now.top}, {size}{other}"


class Look(Struct, frozen=True):
    """The present state, and what only the system knows of processes."""

    state: AppsState
    is_alive: Callable[[str], bool]
    """Says whether an instance still runs, although it may have no window."""
    of_token: Callable[[str], frozenset[str]]
    """Returns the instances that carry a token."""


def settle_step(step: Steps, expects: Facts, seen: Look) -> Settlement:
    """Return whether a step was completed, by comparing its expected facts with the present windows.

    Changes nothing.
    """
    match step:
        case QuitApp(name):
            return _settle_quit(name, expects, seen)
        case OpenApp(name, _, token):
            return _settle_open(name, token, seen)
        case OpenAppPlaced():
            return _settle_open_placed(step, seen)
        case ActivateApp(name):
            return CannotTell(f"the desktop does not tell who brought {name} to the front")
        case PlaceWindow():
            return _settle_place(step, expects, seen)
        case PlaceNewWindow(name):
            return CannotTell(f"it is not known where the window of {name} was before")


def _settle_quit(name: str, expects: Facts, seen: Look) -> Settlement:
    meant = {instance for fact in expects if isinstance(fact, AppRunning) for instance in fact.instances}
    if not meant:
        return CannotTell(f"it is not known which {name} was meant")
    shown = {instance for instance, _ in seen.state.running}
    left = {instance for instance in meant if seen.is_alive(instance) or instance in shown}
    if not left:
        return Applied((AppRunning(name, ()),))
    return NotDone(f"{name} still runs") if left == meant else CannotTell(f"a part of {name} has ended")


def _settle_open(name: str, token: str, seen: Look) -> Settlement:
    running, ours = seen.state.running_fact(name), seen.of_token(token)
    if ours & set(running.instances):
        return Applied((running,))
    if running.instances:
        return CannotTell(f"{name} runs, and may have been opened by somebody else")
    return CannotTell(f"{name} was started, and shows no window") if ours else NotDone(f"{name} does not run")


def _settle_open_placed(step: OpenAppPlaced, seen: Look) -> Settlement:
    opened = _settle_open(step.name, step.token, seen)
    if not isinstance(opened, Applied):
        return opened
    window = seen.state.front_window(step.name)
    if window is None or window.bounds != (fit_within(window.bounds, step.bounds) if step.fit else step.bounds):
        return CannotTell(f"{step.name} was opened, but its window is not where it was meant to go")
    return Applied((*opened.facts, window.fact))


def _settle_place(step: PlaceWindow, expects: Facts, seen: Look) -> Settlement:
    window = seen.state.window(step.window)
    if window is None:
        return CannotTell(f"the window of {step.name} is not there any more")
    now = window.fact
    if now in expects:
        return NotDone(f"the window of {step.name} is where it was")
    wanted = WindowAt(step.window, step.name, *step.bounds.edges, step.state, step.desktop or now.desktop)
    return (
        Applied((now,))
        if now == wanted
        else CannotTell(f"the window of {step.name} is neither where it was nor where it was meant to go")
    )


T = TypeVar("T")

POLL_SECONDS = 0.01
"""Seconds between two looks at the screen. The looks are needed, as no screen signals everything a step waits for."""


async def poll(look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
    """Return the first true value that `look` returns; None if there is none within `seconds`."""
    with anyio.move_on_after(seconds):
        while True:
            found = await look()
            if found:
                return found
            await anyio.sleep(POLL_SECONDS)
    return None
