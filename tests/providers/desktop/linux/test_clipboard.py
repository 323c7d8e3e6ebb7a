"""What the clipboard held is kept privately, and not for ever."""

import json
import os
import signal
import stat
import sys
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import anyio
import pytest

from sayso.assembly import open_home
from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.providers.desktop.linux import clipboard as clipboard_module
from sayso.providers.desktop.linux.backend import build
from sayso.providers.desktop.linux.clipboard import (
    XCLIP,
    Clipboard,
    ToolClipboard,
    XselClipboard,
    choose_type,
    clipboard,
)
from sayso.providers.desktop.model import RestoreClipboard, SetClipboard
from sayso.providers.desktop.stash import ClipboardContent, ClipboardStash
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import NOON, KillAt, Killed
from tests.desktop_env.clipboard import hold
from tests.desktop_env.parts import ROOT
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_desktop, a_ground, a_trial

pytestmark = pytest.mark.needs("xclip", "xsel", "wl-copy", "wl-paste")


def test_what_is_kept_comes_back_to_the_byte_with_what_was_lost_is_private_and_can_be_forgotten(tmp_path: Path):
    kept, content = ClipboardStash(str(tmp_path / "own")), ClipboardContent("image/png", b"\0\n\xff", "without html")

    kept.keep("a1", content)
    (file,) = (tmp_path / "own").rglob("a1")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)]
    (file.parent / "old1").write_bytes(b"UTF8_STRING\nkept by an older sayso")
    found, lost = [kept.get("a1"), kept.get("old1")], [kept.lost("a1"), kept.lost("gone1")]
    kept.forget("a1")

    assert found == [content, ClipboardContent("UTF8_STRING", b"kept by an older sayso")]
    assert (lost, modes) == (["without html", ""], [0o600, 0o700])
    assert not kept.has("a1")
    with pytest.raises(ProviderError, match="no longer kept"):
        kept.get("a1")


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


PICTURE = bytes(range(256)) * 50
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


@pytest.mark.req("S0-43", "S1-23", "S1-24", "X-07")
@pytest.mark.parametrize("text", TEXTS)
async def test_what_xclip_puts_there_another_program_reads(x_session: Session, text: str):
    board = clipboard(a_runner(x_session))

    await board.write(text.encode(), board.plain)

    assert x_session.run("xsel", "-ob") == text
    assert (await board.read(board.plain)).decode() == text


async def test_what_xsel_puts_there_another_program_reads(x_session: Session):
    board = XselClipboard(a_runner(x_session))

    for text in (*TEXTS[:-1], "x" * 4_000):
        await board.write(text.encode(), board.plain)

        # Two programs that ask xsel at nearly the same moment: at times it answers only one of them.
        wait_for(partial(held, x_session, text), text[:40])


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


async def test_an_empty_clipboard_holds_no_type(x_session: Session):
    boards: list[Clipboard] = [clipboard(a_runner(x_session)), XselClipboard(a_runner(x_session))]

    for board in boards:
        x_session.run("xsel", "-cb")

        assert await board.types() == ()
        await board.write(b"x", board.plain)
        assert await board.types() != ()
        await board.clear()
        assert x_session.run("xsel", "-ob") == ""


@pytest.mark.req("S0-43", "S1-24")
@pytest.mark.parametrize("text", TEXTS)
async def test_on_wayland_another_program_reads_it_too(wayland_session: Session, text: str):
    board = clipboard(a_runner(wayland_session))

    await board.write(text.encode(), board.plain)

    assert wayland_session.run("wl-paste", "-n") == text
    assert (await board.read(board.plain)).decode() == text


