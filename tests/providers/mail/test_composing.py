"""A mail opens in the person's own mail program, every letter where it belongs; where there is none, that is said."""

from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.plan import Left
from sayso.providers.mail.composing import LONGEST, Composer, mailto
from sayso.providers.mail.facts import MailComposed
from sayso.providers.mail.steps import ComposeMessage
from sayso.providers.programs.running import Runner
from sayso.testing.fakes import NumberedIds
from tests.desktop_env.session import Session, wait_for

TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40)
STEP = ComposeMessage("<a@x>", ("Bo <bo@y.test>", "c+d@y.test"), "Hi & bye?", "One\n$(touch x) ü %0d\n")


@pytest.fixture
def program(bare_session: Session, tmp_path: Path) -> Path:
    """Return the file in which the mail program of the desktop writes what it was given."""
    record, runs = tmp_path / "composed", tmp_path / "program"
    runs.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{record}\n')
    runs.chmod(0o755)
    folder = bare_session.home / ".local/share/applications"
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "post.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=Post\nExec={runs} %u\nMimeType=x-scheme-handler/mailto;\n"
    )
    (bare_session.home / ".config/mimeapps.list").write_text(
        "[Default Applications]\nx-scheme-handler/mailto=post.desktop\n"
    )
    return record


def composer(session: Session, **environ: str) -> Composer:
    return Composer(Runner({**session.environment, **environ}, NumberedIds()))


@pytest.mark.needs("gio", "xdg-mime")
@pytest.mark.req("S0-40", "S0-41", "T-26")
async def test_a_window_is_opened_with_everything_in_its_place(bare_session: Session, program: Path):
    composes = composer(bare_session, DISPLAY=":99")
    assert await composes.opens(60)
    left = await composes.open(STEP)

    wait_for(lambda: program.exists() and program.read_text().endswith("\n"))
    address = program.read_text().strip()
    assert left == Left((MailComposed(STEP.message_id),))
    assert address == mailto(STEP)
    assert unquote(urlsplit(address).path) == "bo@y.test,c+d@y.test"
    fields = parse_qs(urlsplit(address).query)
    assert fields == {"subject": ["Hi & bye?"], "body": ["One\r\n$(touch x) ü %0d\r\n"]}


@pytest.mark.needs("gio", "xdg-mime")
async def test_without_a_screen_or_a_mail_program_none_is_opened(bare_session: Session):
    assert not await composer(bare_session).opens(60)
    (bare_session.home / ".config/mimeapps.list").unlink(missing_ok=True)
    for entry in (bare_session.home / ".local/share/applications").glob("post.desktop"):
        entry.unlink()
    assert not await composer(bare_session, DISPLAY=":99", XDG_DATA_DIRS="/nowhere").opens(60)


@pytest.mark.needs("gio", "xdg-mime")
async def test_what_is_too_long_for_a_window_is_left_to_a_draft(bare_session: Session, program: Path):
    composes = composer(bare_session, DISPLAY=":99")

    assert await composes.opens(LONGEST)
    assert not await composes.opens(LONGEST + 1)


@given(TEXTS, TEXTS)
def test_no_text_breaks_out_of_its_field(subject: str, body: str):
    address = mailto(ComposeMessage("<a@x>", ("bo@y.test",), subject, body))

    fields = parse_qs(urlsplit(address).query, keep_blank_values=True)
    assert fields.get("subject", [""]) == [subject]
    assert fields.get("body", [""]) == [body]
    assert address.isascii()
    assert address.startswith("mailto:bo@y.test")
