"""Make an operation's arguments of what the slots of an intent hold.

A template is a value as it stands, a text with `{slot}` or `{slot.part}` in it, or `@name` for one of `WORKED_OUT`. A
template that is one slot and nothing else gives the slot's own value, be it a number or a list.
"""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import cast

from sayso.core.canonical import Json
from sayso.models.embedded import lapses, placing
from sayso.models.embedded.world import Scene

_SLOT = re.compile(r"\{([a-z_]+)(?:\.([a-z]+))?\}")


def filled(template: Json, said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the value of an argument; None where it cannot be worked out."""
    if isinstance(template, Mapping):
        members = cast("Mapping[str, Json]", template)
        return {key: filled(value, said, scene) for key, value in members.items()}
    if not isinstance(template, str):
        return template
    if template.startswith("@"):
        return WORKED_OUT[template[1:]](said, scene)
    alone = _SLOT.fullmatch(template)
    if alone:
        return _part(said[alone[1]], alone[2])
    return _SLOT.sub(lambda slot: str(_part(said[slot[1]], slot[2])), template)


def slots_in(template: Json) -> set[str]:
    """Return the slots that a template names."""
    if isinstance(template, Mapping):
        members = cast("Mapping[str, Json]", template)
        return {slot for value in members.values() for slot in slots_in(value)}
    return (
        {slot[0] for slot in cast("list[tuple[str, str]]", _SLOT.findall(template))}
        if isinstance(template, str)
        else set()
    )


def _part(value: Json, part: str | None) -> Json:
    if part is None:
        return value
    if isinstance(value, Mapping):
        return cast("Mapping[str, Json]", value)[part]
    path = str(value)
    return posixpath.basename(path) if part == "name" else posixpath.dirname(path)


def _renamed(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return a path beside the old one; a new name without an ending keeps the old one's."""
    old, new = str(said["file"]), str(said["name"])
    ending = "" if posixpath.splitext(new)[1] else posixpath.splitext(old)[1]
    return posixpath.join(posixpath.dirname(old), new + ending)


def _end(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the end of what begins at `when` and takes `long`; None for a day without a time."""
    start = str(said["when"])
    found = lapses.long_at(str(said["long"]).split(), 0)
    if " " not in start or found is None:
        return None
    return f"{datetime.fromisoformat(start) + timedelta(minutes=found[0].minutes):%Y-%m-%d %H:%M}"


def _day_after(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return the end of what takes all of a day; None where a time was said."""
    day = str(said["when"])
    return None if " " in day else f"{date.fromisoformat(day) + timedelta(days=1)}"


def _before(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return so long before an event starts; None where it takes all day, or that moment is over."""
    start = str(cast("Mapping[str, Json]", said["event"])["start"])
    found = lapses.long_at(str(said["long"]).split(), 0)
    if found is None or not found[0].minutes or len(start) <= len("2026-01-31"):
        return None
    moment = datetime.fromisoformat(start).replace(tzinfo=scene.now.tzinfo) - timedelta(minutes=found[0].minutes)
    return f"{moment:%Y-%m-%d %H:%M}" if moment > scene.now else None


def _moved(said: Mapping[str, Json], scene: Scene) -> Json:
    """Return when an event starts after it was moved; with a day alone it stays at its time."""
    start, old = str(said["when"]), str(cast("Mapping[str, Json]", said["event"])["start"])
    if " " in start:
        return start
    return f"{start} {old[11:16]}" if len(old) > len(start) else None


def _levels(said: Mapping[str, Json], scene: Scene) -> Json:
    return [0 for _ in cast("Sequence[Json]", said["texts"])]


WORKED_OUT: Mapping[str, Callable[[Mapping[str, Json], Scene], Json]] = MappingProxyType(
    {
        "half": placing.half,
        "whole": placing.whole,
        "middle": placing.middle,
        "renamed": _renamed,
        "end": _end,
        "levels": _levels,
        "moved": _moved,
        "before": _before,
        "day_after": _day_after,
    }
)
"""What a template can name that no text with slots says."""
