"""See what an X session shows: the windows that its window manager manages, and the monitors."""

import os
from collections.abc import Callable
from typing import TypeVar

from sayso.core.errors import SetupError
from sayso.core.values import dataclass
from sayso.providers.apps.geometry import Bounds, Monitor
from sayso.providers.apps.linux.screen import Look, Shown
from sayso.providers.apps.x11.connection import Gone, Value, Wire

NO_MANAGER = "no window manager that tells about its windows (EWMH) runs on this screen; start one, such as openbox"
_STATES = (
    ("_NET_WM_STATE_HIDDEN", "minimised"),
    ("_NET_WM_STATE_FULLSCREEN", "fullscreen"),
    ("_NET_WM_STATE_MAXIMIZED_VERT", "maximised"),
)
_HALF = "_NET_WM_STATE_MAXIMIZED_HORZ"
_NOT_OF_APPS = tuple(
    f"_NET_WM_WINDOW_TYPE_{kind}"
    for kind in (
        "DESKTOP", "DOCK", "TOOLBAR", "MENU", "SPLASH", "DROPDOWN_MENU", "POPUP_MENU", "TOOLTIP", "NOTIFICATION",
        "COMBO", "DND",
    )
)  # fmt: skip
_NAMES = (
    "WM_CLASS", "_NET_WM_PID", "_NET_FRAME_EXTENTS", "_GTK_FRAME_EXTENTS", "_NET_WM_STATE", "_NET_WM_DESKTOP",
    "_NET_WM_WINDOW_TYPE", "WM_TRANSIENT_FOR", "WM_PROTOCOLS", "WM_CLIENT_MACHINE",
    "_NET_WM_NAME", "WM_NAME",
)  # fmt: skip
_ROOT = ("_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST", "_NET_NUMBER_OF_DESKTOPS")
_SIDES = 4
_INPUT_SAID = 1
_ALL_DESKTOPS = 0xFFFFFFFF
EVERYWHERE = "all"

Edges = tuple[int, int, int, int]
"""Left, right, top, bottom: how far a frame reaches beyond its window, or a shadow within it."""


@dataclass(frozen=True, slots=True)
class _Raw:
    """What was found of one window."""

    id: int
    values: dict[str, Value]
    place: tuple[int, int, int, int]
    process: int | None


def look(wire: Wire) -> Look:
    """Return windows and monitors. Raises `SetupError` where no window manager tells of windows."""
    _know_names(wire)
    asked = {name: wire.property(wire.root, name) for name in _ROOT}
    told = {name: answer() for name, answer in asked.items()}
    if not told["_NET_SUPPORTING_WM_CHECK"]:
        raise SetupError(NO_MANAGER, "screen.manager")
    stacked = told["_NET_CLIENT_LIST_STACKING"] or told["_NET_CLIENT_LIST"]
    several = (numbers(told["_NET_NUMBER_OF_DESKTOPS"]) or (1,))[0] > 1
    raws = _raws(wire, list(reversed(numbers(stacked))))
    shown = tuple(_shown(wire, raw, several=several) for raw in raws if _of_an_app(wire, raw))
    return Look(shown, monitors(wire))


def one(wire: Wire, window: int) -> Shown | None:
    """Return one window, None when it is gone."""
    _know_names(wire)
    desktops = wire.property(wire.root, "_NET_NUMBER_OF_DESKTOPS")
    raws = _raws(wire, [window])
    several = (numbers(desktops()) or (1,))[0] > 1
    return _shown(wire, raws[0], several=several) if raws else None


def monitors(wire: Wire) -> tuple[Monitor, ...]:
    """Return the monitors."""
    return tuple(
        Monitor(name, Bounds(left, top, left + width, top + height), main)
        for name, main, (left, top, width, height) in wire.monitors()
    )


def around(wire: Wire, window: int) -> Edges:
    """Return how far what a person sees of a window reaches beyond it: its frame, less its own shadow."""
    frame, shadow = (wire.property(window, name) for name in ("_NET_FRAME_EXTENTS", "_GTK_FRAME_EXTENTS"))
    return _around(frame(), shadow())


def takes_keys(wire: Wire, window: int) -> bool:
    """Say whether a window wants the keyboard; one that says nothing does."""
    hints = numbers(wire.property(window, "WM_HINTS")())
    return len(hints) <= 1 or not hints[0] & _INPUT_SAID or bool(hints[1])


