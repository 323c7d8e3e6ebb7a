"""Notifications reach a real notification service, which tells what it got."""

import json
import os
import signal
from collections.abc import Iterator
from subprocess import Popen
from typing import Any

import pytest

from sayso.assembly import open_home
from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import CannotTell
from sayso.providers.dbus.session import Bus
from sayso.providers.desktop.linux.notifications import Notices, plays
from sayso.providers.desktop.model import Notify, Shown
from tests.desktop_env import parts
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_desktop, a_trial

pytestmark = pytest.mark.needs("dunst", "dunstctl", "dbus-monitor")


@pytest.fixture(scope="module")
def daemon(x_session: Session) -> Popen[bytes]:
    """Return the notification service of the module's session."""
    return parts.notifications(x_session)


@pytest.fixture
def noticing(x_session: Session, daemon: Popen[bytes]) -> Session:
    """Return a session with a notification service."""
    return x_session


@pytest.fixture
def deaf(daemon: Popen[bytes]) -> Iterator[None]:
    """Let the service not answer for the length of a test."""
    os.kill(daemon.pid, signal.SIGSTOP)
    yield
    os.kill(daemon.pid, signal.SIGCONT)


def history(made: Session, title: str) -> list[dict[str, Any]]:
    """Return what the service showed under this title, newest first, by its own account."""
    made.run("dunstctl", "close-all")
    entries = json.loads(made.run("dunstctl", "history"))["data"][0]
    told = [{name: part["data"] for name, part in entry.items()} for entry in entries]
    return [entry for entry in told if entry["summary"] == title]


@pytest.mark.req("S0-47", "S1-22", "T-49")
async def test_a_notification_is_shown_with_title_and_body(noticing: Session):
    trial = a_trial(noticing)

    (left,) = await trial.do(await trial.plan("notify.show", title="A title", message="A body “ü”"))

    (shown,) = history(noticing, "A title")
    assert (shown["appname"], shown["summary"], shown["message"]) == (
        "sayso",
        "A title",
        "<b>A title</b>\nA body “ü”",
    )
    (fact,) = left.facts
    assert isinstance(fact, Shown)
    assert fact.number == shown["id"]


@pytest.mark.req("S0-49")
async def test_the_same_words_twice_are_two_notifications(noticing: Session):
    trial = a_trial(noticing)

    lefts = [await trial.do(await trial.plan("notify.show", title="Twice", message="B"), n) for n in range(2)]

    # dunst counts equal words up in one place (`stack_duplicates`); each has its own number all the same.
    numbers = [fact.number for (left,) in lefts for fact in left.facts if isinstance(fact, Shown)]
    assert len(set(numbers)) == 2
    assert history(noticing, "Twice")[0]["id"] == numbers[1]


@pytest.mark.req("AV-01")
async def test_marks_in_a_body_are_shown_as_they_are_written(noticing: Session):
    trial = a_trial(noticing)

    await trial.do(await trial.plan("notify.show", title="Marks", message="<b>x</b> & <a href='e'>y</a>"))

    (shown,) = history(noticing, "Marks")
    assert shown["body"] == "&lt;b&gt;x&lt;/b&gt; &amp; &lt;a href='e'&gt;y&lt;/a&gt;"


@pytest.mark.req("S0-48", "S3-46", "T-49")
async def test_sound_urgency_and_kind_go_with_it(noticing: Session):
    heard = noticing.home / "heard"
    watched = "interface='org.freedesktop.Notifications',member='Notify'"
    watcher = noticing.start("sh", "-c", f'exec dbus-monitor --session "{watched}" >"$0"', heard)
    wait_for(lambda: heard.exists() and "NameAcquired" in heard.read_text())
    trial = a_trial(noticing)

    plan = await trial.plan("notify.show", title="A", message="B", sound="bell", priority="high", type="error")
    await trial.do(plan)

    said = wait_for(lambda: text if "int32 -1" in (text := heard.read_text()) else "")
    assert '"sound-name"' in said
    assert "uint32 0" in said  # it replaces no other
    assert 'string "bell"' in said
    assert "byte 2" in said
    assert 'string "dialog-error"' in said
    noticing.end(watcher)


@pytest.mark.req("S0-48", "T-23")
async def test_a_sound_that_the_service_does_not_play_is_said_before_and_after(noticing: Session):
    async with open_home(str(noticing.home / "own-heard"), environ=noticing.environment) as home:
        report = await home.run('NOTIFY "A" "B" "bell"\nNOTIFY "A" "B"')

    loud, quiet = [outcome.record for outcome in report.outcomes]
    assert loud.plan is not None
    assert loud.plan["warns"] == [
        "dunst, which shows notifications here, plays no sounds: “bell” is asked for, and will not be heard"
    ]
    assert loud.marks.message == "Showed notification (“bell” was asked for, and dunst plays no sounds)"
    assert quiet.marks.message == "Showed notification"


@pytest.mark.parametrize(("can", "said"), [((), "it plays no sounds"), (("body", "sound"), "it plays sounds")])
def test_what_a_service_can_is_told_by_what_it_says_of_itself(can: tuple[str, ...], said: str):
    assert plays(can) == said


@pytest.mark.req("X-05", "T-23")
async def test_without_a_bus_it_says_so(bare_session: Session):
    trial = a_trial(bare_session)

    with pytest.raises(ProviderError, match="this session has no D-Bus"):
        await trial.do(await trial.plan("notify.show", title="A", message="B"))


@pytest.mark.req("T-23", "X-13", "AP-05")
@pytest.mark.usefixtures("deaf")
async def test_a_service_that_does_not_answer_leaves_it_uncertain(x_session: Session):
    notices = Notices(Bus(x_session.environment, seconds=0.3))

    with pytest.raises(Uncertain, match=r"the notification service did not answer within 0\.3 seconds"):
        await notices.show(Notify("token", "A", "B"))


async def test_nobody_can_tell_afterwards_whether_it_was_shown(bare_session: Session):
    assert isinstance(await a_desktop(bare_session).settle(Notify("token", "A", "B"), ()), CannotTell)
