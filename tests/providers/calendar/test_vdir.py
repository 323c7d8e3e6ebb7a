"""Which calendars a folder holds, and what goes where."""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from icalendar import Calendar

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.core.ports import Backend, BackendContext, KillPoint, no_kill_point
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.model import EntryIs
from sayso.providers.calendar.vdir import VdirBackend, VdirReader, build
from sayso.providers.disk.syscalls import open_below
from sayso.providers.disk.textfiles import Texts
from sayso.testing.calendar import CalendarSuite
from sayso.testing.fakes import FakeClock, KillAt, Killed, NumberedIds
from sayso.testing.harness import Trial, refusal_of
from tests.fails import fails

EVENT = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\n"
    "UID:{uid}\r\nDTSTART:{start}\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def folder(top: Path, chosen: str = "", *, own: bool = False) -> VdirReader:
    return VdirReader(Texts(str(top), open_below), chosen, own=own)


def put(top: Path, place: str, text: str) -> None:
    (top / place).parent.mkdir(parents=True, exist_ok=True)
    (top / place).write_text(text)


def test_calendars_are_called_as_other_programs_call_them(tmp_path: Path):
    put(tmp_path, "work/displayname", "Büro\n")
    put(tmp_path, "home/a.ics", EVENT.format(uid="a", start="20260314T100000Z"))
    (tmp_path / ".hidden").mkdir()

    kept = folder(tmp_path)

    assert [(one.folder, one.name) for one in kept.calendars()] == [("work", "Büro"), ("home", "home")]
    assert kept.name_of("work/x.ics") == "Büro"
    assert kept.new_place("u", "büro") == "work/u.ics"
    assert kept.new_place("u", "") == "home/u.ics"
    assert folder(tmp_path, "work").new_place("u", "") == "work/u.ics"


def test_a_folder_may_be_one_calendar_itself(tmp_path: Path):
    put(tmp_path, "a.ics", EVENT.format(uid="a", start="20260314T100000Z"))

    assert folder(tmp_path).new_place("u", "") == "u.ics"
    assert folder(tmp_path / "none", own=True).new_place("u", "") == "personal/u.ics"


def test_a_calendar_that_there_is_not_is_named_with_those_that_there_are(tmp_path: Path):
    put(tmp_path, "work/displayname", "Büro\n")

    with pytest.raises(ProviderError, match=r"There is no calendar “home”\. Calendars: “Büro”"):
        folder(tmp_path).new_place("u", "home")
    with pytest.raises(ProviderError, match=r"set calendar\.path"):
        folder(tmp_path / "none").calendars()


def test_only_what_may_take_place_is_given_and_what_is_broken_is_told(tmp_path: Path):
    put(tmp_path, "home/a.ics", EVENT.format(uid="a", start="20260314T100000Z"))
    put(tmp_path, "home/b.ics", EVENT.format(uid="b", start="20250314T100000Z"))
    put(tmp_path, "home/c.ics", "BEGIN:VCALENDAR\r\n")
    put(tmp_path, "home/readme.txt", "x")

    held = folder(tmp_path).resources("VEVENT", "20260314", "20260315")

    assert [one.place for one in held.resources] == ["home/a.ics"]
    assert held.left_out == ("“home/c.ics” was left out: it is not one whole calendar",)


def test_a_file_that_changed_is_read_again(tmp_path: Path):
    put(tmp_path, "home/a.ics", EVENT.format(uid="a", start="20260314T100000Z"))
    kept = folder(tmp_path)
    first = kept.resource("a")

    put(tmp_path, "home/a.ics", EVENT.format(uid="aa", start="20260314T100000Z"))

    assert first is not None
    assert kept.resource("a") is None
    assert kept.resource("aa") is not None


