"""What the clipboard held is kept privately, and not for ever."""

import os
import signal
import stat
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.desktop.linux import clipboard as clipboard_module
from sayso.providers.desktop.linux.clipboard import (
    XCLIP,
    Clipboard,
    ClipboardContent,
    ClipboardStash,
    ToolClipboard,
    XselClipboard,
    clipboard,
)
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import NOON
from tests.desktop_env.session import Session, wait_for


def test_it_comes_back_to_the_byte_and_is_private(tmp_path: Path):
    kept = ClipboardStash(str(tmp_path / "own"))

    kept.keep("one", ClipboardContent("image/png", b"\0\n\xff"))

    assert kept.get("one") == ClipboardContent("image/png", b"\0\n\xff")
    (file,) = (tmp_path / "own").rglob("one")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)] == [0o600, 0o700]


def test_what_was_forgotten_is_gone(tmp_path: Path):
    kept = ClipboardStash(str(tmp_path))
    kept.keep("one", ClipboardContent(""))

    kept.forget("one")

    assert not kept.has("one")
    with pytest.raises(ProviderError, match="no longer kept"):
        kept.get("one")


@pytest.mark.parametrize("name", ["", "../one", "a/b", ".", "a\n"])
def test_a_name_leads_nowhere_else(tmp_path: Path, name: str):
    with pytest.raises(ProviderError, match="nothing is kept under this name"):
        ClipboardStash(str(tmp_path)).keep(name, ClipboardContent(""))


def test_what_is_old_is_let_go(tmp_path: Path):
    kept = ClipboardStash(str(tmp_path))
    for name, days in (("old", 91), ("new", 89)):
        kept.keep(name, ClipboardContent(""))
        (file,) = tmp_path.rglob(name)
        moment = (NOON - timedelta(days=days)).timestamp()
        os.utime(file, (moment, moment))

    assert kept.prune(NOON, timedelta(days=90)) == 1
    assert (kept.has("old"), kept.has("new")) == (False, True)
    assert ClipboardStash(str(tmp_path / "none")).prune(NOON, timedelta(days=1)) == 0


def test_what_was_not_kept_is_remembered_beside_it(tmp_path: Path):
    kept = ClipboardStash(str(tmp_path))
    kept.keep("a1", ClipboardContent("image/png", b"\tx\n", "without its other forms (text/html)"))
    (tmp_path / "clipboard" / "old1").write_bytes(b"UTF8_STRING\nkept by an older sayso")

    assert kept.get("a1") == ClipboardContent("image/png", b"\tx\n", "without its other forms (text/html)")
    assert kept.get("old1") == ClipboardContent("UTF8_STRING", b"kept by an older sayso")
    assert (kept.lost("a1"), kept.lost("gone1")) == ("without its other forms (text/html)", "")


TEXTS = ["x", "a\nb\n", "“ü” 🙂\t-", "-n", "$(touch /tmp/no)", "x" * 300_000]


def a_runner(session: Session, **environ: str) -> ProgramRunner:
    return ProgramRunner({**session.environment, **environ}, RandomIds())


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
    board = XselClipboard(a_runner(x_session))

    for text in (*TEXTS[:-1], "x" * 4_000):
        await board.write(text.encode(), board.plain)

        # Two programs that ask xsel at nearly the same moment: at times it answers only one of them.
        wait_for(partial(held, x_session, text), text[:40])


@pytest.mark.needs("xsel")
@pytest.mark.req("S1-24", "X-07")
async def test_what_xsel_may_not_hand_out_is_not_put_there(x_session: Session):
    board = XselClipboard(a_runner(x_session))
    await board.write(b"before", board.plain)

    with pytest.raises(ProviderError, match=r"4,001 bytes.*install xclip"):
        await board.write(b"x" * 4_001, board.plain)

    assert x_session.run("xsel", "-ob") == "before"


async def test_a_question_that_nobody_answers_is_asked_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(clipboard_module, "LOOK_SECONDS", 0.01)
    looks: list[bool] = []

    async def answered_the_second_time() -> bool:
        looks.append(True)
        if len(looks) == 1:
            await anyio.sleep_forever()
        return True

    await clipboard_module.wait_until(answered_the_second_time)

    assert len(looks) == 2


@pytest.mark.needs("xclip", "xsel")
async def test_an_empty_clipboard_holds_no_type(x_session: Session):
    boards: list[Clipboard] = [clipboard(a_runner(x_session)), XselClipboard(a_runner(x_session))]

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
        clipboard(ProgramRunner(environ, RandomIds()))


@pytest.mark.needs("xclip", "xsel")
@pytest.mark.req("X-05")
async def test_a_dead_screen_is_an_error_and_no_empty_clipboard(bare_session: Session):
    runner = a_runner(bare_session, DISPLAY=":987")
    boards: list[Clipboard] = [clipboard(runner), XselClipboard(runner)]

    for board in boards:
        with pytest.raises(ProviderError, match=r"the clipboard cannot be reached: .*display"):
            await board.types()
        with pytest.raises(ProviderError, match="could not take the clipboard"):
            await board.write(b"x", board.plain)


@pytest.mark.needs("xclip", "xsel")
@pytest.mark.req("X-13")
async def test_who_holds_the_clipboard_and_does_not_answer_is_not_waited_for(x_session: Session, owner: int):
    board = ToolClipboard(a_runner(x_session), XCLIP, "xclip", seconds=0.3)

    with pytest.raises(ProviderError, match=r"xclip did not end within 0\.3 seconds"):
        await board.types()


@pytest.mark.needs("xclip")
async def test_wayland_comes_first_and_xsel_last(bare_session: Session):
    both = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}

    assert clipboard(a_runner(bare_session, **both)).name == "wl-paste"
    assert clipboard(a_runner(bare_session, DISPLAY=":0")).name == "xclip"
