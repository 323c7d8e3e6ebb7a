"""What an operation may look at of applications, windows, monitors and layouts: the reads of the apps store."""

from typing import Protocol

from sayso.core.plan import Fact
from sayso.core.values import dataclass
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.presets import Preset


@dataclass(frozen=True, slots=True)
class Window:
    """A window that can be placed; `fact` says it is the one seen (`WindowAt`, or `AsLeft` within a batch)."""

    id: str
    app: str
    bounds: Bounds
    state: str
    """`normal`, `maximised`, `minimised`, `fullscreen`; where the system arranges windows also `tiled`."""
    fact: Fact
    desktop: str = ""
    """Which of several desktops it stands on; empty where there is only one."""
    title: str = ""
    """What its program calls it; strangers' words, as a page's title is."""


@dataclass(frozen=True, slots=True)
class App:
    """A running application; two processes with one name are one application with two instances."""

    name: str
    """As the system shows it."""
    id: str
    """As the system launches it, empty when it cannot."""
    fact: Fact
    """`Running`, or `AsLeft` when an earlier step of the batch opens it."""
    windows: tuple[Window, ...] = ()
    """Front first."""
    new: bool = False
    """An earlier step of the batch opens it: its windows are not there yet."""


@dataclass(frozen=True, slots=True)
class Program:
    """An installed application; `fact` (`Installed`) says it is this very one."""

    name: str
    id: str
    fact: Fact


class Apps(Protocol):
    """The reads. In a batch the same reads show the world as the earlier plans would leave it.

    A system where windows or monitors cannot be seen raises `SetupError` with what to do, from the read
    that needs them; `running` then gives applications without windows.
    """

    @property
    def exact(self) -> bool:
        """Say whether a name is meant letter for letter; else one that differs in case alone will do (T-98)."""
        ...

    def exactly(self) -> "Apps":
        """Return these reads for names that are meant letter for letter."""
        ...

    async def running(self) -> tuple[App, ...]:
        """Return the running applications that have a name on the desktop, each name once."""
        ...

    async def installed(self) -> tuple[Program, ...]:
        """Return what can be launched, by name, from all application folders (T-28)."""
        ...

    async def windows(self, app: str) -> tuple[Window, ...]:
        """Return the windows of a running application, front first."""
        ...

    async def monitors(self) -> tuple[Monitor, ...]:
        """Return the monitors; at least one."""
        ...

    async def presets(self) -> tuple[Preset, ...]:
        """Return the layouts that the person wrote."""
        ...

    async def idle(self) -> float | None:
        """Return for how many seconds nobody has touched keyboard or mouse; None where nobody can tell."""
        ...

    def token(self) -> str:
        """Return a new name that nobody can guess, for what is launched to carry; empty where it cannot."""
        ...
