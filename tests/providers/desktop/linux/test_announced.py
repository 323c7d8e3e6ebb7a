"""What waits because nobody could be asked is announced once, by a notification of a real desktop."""

import json
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from sayso.assembly import open_home
from sayso.core.ports import RecordQuery
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.questions import Client
from tests.desktop_env import parts
from tests.desktop_env.session import Session

NAMES, ORIGIN = ("Trip <b>", "Bags"), Origin("", "command")
pytestmark = pytest.mark.needs("dunst", "dunstctl", "dbus-daemon", "dbus-send")


@pytest.fixture(scope="module")
def daemon(x_session: Session) -> Popen[bytes]:
    """Return the notification service of the module's session."""
    return parts.notifications(x_session)


def shown(made: Session) -> list[tuple[str, str]]:
    """Return title and text of what the service showed, oldest first, by its own account."""
    made.run("dunstctl", "close-all")
    entries: list[dict[str, Any]] = json.loads(made.run("dunstctl", "history"))["data"][0]
    return [(entry["summary"]["data"], entry["body"]["data"]) for entry in reversed(entries)]


async def propose(session: Session, own: Path, approver: Client | None = None) -> list[str]:
    """Propose two tasks, and return the states and what the journal holds of notifications."""
    async with open_home(str(own), environ=session.environment) as home:
        wishes = [Proposal(n, "", "task.add", {"text": name}) for n, name in enumerate(NAMES)]
        report = await home.take(wishes, ORIGIN, approver)
        log = await home.log(RecordQuery(operation="notify.show"))
    return [*(str(one.record.state) for one in report.outcomes), *(f"shown by {one.entry}" for one in log)]


async def test_what_waits_is_announced_once_for_its_run(x_session: Session, daemon: Popen[bytes], tmp_path: Path):
    before = shown(x_session)

    states = await propose(x_session, tmp_path / "own")

    assert states == ["waiting", "waiting", "shown by announcement"]
    ((title, text),) = shown(x_session)[len(before) :]
    assert title == "2 actions wait for you"
    assert text == "Add the task “Trip &lt;b&gt;”\n“sayso approve”, typed in a terminal, shows it and asks you."


async def test_nothing_is_announced_that_was_decided(x_session: Session, daemon: Popen[bytes], tmp_path: Path):
    before = shown(x_session)

    states = await propose(x_session, tmp_path / "own", approver=Client(lambda _: False))

    assert states == ["declined", "declined"]
    assert shown(x_session) == before


async def test_a_setting_switches_it_off(x_session: Session, daemon: Popen[bytes], tmp_path: Path):
    before = shown(x_session)
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "own" / "config.toml").write_text("[waiting]\nannounce = false\n")

    states = await propose(x_session, tmp_path / "own")

    assert states == ["waiting", "waiting"]
    assert shown(x_session) == before


async def test_where_no_service_answers_nothing_is_recorded(bare_session: Session, tmp_path: Path):
    assert await propose(bare_session, tmp_path / "own") == ["waiting", "waiting"]