async def test_on_wayland_an_empty_clipboard_holds_no_type_and_a_picture_comes_back(wayland_session: Session):
    board = clipboard(a_runner(wayland_session))

    await board.write(b"x", board.plain)
    await board.clear()
    empty = await board.types(), wayland_session.run("wl-paste", check=False)
    wayland_session.run("sh", "-c", "wl-copy -t image/png >/dev/null 2>&1", data=PICTURE)
    trial = a_trial(wayland_session)
    plan = await trial.plan("clipboard.write", text="words")
    await trial.take_back(plan, await trial.do(plan))

    found = wayland_session.run("wl-paste", "-n", "-t", "image/png")
    assert empty == ((), "")
    assert found.encode(errors="surrogateescape") == PICTURE


@pytest.mark.req("X-05")
@pytest.mark.parametrize("environ", [{}, {"PATH": "/nowhere", "DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}])
def test_without_a_session_or_a_program_it_says_what_to_install(environ: dict[str, str]):
    with pytest.raises(SetupError, match=r"install wl-clipboard \(Wayland\) or xclip \(X11\)"):
        clipboard(ProgramRunner(environ, RandomIds()))


@pytest.mark.req("X-05")
async def test_a_dead_screen_is_an_error_and_no_empty_clipboard(bare_session: Session):
    runner = a_runner(bare_session, DISPLAY=":987")
    boards: list[Clipboard] = [clipboard(runner), XselClipboard(runner)]

    for board in boards:
        with pytest.raises(ProviderError, match=r"the clipboard cannot be reached: .*display"):
            await board.types()
        with pytest.raises(ProviderError, match="could not take the clipboard"):
            await board.write(b"x", board.plain)


@pytest.mark.req("X-13")
async def test_who_holds_the_clipboard_and_does_not_answer_is_not_waited_for(x_session: Session, owner: int):
    board = ToolClipboard(a_runner(x_session), XCLIP, "xclip", seconds=0.3)

    with pytest.raises(ProviderError, match=r"xclip did not end within 0\.3 seconds"):
        await board.types()


async def test_wayland_comes_first_and_xsel_last(bare_session: Session):
    both = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}

    assert clipboard(a_runner(bare_session, **both)).name == "wl-paste"
    assert clipboard(a_runner(bare_session, DISPLAY=":0")).name == "xclip"


def content(session: Session, kind: str) -> bytes:
    """Return what another program reads."""
    said = session.run("xclip", "-o", "-selection", "clipboard", "-t", kind)
    return said.encode(errors="surrogateescape")


@pytest.mark.req("S0-43", "UN-01")
@pytest.mark.parametrize(("before", "kind"), [(PICTURE, "image/png"), (b"former", "UTF8_STRING"), (b"", "")])
async def test_what_was_there_comes_back_to_the_byte_in_another_process_and_only_once(
    x_session: Session, before: bytes, kind: str
):
    if kind:
        hold(x_session, before, kind)
    else:
        x_session.run("xsel", "-cb")
    trial = a_trial(x_session)

    plan = await trial.plan("clipboard.write", text="words")
    lefts = await trial.do(plan)
    in_between = content(x_session, "UTF8_STRING")
    await a_trial(x_session).take_back(plan, lefts)

    assert in_between == b"words"
    assert plan.warns == ()
    assert (content(x_session, kind) if kind else x_session.run("xsel", "-ob").encode()) == before
    step = plan.changes[0].undo
    assert isinstance(step, RestoreClipboard)
    with pytest.raises(ProviderError, match="no longer kept"):
        await trial.backend.apply(step, ())


@pytest.mark.req("UN-01", "S0-43")
@pytest.mark.parametrize(
    ("rich", "comes_back", "said"),
    [
        (
            {"text/html": "<b>bold</b>", "UTF8_STRING": "bold", "text/rtf": "{}"},
            ("UTF8_STRING", b"bold"),
            "comes back as plain text, without its other forms (text/html, text/rtf)",
        ),
        (
            {"text/html": "<img>", "image/png": "picture"},
            ("image/png", b"picture"),
            "comes back as image/png, without its other forms (text/html)",
        ),
    ],
    ids=["text that is formatted", "a picture of a page"],
)
async def test_what_of_several_forms_comes_back_is_said_before_in_the_preview_and_after(
    x_session: Session, rich: dict[str, str], comes_back: tuple[str, bytes], said: str
):
    owner = x_session.start(sys.executable, "-m", "tests.desktop_env.rich", json.dumps(rich), PYTHONPATH=str(ROOT))
    offered = ("xclip", "-o", "-selection", "clipboard", "-t", "TARGETS")
    wait_for(lambda: "text/html" in x_session.run(*offered, check=False))
    async with open_home(str(x_session.home / "own-rich"), environ=x_session.environment) as home:
        report = await home.run('COPY_TO_CLIPBOARD "words"')
        before = report.outcomes[0].record
        preview = (await home.undo(dry_run=True)).outcomes[0].record
        after = (await home.undo()).outcomes[0].record
    x_session.end(owner)

    assert before.plan is not None
    assert before.plan["warns"] == [f"what was on the clipboard {said}"]
    assert (preview.marks.message or "").endswith(f"(what was on the clipboard {said})")
    assert after.marks.message == f"Took back: Copy “words” to the clipboard (what was on the clipboard {said})"
    assert content(x_session, comes_back[0]) == comes_back[1]


@pytest.mark.req("SE-01")
async def test_what_cannot_be_kept_is_said_before_and_a_managers_password_is_neither_read_nor_kept(x_session: Session):
    trial = a_trial(x_session)

    hold(x_session, b"odd", "ODD_THING")
    odd = await trial.plan("clipboard.write", text="words")
    hold(x_session, b"secret", "x-kde-passwordManagerHint")
    secret = await trial.plan("clipboard.write", text="words")

    with pytest.raises(ProviderError, match="password"):
        await trial.answer("clipboard.read")
    assert odd.warns == ("what was on the clipboard (ODD_THING) cannot be kept and does not come back",)
    assert "password" in secret.warns[0]


async def test_a_step_and_an_undo_that_were_interrupted_are_settled_by_what_is_there(x_session: Session):
    step, back = SetClipboard("not yet", "kept1"), RestoreClipboard("kept1")
    hold(x_session, b"former", "UTF8_STRING")
    with pytest.raises(Killed):
        await build(a_ground(x_session, {}, KillAt("clipboard.set.before"))).apply(step, ())
    desktop = a_desktop(x_session)

    before = await desktop.settle(step, ())
    left = await desktop.apply(step, ())
    after = await desktop.settle(step, ())
    begun = await desktop.settle(back, ())
    hold(x_session, b"former", "UTF8_STRING")
    later, put_back = await desktop.settle(step, ()), await desktop.settle(back, ())
    await desktop.apply(back, ())
    ended = await desktop.settle(back, ())

    assert after == left
    found = [type(each) for each in (before, later, begun, put_back, ended)]
    assert found == [NotDone, CannotTell, CannotTell, Applied, CannotTell]


async def test_text_of_an_old_program_is_read_in_its_own_letters(x_session: Session):
    hold(x_session, "é".encode("latin-1"), "STRING")

    assert (await a_trial(x_session).answer("clipboard.read")).data["text"] == "é"


@pytest.mark.req("X-05")
async def test_without_a_session_it_says_so_and_keeps_nothing(bare_session: Session):
    trial = a_trial(bare_session)

    with pytest.raises(SaysoError, match="there is no clipboard that can be reached here"):
        await trial.plan("clipboard.write", text="x")
    assert not (Path(bare_session.home) / "own").exists()


def test_text_is_kept_before_pictures_and_pictures_before_the_rest():
    assert choose_type(("TARGETS", "text/html", "UTF8_STRING")) == "UTF8_STRING"
    assert choose_type(("TIMESTAMP", "image/bmp", "image/png")) == "image/png"
    assert choose_type(("TARGETS", "application/x-shape")) == "application/x-shape"
    assert choose_type(("TARGETS", "TIMESTAMP")) is None
