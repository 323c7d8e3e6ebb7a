"""Each part says what serves it here, or what to do about it."""

from collections.abc import Callable
from pathlib import Path
from socket import AF_UNIX, MSG_DONTWAIT, socket

import anyio
import pytest
from anyio.abc import SocketAttribute
from msgspec.structs import replace

from sayso.core.ports import Diagnoses
from sayso.core.provider import Alternative, Capability
from sayso.providers.desktop.linux.backend import LinuxDesktop, build
from sayso.providers.desktop.linux.capabilities import (
    clipboard_alternatives,
    opener_alternatives,
    speech_alternatives,
    switch_alternatives,
)
from sayso.providers.programs.run import ProgramRunner
from sayso.runtime.system import RandomIds
from tests.desktop_env import parts
from tests.desktop_env.session import Session
from tests.patience import patience
from tests.providers.desktop.linux.given import a_ground


def runner(folder: Path, *programs: str, **environ: str) -> ProgramRunner:
    """Return the runner of a machine on which these programs are installed."""
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return ProgramRunner({"PATH": str(folder), **environ}, RandomIds())


BOTH = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}


@pytest.mark.parametrize(
    ("alternatives", "programs", "chosen", "others"),
    [
        (
            clipboard_alternatives,
            ("xclip", "xsel"),
            "xclip",
            [("wl-paste", "WAYLAND_DISPLAY is not set", ""), ("xsel", "xclip is there, and is looked for first", "")],
        ),
        (
            speech_alternatives,
            ("espeak-ng",),
            "espeak-ng",
            [("speech-dispatcher", "it is not installed", "install speech-dispatcher")],
        ),
        (opener_alternatives, ("xdg-open",), "gio", [("xdg-open", "gio is there, and is looked for first", "")]),
    ],
)
def test_what_does_not_serve_says_why_and_what_to_do(
    tmp_path: Path,
    alternatives: Callable[[ProgramRunner, str], tuple[Alternative, ...]],
    programs: tuple[str, ...],
    chosen: str,
    others: list[tuple[str, str, str]],
):
    assert [*alternatives(runner(tmp_path, *programs, DISPLAY=":0"), chosen)] == [Alternative(*one) for one in others]


def test_what_could_serve_instead_says_how(tmp_path: Path):
    wayland, xclip = clipboard_alternatives(runner(tmp_path, "xsel", **BOTH), "xsel")
    (opener,) = opener_alternatives(runner(tmp_path), "gio")
    (speaker,) = speech_alternatives(runner(tmp_path, "spd-say"), "espeak-ng")

    assert wayland.fix == "install wl-clipboard"
    assert xclip == Alternative("xclip", "it is not installed", "install xclip")
    assert opener.fix == "install xdg-utils"
    assert speaker.fix == "sayso config set desktop.speech speech-dispatcher"


def test_switches_for_do_not_disturb_are_those_of_one_notification_service():
    for chosen in ("dunst", "shortcuts"):
        others = switch_alternatives(chosen)
        names = ["dunst", "gnome", "kde", "xfce", "shortcuts"]

        assert [other.name for other in others] == [name for name in names if name != chosen]
        assert all(other.why for other in others)


async def capabilities(made: Session, **environ: str) -> dict[str, Capability]:
    """Return each part of the desktop by its name."""
    ground = a_ground(made, {"shortcuts": {"tidy": {"argv": ["true"]}}})
    desktop = build(replace(ground, environ={**made.environment, **environ}))
    assert isinstance(desktop, Diagnoses)
    return {one.name: one for one in await desktop.capabilities()}


@pytest.mark.needs("xclip", "dunst", "pulseaudio", "pactl", "espeak-ng", "gio")
@pytest.mark.req("X-05")
async def test_on_a_full_desktop_everything_is_served(x_session: Session):
    parts.notifications(x_session)
    parts.sound(x_session)

    found = await capabilities(x_session)

    assert {name: one.served.split()[0] for name, one in found.items()} == {
        "clipboard": "xclip",
        "notifications": "dunst",
        "speech": "espeak-ng",
        "volume": "pactl",
        "quiet": "dunst",
        "opening files": "gio",
        "shortcuts": "config.toml",
    }
    assert found["volume"].why == "the sound server answers; its output is speaker"
    assert found["shortcuts"].why == "tidy"


@pytest.mark.req("X-05", "T-38")
async def test_where_there_is_nothing_each_part_says_what_to_do(bare_session: Session):
    found = await capabilities(bare_session)

    missing = {name: one.fix for name, one in found.items() if not one.served}
    assert set(missing) == {"clipboard", "notifications", "volume", "quiet"}
    assert all(missing.values())
    assert "xclip" in missing["clipboard"]


@pytest.mark.req("X-05", "T-38")
async def test_a_bus_that_has_ended_is_named_with_what_to_do(bare_session: Session, tmp_path: Path):
    found = await capabilities(bare_session, DBUS_SESSION_BUS_ADDRESS=f"unix:path={tmp_path}/ended")

    gone = "the D-Bus of your session cannot be reached: No such file or directory"
    assert (found["notifications"].why, found["notifications"].fix) == (gone, "start sayso from within your desktop")
    assert found["quiet"].why == f"do not disturb cannot be switched here: {gone}"


@pytest.mark.req("X-05", "T-23")
async def test_a_bus_that_says_nothing_is_not_waited_for_without_end(bare_session: Session, tmp_path: Path):
    ground = a_ground(bare_session, {})
    environ = {**bare_session.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/bus"}
    with socket(AF_UNIX) as silent:
        silent.bind(str(tmp_path / "bus"))
        silent.listen()
        desktop = LinuxDesktop(replace(ground, environ=environ), bus_seconds=0.1)
        found = {one.name: one for one in await desktop.capabilities()}

    assert "the notification service did not answer within" in found["notifications"].why
    assert "the notification service did not answer within" in found["quiet"].why


@pytest.mark.req("X-05", "T-23")
async def test_all_that_ask_a_bus_wait_for_it_at_the_same_time(bare_session: Session, tmp_path: Path):
    found: dict[str, Capability] = {}

    async def ask() -> None:
        found.update(await capabilities(bare_session, DBUS_SESSION_BUS_ADDRESS=f"unix:path={tmp_path}/bus"))

    async with await anyio.create_unix_listener(tmp_path / "bus") as bus, anyio.create_task_group() as asking:
        asking.start_soon(ask)
        with anyio.fail_after(patience()):
            one, other = await bus.accept(), await bus.accept()
        # The first has said its first words, and waits for an answer; who had given up would have closed the line.
        await one.receive()
        with pytest.raises(BlockingIOError):
            one.extra_attributes[SocketAttribute.raw_socket]().recv(1, MSG_DONTWAIT)
        for line in (one, other):
            await line.aclose()

    assert not found["notifications"].served
    assert not found["quiet"].served
