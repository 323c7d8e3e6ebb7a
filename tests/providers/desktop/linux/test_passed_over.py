"""What was passed over says why, and what to install or set for it to serve."""

from pathlib import Path

import pytest

from sayso.core.capability import Other
from sayso.providers.desktop.linux.passed_over import boards, openers, speakers, switches
from sayso.providers.programs.running import Runner
from sayso.runtime.ids import RandomIds


def runner(folder: Path, *programs: str, **environ: str) -> Runner:
    """Return the runner of a machine on which these programs are installed."""
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return Runner({"PATH": str(folder), **environ}, RandomIds())


def test_a_clipboard_of_another_session_says_which_variable_is_not_set(tmp_path: Path):
    wayland, xsel = boards(runner(tmp_path, "xclip", "xsel", DISPLAY=":0"), "xclip")

    assert wayland == Other("wl-paste", "WAYLAND_DISPLAY is not set")
    assert xsel == Other("xsel", "xclip is there, and is looked for first")


def test_one_that_is_not_installed_says_what_installs_it(tmp_path: Path):
    wayland, xclip = boards(runner(tmp_path, "xsel", DISPLAY=":0", WAYLAND_DISPLAY="w"), "xsel")

    assert wayland.fix == "install wl-clipboard"
    assert xclip == Other("xclip", "it is not installed", "install xclip")


def test_the_other_speaker_can_be_chosen_where_it_is_there(tmp_path: Path):
    (missing,) = speakers(runner(tmp_path, "espeak-ng"), "espeak-ng")
    (there,) = speakers(runner(tmp_path, "spd-say"), "espeak-ng")

    assert missing == Other("speech-dispatcher", "it is not installed", "install speech-dispatcher")
    assert there.fix == "sayso config set desktop.speech speech-dispatcher"


def test_what_opens_files_is_looked_for_in_turn(tmp_path: Path):
    (missing,) = openers(runner(tmp_path), "gio")
    (there,) = openers(runner(tmp_path, "xdg-open"), "gio")

    assert missing.fix == "install xdg-utils"
    assert there.why == "gio is there, and is looked for first"


@pytest.mark.parametrize(
    ("chosen", "passed_over"),
    [("dunst", ["gnome", "kde", "xfce", "shortcuts"]), ("shortcuts", ["dunst", "gnome", "kde", "xfce"])],
)
def test_switches_for_do_not_disturb_are_those_of_one_notification_service(chosen: str, passed_over: list[str]):
    others = switches(chosen)

    assert [other.name for other in others] == passed_over
    assert all(other.why for other in others)
