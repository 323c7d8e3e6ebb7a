"""Clipboard, sound, notices, shortcuts and files on a real Linux session, from words down the whole path and back."""

from pathlib import Path

import pytest

import sayso
from tests.desktop_env import parts
from tests.desktop_env.clipboard import hold
from tests.desktop_env.session import Session, wait_for
from tests.journeys.ground import said, states, yes

pytestmark = pytest.mark.needs("xclip", "xsel", "dunst", "dunstctl", "pulseaudio", "pactl", "espeak-ng", "gio")


@pytest.fixture(scope="module")
def full_session(x_session: Session) -> Session:
    """Return a session with everything."""
    parts.notifications(x_session)
    parts.sound(x_session)
    (x_session.home / "Documents").mkdir()
    return x_session


class Desk:
    """A person's home in the session, with settings."""

    def __init__(self, session: Session, own: Path, settings: str) -> None:
        self.session, self.own = session, own
        own.mkdir(mode=0o700)
        (own / "config.toml").write_text(settings)

    def opened(self):
        return sayso.open_home(str(self.own), environ=self.session.environment)


@pytest.fixture
def desk(full_session: Session, tmp_path: Path) -> Desk:
    """Return the home of somebody who is asked about nothing that needs no question."""
    shortcut = f'[shortcuts."Tidy up"]\nargv = ["sh", "-c", "cat >\\"$0\\"", "{tmp_path / "tidied"}"]\n'
    return Desk(full_session, tmp_path / "own", f'[policy]\nmode = "never"\n{shortcut}')


@pytest.mark.req("S0-43", "S0-51", "S0-52", "X-02", "UN-01")
async def test_what_was_done_to_the_session_is_taken_back_as_a_whole(desk: Desk):
    session = desk.session
    hold(session, b"former")
    session.run("pactl", "set-sink-volume", "speaker", "40%")
    async with desk.opened() as home:
        report = await home.run('COPY_TO_CLIPBOARD "new"\nSET_VOLUME 70\nDO_NOT_DISTURB ON')

        assert said(report) == ["Copied to clipboard", "Set volume to 70", "Turned do not disturb on"]
        assert session.run("xsel", "-ob") == "new"
        assert "70%" in session.run("pactl", "get-sink-volume", "speaker")
        assert session.run("dunstctl", "is-paused") == "true\n"

    async with desk.opened() as home:
        undone = await home.undo(report.outcomes[0].record.run)

    assert set(states(undone)) == {"done"}
    assert session.run("xsel", "-ob") == "former"
    assert "40%" in session.run("pactl", "get-sink-volume", "speaker")
    assert session.run("dunstctl", "is-paused") == "false\n"


@pytest.mark.req("S0-53", "S0-54", "X-07")
async def test_a_shortcut_gets_its_words_and_nothing_of_sayso(desk: Desk, tmp_path: Path):
    async with desk.opened() as home:
        report = await home.run('RUN_SHORTCUT "Tidy up" "-n $(touch no)"', approver=yes())

    assert said(report) == ["Ran shortcut"]
    assert (tmp_path / "tidied").read_text() == "-n $(touch no)"


@pytest.mark.req("X-21", "S0-33")
async def test_a_file_is_opened_and_one_that_would_run_is_not(desk: Desk, tmp_path: Path):
    session, record = desk.session, tmp_path / "record"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{record}\n')
    program.chmod(0o755)
    folder = session.home / ".local/share/applications"
    folder.mkdir()
    types = "text/plain;application/x-shellscript;application/x-desktop;"
    entry = f"[Desktop Entry]\nType=Application\nName=Words\nExec={program} %f\nMimeType={types}\n"
    (folder / "words.desktop").write_text(entry)
    session.run("gio", "mime", "text/plain", "words.desktop")
    documents = session.home / "Documents"
    (documents / "a.txt").write_text("words")
    (documents / "b.sh").write_text(f"#!/bin/sh\ntouch {tmp_path / 'canary'}\n")
    (documents / "c.desktop").write_text(f"[Desktop Entry]\nType=Application\nExec=touch {tmp_path / 'canary'}\n")
    async with desk.opened() as home:
        report = await home.run(
            "OPEN_FILE ~/Documents/a.txt\nOPEN_FILE ~/Documents/b.sh\nOPEN_FILE ~/Documents/c.desktop"
        )

    assert states(report) == ["done", "refused", "refused"]
    wait_for(record.exists)
    assert record.read_text() == f"{documents / 'a.txt'}\n"
    assert not (tmp_path / "canary").exists()


@pytest.mark.req("X-05", "T-23")
async def test_on_a_machine_with_nothing_every_action_says_so(bare_session: Session, tmp_path: Path):
    words = ('COPY_TO_CLIPBOARD "a"', "SET_VOLUME 5", 'NOTIFY "a" "b"', 'SPEAK "a"', "DO_NOT_DISTURB ON")
    async with Desk(bare_session, tmp_path / "own", '[policy]\nmode = "never"\n').opened() as home:
        reports = [await home.run(word) for word in words]

    assert [states(report) for report in reports] == [["failed"]] * len(words)
    assert all("nothing leads to a session" in said(report)[0] for report in reports)