def test_two_files_with_one_id_are_not_guessed_at(tmp_path: Path):
    for name in ("a", "b"):
        put(tmp_path, f"home/{name}.ics", EVENT.format(uid="same", start="20260314T100000Z"))

    with pytest.raises(ProviderError, match="not clear which"):
        folder(tmp_path).resource("same")


IDS = NumberedIds()
WEEKLY = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Somebody//EN\r\nBEGIN:VEVENT\r\nUID:weekly@example.org\r\n"
    "DTSTAMP:20260101T000000Z\r\nSUMMARY:Standup\r\nDTSTART;TZID=Europe/Berlin:20260307T100000\r\nDURATION:PT15M\r\n"
    "RRULE:FREQ=WEEKLY\r\nX-THEIRS:caf\u00e9\r\n{more}END:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "calendars/home").mkdir(parents=True)
    return tmp_path / "calendars"


def backend(top: Path, kill: KillPoint = no_kill_point) -> VdirBackend:
    settings = {"path": str(top), "timezone": "Europe/Berlin"}
    return build(BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), IDS, kill))


def trial(top: Path) -> Trial:
    return Trial(CALENDAR, backend(top))


def files(top: Path) -> dict[str, bytes]:
    return {str(file.relative_to(top)): file.read_bytes() for file in top.rglob("*") if file.is_file()}


LUNCH = {"title": "Lunch", "start": "2026-03-14 12:00", "end": "2026-03-14 13:00"}


async def lunch(tried: Trial) -> str:
    plan = await tried.plan("calendar.create_event", **LUNCH)
    await tried.do(plan)
    return str(plan.data["id"])


def put_weekly(top: Path, more: str = "") -> None:
    put(top, "home/w.ics", WEEKLY.format(more=more))


def khal(top: Path, home: Path, *arguments: str) -> str:
    config = home / "khal.conf"
    config.write_text(
        f"[calendars]\n[[home]]\npath = {top}/home\n"
        "[locale]\nlocal_timezone = Europe/Berlin\ndefault_timezone = Europe/Berlin\n"
        "timeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\n"
        "datetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n"
        f"[sqlite]\npath = {home}/khal.db\n"
    )
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    argv = ["khal", "-c", str(config), *arguments]
    return subprocess.run(argv, env=environ, capture_output=True, text=True, check=True, timeout=30).stdout


@pytest.mark.needs("khal")
@pytest.mark.req("S0-55", "T-46")
async def test_khal_sees_what_was_made_moved_and_taken_back(top: Path, tmp_path: Path):
    put_weekly(top)
    tried = trial(top)
    event = await lunch(tried)
    for operation, arguments in (
        ("create_event", {"title": "Night; \\ “ü”", "start": "2026-03-28 23:00", "end": "2026-03-29 04:00"}),
        ("create_event", {"title": "Trip", "start": "2026-04-01", "end": "2026-04-03"}),
        ("update_event", {"id": event, "start": "2026-03-14 18:00", "location": "Café"}),
        ("update_event", {"id": "weekly@example.org~20260314T100000", "start": "2026-03-14 16:00"}),
    ):
        await tried.do(await tried.plan(f"calendar.{operation}", **arguments))

    seen = listed_by_khal(top, tmp_path, "{start}|{end}|{title}|{location}", "30d")

    assert seen == [
        "2026-03-14 16:00|2026-03-14 16:15|Standup|",
        "2026-03-14 18:00|2026-03-14 19:00|Lunch|Café",
        "2026-03-21 10:00|2026-03-21 10:15|Standup|",
        "2026-03-28 10:00|2026-03-28 10:15|Standup|",
        *["2026-03-28 23:00|2026-03-29 04:00|Night; \\ “ü”|"] * 2,
        *["2026-04-01|2026-04-02|Trip|"] * 2,
        "2026-04-04 10:00|2026-04-04 10:15|Standup|",
        "2026-04-11 10:00|2026-04-11 10:15|Standup|",
    ]


