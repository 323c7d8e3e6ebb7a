"""Clipboard, sound, notices, shortcuts, files and the tool for the desktop, on a real Linux session and back."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple

import pytest

from sayso.assembly import Home
from tests.desktop_env import parts, windows
from tests.desktop_env.clipboard import hold
from tests.desktop_env.session import Session, wait_for
from tests.journeys.ground import opened, said, states, tool_call, yes

pytestmark = pytest.mark.needs("xclip", "xsel", "dunst", "dunstctl", "pulseaudio", "pactl", "espeak-ng", "gio")


@pytest.fixture(scope="module")
def full_session(x_session: Session) -> Session:
    """Return a session with everything."""
    parts.notifications(x_session)
    parts.sound(x_session)
    (x_session.home / "Documents").mkdir()
    return x_session


class Desk(NamedTuple):
    """A person's home in the session, with settings."""

    session: Session
    own: Path
    settings: str

    def opened(self) -> AbstractAsyncContextManager[Home]:
        return opened(self.own, self.settings, self.session.environment)


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
    folder.mkdir(parents=True, exist_ok=True)
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
    wait_for(lambda: record.exists() and record.read_text().endswith("\n"))
    assert record.read_text() == f"{documents / 'a.txt'}\n"
    assert not (tmp_path / "canary").exists()


@pytest.mark.req("X-05", "T-23")
async def test_on_a_machine_with_nothing_every_action_says_so(bare_session: Session, tmp_path: Path):
    words = ('COPY_TO_CLIPBOARD "a"', "SET_VOLUME 5", 'NOTIFY "a" "b"', 'SPEAK "a"', "DO_NOT_DISTURB ON")
    async with Desk(bare_session, tmp_path / "own", '[policy]\nmode = "never"\n').opened() as home:
        reports = [await home.run(word) for word in words]

    assert [states(report) for report in reports] == [["failed"]] * len(words)
    assert all("there is no desktop session" in said(report)[0] for report in reports)


TOOLS = """
[policy]
allowed_apps = ["Clock"]
[mail]
kind = "memory"
[calendar]
kind = "memory"
[notes]
kind = "memory"
"""
CALLS: dict[str, dict[str, object]] = {
    "open_app": {"app_name": "Clock"},
    "notify": {"title": "Ten actions", "body": "words"},
    "clipboard_write": {"body": "x"},
    "clipboard_read": {},
    "calendar_today": {},
    "reminder_add": {"title": "Milk", "body": "2 l", "due_date": "2036-01-28 14:00"},
    "note_create": {"title": "t", "body": "b"},
    "mail_send": {"to": "a@example.org", "subject": "s", "body": "b"},
    "mail_read": {"limit": 3},
    "finder_reveal": {"path": "~/Documents/it.txt"},
}


@pytest.fixture
def tools_session(full_session: Session) -> Iterator[Session]:
    full_session.run("dbus-update-activation-environment", "DISPLAY")
    windows.entry(full_session, "Clock", "xclock")
    (full_session.home / "Documents" / "it.txt").write_text("")
    yield full_session
    windows.clear(full_session)


def titles(session: Session) -> str:
    return session.run("wmctrl", "-l", check=False)


@pytest.mark.needs("thunar", "xclock", "xprop", "wmctrl")
@pytest.mark.req("C-08", "S1-20", "S1-21", "S1-22", "S1-30")
async def test_all_ten_are_done_and_only_a_mail_asks(tools_session: Session, tmp_path: Path):
    desk, calls = tools_session, {one: tool_call("macos_auto", action=one, **rest) for one, rest in CALLS.items()}

    async with opened(tmp_path / "own", TOOLS, desk.environment) as home:
        came_to = {action: await home.run(call, "tools") for action, call in calls.items()}
        read = came_to["clipboard_read"].outcomes[0].data["text"]
        sent = await home.run(calls["mail_send"], "tools", approver=yes())

    assert {action: states(report)[0] for action, report in came_to.items()} == {
        **dict.fromkeys(CALLS, "done"),
        "mail_send": "waiting",
    }
    assert states(sent) == ["done"]
    assert (read, desk.run("xsel", "-ob")) == ("x", "x")
    desk.run("dunstctl", "close-all")
    wait_for(lambda: "Ten actions" in desk.run("dunstctl", "history"), "the notification")
    wait_for(lambda: "xclock" in titles(desk), "the clock")
    wait_for(lambda: "Documents" in titles(desk), "the file manager")
