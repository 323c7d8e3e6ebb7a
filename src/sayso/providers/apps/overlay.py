"""Applications and windows read from a state: as it is, or as earlier steps of a batch would leave it."""

from collections.abc import Callable, Sequence

from sayso.core.memory_backend import View
from sayso.core.plan import ChangeRef, ResultRef
from sayso.providers.apps.model import AppsState, AppStep
from sayso.providers.apps.store import AppWindow, RunningApp


def imagine_steps(state: AppsState, earlier: Sequence[tuple[AppStep, ChangeRef]]) -> View[AppsState]:
    """Return a view of the state as these steps would leave it."""
    left: dict[tuple[str, str], ResultRef] = {}
    for step, ref in earlier:
        state, facts = step.execute(state)
        left |= {fact.key: ResultRef(fact.about, fact.fact, ref.change, ref.action) for fact in facts}
    return View(lambda: state, left)


def running_apps(seen: View[AppsState], find_id: Callable[[str], str]) -> tuple[RunningApp, ...]:
    """Return the running applications, each name once; `find_id` says what the system calls one of this name."""
    return tuple(_app(seen, name, find_id(name)) for name in dict.fromkeys(name for _, name in seen.look().running))


def _app(seen: View[AppsState], name: str, id_: str) -> RunningApp:
    state = seen.look()
    new = name in state.new
    return RunningApp(name, id_, seen.fact(state.running_fact(name)), () if new else app_windows(seen, name), new)


def app_windows(seen: View[AppsState], app: str) -> tuple[AppWindow, ...]:
    """Return the windows of an application, front first."""
    return tuple(
        AppWindow(window.id, app, window.bounds, window.state, seen.fact(window.fact), window.desktop, window.title)
        for window in seen.look().windows
        if window.app == app
    )
