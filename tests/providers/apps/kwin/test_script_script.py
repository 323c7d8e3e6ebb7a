"""Our script in KWin answers us alone, in time, and leaves nothing behind."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.apps import kwin as script
from sayso.providers.apps.kwin import KwinScript, ScriptAnswer, running
from sayso.providers.dbus.connection import connect
from tests.desktop_env import parts, plasma
from tests.desktop_env.fixtures import session
from tests.desktop_env.session import NOBODY, Session, wait_for

pytestmark = [pytest.mark.needs("kwin_wayland", "Xwayland"), pytest.mark.thorough]
LOOK = {"what": "look"}


@pytest.fixture
def own_session() -> Iterator[Session]:
    """Return a session of KDE of a test's own, which it may break."""
    with session("dbus-daemon", "dbus-send", "kwin_wayland", "Xwayland", "xhost", user=NOBODY) as made:
        parts.a_bus(made)
        yield made


def is_loaded(made: Session, token: str) -> bool:
    asked = plasma.ask(made, "/Scripting", "org.kde.kwin.Scripting.isScriptLoaded", f"string:{token}")
    return "boolean true" in asked


async def test_it_is_there_while_it_is_needed_and_leaves_nothing(plasma_session: Session):
    before = set(plasma_session.runtime.iterdir())

    async with running(plasma_session.environment, "sayso-one") as made:
        answer = await made.ask(LOOK)
        loaded, files = is_loaded(plasma_session, "sayso-one"), set(plasma_session.runtime.iterdir())

    assert [monitor.name for monitor in answer.monitors] == ["Virtual-0", "Virtual-1"]
    assert (loaded, is_loaded(plasma_session, "sayso-one")) == (True, False)
    assert files == set(plasma_session.runtime.iterdir()) == before


async def test_a_script_that_nobody_asks_any_more_has_kwin_unload_it(
    plasma_session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    text = script.WINDOWS.read_text()
    (tmp_path / "hasty.js").write_text(text.replace("var QUIET_MS = 60000;", "var QUIET_MS = 300;"))
    monkeypatch.setattr(script, "WINDOWS", tmp_path / "hasty.js")

    async with running(plasma_session.environment, "sayso-one"):
        there = is_loaded(plasma_session, "sayso-one")
        wait_for(lambda: not is_loaded(plasma_session, "sayso-one"), "the end of the script")

    assert there


async def test_two_at_once_do_not_disturb_each_other(plasma_session: Session):
    async with (
        running(plasma_session.environment, "sayso-a") as one,
        running(plasma_session.environment, "sayso-b") as other,
    ):
        answers = [await each.ask(LOOK) for each in (one, other, one, other)]

    assert all(answer == answers[0] for answer in answers)


async def test_a_name_that_is_taken_is_refused(plasma_session: Session):
    async with running(plasma_session.environment, "sayso-one"):
        with pytest.raises(SetupError, match="KWin takes no script: it has one of this name"):
            async with running(plasma_session.environment, "sayso-one"):
                pass


@pytest.mark.req("T-23")
async def test_a_window_that_is_gone_is_named(plasma_session: Session):
    async with running(plasma_session.environment, "sayso-one") as made:
        with pytest.raises(ProviderError, match="the window was closed meanwhile"):
            await made.ask({"what": "front", "window": "{none}"})
        assert (await made.ask(LOOK)).monitors


@pytest.mark.needs("mousepad")
async def test_what_the_script_cannot_do_is_told_and_it_goes_on(plasma_session: Session):
    window = plasma.start(plasma_session, "mousepad", "--disable-server")

    async with running(plasma_session.environment, "sayso-one") as made:
        with pytest.raises(ProviderError, match=r"KWin could not do it: TypeError"):
            await made.ask({"what": "dance", "window": window})
        assert (await made.ask(LOOK)).windows

    plasma.clear(plasma_session)


async def test_nobody_but_kwin_is_believed(plasma_session: Session):
    address = plasma_session.environment["DBUS_SESSION_BUS_ADDRESS"]
    true, lie = '{"active": "true"}', '{"active": "a lie"}'

    answers: list[ScriptAnswer] = []

    async with connect(address) as ours, connect(address) as kwin, anyio.create_task_group() as tasks:
        made = KwinScript(ours, kwin.name, "token")

        async def tell() -> None:
            for said in ("", true, "never asked for"):
                await kwin.call((script.PLACE, ours.name, script.OURS), "Next", "ss", ("token", said))

        sent = ("dbus-send", "--session", "--type=method_call", f"--dest={ours.name}", script.PLACE)
        plasma_session.run(*sent, f"{script.OURS}.Next", "string:token", f"string:{lie}")
        tasks.start_soon(tell)
        await made.begun()
        plasma_session.run(*sent, f"{script.OURS}.Next", "string:token", f"string:{lie}")
        answers.append(await made.ask(LOOK))
        tasks.cancel_scope.cancel()

    assert [answer.active for answer in answers] == ["true"]


@pytest.mark.req("X-13")
async def test_a_kwin_that_hangs_is_not_waited_for(own_session: Session, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(script, "SECONDS", 0.3)
    kwin = parts.a_kwin(own_session)

    async with running(own_session.environment, "sayso-one") as made:
        os.kill(kwin.pid, signal.SIGSTOP)
        with pytest.raises(ProviderError, match=r"KWin did not answer within 0\.3 seconds"):
            await made.ask(LOOK)

    with pytest.raises(SetupError, match=r"KWin did not answer within 0\.3 seconds"):
        async with running(own_session.environment, "sayso-two"):
            pass
    os.kill(kwin.pid, signal.SIGCONT)


@pytest.mark.req("T-23")
async def test_a_bus_that_breaks_off_is_named(own_session: Session):
    parts.a_kwin(own_session)

    async with running(own_session.environment, "sayso-one") as made:
        own_session.close()
        with pytest.raises(ProviderError, match="the D-Bus of your session has ended the connection"):
            await made.ask(LOOK)
