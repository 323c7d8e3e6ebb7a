"""Read places on the screen: a monitor, a half, a quarter or a third of it, and their bounds."""

from collections.abc import Mapping, Sequence
from typing import cast

from sayso.core.encoding import Json
from sayso.models.builtin.tokens import Token, word_list
from sayso.models.builtin.world import ContextMonitor, ContextWorld, Utterance

_CORNERS = 4


_ACROSS = {"left": (0, 1, 2), "right": (1, 2, 2)}
_DOWN = {"top": (0, 1, 2), "upper": (0, 1, 2), "bottom": (1, 2, 2), "lower": (1, 2, 2)}
_THIRDS = {"left": (0, 1, 3), "right": (2, 3, 3), "middle": (1, 2, 3), "center": (1, 2, 3), "centre": (1, 2, 3)}
_WIDE = {"left": (0, 2, 3), "right": (1, 3, 3)}
_ALL = (0, 1, 1)
_PLACE_WORDS = frozenset(word_list("the my half side part hand area corner quarter quadrant of in on third one"))
_PART_WORDS = frozenset({"half", "side", "part", "third", "thirds", "corner", "quarter", "quadrant", "area"})
_FULL = frozenset(
    {"full screen", "fullscreen", "whole screen", "entire screen", "full", "all", "whole", "whole thing",
     "full-screen", "maximized", "maximised", "entire", "full size", "the whole of", "whole of", "all of"}
)  # fmt: skip


def area(words: Sequence[Token]) -> Mapping[str, Sequence[int]] | None:
    """Return a part of a screen as shares of its width and height: a half, a quarter, a third, or all of it."""
    said = [word.text.replace("-", " ") for word in words if word.text not in {"the", "my"}]
    text = " ".join(said)
    if text in _FULL:
        return {"across": _ALL, "down": _ALL}
    told = set(text.split()) | ({"hand"} if {"lefthand", "righthand"} & set(said) else set[str]())
    sides = [word for word in text.split() if word in {**_ACROSS, **_DOWN, **_THIRDS}]
    if not sides or told - _PLACE_WORDS - set(sides) - {"two", "thirds"}:
        return None
    if len(sides) == 1 and not told & _PART_WORDS:
        return None
    if "third" in told or {"two", "thirds"} <= told:
        table = _WIDE if "thirds" in told else _THIRDS
        return {"across": table[sides[0]], "down": _ALL} if len(sides) == 1 and sides[0] in table else None
    across = [_ACROSS[side] for side in sides if side in _ACROSS]
    down = [_DOWN[side] for side in sides if side in _DOWN]
    if len(sides) > 1 and told & {"of", "on", "in"}:
        return None
    if len(across) + len(down) != len(sides) or len(across) > 1 or len(down) > 1:
        return None
    if told & {"quarter", "corner", "quadrant"} and not (across and down):
        return None
    return {"across": (across or [_ALL])[0], "down": (down or [_ALL])[0]}


def area_of_monitor(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return the bounds of a part of a monitor, all of it if no part is named; None if no monitor is known."""
    monitor = _monitor(said, utterance.world)
    if monitor is None:
        return None
    shares = cast("Mapping[str, Sequence[int]]", said.get("area", {"across": _ALL, "down": _ALL}))
    (left, right, wide), (top, bottom, high) = shares["across"], shares["down"]
    return [
        monitor.x + monitor.width * left // wide,
        monitor.y + monitor.height * top // high,
        monitor.x + monitor.width * right // wide,
        monitor.y + monitor.height * bottom // high,
    ]


def middle_of_monitor(said: Mapping[str, Json], utterance: Utterance) -> Json:
    """Return bounds of the given size in the middle of a monitor; None if no monitor is known."""
    monitor = _monitor(said, utterance.world)
    if monitor is None:
        return None
    width, height = cast("Sequence[int]", said["size"])
    left, top = monitor.x + (monitor.width - width) // 2, monitor.y + (monitor.height - height) // 2
    return [left, top, left + width, top + height]


def _monitor(said: Mapping[str, Json], world: ContextWorld) -> ContextMonitor | None:
    """Return the monitor that is named, or else the one with the application's window, or else the main one."""
    if "monitor" in said:
        return next((one for one in world.monitors if said["monitor"] in one.called), None)
    under = _monitor_of_app(str(said.get("app", "")), world)
    return under or next((one for one in world.monitors if "main" in one.called), None)


def other_monitor(app: str, world: ContextWorld) -> str | None:
    """Return what the one monitor is called that does not show an application; None if this is not clear."""
    here = _monitor_of_app(app, world)
    others = [one for one in world.monitors if one is not here and one.called]
    return others[0].called[0] if here is not None and len(others) == 1 else None


def _monitor_of_app(app: str, world: ContextWorld) -> ContextMonitor | None:
    bounds = next((one.bounds for one in world.windows if one.app == app and len(one.bounds) == _CORNERS), None)
    if bounds is None:
        return None
    across, down = (bounds[0] + bounds[2]) // 2, (bounds[1] + bounds[3]) // 2
    return next((one for one in world.monitors if _holds(one, across, down)), None)


def _holds(monitor: ContextMonitor, across: int, down: int) -> bool:
    return 0 <= across - monitor.x < monitor.width and 0 <= down - monitor.y < monitor.height


EDGES: Mapping[str, Mapping[str, Sequence[int]]] = {
    side: {"across": _ACROSS.get(side, _ALL), "down": _DOWN.get(side, _ALL)} for side in (*_ACROSS, *_DOWN)
}
"""The half of a screen that one word such as “left” means."""
