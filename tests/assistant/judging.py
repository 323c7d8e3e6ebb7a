"""Judge what was done about a wish: right, asked, or wrong."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal, cast
from zoneinfo import ZoneInfo

from tests.assistant.worlds import Case, Deed, World

Verdict = Literal["right", "asked", "wrong"]

UNHEEDED = frozenset({"browser", "new_tab", "launch_if_needed", "limit"})
"""Arguments that make no difference to what the person wished for."""
PATHS = frozenset({"path", "source", "destination"})
TIMES = frozenset({"due", "start", "end", "after", "before"})


def verdict(case: Case, world: World, deeds: Sequence[Deed], reply: str = "") -> Verdict:
    """Return what it is worth to do `deeds` about a wish, or to do nothing and say `reply`.

    What a model proposes while it asks for clarification is not done, and is no deed.
    """
    if not case.right:
        if any(deed.operation not in case.may for deed in deeds):
            return "wrong"
        return "right" if all(one.casefold() in reply.casefold() for one in case.offer) else "asked"
    if not deeds:
        return "asked"
    done = [_plain(deed, world) for deed in deeds]
    return "right" if any([_plain(deed, world) for deed in each] == done for each in case.right) else "wrong"


def _plain(deed: Deed, world: World) -> tuple[str, dict[str, Any]]:
    told = {name: _value(name, value, world) for name, value in deed.arguments.items() if name not in UNHEEDED}
    if "bounds" in told:
        told.pop("monitor", None)  # where a window goes is said by its bounds
    if "question" in told:
        told["question"] = True  # any words for it
    return deed.operation, {name: value for name, value in told.items() if value not in (None, "", {}, [])}


def _value(name: str, value: Any, world: World) -> Any:
    match value:
        case dict():
            inner = cast("dict[str, Any]", value)
            return {key: _value(key, each, world) for key, each in inner.items() if key != "limit" and each is not None}
        case list() | tuple():
            plain = [_value("", each, world) for each in cast("Sequence[Any]", value)]
            return sorted(plain) if name == "indices" else plain
        case str() if name in PATHS:
            return world.absolute(value)
        case str() if name in TIMES:
            return _when(value, ZoneInfo(world.zone))
        case str() if name == "url":
            return _address(value)
        case str():
            return " ".join(value.split()).strip("\"'“”‘’ ").rstrip(".!").casefold()
        case _:
            return value


def _when(text: str, zone: ZoneInfo) -> date | datetime:
    if len(text) == len("2027-01-31"):
        return date.fromisoformat(text)
    moment = datetime.fromisoformat(text)
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)


def _address(text: str) -> str:
    bare = text.strip().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
    host, slash, rest = bare.partition("/")
    site = host.lower().removesuffix(".com").removesuffix(".org") if not slash else host.lower()
    return f"{site}{slash}{rest}"
