"""The ten actions of the tool for the desktop, called one by one on a real Linux session."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import sayso
from tests.desktop_env import parts, windows
from tests.desktop_env.session import Session, wait_for
from tests.journeys.ground import states, yes

pytestmark = pytest.mark.needs("xclip", "xsel", "dunst", "dunstctl", "thunar", "xclock", "xprop", "wmctrl")
SETTINGS = """
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


def call(action: str) -> str:
    return json.dumps({"name": "macos_auto", "arguments": {"action": action, **CALLS[action]}})


@pytest.fixture
def desk(x_session: Session) -> Iterator[Session]:
    if not parts.owned(x_session, "org.freedesktop.Notifications"):
        parts.notifications(x_session)
    x_session.run("dbus-update-activation-environment", "DISPLAY")
    windows.entry(x_session, "Clock", "xclock")
    (x_session.home / "Documents").mkdir(exist_ok=True)
    (x_session.home / "Documents" / "it.txt").write_text("")
    yield x_session
    windows.clear(x_session)


def titles(session: Session) -> str:
    return session.run("wmctrl", "-l", check=False)


@pytest.mark.req("C-08", "S1-20", "S1-21", "S1-22", "S1-30")
async def test_all_ten_are_done_and_only_a_mail_asks(desk: Session, tmp_path: Path):
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text(SETTINGS)

    async with sayso.open_home(str(own), environ=desk.environment) as home:
        came_to = {action: await home.run(call(action), "tools") for action in CALLS}
        read = came_to["clipboard_read"].outcomes[0].data["text"]
        sent = await home.run(call("mail_send"), "tools", approver=yes())

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