def listed_by_khal(top: Path, home: Path, form: str, days: str) -> list[str]:
    said = khal(top, home, "list", "--format", form, "--day-format", "", "2026-03-14", days)
    return [line for line in said.splitlines() if line]


@pytest.mark.needs("khal")
async def test_what_khal_made_is_listed_and_changed(top: Path, tmp_path: Path):
    new = "new -a home -l Office 2026-03-14 15:00 16:00 Dentist -r daily -u 2026-03-17"
    khal(top, tmp_path, *new.split())
    tried = trial(top)

    answer = await tried.answer("calendar.find", text="dentist")

    events: Any = answer.data["events"]
    assert [(one["title"], one["location"], one["start"]) for one in events] == [
        ("Dentist", "Office", f"2026-03-{day}T15:00+01:00") for day in (14, 15, 16)
    ]
    plan = await tried.plan("calendar.delete_event", id=events[1]["id"])
    lefts = await tried.do(plan)
    assert listed_by_khal(top, tmp_path, "{start}", "5d") == ["2026-03-14 15:00", "2026-03-16 15:00"]
    await tried.take_back(plan, lefts)
    assert len(listed_by_khal(top, tmp_path, "{start}", "5d")) == 3


async def test_a_list_may_be_of_one_calendar_and_has_each_time_of_what_repeats(top: Path):
    put(top, "work/w.ics", WEEKLY.format(more=""))
    tried = trial(top)
    await lunch(tried)

    both, alone = [
        await tried.answer("calendar.list", start="2026-03-14", end="2026-03-22", calendar_name=name)
        for name in ("", "WORK")
    ]

    of_both: Any = both.data["events"]
    of_work: Any = alone.data["events"]
    standups = ["2026-03-14T10:00+01:00", "2026-03-21T10:00+01:00"]
    assert [event["start"] for event in of_work] == standups
    assert [event["title"] for event in of_both] == ["Standup", "Lunch", "Standup"]
    with fails(ProviderError, "calendar.unknown", match="Calendars: “home”, “work”"):
        await tried.answer("calendar.list", calendar_name="Nowhere")


@pytest.mark.req("S1-25")
async def test_today_has_title_time_and_location_of_all_calendars(top: Path):
    put(top, "work/w.ics", WEEKLY.format(more="LOCATION:Room 1\r\n"))
    tried = trial(top)

    one = await tried.answer("calendar.today")
    await lunch(tried)
    two = await tried.answer("calendar.today")
    for file in (*(top / "work").iterdir(), *(top / "home").iterdir()):
        file.unlink()
    none = await tried.answer("calendar.today")

    standup = "10:00 to 10:15: Standup, Room 1"
    assert one.text == f"1 event today:\n<events>\n{standup}\n</events>"
    assert two.text == f"2 events today:\n<events>\n{standup}\n12:00 to 13:00: Lunch\n</events>"
    events: Any = two.data["events"]
    assert [event["calendar"] for event in events] == ["work", "home"]
    assert none.text == "There are no events today."


async def test_a_change_leaves_every_other_byte_and_undo_brings_all_back(top: Path):
    theirs = WEEKLY.format(more="").encode("latin-1")  # not UTF-8, as some programs write
    (top / "home/w.ics").write_bytes(theirs)
    tried = trial(top)
    plan = await tried.plan("calendar.update_event", id="weekly@example.org", title="Daily")

    lefts = await tried.do(plan)

    now = (top / "home/w.ics").read_bytes()
    assert b"X-THEIRS:caf\xe9\r\n" in now
    assert [line for line in theirs.split(b"\r\n") if line not in now.split(b"\r\n")] == [
        b"DTSTAMP:20260101T000000Z",
        b"SUMMARY:Standup",
    ]
    assert plan.summary == "Change “Standup”: call it “Daily”, every time it takes place"
    await tried.take_back(plan, lefts)
    assert files(top) == {"home/w.ics": theirs}


