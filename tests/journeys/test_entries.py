"""Events and notes go the whole way, and a process that is killed anywhere on it leaves a true account."""

from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.core.ports import RecordQuery
from sayso.core.record import State
from sayso.runtime.questions import Nobody
from tests.journeys.conftest import Dying
from tests.journeys.ground import yes

WEEKLY = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:weekly@example.org\r\nDTSTAMP:20260101T000000Z\r\n"
    "SUMMARY:Standup\r\nDTSTART:20260307T100000Z\r\nDTEND:20260307T101500Z\r\nRRULE:FREQ=WEEKLY\r\n"
    "{more}END:VEVENT\r\nEND:VCALENDAR\r\n"
)
SAID = {
    "create": 'CREATE_EVENT "Lunch" "2026-03-14 12:00" "2026-03-14 13:00"',
    "remind": 'CREATE_REMINDER "Call" "2026-03-14 12:00"',
    "update": 'CALENDAR_UPDATE_EVENT "weekly@example.org" "Daily"',
    "delete": 'CALENDAR_DELETE_EVENT "weekly@example.org"',
    "note": 'NOTE_CREATE "Plan" "Body"',
    "append": 'NOTE_APPEND "List" "b"',
}
POINTS = {
    "create": ("text.written", "text.named", "path.acted"),
    "remind": ("text.named",),
    "update": ("text.written", "text.exchanged", "text.discarded", "path.acted"),
    "delete": ("text.set_aside", "text.discarded"),
    "note": ("text.written", "text.named", "path.acted"),
    "append": ("text.written", "text.exchanged", "text.discarded"),
}


ATTACHED = (
    '{"name": "calendar_create_event", "arguments": {"title": "x", "start": "2026-03-14 12:00", '
    '"end": "2026-03-14 13:00", "attach": "file:///etc/passwd"}}'
)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "calendars/home").mkdir(parents=True)
    (tmp_path / "calendars/home/w.ics").write_text(WEEKLY.format(more=""))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/List.md").write_text("a\n")
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "own/config.toml").write_text(
        f'[calendar]\npath = "{tmp_path}/calendars"\ntimezone = "Europe/Berlin"\n[notes]\npath = "{tmp_path}/notes"\n'
    )
    return tmp_path


def opened(base: Path):
    return sayso.open_home(str(base / "own"), environ={"HOME": str(base)})


def files(base: Path) -> dict[str, bytes]:
    found = (path for top in ("calendars", "notes") for path in (base / top).rglob("*") if path.is_file())
    return {str(path.relative_to(base)): path.read_bytes() for path in found}


async def last(home: Home) -> tuple[State, str]:
    (record, *_) = await home.tools.journal.query(RecordQuery(limit=1))
    return record.marks.state, record.id


@pytest.mark.req("CA-05")
@pytest.mark.parametrize(("deed", "point"), [(deed, point) for deed, points in POINTS.items() for point in points])
async def test_a_process_that_is_killed_leaves_a_true_account_and_nothing_twice(
    base: Path, deed: str, point: str, dying: Dying
):
    before = files(base)
    assert dying.ask("say", SAID[deed], point, base) == ["-9"]

    async with opened(base) as home:
        state, row = await last(home)
        now = files(base)
        assert not [name for name in now if "/." in name]
        if state is State.FAILED:
            assert now == before
        elif state is State.UNKNOWN:
            assert deed == "delete"
            assert now != before
        else:
            assert state is State.DONE
            assert len(now) - len(before) == {"update": 0, "append": 0, "delete": -1}.get(deed, 1)
            await home.undo(row)
            assert files(base) == before


@pytest.mark.req("S0-55", "S0-56", "S1-27")
async def test_what_is_said_is_shown_waits_and_is_taken_back(base: Path):
    before = files(base)
    async with opened(base) as home:
        await home.tools.backend("calendar").reads.reminders()
        waiting = await home.run("\n".join(SAID.values()), "lines", approver=Nobody())
        assert files(base) == before

        done = await home.approve(waiting.run, yes())

        assert [outcome.record.state for outcome in done.outcomes] == [State.DONE] * len(SAID)
        assert len(files(base)) == len(before) + 2
        await home.undo(done.run)
    assert files(base) == before


@pytest.mark.req("CA-02")
async def test_an_event_with_others_in_it_is_asked_about_in_every_mode(base: Path):
    config = base / "own/config.toml"
    config.write_text(f'[policy]\nmode = "never"\n{config.read_text()}')
    (base / "calendars/home/w.ics").write_text(WEEKLY.format(more="ATTENDEE:mailto:bo@example.org\r\n"))
    before = files(base)

    async with opened(base) as home:
        asked = await home.run(SAID["update"], "lines", approver=Nobody())
        alone = await home.run(SAID["create"], "lines", approver=Nobody())

    assert [one.record.state for one in asked.outcomes] == [State.WAITING]
    assert [one.record.state for one in alone.outcomes] == [State.DONE]
    assert len(files(base)) == len(before) + 1
    assert asked.outcomes[0].record.plan is not None


@pytest.mark.req("CA-06", "CA-01")
@pytest.mark.parametrize(
    "words",
    [
        ATTACHED,
        'CREATE_EVENT "a\u2028b" "2026-03-14 12:00" "2026-03-14 13:00"',
        'CREATE_EVENT "a\\nATTACH:http://169.254.169.254/" "2026-03-14 12:00" "2026-03-14 13:00"',
        'CREATE_EVENT "x" "2026-03-29 02:30" "2026-03-29 03:30"',
        'CREATE_EVENT "x" "2024-02-30 10:00" "2024-03-01 10:00"',
        'CREATE_EVENT "x" "2026-03-14 13:00" "2026-03-14 12:00"',
    ],
)
async def test_what_no_event_may_be_is_refused_and_nothing_is_written(base: Path, words: str):
    before = files(base)

    async with opened(base) as home:
        report = await home.run(words, "tools" if words[0] == "{" else "lines", approver=yes())

    assert report.outcomes
    assert all(one.record.state in {State.INVALID, State.FAILED, State.REFUSED} for one in report.outcomes)
    assert files(base) == before
