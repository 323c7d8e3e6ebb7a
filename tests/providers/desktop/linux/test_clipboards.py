"""A clipboard is read and written through the programs of the session, judged by other ones."""

import os
import signal
from collections.abc import Iterator
from functools import partial

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.desktop.linux import clipboards
from sayso.providers.desktop.linux.clipboards import XCLIP, ByTool, Clipboard, XSel, clipboard
from sayso.providers.programs.running import Runner
from sayso.runtime.ids import RandomIds
from tests.desktop_env.session import Session, wait_for

TEXTS = ["x", "a\nb\n", "“ü” 🙂\t-", "-n", "$(touch /tmp/no)", "x" * 300_000]


def a_runner(session: Session, **environ: str) -> Runner:
    return Runner({**session.environment, **environ}, RandomIds())


def held(session: Session, text: str) -> bool:
    """Say whether xclip reads this."""
    return session.run("timeout", "3", "xclip", "-o", "-selection", "clipboard", check=False) == text


@pytest.fixture
def owner(x_session: Session) -> Iterator[int]:
    """Return the process of a program that holds the clipboard and does not answer."""
    (x_session.home / "words").write_text("held by the silent one")
    x_session.run("xsel", "-cb")
    holder = x_session.start("xclip", "-quiet", "-selection", "clipboard", "-i", x_session.home / "words")
    wait_for(lambda: "silent" in x_session.run("xsel", "-ob"))
    os.kill(holder.pid, signal.SIGSTOP)
    yield holder.pid
    os.kill(holder.pid, signal.SIGKILL)


@pytest.mark.needs("xclip", "xsel")
@pytest.mark.req("S0-43", "S1-23", "S1-24", "X-07")
@pytest.mark.parametrize("text", TEXTS)
async def test_what_xclip_puts_there_another_program_reads(x_session: Session, text: str):
    board = clipboard(a_runner(x_session))

    await board.write(text.encode(), board.plain)

    assert x_session.run("xsel", "-ob") == text
    assert (await board.read(board.plain)).decode() == text


@pytest.mark.needs("xclip", "xsel")
async def test_what_xsel_puts_there_another_program_reads(x_session: Session):
    board = XSel(a_runner(x_session))

    for text in (*TEXTS[:-1], "x" * 4_000):
        await board.write(text.encode(), board.plain)

        # Two programs that ask xsel at nearly the same moment: at times it answers only one of them.
        wait_for(partial(held, x_session, text), text[:40])


@pytest.mark.needs("xsel")
@pytest.mark.req("S1-24", "X-07")
async def test_what_xsel_may_not_hand_out_is_not_put_there(x_session: Session):
    board = XSel(a_runner(x_session))
    await board.write(b"before", board.plain)

    with pytest.raises(ProviderError, match=r"4,001 bytes.*install xclip"):
        await board.write(b"x" * 4_001, board.plain)

    assert x_session.run("xsel", "-ob") == "before"


async def test_a_question_that_nobody_answers_is_asked_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(clipboards, "A_LOOK", 0.01)
    looks: list[bool] = []

    async def answered_the_second_time() -> bool:
        looks.append(True)
        if len(looks) == 1:
            await anyio.sleep_forever()
        return True

    await clipboards.until(answered_the_second_time)

    assert len(looks) == 2


@pytest.mark.needs("xclip", "xsel")
async def test_an_empty_clipboard_holds_no_type(x_session: Session):
    boards: list[Clipboard] = [clipboard(a_runner(x_session)), XSel(a_runner(x_session))]

    for board in boards:
        x_session.run("xsel", "-cb")

        assert await board.types() == ()
        await board.write(b"x", board.plain)
        assert await board.types() != ()
        await board.clear()
        assert x_session.run("xsel", "-ob") == ""


@pytest.mark.needs("wl-copy", "wl-paste")
@pytest.mark.req("S0-43", "S1-24")
@pytest.mark.parametrize("text", TEXTS)
async def test_on_wayland_another_program_reads_it_too(wayland_session: Session, text: str):
    board = clipboard(a_runner(wayland_session))

    await board.write(text.encode(), board.plain)

    assert wayland_session.run("wl-paste", "-n") == text
    assert (await board.read(board.plain)).decode() == text


@pytest.mark.needs("wl-copy", "wl-paste")
async def test_on_wayland_an_empty_clipboard_holds_no_type(wayland_session: Session):
    board = clipboard(a_runner(wayland_session))

    await board.write(b"x", board.plain)
    await board.clear()

    assert await board.types() == ()
    assert wayland_session.run("wl-paste", check=False) == ""


@pytest.mark.req("X-05")
@pytest.mark.parametrize("environ", [{}, {"PATH": "/nowhere", "DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}])
def test_without_a_session_or_a_program_it_says_what_to_install(environ: dict[str, str]):
    with pytest.raises(SetupError, match=r"install wl-clipboard \(Wayland\) or xclip \(X11\)"):
        clipboard(Runner(environ, RandomIds()))


@pytest.mark.needs("xclip", "xsel")
@pytest.mark.req("X-05")
async def test_a_dead_screen_is_an_error_and_no_empty_clipboard(bare_session: Session):
    runner = a_runner(bare_session, DISPLAY=":987")
    boards: list[Clipboard] = [clipboard(runner), XSel(runner)]

    for board in boards:
        with pytest.raises(ProviderError, match=r"the clipboard cannot be reached: .*display"):
            await board.types()
        with pytest.raises(ProviderError, match="could not take the clipboard"):
            await board.write(b"x", board.plain)


@pytest.mark.needs("xclip", "xsel")
@pytest.mark.req("X-13")
async def test_who_holds_the_clipboard_and_does_not_answer_is_not_waited_for(x_session: Session, owner: int):
    board = ByTool(a_runner(x_session), XCLIP, "xclip", seconds=0.3)

    with pytest.raises(ProviderError, match=r"xclip did not end within 0\.3 seconds"):
        await board.types()


@pytest.mark.needs("xclip")
async def test_wayland_comes_first_and_xsel_last(bare_session: Session):
    both = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}

    assert clipboard(a_runner(bare_session, **both)).name == "wl-paste"
    assert clipboard(a_runner(bare_session, DISPLAY=":0")).name == "xclip"
