"""Settle an apps step whose process died, from what the screen shows now."""

from sayso.core.plan import CannotTell, Facts, Left, NotDone, Settled
from sayso.providers.apps.geometry import Bounds, fitted
from sayso.providers.apps.linux.processes import lives, opened_under
from sayso.providers.apps.linux.reads import Sight
from sayso.providers.apps.memory import at
from sayso.providers.apps.model import Activate, Open, OpenPlaced, Place, PlaceNew, Quit, Running, Steps, WindowAt


def where(step: Steps, left: Facts) -> str:
    """Return one clause about the window that a step placed; nothing when it is exactly as was asked."""
    match step:
        case Place():
            return _differs(step, left, step.state)
        case PlaceNew() | OpenPlaced() if not step.fit:
            return _differs(step, left, "normal")
        case _:
            return ""


def _differs(step: Place | PlaceNew | OpenPlaced, left: Facts, state: str) -> str:
    now = next((fact for fact in left if isinstance(fact, WindowAt)), None)
    asked = (step.left, step.top, step.right, step.bottom)
    if now is None or ((now.left, now.top, now.right, now.bottom) == asked and now.state == state):
        return ""
    size = f"{now.right - now.left} wide and {now.bottom - now.top} high"
    other = f", {now.state}" if now.state not in {"normal", state} else ""
    return f"the window of {step.name} is now at {now.left}, {now.top}, {size}{other}"


def settled(step: Steps, expects: Facts, sight: Sight) -> Settled:
    """Compare what a step wanted and what it expected with what is there; starts nothing."""
    match step:
        case Quit(name):
            return _quit(name, expects, sight)
        case Open(name, _, token):
            return _opened(name, token, sight)
        case OpenPlaced(name, _, left, top, right, bottom, fit, token):
            return _open_placed(name, token, Bounds(left, top, right, bottom), sight, fit=fit)
        case Activate(name):
            return CannotTell(f"the desktop does not tell who brought {name} to the front")
        case Place(name, window):
            return _placed(step, name, window, expects, sight)
        case PlaceNew(name):
            return CannotTell(f"nobody knows where the window of {name} was before")


def _quit(name: str, expects: Facts, sight: Sight) -> Settled:
    meant = {one for fact in expects if isinstance(fact, Running) for one in fact.instances}
    if not meant:
        return CannotTell(f"it is not known which {name} was meant")
    there = {one for one in meant if lives(one) or one in {instance for instance, _ in sight.instances}}
    if not there:
        return Left((Running(name, ()),))
    return NotDone(f"{name} still runs") if there == meant else CannotTell(f"a part of {name} has ended")


def _opened(name: str, token: str, sight: Sight) -> Settled:
    running, ours = sight.of(name), opened_under(token)
    if ours & set(running):
        return Left((Running(name, running),))
    if running:
        return CannotTell(f"{name} runs, and may have been opened by somebody else")
    return CannotTell(f"{name} was started, and shows no window") if ours else NotDone(f"{name} does not run")


def _open_placed(name: str, token: str, to: Bounds, sight: Sight, *, fit: bool) -> Settled:
    opened = _opened(name, token, sight)
    if not isinstance(opened, Left):
        return opened
    window = next((one for one in sight.windows if one.app == name), None)
    if window is None or window.bounds != (fitted(window.bounds, to) if fit else to):
        return CannotTell(f"{name} was opened, and its window is not where it was to go")
    return Left((*opened.facts, at(window)))


def _placed(step: Place, name: str, id_: str, expects: Facts, sight: Sight) -> Settled:
    window = sight.window(id_)
    if window is None:
        return CannotTell(f"the window of {name} is not there any more")
    now = at(window)
    if any(isinstance(fact, WindowAt) and fact == now for fact in expects):
        return NotDone(f"the window of {name} is where it was")
    wanted = WindowAt(id_, name, step.left, step.top, step.right, step.bottom, step.state, step.desktop or now.desktop)
    return Left((now,)) if now == wanted else CannotTell(f"the window of {name} is neither where it was nor there")
