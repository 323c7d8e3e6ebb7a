"""Every text of every operation reaches a simulated Mac as data, or is refused; a new parameter needs a row here."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from sayso.core.errors import SaysoError
from sayso.core.operation import Operation, Parameter
from sayso.core.plan import Applied, Plan
from sayso.core.ports import Backend, BackendContext
from sayso.core.provider import Provider
from sayso.providers.apps import APPS
from sayso.providers.apps.macos.backend import build as build_apps
from sayso.providers.browser import BROWSER
from sayso.providers.browser.apple.backend import build_safari
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.apple.backend import build as build_calendar
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.macos.backend import build as build_desktop
from sayso.providers.desktop.model import Steps
from sayso.providers.files import FILES
from sayso.providers.files.macos import build as build_files
from sayso.providers.macos.engine import SCRIPTS
from sayso.providers.mail import MAIL
from sayso.providers.mail.apple.backend import build as build_mail
from sayso.providers.notes import NOTES
from sayso.providers.notes.apple import build as build_notes
from sayso.testing.harness import Trial
from sayso.testing.macos import SimulatedMac
from sayso.testing.mail import OLD
from tests.desktop_env.session import wait_for
from tests.mac_env.browsers import PAGE, open_windows
from tests.mac_env.fixtures import on
from tests.mac_env.hostile import LINES, LONG, ONE_LINE
from tests.mac_env.letters import plant_mail

BUILT: tuple[tuple[Provider, Callable[[BackendContext], Backend]], ...] = (
    (FILES, build_files),
    (DESKTOP, build_desktop),
    (APPS, build_apps),
    (BROWSER, build_safari),
    (CALENDAR, build_calendar),
    (NOTES, build_notes),
    (MAIL, build_mail),
)
"""The providers with a back end for a Mac that is controlled by programs."""
KINDS = {"line": (ONE_LINE,), "when": (ONE_LINE,), "path": (ONE_LINE,), "text": (LINES, LONG)}
"""Texts for each kind of parameter that contain everything that the kind permits."""
ARRIVES, AS_HTML, AS_LINES, LOOKED_UP = "arrives", "as HTML", "with each separator as a line break", "is only compared"
LUNCH = {"title": "Lunch", "start": "2031-05-02 12:00", "end": "2031-05-02 13:00"}
NEEDED: Mapping[str, Mapping[str, Any]] = {
    "file.move": {"source": "a.txt", "destination": "b.txt"},
    "file.copy": {"source": "a.txt", "destination": "b.txt"},
    "file.write": {"path": "b.txt", "content": "x"},
    "file.append": {"path": "a.txt", "content": "x"},
    "file.open": {"path": "a.txt"},
    "file.find": {"path": "", "pattern": "*"},
    "notify.show": {"title": "A", "message": "B"},
    "shortcut.run": {"name": "Shortcut", "input": "x"},
    "app.place": {"name": "TextEdit", "monitor": "main"},
    "page.fill": {"selector": "#name", "value": "x"},
    "calendar.create_event": LUNCH,
    "calendar.update_event": {"title": "Dinner"},
    "reminder.create": {"title": "Water"},
    "note.create": {"title": "Plan"},
    "note.append": {"target": "Plan", "text": "x"},
    "mail.compose": {"to": "a@x.test", "subject": "S", "body": "B"},
    "mail.send": {"to": "a@x.test", "subject": "S", "body": "B"},
    "mail.add_label": {"ids": OLD.message_id, "label": "L"},
    "mail.remove_label": {"ids": OLD.message_id, "label": "L"},
    "mail.save_attachment": {"message_id": OLD.message_id, "number": 1, "path": "new.txt"},
}
"""The other arguments of an operation, where it needs some."""
ROWS: Mapping[str, Mapping[str, str]] = {
    "file.move": {"source": LOOKED_UP, "destination": ARRIVES},
    "file.copy": {"source": LOOKED_UP, "destination": ARRIVES},
    "file.delete": {"path": ARRIVES},
    "file.mkdir": {"path": ARRIVES},
    "file.write": {"path": ARRIVES, "content": ARRIVES},
    "file.append": {"path": LOOKED_UP, "content": ARRIVES},
    "file.open": {"path": ARRIVES, "app": ARRIVES},
    "file.reveal": {"path": ARRIVES},
    "file.list": {"path": LOOKED_UP},
    "file.find": {"path": LOOKED_UP, "pattern": LOOKED_UP},
    "file.read": {"path": LOOKED_UP},
    "clipboard.write": {"text": ARRIVES},
    "notify.show": {"title": ARRIVES, "message": ARRIVES, "sound": ARRIVES},
    "speech.say": {"text": ARRIVES},
    "shortcut.run": {"name": ARRIVES, "input": ARRIVES},
    "app.open": {"name": LOOKED_UP},
    "app.activate": {"name": LOOKED_UP},
    "app.quit": {"name": LOOKED_UP},
    "app.place": {"name": LOOKED_UP, "window": LOOKED_UP},
    "layout.activate": {"preset": "preset.unknown"},
    "url.open": {"url": "arguments.url"},
    "page.run_js": {"code": ARRIVES},
    "page.click": {"selector": "page.no_element"},
    "page.fill": {"selector": "page.no_element", "value": ARRIVES},
    "calendar.list": {"start": "arguments.type", "end": "arguments.type", "calendar_name": "calendar.unknown"},
    "calendar.find": {"text": LOOKED_UP, "start": "arguments.type", "end": "arguments.type"},
    "calendar.create_event": {
        "title": ARRIVES,
        "start": "arguments.type",
        "end": "arguments.type",
        "location": ARRIVES,
        "calendar_name": "calendar.no_calendar",
        "participants": "arguments.address",
    },
    "calendar.update_event": {
        "id": "target.not_found",
        "title": ARRIVES,
        "start": "arguments.type",
        "end": "arguments.type",
        "location": ARRIVES,
    },
    "calendar.delete_event": {"id": "target.not_found"},
    "reminder.list": {"start": "arguments.type", "end": "arguments.type"},
    "reminder.create": {
        "title": ARRIVES,
        "notes": AS_LINES,
        "due": "arguments.type",
        "calendar_name": "calendar.no_calendar",
        "until": "arguments.type",
    },
    "reminder.complete": {"reminder": ARRIVES},
    "reminder.delete": {"reminder": LOOKED_UP},
    "note.create": {"title": AS_HTML, "body": AS_HTML, "folder": "notes.no_folder"},
    "note.append": {"target": AS_HTML, "text": AS_HTML},
    "note.find": {"text": LOOKED_UP},
    "mail.compose": {"to": "mail.address", "subject": ARRIVES, "body": ARRIVES},
    "mail.send": {
        "to": "mail.address",
        "subject": ARRIVES,
        "body": ARRIVES,
        "cc": "mail.address",
        "bcc": "mail.address",
        "reply_to": "mail.address",
    },
    "mail.query": {"query": "mail.query"},
    "mail.get": {"id": ARRIVES},
    "mail.get_many": {"ids": ARRIVES},
    **{f"mail.{one}": {"ids": "target.not_found"} for one in ("archive", "trash", "star", "unstar")},
    **{f"mail.mark_{one}": {"ids": "target.not_found"} for one in ("read", "unread")},
    "mail.add_label": {"ids": "target.not_found", "label": ARRIVES},
    "mail.remove_label": {"ids": "target.not_found", "label": LOOKED_UP},
    "mail.save_attachment": {"message_id": "target.not_found", "path": ARRIVES},
}
"""What becomes of a hostile text in each parameter: where it goes, or the code with which it is refused."""
WITH_FILE = f"Message-ID: {OLD.message_id}\nContent-Disposition: attachment; filename=a.txt\n\nfile\n"
"""A mail that is a file."""
LISTS = frozenset({"participants", "ids"})
"""Parameters that take a list of texts."""
BY_DESKTOP = ("file.open", "file.reveal")
"""Operations of files whose steps the desktop carries out."""
LONG_ROWS = {("reminder.create", "notes"): "calendar.unreadable", ("page.run_js", "code"): LOOKED_UP}
"""What becomes of a million characters, where it differs (what a page returns is cut).

