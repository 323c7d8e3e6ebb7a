"""The steps that an apps backend can do, and the facts that may be expected of applications and windows."""

from typing import ClassVar

from sayso.core.plan import Fact, Step


class AppStep(Step, frozen=True):
    """A step of the apps store."""

    store: ClassVar[str] = "apps"


class OpenApp(AppStep, frozen=True):
    """Bring the application to the front, launching it (`id`, as the system knows it) when it does not run.

    What is launched carries `token`, where the system lets it carry one.
    """

    step: ClassVar[str] = "app.open"
    apps: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    id: str
    token: str = ""


class ActivateApp(AppStep, frozen=True):
    """Bring the running application to the front; never launches."""

    step: ClassVar[str] = "app.activate"
    name: str


class QuitApp(AppStep, frozen=True):
    """Ask every instance that is expected to end normally, and wait up to `seconds` until all have; no kill."""

    step: ClassVar[str] = "app.quit"
    apps: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    seconds: int = 10


class PlaceWindow(AppStep, frozen=True):
    """Give a window these bounds (absolute screen coordinates), this state and this desktop.

    `state` is `normal`, `maximised`, `minimised` or `fullscreen`; where the system arranges windows also `tiled`
    and `tiled fullscreen`. With another than `normal` the bounds are those it has in that state. An empty
    `desktop` is the one it is on.
    """

    step: ClassVar[str] = "window.place"
    name: str
    window: str
    left: int
    top: int
    right: int
    bottom: int
    state: str = "normal"
    desktop: str = ""


class PlaceNewWindow(AppStep, frozen=True):
    """Place the front window of an application that an earlier step opens: its id is not known before.

    With `fit` the window keeps its size and is fitted into the bounds.
    """

    step: ClassVar[str] = "window.place_new"
    name: str
    left: int
    top: int
    right: int
    bottom: int
    fit: bool = False


class OpenAppPlaced(AppStep, frozen=True):
    """Launch an application for a layout of the person's own and place its first window, as `PlaceNewWindow` does.

    The person wrote the layout, so no application list is asked. It carries `token` as in `OpenApp`.
    """

    step: ClassVar[str] = "app.open_placed"
    name: str
    id: str
    left: int
    top: int
    right: int
    bottom: int
    fit: bool = False
    token: str = ""


Steps = OpenApp | ActivateApp | QuitApp | PlaceWindow | PlaceNewWindow | OpenAppPlaced
STEPS: tuple[type[AppStep], ...] = (OpenApp, ActivateApp, QuitApp, PlaceWindow, PlaceNewWindow, OpenAppPlaced)


class AppRunning(Fact, frozen=True):
    """The application of this name runs as exactly these instances; none means that it does not run.

    An instance is whatever the system knows a running program by and does not use again at once: a
    process with its start time, a desktop's id.
    """

    fact: ClassVar[str] = "app_running"
    instances: tuple[str, ...]


class AppInstalled(Fact, frozen=True):
    """The application of this name is this very one (a bundle, a desktop entry), not another of the same name."""

    fact: ClassVar[str] = "app_installed"
    id: str


class WindowAt(Fact, frozen=True):
    """The window of this id belongs to this application and has these bounds and this state, on this desktop."""

    fact: ClassVar[str] = "window"
    app: str
    left: int
    top: int
    right: int
    bottom: int
    state: str = "normal"
    desktop: str = ""


class BoundsBeneath(Fact, frozen=True):
    """These are the bounds that the window of this id had beneath its state (maximised, fullscreen).

    They were seen when the state was taken off; the way back gives both. It is known, not looked at again.
    """

    fact: ClassVar[str] = "window_beneath"
    left: int
    top: int
    right: int
    bottom: int


FACTS: tuple[type[Fact], ...] = (AppRunning, AppInstalled, WindowAt, BoundsBeneath)


def describe_change(fact: Fact) -> str:
    """Say in one clause that a fact is no longer so."""
    match fact:
        case AppRunning(name):
            return f"{name} was started or ended since this was planned"
        case AppInstalled(name):
            return f"{name} is no longer the application it was when this was planned"
        case WindowAt(_, app):
            return f"the window of {app} was moved or closed since this was planned"
        case _:
            return f"“{fact.about}” is no longer as it was when this was planned"