def _around(frame: Value, shadow: Value) -> Edges:
    outer, inner = (_edges(value) for value in (frame, shadow))
    return outer[0] - inner[0], outer[1] - inner[1], outer[2] - inner[2], outer[3] - inner[3]


def _edges(value: Value) -> Edges:
    sides = numbers(value)
    return (sides[0], sides[1], sides[2], sides[3]) if len(sides) >= _SIDES else (0, 0, 0, 0)


def _raws(wire: Wire, windows: list[int]) -> list[_Raw]:
    """Ask everything about every window, and only then listen."""
    asked = [
        (window, {name: wire.property(window, name) for name in _NAMES}, wire.bounds(window), wire.process(window))
        for window in windows
    ]
    raws: list[_Raw] = []
    for window, properties, place, process in asked:
        values = {name: _there(answer) for name, answer in properties.items()}
        where, who = _there(place), _there(process)
        if where is not None:
            raws.append(_Raw(window, values, where, who))
    return raws


T = TypeVar("T")


def _there(answer: Callable[[], T]) -> T | None:
    try:
        return answer()
    except Gone:
        return None


def _of_an_app(wire: Wire, raw: _Raw) -> bool:
    atoms = wire.atoms(_NOT_OF_APPS)
    kinds = numbers(raw.values["_NET_WM_WINDOW_TYPE"])
    return not kinds or kinds[0] not in {atoms[name] for name in _NOT_OF_APPS}


def _shown(wire: Wire, raw: _Raw, *, several: bool) -> Shown:
    values = raw.values
    left, right, top, bottom = _around(values["_NET_FRAME_EXTENTS"], values["_GTK_FRAME_EXTENTS"])
    x, y, width, height = raw.place
    atoms = wire.atoms(_KNOWN)
    owner = numbers(values["WM_TRANSIENT_FOR"])
    return Shown(
        str(raw.id),
        _classes(values["WM_CLASS"]),
        _pid(raw),
        Bounds(x - left, y - top, x + width + right, y + height + bottom),
        _state(wire, numbers(values["_NET_WM_STATE"])),
        _desktop(numbers(values["_NET_WM_DESKTOP"])) if several else "",
        closable=atoms["WM_DELETE_WINDOW"] in numbers(values["WM_PROTOCOLS"]),
        belongs=bool(owner) and owner[0] not in {0, wire.root},
        title=_title(values["_NET_WM_NAME"]) or _title(values["WM_NAME"]),
    )


def _title(value: Value) -> str:
    return value.decode("utf-8", "replace").rstrip("\0") if isinstance(value, bytes) else ""


def _pid(raw: _Raw) -> int | None:
    """Return the process of a window; none for one that another machine shows here."""
    where = raw.values["WM_CLIENT_MACHINE"]
    if isinstance(where, bytes) and where.rstrip(b"\0") not in {b"", b"localhost", os.uname().nodename.encode()}:
        return None
    said = numbers(raw.values["_NET_WM_PID"])
    # The server knows who is at the other end; what a window says of itself may be a number within a sandbox.
    return raw.process or (said[0] if said else None)


def _classes(value: Value) -> tuple[str, ...]:
    told = value.split(b"\0") if isinstance(value, bytes) else []
    return tuple(name.decode("utf-8", "replace") for name in told if name)


def _state(wire: Wire, states: tuple[int, ...]) -> str:
    atoms = wire.atoms(_KNOWN)
    if atoms["_NET_WM_STATE_MAXIMIZED_VERT"] in states and atoms[_HALF] not in states:
        states = tuple(state for state in states if state != atoms["_NET_WM_STATE_MAXIMIZED_VERT"])
    return next((word for name, word in _STATES if atoms[name] in states), "normal")


def _desktop(number: tuple[int, ...]) -> str:
    if not number:
        return ""
    return EVERYWHERE if number[0] == _ALL_DESKTOPS else str(number[0])


def numbers(value: Value) -> tuple[int, ...]:
    """Return the numbers of a property, none where it holds none."""
    return value if isinstance(value, tuple) else ()


_KNOWN = (*(name for name, _ in _STATES), _HALF, "WM_DELETE_WINDOW")


def _know_names(wire: Wire) -> None:
    """Learn the number of every name in one round trip."""
    wire.atoms((*_NAMES, *_ROOT, *_KNOWN, *_NOT_OF_APPS))
