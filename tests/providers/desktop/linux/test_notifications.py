"""Notifications, and not to be disturbed by them."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.assembly import open_home
from sayso.assembly.actions import Actions, Wanted
from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, CannotUndo, NotDone
from sayso.providers.dbus.session import SessionBus
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.linux.backend import LinuxDesktop, build
from sayso.providers.desktop.linux.notifications import (
    GnomeSwitch,
    KdeSwitch,
    Notifications,
    XfceSwitch,
    describe_sounds,
)
from sayso.providers.desktop.model import DoNotDisturb, NotificationShown, SetDoNotDisturb, ShowNotification
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.questions import Client
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env import parts
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_desktop, a_ground, a_trial

pytestmark = pytest.mark.needs(
    "dunst", "dunstctl", "dbus-monitor", "dbus-daemon", "dbus-send", "kwriteconfig5", "kreadconfig5"
)


@pytest.fixture(scope="module")
def daemon(x_session: Session) -> Popen[bytes]:
    """Return the notification service of the module's session."""
    return parts.notifications(x_session)


@pytest.mark.req("S0-52", "T-38")
async def test_dunst_is_paused_and_goes_on_after_the_undo(x_session: Session, daemon: Popen[bytes]):
    trial = a_trial(x_session)

    plan = await trial.plan("focus.set_dnd", state="ON")
    lefts = await trial.do(plan)
    paused = x_session.run("dunstctl", "is-paused").strip()
    again = await trial.plan("focus.set_dnd", state="ON")
    await trial.take_back(plan, lefts)

    assert paused == "true"
    assert again.changes == ()
    assert x_session.run("dunstctl", "is-paused").strip() == "false"


async def test_an_interrupted_switching_is_settled_by_what_is_set(x_session: Session, daemon: Popen[bytes]):
    desktop = a_desktop(x_session)
    before = (DoNotDisturb("focus", on=False),)

    not_yet = await desktop.settle(SetDoNotDisturb(on=True), before)
    x_session.run("dunstctl", "set-paused", "true")
    done = await desktop.settle(SetDoNotDisturb(on=True), before)
    x_session.run("dunstctl", "set-paused", "false")

    assert isinstance(not_yet, NotDone)
    assert done == Applied((DoNotDisturb("focus", on=True),))


@pytest.mark.needs("gsettings")
async def test_the_switch_of_gnome_is_its_own_setting(bare_session: Session):
    environ = {**bare_session.environment, "GSETTINGS_BACKEND": "keyfile"}
    switch = GnomeSwitch(ProgramRunner(environ, RandomIds()))
    asked = ("gsettings", "get", "org.gnome.desktop.notifications", "show-banners")

    before = await switch.on()
    await switch.turn(on=True)
    banners = bare_session.run(*asked, environment={"GSETTINGS_BACKEND": "keyfile"}).strip()

    assert (before, banners, await switch.on()) == (False, "false", True)
    await switch.turn(on=False)
    assert bare_session.run(*asked, environment={"GSETTINGS_BACKEND": "keyfile"}).strip() == "true"


@pytest.mark.needs("xfconf-query")
async def test_the_switch_of_xfce_is_its_own_setting(x_session: Session):
    switch = XfceSwitch(ProgramRunner(x_session.environment, RandomIds()))
    asked = ("xfconf-query", "-c", "xfce4-notifyd", "-p", "/do-not-disturb")

    before = await switch.on()
    await switch.turn(on=True)

    assert (before, x_session.run(*asked).strip(), await switch.on()) == (False, "true", True)
    await switch.turn(on=False)
    assert x_session.run(*asked).strip() == "false"


@pytest.mark.req("T-38", "X-05")
async def test_where_there_is_no_switch_it_says_how_to_get_one(bare_session: Session):
    with pytest.raises(SetupError, match=r"\[shortcuts\.NAME\].*dnd_on and dnd_off"):
        await a_trial(bare_session).plan("focus.set_dnd", state="ON")