As they need no HTML and have no separators, the others arrive."""
ALL = {one.id: (provider, one, build) for provider, build in BUILT for one in provider.operations}


def texts_of(one: Operation) -> list[Parameter]:
    """Return the parameters that take a text of the model's own."""
    return [parameter for parameter in one.parameters if parameter.kind]


def prepare(mac: SimulatedMac) -> None:
    """Have everything on this Mac that a text may name, and what the other arguments name."""
    folder = mac.home / "Documents"
    (folder / f"{ONE_LINE} folder").mkdir(parents=True)
    for name in ("a.txt", ONE_LINE):
        (folder / name).write_text("one\n")
    page = {"elements": [{"selector": "#name", "value": "old"}, {"selector": "#go", "tag": "button", "text": "Go"}]}
    open_windows(mac, "Safari", pages={PAGE: {"title": "A page", "text": "Hello", "links": [], **page}})
    mac.install(ONE_LINE)
    mac.run(ONE_LINE, (200, 200, 700, 500), title=ONE_LINE)
    mac.run("TextEdit", (200, 200, 700, 500), title="a.txt")
    mac.change(lambda state: state["shortcuts"].update({"Shortcut": {}, ONE_LINE: {}}))
    plant_mail(
        mac, [OLD], source=WITH_FILE, mailAttachments=[{"#": "mailAttachment", "@": 1, "name": "a.txt", "id": "1"}]
    )


