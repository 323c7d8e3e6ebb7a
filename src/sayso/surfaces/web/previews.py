"""What an action would do, as the page draws it: a diff, a mail, windows on monitors, tabs, or before and after."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import asdict

from sayso.assembly import Home
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.plan import Change, Plan, Step
from sayso.surfaces.web.card_answers import (
    ChangedField,
    ChangeShown,
    DiffShown,
    MailShown,
    Monitor,
    Person,
    Shown,
    TabsShown,
    TextShown,
    Window,
    WindowsShown,
)

_DIFFS = frozenset({"file.write", "file.replace"})
_MAILS = frozenset({"mail.send", "mail.compose"})
_WINDOWS = frozenset({"window.place", "window.place_new", "app.open_placed"})
_EDGES = ("left", "top", "right", "bottom")
_BEFORE_AND_AFTER = frozenset(
    {
        "calendar.create_event", "calendar.update_event", "calendar.create_reminder", "calendar.delete",
        "calendar.delete_occurrence", "calendar.complete", "tab.navigate",
        "clipboard.set", "sound.set_volume", "focus.set",
    }
)  # fmt: skip
_UNTOLD = frozenset({"id", "uid", "mark", "stamp", "kept", "token", "place", "browser", "tab", "own", "raw", "rings"})
"""Fields of steps that mean nothing to a person: names within a store, and what undo needs."""


async def previews(home: Home, plan: Plan, preview: str) -> list[Shown]:
    """Return what is drawn of a plan, each with its `kind`; a preview that nothing else shows comes last."""
    shown: list[Shown] = []
    for change in plan.changes:
        if change.do.step in _MAILS:
            shown.append(_mail(change.do))
        elif change.do.step == "tab.close":
            shown.append(_tabs(change, plan.preview))
        elif change.do.step in _BEFORE_AND_AFTER:
            shown += _before_and_after(change)
    windows = [change for change in plan.changes if change.do.step in _WINDOWS]
    if windows:
        shown.append(WindowsShown(await _monitors(home), [*map(_window, windows)]))
    drawn = any(change.do.step in _MAILS or change.do.step == "tab.close" for change in plan.changes)
    if preview and not drawn:
        shown.append(_text(plan, preview))
    return shown


def texts_drawn(shown: Iterable[Shown]) -> Iterator[str]:
    """Yield the texts that stand whole in what is drawn."""
    for one in shown:
        if isinstance(one, MailShown):
            yield from (one.subject, one.body, *(", ".join(who.values) for who in one.people))
        elif isinstance(one, ChangeShown):
            for row in one.rows:
                if isinstance(row.after, str):
                    yield row.after
                    yield row.after[:16].replace("T", " ")  # a time, as the page writes it


def _text(plan: Plan, preview: str) -> TextShown | DiffShown:
    lines = preview.split("\n")
    is_diff = any(change.do.step in _DIFFS for change in plan.changes) and any(line[:1] in {"+", "-"} for line in lines)
    return DiffShown(preview) if is_diff else TextShown(preview)


def _mail(step: Step) -> MailShown:
    told = _told(step)
    people = [(name, told.get(field)) for name, field in _PEOPLE]
    shown = [Person(name, [value] if isinstance(value, str) else value) for name, value in people if value]
    return MailShown(shown, told.get("subject", ""), told.get("body", ""), step.step == "mail.compose")


_PEOPLE = (("From", "sender"), ("To", "to"), ("Cc", "cc"), ("Bcc", "bcc"), ("Reply to", "reply_to"))


def _tabs(change: Change, preview: str) -> TabsShown:
    addresses = _told(change.undo).get("urls", ()) if isinstance(change.undo, Step) else ()
    return TabsShown(preview.split("\n") if preview else addresses)


def _window(change: Change) -> Window:
    new, old = _told(change.do), _told(change.undo) if isinstance(change.undo, Step) else {}
    return Window(new["name"], _edges(old) if {*_EDGES} <= {*old} else None, _edges(new))


def _edges(told: Mapping[str, Any]) -> list[float]:
    return [told[name] for name in _EDGES]


async def _monitors(home: Home) -> list[Monitor]:
    """Return the monitors, so that a window can be drawn on them; none if nothing here can tell."""
    try:
        found = await home.tools.backend("apps").reads.monitors()
    except (SaysoError, AttributeError):
        return []
    return [Monitor(one.name, [getattr(one.bounds, name) for name in _EDGES], one.main) for one in found]


def _before_and_after(change: Change) -> Iterator[ChangeShown]:
    before, after = _before(change), {} if change.do.step in _REMOVES else _told(change.do)
    known = [name for name in _EVENT if name in before or name in after]
    names = [name for name in dict.fromkeys((*known, *after, *before)) if name not in _UNTOLD]
    rows: list[ChangedField] = []
    for name in names:
        old, new = before.get(name), after.get(name, None if change.do.step in _REMOVES else before.get(name))
        if old not in _NOTHING or new not in _NOTHING:
            rows.append(ChangedField(name.replace("_", " "), old, new))
    if rows:
        yield ChangeShown(rows)


_REMOVES = frozenset({"calendar.delete", "calendar.delete_occurrence"})
_NOTHING: tuple[Json, ...] = (None, "", (), [])


def _before(change: Change) -> dict[str, Json]:
    """Return what stands there now, as far as the plan knows it: from its undo and from the facts that it expects."""
    known: dict[str, Json] = {}
    for fact in change.expects:
        known |= {name: value for name, value in asdict(fact).items() if value is not UNSET and name != "about"}
    undo = _told(change.undo) if isinstance(change.undo, Step) else {}
    known |= undo
    if isinstance(raw := undo.get("raw"), str) and change.do.step.startswith("calendar."):
        known |= load("sayso.providers.calendar.shown:shown_entry")(raw)
    return {name: value for name, value in known.items() if name in _told(change.do) or name in _EVENT}


_EVENT = ("title", "start", "end", "location", "due", "notes")


def _told(step: Step) -> dict[str, Any]:
    return {name: value for name, value in asdict(step).items() if value is not UNSET and value is not None}