async def test_all_of_what_repeats_is_not_moved_by_accident(top: Path):
    put_weekly(top)

    no = await refusal_of(trial(top).plan("calendar.update_event", id="weekly@example.org", start="2026-03-15 10:00"))

    assert no.code == "calendar.repeats"


@pytest.mark.req("CA-04")
async def test_what_somebody_changed_after_the_preview_is_not_written_over(top: Path):
    tried = trial(top)
    event = await lunch(tried)
    (file,) = (top / "home").iterdir()
    plans = [
        await tried.plan("calendar.update_event", id=event, title="Supper"),
        await tried.plan("calendar.delete_event", id=event),
    ]
    theirs = file.read_bytes().replace(b"SUMMARY:Lunch", b"SUMMARY:Theirs")
    file.write_bytes(theirs)

    for plan in plans:
        no = await refusal_of(tried.do(plan))
        assert no.code == "world.changed"

    assert files(top) == {f"home/{file.name}": theirs}


@pytest.mark.req("CA-04")
async def test_a_uid_that_somebody_took_meanwhile_is_a_conflict(top: Path):
    tried = trial(top)
    plan = await tried.plan("calendar.create_event", **LUNCH)
    (top / "home/other.ics").write_text(WEEKLY.format(more="").replace("weekly@example.org", str(plan.data["id"])))
    before = files(top)

    no = await refusal_of(tried.do(plan))

    assert no.code == "world.changed"
    assert files(top) == before


@pytest.mark.req("CA-02")
async def test_an_event_of_several_people_is_asked_about_and_each_is_named(top: Path):
    put_weekly(top, "ATTENDEE;CN=Bo:mailto:bo@example.org\r\nATTENDEE:mailto:cy@example.org\r\n")
    tried = trial(top)

    new = await tried.plan("calendar.create_event", **LUNCH, participants=["ana@example.org"])
    change = await tried.plan("calendar.update_event", id="weekly@example.org", title="Daily")
    deletion = await tried.plan("calendar.delete_event", id="weekly@example.org~20260314T100000")

    assert new.sends == ("the invitation to “Lunch” to ana@example.org",)
    assert change.sends == tuple(f"the change of “Standup” to {one}@example.org" for one in ("bo", "cy"))
    assert deletion.sends == tuple(f"the cancellation of “Standup” to {one}@example.org" for one in ("bo", "cy"))
    assert all(plan.asks and plan.warns for plan in (new, change, deletion))
    await tried.do(new)
    made: Any = Calendar.from_ical((top / f"home/{new.data['id']}.ics").read_bytes())
    assert [str(one["ATTENDEE"]) for one in made.walk("VEVENT")] == ["mailto:ana@example.org"]


def series_of_two(on_series: str, on_occurrence: str) -> str:
    """Return a daily event with one occurrence that was changed."""
    both = "UID:o\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:Talk\r\nDURATION:PT1H\r\n"
    series = f"BEGIN:VEVENT\r\n{both}DTSTART:20260313T100000Z\r\nRRULE:FREQ=DAILY;COUNT=3\r\n{on_series}END:VEVENT\r\n"
    changed = f"{both}RECURRENCE-ID:20260314T100000Z\r\nDTSTART:20260314T110000Z\r\n{on_occurrence}"
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n"
    return f"{head}{series}BEGIN:VEVENT\r\n{changed}END:VEVENT\r\nEND:VCALENDAR\r\n"


INVITED = 'ATTENDEE;CN="Eve: E":MAILTO:eve@example.org\r\n'
ALARM = f"BEGIN:VALARM\r\nACTION:EMAIL\r\nTRIGGER:-PT5M\r\n{INVITED}END:VALARM\r\n"

ODD = [("", f"{line}:mailto:eve@example.org\r\n") for line in ('ATTENDEE;CN=a"b', "x.attendee", "LOCATION:x\rATTENDEE")]
"""Lines that sayso does not take for such that invite, and a server may."""


