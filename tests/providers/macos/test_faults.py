"""Whatever fails on a simulated Mac: nothing is said to be done that is not, and nothing is done twice."""

import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, Uncertain
from sayso.core.plan import Applied, NotDone
from sayso.core.ports import Backend, BackendContext
from sayso.core.provider import Provider
from sayso.providers.apps import APPS
from sayso.providers.apps.macos.backend import build as build_apps
from sayso.providers.browser import BROWSER
from sayso.providers.browser.apple.backend import build_chrome, build_safari
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.apple.backend import build as build_calendar
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.macos.backend import build as build_desktop
from sayso.providers.mail import MAIL
from sayso.providers.mail.apple.backend import build as build_mail
from sayso.providers.notes import NOTES
from sayso.providers.notes.apple import build as build_notes
from sayso.testing.harness import Trial
from sayso.testing.macos import SimulatedMac
from sayso.testing.mail import NEW, OLD
from tests.mac_env.browsers import open_windows
from tests.mac_env.fixtures import on
from tests.mac_env.letters import plant_mail

Effects = list[str]
Look = Callable[[SimulatedMac], Effects]
STEP = {"hang": 2, "stale": 5, "number": 3}
"""Faults that begin with one call of an application; each is tried from every so many calls on."""
ALWAYS: dict[str, dict[str, object]] = {"denied": {}, "swallow": {}, "reorder": {}, "slow": {"seconds": 0.01}}
"""Faults of all calls."""
DETAILS: dict[str, dict[str, object]] = {"number": {"number": -10000, "once": True}}
ADDRESS = "https://new.example/"
MAIL_SETTINGS: dict[str, Json] = {"address": "you@x.test"}


class Case(Struct, frozen=True):
    """One operation on one application, and what of it can be seen on the Mac."""

    provider: Provider
    build: Callable[[BackendContext], Backend]
    app: str
    operation: str
    arguments: dict[str, Any]
    effects: Look
    prepare: Callable[[SimulatedMac], None] = lambda _: None
    settings: dict[str, Json] = {}


def leaves(value: object, cls: str, name: str) -> Effects:
    """Return a property of every object of a class below a value."""
    if isinstance(value, list):
        return [found for one in cast("list[object]", value) for found in leaves(one, cls, name)]
    if not isinstance(value, dict):
        return []
    record = cast("dict[str, object]", value)
    own = [str(record.get(name))] if record.get("#") == cls else []
    return own + leaves(list(record.values()), cls, name)


def each(app: str, cls: str, *names: str) -> Look:
    """Return what looks at some properties of every object of a class of an application."""
    return lambda mac: sorted(found for name in names for found in leaves(mac.app(app), cls, name))


def edges(mac: SimulatedMac) -> Effects:
    return sorted(f"{one['name']} at {one['position']} of {one['size']}" for one in mac.windows("TextEdit"))


def sent(mac: SimulatedMac) -> Effects:
    boxes = mac.app("Mail")["accounts"][0]["mailboxes"]
    return [message["subject"] for box in boxes if box["name"] == "Sent Messages" for message in box["messages"]]


def where(mac: SimulatedMac) -> Effects:
    boxes = mac.app("Mail")["accounts"][0]["mailboxes"]
    return sorted(f"{message['messageId']} in {box['name']}" for box in boxes for message in box["messages"])


def with_letters(mac: SimulatedMac) -> None:
    plant_mail(mac, [OLD, NEW])


def with_window(mac: SimulatedMac) -> None:
    mac.run("TextEdit", (200, 200, 700, 500), title="a.txt")
    mac.run("TextEdit", (100, 100, 300, 200), title="b.txt")


def browser(app: str, build: Callable[[BackendContext], Backend]) -> Case:
    arguments = {"url": ADDRESS, "new_tab": True}
    return Case(BROWSER, build, app, "url.open", arguments, each(app, "tab", "url"), lambda mac: open_windows(mac, app))


def mail(operation: str, arguments: dict[str, Any], effects: Look) -> Case:
    return Case(MAIL, build_mail, "Mail", operation, arguments, effects, with_letters, MAIL_SETTINGS)


BOTH = [OLD.message_id, NEW.message_id]
EVENT = {"title": "Lunch", "start": "2031-05-02 12:00", "end": "2031-05-02 13:00"}
LETTER = {"to": "a@x.test", "subject": "S", "body": "B"}
CASES = {
    "note.create": Case(NOTES, build_notes, "Notes", "note.create", {"title": "Plan"}, each("Notes", "note", "body")),
    "calendar.create_event": Case(
        CALENDAR, build_calendar, "Calendar", "calendar.create_event", EVENT, each("Calendar", "event", "summary")
    ),
    "reminder.create": Case(
        CALENDAR, build_calendar, "Reminders", "reminder.create", {"title": "Milk"},
        each("Reminders", "reminder", "name"),
    ),
    "safari": browser("Safari", build_safari),
    "chrome": browser("Google Chrome", build_chrome),
    "app.place": Case(
        APPS, build_apps, "System Events", "app.place",
        {"name": "TextEdit", "window": "a.txt", "bounds": [10, 30, 510, 430]}, edges, with_window,
    ),
    "notify.show": Case(
        DESKTOP, build_desktop, "osascript", "notify.show", {"title": "A", "message": "B"},
        lambda mac: [one["text"] for one in mac.state["notifications"]],
    ),
    "sound.set_volume": Case(
        DESKTOP, build_desktop, "osascript", "sound.set_volume", {"level": 30},
        lambda mac: [str(mac.state["volume"]["level"])],
    ),
    "mail.send": mail("mail.send", LETTER, sent),
    "mail.compose": mail("mail.compose", LETTER, each("Mail", "outgoingMessage", "content")),
    "mail.star": mail("mail.star", {"ids": BOTH}, each("Mail", "message", "flaggedStatus")),
    "mail.archive": mail("mail.archive", {"ids": BOTH}, where),
    "mail.trash": mail("mail.trash", {"ids": BOTH}, where),
}  # fmt: skip