async def plant(mac: SimulatedMac, operation: str) -> dict[str, str]:
    """Make the note, event or reminder that the operation changes; return arguments that name it by an id."""
    notes, tasks = Trial(NOTES, build_notes(on(mac))), Trial(CALENDAR, build_calendar(on(mac)))
    if operation == "note.append":
        for title in ("Plan", ONE_LINE):
            await notes.do(await notes.plan("note.create", title=title))
    if operation == "calendar.update_event":
        made = await tasks.plan("calendar.create_event", **LUNCH)
        await tasks.do(made)
        return {"id": str(made.data["id"])}
    if operation in {"reminder.complete", "reminder.delete"}:
        await tasks.do(await tasks.plan("reminder.create", title=ONE_LINE))
    return {}


def arguments_of(mac: SimulatedMac, one: Operation, parameter: Parameter, text: str) -> dict[str, Any]:
    """Return arguments of the operation with the text in one parameter."""
    given: dict[str, Any] = {**NEEDED.get(one.id, {}), parameter.name: text}
    if parameter.name == "window":
        given["name"] = ONE_LINE
    if parameter.name == "code":
        given["code"] = json.dumps(text, ensure_ascii=False)
    if one.id == "file.write" and parameter.name == "path":
        given["path"] = f"{ONE_LINE}.md"
    if one.id in {"file.list", "file.find"} and parameter.name == "path":
        given["path"] = f"{ONE_LINE} folder"
    if one.id in {"file.mkdir", "file.move", "file.copy", "mail.save_attachment"} and parameter.name in {
        "path",
        "destination",
    }:
        given[parameter.name] = f"{ONE_LINE}.new"
    for path in (path for path in texts_of(one) if path.kind == "path" and path.name in given):
        given[path.name] = str(mac.home / "Documents" / given[path.name])
    return {name: [value] if name in LISTS else value for name, value in given.items()}