@pytest.mark.req("CA-02")
@pytest.mark.parametrize("places", [("", INVITED), (INVITED, ""), ("", ALARM), (INVITED, INVITED), *ODD])
@pytest.mark.parametrize("uid", ["o", "o~20260314T100000Z", "o~20260315T100000Z"])
async def test_people_on_any_part_of_a_series_are_asked_about_at_each_change_of_it(
    top: Path, uid: str, places: tuple[str, str]
):
    put(top, "home/o.ics", series_of_two(*places))
    tried = trial(top)

    change = await tried.plan("calendar.update_event", id=uid, title="News")
    deletion = await tried.plan("calendar.delete_event", id=uid)

    assert change.sends == ("the change of “Talk” to eve@example.org",)
    assert deletion.sends == ("the cancellation of “Talk” to eve@example.org",)
    steps: Any = [step for plan in (change, deletion) for one in plan.changes for step in (one.do, one.undo)]
    assert {step.participants for step in steps} == {("eve@example.org",)}
    assert all(plan.asks and plan.warns for plan in (change, deletion))


async def test_a_file_of_several_events_is_listed_and_not_taken_away_for_one_of_them(top: Path):
    one = WEEKLY.format(more="").split("END:VCALENDAR")[0]
    two = one.replace("weekly@", "other@").split("PRODID:-//Somebody//EN\r\n")[1]
    (top / "home/w.ics").write_text(f"{one}{two}END:VCALENDAR\r\n")
    tried = trial(top)

    answer = await tried.answer("calendar.today")
    no = await refusal_of(tried.do(await tried.plan("calendar.delete_event", id="other@example.org")))

    events: Any = answer.data["events"]
    assert len(events) == 2
    assert "1 more events" in str(no)
    assert list(files(top)) == ["home/w.ics"]


async def test_a_broken_file_is_told_and_hides_nothing(top: Path):
    (top / "home/b.ics").write_text("BEGIN:VCALENDAR\r\n")
    (top / "home/s.ics").write_text(WEEKLY.format(more="").replace("WEEKLY", "SECONDLY"))
    tried = trial(top)
    await lunch(tried)

    answer = await tried.answer("calendar.today")

    assert answer.text == (
        "1 event today:\n<events>\n12:00 to 13:00: Lunch\n</events>\nWhat could not be read:\n<left_out>\n"
        '"“home/b.ics” was left out: it is not one whole calendar"\n'
        '"“home/s.ics” was left out: it repeats more often than every hour"\n</left_out>'
    )
    assert len(json.loads(json.dumps(answer.data["left_out"]))) == 2


async def test_without_a_setting_the_calendar_is_sayso_s_own(tmp_path: Path):
    made = build(BackendContext({}, str(tmp_path), str(tmp_path / "own"), (), FakeClock(), IDS))
    tried = Trial(CALENDAR, made)
    assert (await tried.answer("calendar.today")).text == "There are no events today."
    assert not (tmp_path / "own").exists()

    event = await lunch(tried)

    assert (tmp_path / f"own/calendars/personal/{event}.ics").is_file()
    (told,) = await made.capabilities()
    assert told.served == str(tmp_path / "own/calendars")
    assert told.why == "the default, as calendar.path names no other folder; calendars: “personal”"


async def test_doctor_says_how_to_mend_a_folder_that_is_gone(tmp_path: Path):
    (told,) = await backend(tmp_path / "none").capabilities()

    assert not told.served
    assert told.fix == f"mkdir -p '{tmp_path / 'none'}'"


POINTS = ("text.written", "text.named", "text.exchanged", "text.set_aside", "text.discarded")
DEEDS = (
    "create", "remind", "complete", "update", "one time", "delete",
    "undo of create", "undo of complete", "undo of update", "undo of delete",
)  # fmt: skip


