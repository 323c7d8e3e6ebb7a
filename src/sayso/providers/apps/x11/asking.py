"""Ask the window manager for what a person could do to a window with the mouse."""

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.x11.windows import EVERYWHERE, around, numbers
from sayso.providers.apps.x11.wire import Wire

_PAGER = 2
"""Who asks: a tool that the person uses, not the window's own program."""
_REMOVE, _ADD = 0, 1
_ICONIC = 3
_NORTH_WEST = 1
_ALL_FOUR = 0xF << 8
_MAXIMISED = ("_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ")
_FULLSCREEN = ("_NET_WM_STATE_FULLSCREEN",)
_ALL_DESKTOPS = 0xFFFFFFFF


def front(wire: Wire, window: int) -> None:
    """Ask for a window to come to the front, with the keyboard, and for its desktop to be the one that is shown."""
    asked = wire.property(window, "_NET_WM_DESKTOP"), wire.property(wire.root, "_NET_CURRENT_DESKTOP")
    of_window, shown = (numbers(answer()) for answer in asked)
    if of_window and shown and of_window[0] not in {shown[0], _ALL_DESKTOPS}:
        wire.tell(wire.root, "_NET_CURRENT_DESKTOP", of_window[0])
    wire.tell(window, "_NET_ACTIVE_WINDOW", _PAGER)
    wire.sync()


def close(wire: Wire, window: int) -> None:
    """Ask a window to close; its program may ask a question first."""
    wire.tell(window, "_NET_CLOSE_WINDOW", 0, _PAGER)
    wire.sync()


def move(wire: Wire, window: int, to: Bounds) -> None:
    """Ask for bounds that hold for what a person sees of the window."""
    left, right, top, bottom = around(wire, window)
    frame = tuple(max(edge, 0) for edge in (left, right, top, bottom))
    # The position is that of the frame, the size that of the window in it.
    at = to.left - left + frame[0], to.top - top + frame[2]
    size = max(1, to.width - left - right), max(1, to.height - top - bottom)
    wire.tell(
        window, "_NET_MOVERESIZE_WINDOW", _NORTH_WEST | _ALL_FOUR | (_PAGER << 12), *(_word(n) for n in (*at, *size))
    )
    wire.sync()


def plain(wire: Wire, window: int, state: str) -> None:
    """Ask for a window to leave a state, and what is half a state."""
    if state == "minimised":
        wire.map(window)
    _states(wire, window, _REMOVE, _FULLSCREEN)
    _states(wire, window, _REMOVE, _MAXIMISED)
    wire.sync()


def into(wire: Wire, window: int, state: str) -> None:
    """Ask for a window to get into a state."""
    match state:
        case "maximised":
            _states(wire, window, _ADD, _MAXIMISED)
        case "fullscreen":
            _states(wire, window, _ADD, _FULLSCREEN)
        case "minimised":
            wire.tell(window, "WM_CHANGE_STATE", _ICONIC)
        case _:
            return
    wire.sync()


def to_desktop(wire: Wire, window: int, desktop: str) -> None:
    """Ask for a window to stand on a desktop."""
    number = _ALL_DESKTOPS if desktop == EVERYWHERE else int(desktop)
    wire.tell(window, "_NET_WM_DESKTOP", number, _PAGER)
    wire.sync()


def _states(wire: Wire, window: int, how: int, names: tuple[str, ...]) -> None:
    atoms = wire.atoms(names)
    numbers = [atoms[name] for name in names]
    wire.tell(window, "_NET_WM_STATE", how, *numbers, *[0] * (2 - len(numbers)), _PAGER)


def _word(number: int) -> int:
    """Return a number as the message carries it: negative ones counted down from the top."""
    return number & 0xFFFFFFFF
