"""Do-not-disturb on KDE is a moment in Plasma's settings, which it is told about."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.dbus.session import Bus
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.linux.backend import LinuxDesktop, build
from sayso.providers.desktop.linux.notifications import Kde
from sayso.providers.desktop.model import SetQuiet
from sayso.providers.programs.run import Runner
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.harness import Trial
from tests.desktop_env import parts
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_ground

pytestmark = pytest.mark.needs("dbus-daemon", "dbus-send", "kwriteconfig5", "kreadconfig5")
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


def switch(made: Session) -> Kde:
    return Kde(Runner(made.environment, RandomIds()), Bus(made.environment), SystemClock())


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

    assert plan.changes[0].undo == SetQuiet(on=True, until=until)
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
    bare = Kde(Runner({"PATH": "/nowhere"}, RandomIds()), Bus(plasma.environment), SystemClock())

    with pytest.raises(SetupError, match="kwriteconfig6 not found; install libkf6config-bin"):
        await bare.turn(on=True)


@pytest.mark.req("X-05")
async def test_doctor_names_it(plasma: Session):
    found = {one.name: one for one in await desktop(plasma).capabilities()}

    assert found["quiet"].served == "kde"