async def begun(tried: Trial, deed: str) -> tuple[Any, Any]:
    """Return the step that is to be interrupted and what it expects."""
    what = deed.removeprefix("undo of ")
    if what == "remind":
        plan = await tried.plan("reminder.create", title="Call")
    elif what == "complete":
        await tried.do(await tried.plan("reminder.create", title="Water", due="2031-05-02", repeat="daily"))
        plan = await tried.plan("reminder.complete", reminder="Water")
    elif what == "create":
        plan = await tried.plan("calendar.create_event", title="New", start="2026-03-14 12:00", end="2026-03-14 13:00")
    elif what == "one time":
        plan = await tried.plan("calendar.delete_event", id="weekly@example.org~20260314T100000")
    else:
        more = {"title": "Daily"} if what == "update" else {}
        plan = await tried.plan(f"calendar.{what}_event", id="weekly@example.org", **more)
    (change,) = plan.changes
    if what == deed:
        return change.do, change.expects
    (left,) = await tried.do(plan)
    return change.undo, left.facts


@pytest.mark.req("CA-05")
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("deed", DEEDS)
async def test_after_a_crash_anywhere_the_outcome_is_what_the_folder_shows(top: Path, deed: str, point: str):
    put_weekly(top)
    step, expects = await begun(trial(top), deed)
    before = files(top)

    died = False
    try:
        await backend(top, KillAt(point)).apply(step, expects)
    except Killed:
        died = True
    settled = await backend(top).settle(step, expects)

    now = files(top)
    assert not [place for place in now if "/." in place]
    if isinstance(settled, NotDone):
        assert died
        assert now == before
    elif isinstance(settled, CannotTell):
        # What is gone bears no token: whether sayso or somebody else removed it cannot be seen.
        assert deed in {"delete", "undo of create"}
        assert now != before
    else:
        assert now != before
        (fact,) = settled.facts
        etags = {hashlib.sha256(data).hexdigest()[:40] for data in now.values()}
        assert not isinstance(fact, EntryIs) or fact.etag in etags


async def test_a_new_event_that_somebody_edited_after_a_crash_was_made_and_is_not_undone(top: Path):
    tried = trial(top)
    plan = await tried.plan("calendar.create_event", title="New", start="2026-03-14 12:00", end="2026-03-14 13:00")
    await tried.do(plan)
    (file,) = (top / "home").iterdir()
    file.write_bytes(file.read_bytes().replace(b"SUMMARY:New", b"SUMMARY:Mine"))
    step: Any = plan.changes[0].do

    settled = await backend(top).settle(step, plan.changes[0].expects)

    assert isinstance(settled, Applied)
    await refusal_of(tried.take_back(plan, [settled]))
    assert b"SUMMARY:Mine" in file.read_bytes()


async def test_an_event_that_somebody_changed_during_the_crash_is_nobody_s_claim(top: Path):
    put_weekly(top)
    step, expects = await begun(trial(top), "update")
    (top / "home/w.ics").write_text(WEEKLY.format(more="X-NEW:1\r\n"))

    assert isinstance(await backend(top).settle(step, expects), CannotTell)


async def test_a_step_without_what_it_expects_is_not_done(top: Path):
    put_weekly(top)
    step, _ = await begun(trial(top), "delete")

    with pytest.raises(ProviderError):
        await backend(top).apply(step, ())


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Sao_Paulo", "Pacific/Kiritimati", "Asia/Kathmandu"])
class TestVdir(CalendarSuite):
    """The suite on a folder."""

    @pytest.fixture(autouse=True)
    def somewhere(self, zone: str, tmp_path: Path) -> None:
        self.zone, self.home, self.made = zone, tmp_path, 0

    def make(self) -> Backend:
        self.made += 1
        own = str(self.home / f"own{self.made}")
        return build(BackendContext({"timezone": self.zone}, str(self.home), own, (), FakeClock(), NumberedIds()))
