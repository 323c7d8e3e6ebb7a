"""Events on a real CalDAV server: what others changed is never written over, and a cut wire never doubles anything."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
import vobject

from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, NotDone, Plan
from sayso.core.ports import Backend, BackendContext, KillPoint, no_kill_point
from sayso.providers.calendar import CALENDAR
from sayso.providers.calendar.caldav.backend import CaldavBackend, build
from sayso.testing.calendar import CalendarSuite
from sayso.testing.fakes import FakeClock, KillAt, Killed, NumberedIds
from sayso.testing.harness import Trial, refusal_of
from tests.desktop_env.radicale import PASSWORD, USER, Cut, Radicale, Wire

IDS = NumberedIds()
BERLIN = ZoneInfo("Europe/Berlin")
WEEKLY = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Somebody//EN\r\nBEGIN:VEVENT\r\nUID:weekly@example.org\r\n"
    "DTSTAMP:20260101T000000Z\r\nSUMMARY:Standup\r\nDTSTART;TZID=Europe/Berlin:20260307T100000\r\nDURATION:PT15M\r\n"
    "RRULE:FREQ=WEEKLY\r\nX-THEIRS:kept\r\n{more}END:VEVENT\r\nEND:VCALENDAR\r\n"
)


def backend(url: str, kill: KillPoint = no_kill_point, *, user: str = USER, word: str = PASSWORD) -> CaldavBackend:
    environ = {"SAYSO_CALENDAR_PASSWORD": word} if word else {}
    settings = {"url": url, "user": user, "timezone": "Europe/Berlin"}
    return build(BackendContext(settings, "/home/ana", "/x", (), FakeClock(), IDS, kill, environ=environ))


@pytest.fixture
def server(radicale: Radicale) -> Radicale:
    """Return the server with one empty calendar."""
    radicale.clear()
    radicale.calendar("home", "Home")
    return radicale


async def planned(tried: Trial, deed: str) -> Plan:
    if deed == "create":
        return await tried.plan("calendar.create_event", title="New", start="2026-03-14 12:00", end="2026-03-14 13:00")
    if deed == "remind":
        return await tried.plan("reminder.create", title="Call", due="2026-03-15")
    if deed == "complete":
        await tried.do(await tried.plan("reminder.create", title="Water", due="2031-05-02", repeat="daily"))
        return await tried.plan("reminder.complete", reminder="Water")
    if deed == "one time":
        return await tried.plan("calendar.delete_event", id="weekly@example.org~20260314T100000")
    more = {"title": "Daily"} if deed == "update" else {}
    return await tried.plan(f"calendar.{deed}_event", id="weekly@example.org", **more)


def put(server: Radicale, more: str = "") -> None:
    assert server.ask("PUT", f"/{USER}/home/w.ics", WEEKLY.format(more=more))[0] == 201


@pytest.mark.req("S0-55", "S0-56", "S1-25", "S1-26")
async def test_another_reader_sees_what_was_made_changed_and_taken_back(server: Radicale):
    put(server, "LOCATION:Room 1\r\n")
    before = server.files()
    tried = Trial(CALENDAR, backend(server.url))
    plans = [await planned(tried, deed) for deed in ("create", "remind")]
    lefts = [await tried.do(plan) for plan in plans]
    moving = await tried.plan(
        "calendar.update_event", id="weekly@example.org~20260314T100000", start="2026-03-14 16:00"
    )
    moved = await tried.do(moving)

    answer = await tried.answer("calendar.today")

    assert answer.text == "2 events today:\n<events>\n12:00 to 13:00: New\n16:00 to 16:15: Standup, Room 1\n</events>"
    entries = [vobject.readOne(text) for name, text in server.files().items() if not name.endswith("w.ics")]
    assert sorted(
        entry.vevent.summary.value if "vevent" in entry.contents else entry.vtodo.summary.value for entry in entries
    ) == ["Call", "New"]
    series = vobject.readOne(server.files()["home/w.ics"])
    assert [str(one.dtstart.value) for one in series.vevent_list] == [
        "2026-03-07 10:00:00+01:00",
        "2026-03-14 16:00:00+01:00",
    ]
    assert "X-THEIRS:kept" in server.files()["home/w.ics"]
    await tried.take_back(moving, moved)
    for plan, left in zip(plans, lefts, strict=True):
        await tried.take_back(plan, left)
    assert server.files().keys() == before.keys()
    assert "RECURRENCE-ID" not in server.files()["home/w.ics"]


@pytest.mark.req("CA-04")
@pytest.mark.parametrize("deed", ["update", "one time", "delete"])
async def test_what_somebody_changed_after_the_preview_is_not_written_over(server: Radicale, deed: str):
    put(server)
    tried = Trial(CALENDAR, backend(server.url))
    plan = await planned(tried, deed)
    server.ask("PUT", f"/{USER}/home/w.ics", WEEKLY.format(more="LOCATION:Theirs\r\n"))
    before = server.files()

    no = await refusal_of(tried.do(plan))

    assert no.code == "world.changed"
    assert server.files() == before


@pytest.mark.req("CA-04")
async def test_the_server_itself_refuses_what_changed_in_the_last_moment(server: Radicale):
    put(server)
    seen = backend(server.url)
    tried = Trial(CALENDAR, seen)
    plan = await planned(tried, "update")

    async def meanwhile(place: str, text: str, etag: str) -> None:
        server.ask("PUT", f"/{USER}/home/w.ics", WEEKLY.format(more="LOCATION:Theirs\r\n"))
        await put_it(place, text, etag)

    asked: Any = vars(seen)["_server"]
    put_it = asked.put
    asked.put = meanwhile

    no = await refusal_of(tried.do(plan))

    assert no.code == "world.changed"
    assert "LOCATION:Theirs" in server.files()["home/w.ics"]
    assert "SUMMARY:Standup" in server.files()["home/w.ics"]


@pytest.mark.req("CA-04")
async def test_a_uid_that_somebody_took_meanwhile_is_a_conflict(server: Radicale):
    tried = Trial(CALENDAR, backend(server.url))
    plan = await planned(tried, "create")
    theirs = WEEKLY.format(more="").replace("weekly@example.org", str(plan.data["id"]))
    server.ask("PUT", f"/{USER}/home/other.ics", theirs)
    before = server.files()

    no = await refusal_of(tried.do(plan))

    assert no.code == "world.changed"
    assert server.files() == before


# A reminder reaches the server as an event does, and one time of an event as a change.
LIKE_ANOTHER = [pytest.param(deed, marks=pytest.mark.thorough) for deed in ("remind", "one time")]
DEEDS = ("create", "complete", "update", "delete", *LIKE_ANOTHER)


@pytest.mark.req("CA-05")
@pytest.mark.parametrize("cut", ["before", "heard", "answered"])
@pytest.mark.parametrize("deed", DEEDS)
async def test_a_wire_that_is_cut_leaves_a_true_outcome_and_nothing_twice(
    server: Radicale, wire: Wire, deed: str, cut: Cut
):
    put(server)
    tried = Trial(CALENDAR, backend(wire.url))
    plan = await planned(tried, deed)
    before = server.files()
    step: Any = plan.changes[0].do
    wire.at("DELETE" if deed == "delete" else "PUT", cut)

    with pytest.raises(Uncertain):
        await tried.do(plan)
    reached = wire.passed
    wire.at("PUT", "never")
    settled = await backend(server.url).settle(step, plan.changes[0].expects)

    now = server.files()
    assert reached == (0 if cut == "before" else 1)
    if cut == "before":
        assert isinstance(settled, NotDone)
        assert now == before
    elif deed == "delete":
        # What is gone bears no token: whether sayso or somebody else removed it cannot be seen.
        assert isinstance(settled, CannotTell)
        assert now == {}
    else:
        assert isinstance(settled, Applied)
        assert len(now) == len(before) + (deed in {"create", "remind"})
        await refusal_of(backend(server.url).apply(step, plan.changes[0].expects))
        assert server.files() == now
        await tried.take_back(plan, [settled])
        assert server.files().keys() == before.keys()


@pytest.mark.req("CA-05")
@pytest.mark.parametrize("point", ["caldav.before", "caldav.put", "caldav.after"])
@pytest.mark.parametrize("deed", DEEDS)
async def test_after_a_crash_anywhere_the_outcome_is_what_the_server_has(server: Radicale, deed: str, point: str):
    put(server)
    plan = await planned(Trial(CALENDAR, backend(server.url)), deed)
    before = server.files()
    step: Any = plan.changes[0].do

    if deed == "delete" and point == "caldav.put":
        return
    with pytest.raises(Killed):
        await backend(server.url, KillAt(point)).apply(step, plan.changes[0].expects)
    settled = await backend(server.url).settle(step, plan.changes[0].expects)

    if point == "caldav.before":
        assert isinstance(settled, NotDone)
        assert server.files() == before
    else:
        assert isinstance(settled, CannotTell if deed == "delete" else Applied)
        assert server.files() != before


async def test_a_server_that_is_slow_may_still_do_it(server: Radicale, wire: Wire):
    seen = backend(wire.url)
    vars(vars(seen)["_server"].client)["_seconds"] = 0.5
    plan = await planned(Trial(CALENDAR, seen), "create")
    step: Any = plan.changes[0].do
    wire.hold("PUT")

    with pytest.raises(Uncertain):
        await seen.apply(step, plan.changes[0].expects)
    wire.at("PUT", "never")

    assert isinstance(await seen.settle(step, plan.changes[0].expects), CannotTell)


async def test_what_somebody_made_of_a_new_event_after_a_crash_is_not_undone(server: Radicale):
    tried = Trial(CALENDAR, backend(server.url))
    plan = await planned(tried, "create")
    await tried.do(plan)
    step: Any = plan.changes[0].do
    (name,) = server.files()
    server.ask("PUT", f"/{USER}/{name}", server.files()[name].replace("SUMMARY:New", "SUMMARY:Mine"))

    settled = await backend(server.url).settle(step, plan.changes[0].expects)

    assert isinstance(settled, Applied)
    await refusal_of(tried.take_back(plan, [settled]))
    assert "SUMMARY:Mine" in server.files()[name]


async def test_events_go_where_they_may_and_calendars_are_named(server: Radicale):
    server.calendar("tasks", "Tasks", "VTODO")
    server.calendar("work", "Work & <more>", "VEVENT")
    tried = Trial(CALENDAR, backend(server.url))

    event = await tried.plan(
        "calendar.create_event",
        title="x",
        start="2026-03-14 12:00",
        end="2026-03-14 13:00",
        calendar_name="work & <MORE>",
    )
    no = await refusal_of(tried.plan("reminder.create", title="x", calendar_name="work"))
    await tried.do(event)

    assert str(no) == "There is no calendar “work” for reminders. Calendars: “Home”, “Tasks”, “Work & <more>”."
    answer = await tried.answer("calendar.today")
    events: Any = answer.data["events"]
    assert [one["calendar"] for one in events] == ["Work & <more>"]
    assert [name.split("/")[0] for name in server.files()] == ["work"]


async def test_one_calendar_may_be_named_by_its_own_address(server: Radicale):
    server.calendar("work", "Work")
    seen = backend(f"{server.url}{USER}/work/")

    password, told = await seen.capabilities()

    assert (password.served, password.why) == ("SAYSO_CALENDAR_PASSWORD", f"for {USER} at 127.0.0.1:{server.port}")
    assert told.why == "as calendar.url says; calendars: “Work”"
    assert seen.name == f"caldav:{USER}@127.0.0.1:{server.port}"


async def test_a_wrong_password_and_a_missing_one_are_told_apart(server: Radicale):
    wrong = await refusal_of(backend(server.url, word="nonsense").reads.reminders())
    none = await refusal_of(backend(server.url, word="").reads.reminders())
    nobody = await refusal_of(backend(server.url, user="").reads.reminders())
    _, told = await backend(server.url, word="nonsense").capabilities()
    (missing,) = await backend(server.url, word="").capabilities()

    assert (type(wrong), type(none)) == (SetupError, SetupError)
    assert "the password is wrong" in str(wrong)
    assert "SAYSO_CALENDAR_PASSWORD" in str(none)
    assert "calendar.user" in str(nobody)
    assert "nonsense" not in f"{wrong}{told}"
    assert (told.fix, missing.fix) == ("sayso config calendar", "sayso config calendar")


async def test_a_server_that_is_not_there_is_named(server: Radicale, wire: Wire):
    wire.close()

    no = await refusal_of(backend(wire.url).reads.reminders())

    assert type(no) is ProviderError
    assert wire.url.split("/")[2] in str(no)


def test_without_an_address_nothing_is_built():
    with pytest.raises(SetupError, match=r"calendar\.url"):
        build(BackendContext({}, "/home/ana", "/x", (), FakeClock(), IDS))


class TestCaldav(CalendarSuite):
    """The suite on a server."""

    @pytest.fixture(autouse=True)
    def somewhere(self, radicale: Radicale) -> None:
        self.server = radicale

    def make(self) -> Backend:
        self.server.clear()
        self.server.calendar("home", "Home")
        settings = {"url": self.server.url, "user": USER, "timezone": "Asia/Kathmandu"}
        environ = {"SAYSO_CALENDAR_PASSWORD": PASSWORD}
        return build(BackendContext(settings, "/home/ana", "/x", (), FakeClock(), NumberedIds(), environ=environ))
