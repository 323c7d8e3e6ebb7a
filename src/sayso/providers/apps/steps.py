"""The closed union of what an apps backend can do.

Which running instances are meant stands in the facts a step expects, so that a step planned after one
that opens the application is bound to what that one left. Names are those the system shows; no step
carries arguments for a program.
"""

from typing import ClassVar

from sayso.core.plan import Step
from sayso.core.values import dataclass


@dataclass(frozen=True, slots=True)
class AppStep(Step):
    """A step of the apps store."""

    store: ClassVar[str] = "apps"


@dataclass(frozen=True, slots=True)
class Open(AppStep):
    """Bring the application to the front, launching it (`id`, as the system knows it) when it does not run.

    What is launched carries `token`, where the system lets it carry one.
    """

    step: ClassVar[str] = "app.open"
    apps: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    id: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class Activate(AppStep):
    """Bring the running application to the front; never launches."""

    step: ClassVar[str] = "app.activate"
    name: str


@dataclass(frozen=True, slots=True)
class Quit(AppStep):
    """Ask every instance that is expected to end normally, and wait up to `seconds` until all have; no kill."""

    step: ClassVar[str] = "app.quit"
    apps: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    seconds: int = 10


@dataclass(frozen=True, slots=True)
class Place(AppStep):
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


@dataclass(frozen=True, slots=True)
class PlaceNew(AppStep):
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


@dataclass(frozen=True, slots=True)
class OpenPlaced(AppStep):
    """Launch an application for a layout of the person's own and place its first window, as `PlaceNew` does.

    The person wrote the layout, so no application list is asked. It carries `token` as in `Open`.
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


Steps = Open | Activate | Quit | Place | PlaceNew | OpenPlaced
STEPS: tuple[type[AppStep], ...] = (Open, Activate, Quit, Place, PlaceNew, OpenPlaced)