@pytest.mark.req("T-38", "S0-52")
async def test_two_shortcuts_of_the_person_can_be_the_switch(bare_session: Session, tmp_path: Path):
    argv = {name: ["sh", "-c", f"echo {name} >>{tmp_path / 'log'}"] for name in ("hush", "talk")}
    written = {name: {"argv": words} for name, words in argv.items()}
    trial = a_trial(bare_session, shortcuts=written, dnd_on="hush", dnd_off="talk")

    for state in ("ON", "OFF"):
        plan = await trial.plan("focus.set_dnd", state=state)
        await trial.do(plan)

        assert isinstance(plan.changes[0].undo, CannotUndo)

    assert (tmp_path / "log").read_text() == "hush\ntalk\n"


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


@pytest.mark.req("S0-47", "S1-22", "T-49", "AV-01")
async def test_a_notification_is_shown_with_title_and_body_as_they_are_written(noticing: Session):
    trial = a_trial(noticing)

    (left,) = await trial.do(await trial.plan("notify.show", title="A title", message="A body “ü”"))
    await trial.do(await trial.plan("notify.show", title="Marks", message="<b>x</b> & <a href='e'>y</a>"), 1)

    (shown,), (marks,) = history(noticing, "A title"), history(noticing, "Marks")
    told = [shown[name] for name in ("appname", "summary", "message")]
    assert told == ["sayso", "A title", "<b>A title</b>\nA body “ü”"]
    assert marks["body"] == "&lt;b&gt;x&lt;/b&gt; &amp; &lt;a href='e'&gt;y&lt;/a&gt;"
    (fact,) = left.facts
    assert isinstance(fact, NotificationShown)
    assert fact.number == shown["id"]


NOTIFIES = """
config = {
    "id": "tell_me", "name": "Tell me", "description": "Tells.", "parameterSchema": {"type": "object", "properties": {}}
}


async def handler(params, context):
    await context.notify("It is done", priority="high", type="success")
    return {"success": True, "message": "Told"}
"""


@pytest.mark.req("T-49", "S3-46")
async def test_what_an_own_action_tells_has_its_name_as_title(noticing: Session):
    own = noticing.home / "own-tells"
    (own / "actions").mkdir(parents=True)
    (own / "actions" / "tell-me.py").write_text(NOTIFIES)

    async with open_home(str(own), environ=noticing.environment) as home:
        acted = await Actions(home).run("tell_me", {}, Wanted("s", Client(lambda question: True)))

    (shown,) = history(noticing, "Tell me")
    assert acted.result["success"] is True
    assert (shown["appname"], shown["body"]) == ("sayso", "It is done")


@pytest.mark.req("S0-49")
async def test_the_same_words_twice_are_two_notifications(noticing: Session):
    trial = a_trial(noticing)

    lefts = [await trial.do(await trial.plan("notify.show", title="Twice", message="B"), n) for n in range(2)]

    # dunst counts equal words up in one place (`stack_duplicates`); each has its own number all the same.
    numbers = [fact.number for (left,) in lefts for fact in left.facts if isinstance(fact, NotificationShown)]
    assert len(set(numbers)) == 2
    assert history(noticing, "Twice")[0]["id"] == numbers[1]


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
    assert describe_sounds(can) == said


@pytest.mark.req("X-05", "T-23")
async def test_without_a_bus_it_says_so_and_nobody_can_tell_afterwards_whether_it_was_shown(bare_session: Session):
    trial = a_trial(bare_session)

    with pytest.raises(ProviderError, match="this session has no D-Bus"):
        await trial.do(await trial.plan("notify.show", title="A", message="B"))
    assert isinstance(await trial.backend.settle(ShowNotification("token", "A", "B"), ()), CannotTell)


@pytest.mark.req("T-23", "X-13", "AP-05")
@pytest.mark.usefixtures("deaf")
async def test_a_service_that_does_not_answer_leaves_it_uncertain(x_session: Session):
    notices = Notifications(SessionBus(x_session.environment, seconds=0.3))

    with pytest.raises(Uncertain, match=r"the notification service did not answer within 0\.3 seconds"):
        await notices.show(ShowNotification("token", "A", "B"))


INHIBITED = ("--dest=org.freedesktop.Notifications", "/org/freedesktop/Notifications")
GET = ("org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.Notifications", "string:Inhibited")


