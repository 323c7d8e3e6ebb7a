"""A reminder is made, listed, rings on a real desktop, is completed, and is taken back."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from sayso.assembly import Home, open_home
from sayso.assembly.entry import Automation
from sayso.assistant.asker import Asker
from sayso.assistant.triggers.host import Host, TriggerListener
from sayso.core.encoding import Json
from sayso.core.ports import RecordQuery
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import Record, State
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.runtime.questions import Nobody
from sayso.surfaces.cli.direct import DirectApprover
from sayso.testing.fakes import FakeClock
from tests.desktop_env import parts
from tests.desktop_env.session import Session

pytestmark = pytest.mark.needs("dunst", "dunstctl", "dbus-daemon", "dbus-send")


@pytest.fixture(scope="module")
def daemon(x_session: Session) -> Popen[bytes]:
    """Return the notification service of the module's session."""
    return parts.notifications(x_session)


async def do(home: Home, operation: str, **arguments: Json) -> Record:
    origin = Origin("", "command")
    report = await home.take(
        [Proposal(0, "", operation, arguments)], origin, DirectApprover(Nobody(), at_terminal=True)
    )
    (outcome,) = report.outcomes
    return outcome.record


async def listed(home: Home, state: str = "open") -> list[Mapping[str, Any]]:
    report = await home.take([Proposal(0, "", "reminder.list", {"state": state})], Origin("", "command"))
    data: Any = report.outcomes[0].data
    return data["reminders"]


def shown(made: Session) -> list[tuple[str, str]]:
    """Return title and text of what the service showed, oldest first, by its own account."""
    made.run("dunstctl", "close-all")
    entries = json.loads(made.run("dunstctl", "history"))["data"][0]
    return [(entry["summary"]["data"], entry["body"]["data"]) for entry in reversed(entries)]


async def test_a_reminder_is_made_listed_rings_is_completed_and_taken_back(
    x_session: Session, daemon: Popen[bytes], tmp_path: Path
):
    clock = FakeClock()
    async with open_home(str(tmp_path / "own"), environ=x_session.environment, clock=clock) as home:
        unhosted = await do(home, "reminder.create", title="Call <b>Ana</b>", in_minutes=20)
        with FileLocks(home.settings.places.locks).present(HOSTING):
            hosted = await do(home, "reminder.create", title="Pill", due="2026-03-14", repeat="daily")
        host = Host(Automation(home).world, TriggerListener())
        await host.once()
        clock.advance(minutes=20)
        for _ in range(3):
            await host.once()
        await Host(Automation(home).world, TriggerListener()).once()
        rows = await listed(home)
        completed = await do(home, "reminder.complete", reminder="Call <b>Ana</b>")
        done = await listed(home, "done")
        await home.undo(completed.id)
        back = await listed(home)
        log = await home.log(RecordQuery(operation="notify.show"))

    assert "it rings only while “sayso service” runs" in str(unhosted.marks.message)
    assert str(hosted.marks.message).endswith("; sayso rings it")
    ours = [one for one in shown(x_session) if one[0] in {"Call <b>Ana</b>", "Pill"}]
    assert [title for title, _ in ours] == ["Pill", "Call <b>Ana</b>"]
    assert [row["title"] for row in rows] == ["Pill", "Call <b>Ana</b>"]
    assert [row["title"] for row in done] == ["Call <b>Ana</b>"]
    assert back == rows
    assert [one.state for one in log] == [State.DONE, State.DONE]


async def test_the_reminder_of_the_readme_is_understood_rings_at_nine_is_completed_and_undone(
    x_session: Session, daemon: Popen[bytes], tmp_path: Path
):
    clock = FakeClock()
    asker = Asker(approver=DirectApprover(Nobody(), at_terminal=True))
    async with open_home(str(tmp_path / "own"), environ=x_session.environment, clock=clock) as home:
        asked = await home.ask("remind me tomorrow at nine to call Ana", asker=asker)
        (made,) = [one.record for one in asked.report.outcomes]
        (row,) = await listed(home)
        due = datetime.fromisoformat(row["due"])
        host = Host(Automation(home).world, TriggerListener())
        await host.once()
        clock.advance(seconds=(due - clock.now()).total_seconds())
        await host.once()
        rung = [one for one in shown(x_session) if one[0] == "call Ana"]
        completed = await do(home, "reminder.complete", reminder="call Ana")
        after = await listed(home)
        await home.undo(completed.id)
        await home.undo(made.id)
        none = [*await listed(home), *await listed(home, "done")]

    assert (made.operation, made.state) == ("reminder.create", State.DONE)
    assert (row["title"], f"{due:%H:%M}") == ("call Ana", "09:00")
    assert len(rung) == 1
    assert "due 09:00" in rung[0][1]
    assert (after, none) == ([], [])