class Situation:
    """A Mac on which an operation was planned, as often as it is needed."""

    def __init__(self, folder: Path, case: Case) -> None:
        self.mac, self.case = SimulatedMac(folder), case
        self._kept = folder.with_name("kept")

    async def begin(self) -> None:
        """Plan the operation, and find out what it does and how many calls that takes when nothing fails."""
        case = self.case
        case.prepare(self.mac)
        trial = Trial(case.provider, case.build(on(self.mac, case.settings)))
        self.plan = await trial.plan(case.operation, **case.arguments)
        self.mac.change(lambda state: state.update(log=[], faults=[]))
        shutil.copytree(self.mac.folder, self._kept)
        self.before = case.effects(self.mac)
        await self.do()
        self.after = case.effects(self.mac)
        assert self.after != self.before
        self.calls = [what for app, what in self.mac.state["log"] if app == case.app and what != "launched"]

    def again(self) -> None:
        """Have the Mac and what sayso keeps as they were before the operation."""
        shutil.rmtree(self.mac.folder)
        shutil.copytree(self._kept, self.mac.folder)

    async def do(self) -> Sequence[Applied]:
        """Carry out the plan by a back end that has just begun."""
        return await Trial(self.case.provider, self._backend()).do(self.plan)

    async def settle(self) -> object:
        """Return what the back end says became of the first change, after sayso has begun anew."""
        change = self.plan.changes[0]
        return await self._backend().settle(change.do, change.expects)

    def _backend(self) -> Backend:
        return self.case.build(on(self.mac, self.case.settings))

    @property
    def effects(self) -> Effects:
        """Return what can be seen of the operation now."""
        return self.case.effects(self.mac)


async def judge(situation: Situation, fault: str, **details: object) -> str:
    """Carry out the operation while the application fails, and return what is wrong with what was said of it."""
    situation.again()
    situation.mac.fault(situation.case.app, fault, **details)
    said = "done"
    try:
        await situation.do()
    except Uncertain:
        said = "unknown"
    except SaysoError:
        said = "not done"
    situation.mac.change(lambda state: state.update(faults=[]))
    if said == "unknown":
        settled = await situation.settle()
        said = "done" if isinstance(settled, Applied) else "not done" if isinstance(settled, NotDone) else "unknown"
    if said == "not done" and situation.effects == situation.before:
        await situation.do()
        said = "done"
    if said == "unknown" or situation.effects == (situation.after if said == "done" else situation.before):
        return ""
    return f"{fault} {details}: {said}, but there is {situation.effects}"


async def found_wrong(situation: Situation) -> AsyncIterator[str]:
    """Return what is wrong with what is said of each fault."""
    for fault, step in STEP.items():
        for after in range(0, len(situation.calls), step):
            if wrong := await judge(situation, fault, after=after, **DETAILS.get(fault, {})):
                yield wrong
    for fault, details in ALWAYS.items():
        if wrong := await judge(situation, fault, **details):
            yield wrong


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
async def test_a_fault_at_any_call_leads_to_no_false_done_and_to_nothing_twice(tmp_path: Path, name: str):
    situation = Situation(tmp_path / "mac", CASES[name])
    await situation.begin()

    wrong = [one async for one in found_wrong(situation)]

    assert wrong == []
    assert situation.mac.unknown == []


@pytest.mark.parametrize("name", ["note.create", "reminder.create", "safari", "app.place", "mail.send"])
async def test_an_application_that_stops_answering_after_a_change_is_not_asked_for_it_again(tmp_path: Path, name: str):
    situation = Situation(tmp_path / "mac", CASES[name])
    await situation.begin()

    wrong = await judge(situation, "hang", after=len(situation.calls) - 1)

    assert wrong == ""


@pytest.mark.parametrize("name", ["note.create", "calendar.create_event", "safari", "app.place", "mail.archive"])
async def test_what_was_meant_is_changed_while_windows_calendars_and_mailboxes_change_places(tmp_path: Path, name: str):
    situation = Situation(tmp_path / "mac", CASES[name])
    await situation.begin()
    situation.again()
    situation.mac.fault(situation.case.app, "reorder")

    await situation.do()

    assert situation.effects == situation.after


def test_every_application_that_scripts_change_has_its_faults():
    """Files and the clipboard are changed without a call to an application."""
    assert {case.app for case in CASES.values()} >= {
        "Notes", "Calendar", "Reminders", "Safari", "Google Chrome", "System Events", "osascript", "Mail",
    }  # fmt: skip