@pytest.fixture(scope="module")
def plasma() -> Iterator[Session]:
    """Return a session whose notification service is Plasma's, as far as this goes."""
    with session("dbus-daemon", "dbus-send") as made:
        parts.a_bus(made)
        parts.plasma_notices(made)
        yield made


@pytest.fixture
def settings(plasma: Session) -> Path:
    """Return the file of Plasma's settings, without any."""
    file = Path(plasma.environment["XDG_CONFIG_HOME"]) / "plasmanotifyrc"
    file.unlink(missing_ok=True)
    return file


def holds_back(made: Session) -> bool:
    """Say what the notification service itself says."""
    return "boolean true" in made.run("dbus-send", "--session", "--print-reply", *INHIBITED, *GET)


def switch(made: Session) -> KdeSwitch:
    return KdeSwitch(ProgramRunner(made.environment, RandomIds()), SessionBus(made.environment), SystemClock())


def desktop(made: Session) -> LinuxDesktop:
    return build(replace(a_ground(made, {}), clock=SystemClock()))


@pytest.mark.req("S0-52", "T-38")
async def test_it_is_turned_on_heeded_at_once_and_off_again_by_the_undo(plasma: Session, settings: Path):
    trial = Trial(DESKTOP, desktop(plasma))

    plan = await trial.plan("focus.set_dnd", state="ON")
    lefts = await trial.do(plan)
    wait_for(lambda: holds_back(plasma), "what was told")
    again = await trial.plan("focus.set_dnd", state="ON")
    await trial.take_back(plan, lefts)

    wait_for(lambda: not holds_back(plasma), "what was told")
    assert again.changes == ()
    assert "Until" not in settings.read_text()


@pytest.mark.req("S0-52")
async def test_what_was_to_end_by_itself_is_so_again_after_the_undo(plasma: Session, settings: Path):
    until = "2999,12,31,23,5,9"
    before = f"[DoNotDisturb]\nUntil={until}\n"
    settings.write_text(f"[Badges]\nInTaskManager=false\n\n{before}")
    trial = Trial(DESKTOP, desktop(plasma))

    plan = await trial.plan("focus.set_dnd", state="OFF")
    lefts = await trial.do(plan)
    then = settings.read_text()
    await trial.take_back(plan, lefts)

    assert plan.changes[0].undo == SetDoNotDisturb(on=True, until=until)
    assert "Until" not in then
    assert "InTaskManager=false" in then
    assert before in settings.read_text()
    wait_for(lambda: holds_back(plasma), "what was told")


async def test_a_moment_that_is_over_is_not_written_again(plasma: Session, settings: Path):
    with pytest.raises(ProviderError, match="that time is over by now"):
        await switch(plasma).turn(on=True, until="2001,12,31,23,5,9")

    assert not settings.exists()


@pytest.mark.parametrize(
    ("until", "on"),
    [
        ("2999,1,1,0,0,0", True),
        ("2999,1,1,0,0,0.5", True),
        ("2999,1,1,0,0,0,250", True),
        ("2001,1,1,0,0,0", False),
        ("2999,13,1,0,0,0", False),
        ("2999,1,1", False),
        ("inf,1,1,0,0,0", False),
        ("soon", False),
        ("", False),
    ],
)
async def test_it_is_on_while_the_moment_is_to_come(plasma: Session, settings: Path, until: str, *, on: bool):
    settings.write_text(f"[DoNotDisturb]\nUntil={until}\n")

    assert await switch(plasma).on() is on


@pytest.mark.req("X-05", "T-38")
async def test_without_the_tool_of_kde_it_says_what_to_install(plasma: Session):
    bare = KdeSwitch(ProgramRunner({"PATH": "/nowhere"}, RandomIds()), SessionBus(plasma.environment), SystemClock())

    with pytest.raises(SetupError, match="kwriteconfig6 not found; install libkf6config-bin"):
        await bare.turn(on=True)


@pytest.mark.req("X-05")
async def test_doctor_names_it(plasma: Session):
    found = {one.name: one for one in await desktop(plasma).capabilities()}

    assert found["quiet"].served == "kde"