def leaves(value: Any) -> Iterator[str]:
    """Go through every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from leaves(list(cast("dict[str, Any]", value).values()))
    elif isinstance(value, list | tuple):
        for one in cast("Sequence[Any]", value):
            yield from leaves(one)


def scripts_of(call: list[str]) -> list[str]:
    """Return the scripts of a call of `osascript`."""
    return [call[at + 1] for at, word in enumerate(call) if word == "-e" and at < call.index("--")]


def seen_on(mac: SimulatedMac) -> list[str]:
    """Return every text that reached this Mac: its applications, its programs and its files."""
    state = mac.state
    seen = list(leaves(state))
    for call in state["calls"]:
        with suppress(ValueError):
            seen += leaves(json.loads(call[-1]))
    labels = mac.folder / "own" / "macos" / "mail" / "labels.json"
    seen += leaves(json.loads(labels.read_text())) if labels.exists() else ()
    return seen + [text for file in (mac.home / "Documents").rglob("*") for text in (file.name, content(file))]


def content(file: Path) -> str:
    """Return the content of a file; nothing of a folder."""
    return file.read_bytes().decode() if file.is_file() else ""


async def outcome(mac: SimulatedMac, operation: str, parameter: str, text: str) -> str:
    """Propose the operation with the text, carry it out, and return what became of the text."""
    provider, one, build = ALL[operation]
    prepare(mac)
    known = await plant(mac, operation)
    mac.change(lambda state: state.update(calls=[]))
    trial = Trial(provider, build(on(mac, {"address": "you@x.test"})))
    (named,) = (named for named in texts_of(one) if named.name == parameter)
    given = {**known, **arguments_of(mac, one, named, text)}
    before = Counter(seen_on(mac))
    lefts: Sequence[Applied] = ()
    try:
        if one.answers and operation not in BY_DESKTOP:
            await trial.answer(operation, **given)
        elif operation in BY_DESKTOP:
            clean, problems = one.check(given)
            assert not problems
            plan = await one.call(dict.fromkeys(one.stores, trial.seen), clean)
            assert isinstance(plan, Plan)
            for change in plan.changes:
                await build_desktop(on(mac)).apply(cast("Steps", change.do), ())
        else:
            lefts = await trial.do(await trial.plan(operation, **given))
    except SaysoError as no:
        return no.code
    if operation == "speech.say":
        wait_for(lambda: mac.state["spoken"])
    seen = [
        *(Counter(seen_on(mac)) - before),
        mac.clipboard,
        *(leaves(msgspec.to_builtins(lefts)) if operation == "page.run_js" else ()),
    ]
    if any(text in one for one in seen):
        return ARRIVES
    if any(text.replace("\u2028", "\n").replace("\u2029", "\n") in one for one in seen):
        return AS_LINES
    lines = [escape(line, quote=False) for line in text.splitlines()[:2]]
    return AS_HTML if any(all(line in one for line in lines) for one in seen) else LOOKED_UP


def test_every_text_of_every_operation_has_a_row():
    taken = {name: {named.name for named in texts_of(one)} for name, (_, one, _) in ALL.items() if texts_of(one)}

    assert {name: set(row) for name, row in ROWS.items()} == taken


@pytest.mark.parametrize("operation", sorted(name for name, (_, one, _) in ALL.items() if texts_of(one)))
def test_a_text_with_a_control_character_is_refused_by_name_before_anything_is_read(operation: str):
    _, one, _ = ALL[operation]

    for parameter in texts_of(one):
        value = ["a\0b"] if parameter.name in LISTS else "a\0b"
        _, problems = one.check({parameter.name: value})

        assert [each.argument for each in problems if "U+0000" in each.sentence] == [parameter.name]


@pytest.mark.thorough
@pytest.mark.parametrize(("operation", "parameter"), [(name, each) for name, row in ROWS.items() for each in row])
async def test_a_hostile_text_is_data_in_every_parameter(tmp_path: Path, operation: str, parameter: str):
    one = ALL[operation][1]
    shipped = {file.read_text("utf-8") for file in SCRIPTS.glob("*.js")}
    (kind,) = (named.kind for named in texts_of(one) if named.name == parameter)

    for number, text in enumerate(KINDS[kind]):
        mac = SimulatedMac(tmp_path / str(number))
        became = await outcome(mac, operation, parameter, text)

        row = LONG_ROWS.get((operation, parameter), ARRIVES) if text == LONG else ROWS[operation][parameter]
        assert became == row
        assert mac.unknown == []
        assert {script for call in mac.calls if call[0] == "osascript" for script in scripts_of(call)} <= shipped
