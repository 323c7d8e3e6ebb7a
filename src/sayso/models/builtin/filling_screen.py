"""Fill the arguments of operations on tabs, applications, windows, sound and focus."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from sayso.core.encoding import Json
from sayso.models.builtin import placing
from sayso.models.builtin.clause import COUNTS, Answer, Arguments, Clause, Picked
from sayso.models.builtin.clauses import ORDERS, SUBJECTS
from sayso.models.builtin.learned import cues
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.names import SMALL
from sayso.models.builtin.outcomes import Ambiguous, Unresolved
from sayso.models.builtin.times import number, ordinal
from sayso.models.builtin.tokens import word_list

_TABS = frozenset({"tab", "tabs", "page", "pages"})
_RANGE = frozenset({"to", "through", "until", "-", "till"})
_EXCEPT = (("except",), ("but", "not"), ("but", "keep"), ("but", "leave"), ("apart", "from"), ("other", "than"),
           ("besides",), ("not",), ("leave",), ("keep",), ("without",))  # fmt: skip
_MANY = frozenset(word_list("all every each any both tabs pages these those"))


def numbers(clause: Clause) -> list[int] | None:
    """Return the numbers in `tab 3`, `tabs 1, 3 and 5`, `tabs 8 to 10` or `the third tab`; None if there are none."""
    said = clause.said
    for at, word in enumerate(said):
        if word not in _TABS:
            continue
        before = ordinal(said[at - 1]) if at else None
        if before is not None:
            return [before]
        rest = said[at + 1 :]
        if rest[:1] == ["number"]:
            rest = rest[1:]
        found, here = list[int](), 0
        while here < len(rest):
            if (value := number(rest[here])) is not None and value < _MOST:
                if found and here and rest[here - 1] in _RANGE and value > found[-1]:
                    found += range(found[-1] + 1, value)
                found.append(value)
            elif rest[here] not in {"and", "plus", "tab", "number"} | _RANGE or not found:
                first, dash, last = rest[here].partition("-")
                if not (dash and first.isdecimal() and last.isdecimal()):
                    break
                found += range(int(first), int(last) + 1)
            here += 1
        if found:
            return found
    return None


_MOST = 1000


def _open_tabs(indices: Sequence[int], clause: Clause) -> list[int] | Unresolved:
    known = {tab.index for tab in clause.utterance.world.tabs}
    missing = [index for index in indices if index not in known]
    if missing:
        return Unresolved(f"There is no tab {missing[0]}; the open tabs are 1 to {len(known)}.")
    return [*indices]


def _front(clause: Clause) -> bool:
    said = " ".join(clause.said)
    return any(
        f"{one} {noun}" in said
        for one in ("this", "current", "active", "front", "open")
        for noun in ("tab", "page", "one")
    )


def _front_tab(clause: Clause) -> int | None:
    active = [tab.index for tab in clause.utterance.world.tabs if tab.active]
    return active[0] if len(active) == 1 else None


def _switch(clause: Clause) -> Answer:
    told = numbers(clause)
    if told is not None and len(told) == 1:
        found = _open_tabs(told, clause)
        return found if isinstance(found, Unresolved) else {"index": found[0]}
    tab = clause.one("tab")
    return {"index": tab.value} if isinstance(tab, Picked) else tab


def _close(clause: Clause) -> Answer:
    told = numbers(clause)
    if told is not None:
        found = _open_tabs(told, clause)
        return found if isinstance(found, Unresolved) else {"indices": [*found]}
    kept = _excepted_at(clause)
    if kept is not None:
        return _all_but(clause, kept)
    mentions = clause.of("tab")
    if not mentions and _front(clause) and (front := _front_tab(clause)) is not None:
        return {"indices": [front]}
    if not mentions:
        return clause.missing("tab")
    return _groups(clause, mentions)


def _excepted_at(clause: Clause) -> int | None:
    for at in range(1, len(clause.said)):
        for one in _EXCEPT:
            if tuple(clause.said[at : at + len(one)]) == one and clause.said[at - 1] not in SUBJECTS:
                return at  # “I keep getting distracted” excepts nothing
    return None


def _all_but(clause: Clause, kept: int) -> Answer:
    few = _values(clause, clause.of("tab", without=range(kept)))
    many = _values(clause, clause.of("tab", without=range(kept, len(clause.said))))
    if not few or not many:
        return Unresolved("It is not clear which tabs are to stay.")
    left = [one for one in many if one not in few]
    return (
        {"indices": sorted(left)}
        if left and len(left) < len(many)
        else Unresolved("It is not clear which tabs are to stay.")
    )


def _values(clause: Clause, mentions: Sequence[Mention]) -> list[int]:
    found: list[int] = []
    for one in mentions:
        found += [cast("int", one.value), *(cast("int", each.value) for each in one.rivals)]
    return found


def _groups(clause: Clause, mentions: Sequence[Mention]) -> Answer:
    """Return the tabs of one group, or of several that are joined by “and” or by commas."""
    many = clause.several("tab")
    if many is not None:
        return {"indices": sorted({cast("int", one.value) for one in many})}
    if not clause.has(_MANY):
        found = clause.one("tab")
        return {"indices": [found.value]} if isinstance(found, Picked) else found
    clause.weaken(min(one.strength for one in mentions))
    indices = sorted({*_values(clause, mentions)})
    if clause.has({"both"}) and len(indices) != COUNTS["both"]:
        return Unresolved(f"There are {len(indices)} tabs, and not two.")
    return {"indices": [*indices]}


def _app(clause: Clause) -> Answer:
    many = clause.several("app")
    if many is not None:
        return [{"name": one.value} for one in many]
    found = _pick_app(clause)
    return {"name": found.value} if isinstance(found, Picked) else found


def _pick_app(clause: Clause, without: Sequence[int] = ()) -> Picked | Ambiguous | Unresolved:
    found = clause.one("app", without)
    if isinstance(found, Ambiguous):
        running = [one for one in found.choices if one.value in clause.utterance.world.running]
        if len(running) == 1 and clause.has({"browser"}):
            return Picked(running[0].value, 0.8, frozenset())
    return found


def _quit(clause: Clause) -> Answer:
    many = clause.several("app", lambda value: value in clause.utterance.world.running)
    if many is not None:
        return [{"name": one.value} for one in many]
    found = clause.one("app", fits=lambda value: value in clause.utterance.world.running)
    if isinstance(found, Unresolved):
        other = clause.one("app")
        if isinstance(other, Picked):
            return Unresolved(f"“{other.value}” is not running.")
    return {"name": found.value} if isinstance(found, Picked) else found


def _place(clause: Clause) -> Answer:
    """Return where the window goes; of several windows that each have a place, all of them."""
    apps = [one for one in clause.of("app") if not one.rivals]
    places = clause.of("area", "monitor", "side", "size")
    if len({str(one.value) for one in apps}) > 1 and len(places) > 1:
        found = _places(clause, apps)
        if found is not None:
            return found
    return _place_one(clause)


def _places(clause: Clause, apps: Sequence[Mention]) -> list[Arguments] | None:
    """Return the places of several windows, as in “chrome left half, slack right half of the main screen”."""
    shared = [one for one in clause.of("monitor", "side") if _is_monitor(one) and one.end <= apps[0].start]
    found: list[Arguments] = []
    for nth, app in enumerate(apps):
        end = apps[nth + 1].start if nth + 1 < len(apps) else len(clause.words)
        begin = app.start
        inside = [one for one in clause.mentions if begin <= one.start and one.end <= end]
        kinds = {one.kind for one in inside}
        own = "side" in kinds and "area" not in kinds
        monitors = [one for one in inside if _is_monitor(one)] or ([] if own else shared)
        shared = monitors
        told = [*(one for one in inside if not _is_monitor(one)), *monitors]
        part = Clause(clause.operation, clause.words, told, (), clause.utterance)
        one = _place_one(part)
        if not isinstance(one, dict):
            return None
        clause.weaken(part.strength)
        found.append(one)
    return found


def _is_monitor(mention: Mention) -> bool:
    return mention.kind == "monitor" or mention.value == "main"


def _place_one(clause: Clause) -> Arguments | Ambiguous | Unresolved:
    app = _pick_app(clause)
    if not isinstance(app, Picked):
        return app
    world = clause.utterance.world
    area, size = clause.first("area"), clause.first("size")
    sides = [str(one.value) for one in clause.of("side")]
    monitors = clause.of("monitor")
    if any(one.value is None for one in monitors):
        return Unresolved("No monitor here is called that.")
    monitor = str(monitors[0].value) if monitors else next((one for one in sides if one == "main"), None)
    other = bool(monitors) and "other" in clause.said[monitors[0].start : monitors[0].end]
    if other and (beyond := placing.other_monitor(str(app.value), world)) is not None:
        monitor = beyond
    else:
        clause.weaken(min((one.strength for one in monitors), default=1.0))
    said: dict[str, Json] = {"app": app.value, **({"monitor": monitor} if monitor else {})}
    if size is not None:
        bounds = placing.middle_of_monitor({**said, "size": size}, clause.utterance)
        return {"name": app.value, "bounds": bounds} if bounds else Unresolved("No monitor is known.")
    if area is None and clause.has(_LARGE):
        area = {"across": [0, 1, 1], "down": [0, 1, 1]}
    if area is None and clause.has({"snap", "dock", "tile", "snapped", "docked"}) and sides:
        area = cast("Json", placing.EDGES.get(sides[0]))
    if area is not None:
        bounds = placing.area_of_monitor({**said, "area": area}, clause.utterance)
        return {"name": app.value, "bounds": bounds} if bounds else Unresolved("No monitor is known.")
    if monitor is None:
        monitor = next((side for side in sides if any(side in one.called for one in world.monitors)), None)
    if monitor is None:
        return Unresolved("Where on the screen is it to be?")
    return {"name": app.value, "monitor": monitor}


_LARGE = frozenset(
    word_list("maximize maximise fullscreen full-screen fill fills enlarge maximized maximised biggest whole entire")
)
_BEGIN, _OF_SOMETHING_ELSE = 4, 0.2
_LEVELS = {
    "half": 50,
    "halfway": 50,
    "quarter": 25,
    "minimum": 0,
    "max": 100,
    "maximum": 100,
    "full": 100,
    "fully": 100,
}
_SILENT = frozenset(word_list("mute muted silence silenced silent quiet unplug shush hush zero off shut mum"))
_SOUND = (_SILENT - {"off", "zero"}) | frozenset(
    word_list("volume sound sounds audio music noise speaker speakers loud louder quieter loudness")
)
_NO_SOUND = _SILENT - {"off", "zero", "unplug"}
_MOST_LEVEL = 100


def _volume(clause: Clause) -> Answer:
    usual = cues() | SMALL | ORDERS
    if not ORDERS.isdisjoint(clause.said[:1]) and not clause.has(_SOUND) and not usual.issuperset(clause.said[:_BEGIN]):
        clause.weaken(_OF_SOMETHING_ELSE)  # “dim the lights to 20”
    told = [one.value for one in clause.of("number")]
    if told:
        level = cast("int", told[-1])
        return {"level": level} if level <= _MOST_LEVEL else Unresolved("The volume goes from 0 to 100.")
    if clause.has({"three", "quarters"}) and clause.has({"quarters"}):
        return {"level": 75}
    if clause.has(_NO_SOUND) or (clause.has({"off"}) and clause.has({"fully", "full", "completely", "whole"})):
        return {"level": 0}
    for word, level in _LEVELS.items():
        if clause.has({word}):
            return {"level": level}
    if " all the way " in f" {' '.join(clause.said)} ":
        return {"level": 0 if clause.has({"down", "off"}) else 100}
    if clause.has(_SILENT):
        return {"level": 0}
    return Unresolved("To which level, from 0 to 100?")


_OFF = frozenset(
    word_list(
        "off disable stop end deactivate undo over out lift exit leave disabled cancel again normal resume through back"
    )
)


_DISTURBED = frozenset({"dnd", "disturb", "disturbing"})


def _focus(clause: Clause) -> Answer:
    off = clause.has(_OFF - {"out", "over", "back", "through", "again"})
    on = clause.has({"on", "enable", "activate", "start", "begin"})
    if not off and not on:
        off = clause.has({"over", "back", "through"})
    if off and on:
        beside = [word for one, word in pairwise(clause.said) if one in _DISTURBED and word in {"on", "off"}]
        at = {word: at for at, word in enumerate(clause.said)}
        off = beside[-1] == "off" if beside else max(at.get(word, -1) for word in _OFF) > at.get("on", -1)
        clause.weaken(0.6)
    return {"state": "OFF" if off else "ON"}


def _preset(clause: Clause) -> Answer:
    found = clause.one("preset")
    return {"preset": found.value} if isinstance(found, Picked) else found


SCREEN: Mapping[str, Callable[[Clause], Answer]] = {
    "tab.switch": _switch,
    "tab.close": _close,
    "app.open": _app,
    "app.activate": _app,
    "app.quit": _quit,
    "app.place": _place,
    "layout.activate": _preset,
    "sound.set_volume": _volume,
    "focus.set_dnd": _focus,
}
"""The readers of these operations."""
