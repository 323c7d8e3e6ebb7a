"""What the clipboard held comes back after an undo, as far as a clipboard lets it."""

import json
import sys
from pathlib import Path

import pytest

from sayso.assembly import open_home
from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.linux.backend import build
from sayso.providers.desktop.linux.clipboard import choose_type
from sayso.providers.desktop.model import RestoreClipboard, SetClipboard
from sayso.testing.harness import Trial
from tests.desktop_env.clipboard import hold
from tests.desktop_env.parts import ROOT
from tests.desktop_env.session import Session, wait_for
from tests.providers.desktop.linux.given import a_desktop, a_ground, a_trial

pytestmark = pytest.mark.needs("xclip", "xsel")

PICTURE = bytes(range(256)) * 50


def held(session: Session, kind: str) -> bytes:
    """Return what another program reads."""
    said = session.run("xclip", "-o", "-selection", "clipboard", "-t", kind)
    return said.encode(errors="surrogateescape")


@pytest.mark.req("S0-43", "UN-01")
async def test_a_picture_comes_back_to_the_byte(x_session: Session):
    hold(x_session, PICTURE, "image/png")
    trial = a_trial(x_session)

    plan = await trial.plan("clipboard.write", text="words")
    lefts = await trial.do(plan)
    in_between = held(x_session, "UTF8_STRING")
    await trial.take_back(plan, lefts)

    assert in_between == b"words"
    assert held(x_session, "image/png") == PICTURE
    assert plan.warns == ()


async def test_an_empty_clipboard_is_empty_again(x_session: Session):
    x_session.run("xsel", "-cb")
    trial = a_trial(x_session)

    plan = await trial.plan("clipboard.write", text="words")
    await trial.take_back(plan, await trial.do(plan))

    assert x_session.run("xsel", "-ob") == ""


async def test_what_will_not_come_back_is_said_before(x_session: Session):
    hold(x_session, b"odd", "ODD_THING")

    plan = await a_trial(x_session).plan("clipboard.write", text="words")

    assert plan.warns == ("what was on the clipboard (ODD_THING) cannot be kept and does not come back",)


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
    assert held(x_session, comes_back[0]) == comes_back[1]


@pytest.mark.req("SE-01")
async def test_a_password_of_a_password_manager_is_neither_read_nor_kept(x_session: Session):
    hold(x_session, b"secret", "x-kde-passwordManagerHint")
    trial = a_trial(x_session)

    plan = await trial.plan("clipboard.write", text="words")

    with pytest.raises(ProviderError, match="password"):
        await trial.answer("clipboard.read")
    assert "password" in plan.warns[0]


async def test_an_undo_needs_no_process_of_before(x_session: Session):
    hold(x_session, b"former", "UTF8_STRING")
    trial = a_trial(x_session)
    plan = await trial.plan("clipboard.write", text="words")
    lefts = await trial.do(plan)

    await a_trial(x_session).take_back(plan, lefts)

    assert held(x_session, "UTF8_STRING") == b"former"


async def test_a_second_undo_finds_nothing_kept(x_session: Session):
    trial = a_trial(x_session)
    plan = await trial.plan("clipboard.write", text="words")
    await trial.do(plan)
    step = plan.changes[0].undo
    assert isinstance(step, RestoreClipboard)
    await trial.backend.apply(step, ())

    with pytest.raises(ProviderError, match="no longer kept"):
        await trial.backend.apply(step, ())


class Died(Exception):
    """A process that ended."""


async def test_a_step_that_was_interrupted_is_settled_by_what_is_there(x_session: Session):
    def die(label: str) -> None:
        if label == "clipboard.set.before":
            raise Died

    step = SetClipboard("not yet", "kept1")
    with pytest.raises(Died):
        await build(a_ground(x_session, {}, die)).apply(step, ())
    desktop = a_desktop(x_session)

    before = await desktop.settle(step, ())
    left = await desktop.apply(step, ())
    after = await desktop.settle(step, ())
    hold(x_session, b"of somebody else", "UTF8_STRING")
    later = await desktop.settle(step, ())

    assert isinstance(before, NotDone)
    assert after == left
    assert isinstance(later, CannotTell)


async def test_an_undo_that_was_interrupted_is_settled_too(x_session: Session):
    desktop = a_desktop(x_session)
    hold(x_session, b"former", "UTF8_STRING")
    await desktop.apply(SetClipboard("words", "kept2"), ())
    back = RestoreClipboard("kept2")

    begun = await desktop.settle(back, ())
    hold(x_session, b"former", "UTF8_STRING")
    put_back = await desktop.settle(back, ())
    await desktop.apply(back, ())
    ended = await desktop.settle(back, ())

    assert isinstance(begun, CannotTell)
    assert isinstance(put_back, Applied)
    assert isinstance(ended, CannotTell)


async def test_text_of_an_old_program_is_read_in_its_own_letters(x_session: Session):
    hold(x_session, "é".encode("latin-1"), "STRING")

    assert (await a_trial(x_session).answer("clipboard.read")).data["text"] == "é"


@pytest.mark.needs("wl-copy", "wl-paste")
async def test_on_wayland_a_picture_comes_back_too(wayland_session: Session):
    wayland_session.run("sh", "-c", "wl-copy -t image/png >/dev/null 2>&1", data=PICTURE)
    trial = Trial(DESKTOP, a_desktop(wayland_session))

    plan = await trial.plan("clipboard.write", text="words")
    await trial.take_back(plan, await trial.do(plan))

    found = wayland_session.run("wl-paste", "-n", "-t", "image/png")
    assert found.encode(errors="surrogateescape") == PICTURE


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
