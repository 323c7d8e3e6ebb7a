"""Do-not-disturb is switched where the session has a switch, judged by the tool of that desktop."""

from pathlib import Path
from subprocess import Popen

import pytest

from sayso.core.errors import SetupError
from sayso.core.plan import CannotUndo, Left, NotDone
from sayso.providers.desktop.linux.notifications import Gnome, Xfce
from sayso.providers.desktop.model import Quiet, SetQuiet
from sayso.providers.programs.run import Runner
from sayso.runtime.system import RandomIds
from tests.desktop_env import parts
from tests.desktop_env.session import Session
from tests.providers.desktop.linux.given import a_desktop, a_trial


@pytest.fixture(scope="module")
def daemon(x_session: Session) -> Popen[bytes]:
    """Return the notification service of the module's session."""
    return parts.notifications(x_session)


@pytest.mark.needs("dunst", "dunstctl")
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


@pytest.mark.needs("dunst", "dunstctl")
async def test_an_interrupted_switching_is_settled_by_what_is_set(x_session: Session, daemon: Popen[bytes]):
    desktop = a_desktop(x_session)
    before = (Quiet("focus", on=False),)

    not_yet = await desktop.settle(SetQuiet(on=True), before)
    x_session.run("dunstctl", "set-paused", "true")
    done = await desktop.settle(SetQuiet(on=True), before)
    x_session.run("dunstctl", "set-paused", "false")

    assert isinstance(not_yet, NotDone)
    assert done == Left((Quiet("focus", on=True),))


@pytest.mark.needs("gsettings")
async def test_the_switch_of_gnome_is_its_own_setting(bare_session: Session):
    environ = {**bare_session.environment, "GSETTINGS_BACKEND": "keyfile"}
    switch = Gnome(Runner(environ, RandomIds()))
    asked = ("gsettings", "get", "org.gnome.desktop.notifications", "show-banners")

    before = await switch.on()
    await switch.turn(on=True)
    banners = bare_session.run(*asked, environment={"GSETTINGS_BACKEND": "keyfile"}).strip()

    assert (before, banners, await switch.on()) == (False, "false", True)
    await switch.turn(on=False)
    assert bare_session.run(*asked, environment={"GSETTINGS_BACKEND": "keyfile"}).strip() == "true"


@pytest.mark.needs("xfconf-query")
async def test_the_switch_of_xfce_is_its_own_setting(x_session: Session):
    switch = Xfce(Runner(x_session.environment, RandomIds()))
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
