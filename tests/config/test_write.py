"""Changing settings: checked first, whole or not at all, comments kept."""

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sayso.config.paths import Places, in_folder
from sayso.config.write import add_to_key, set_key, set_keys, set_profile, unset_key
from sayso.core.errors import SetupError

COMMENTED = """\
# My settings.

[policy]
mode = "destructive"   # as it came
# Apps that I trust:
allowed_apps = ["Mail"]

[mail]   # at home
port = 143
"""


@pytest.fixture
def at(tmp_path: Path) -> Places:
    """Return the places of a home that is not there yet."""
    return in_folder(tmp_path / "sayso", tmp_path)


def written(at: Places, text: str) -> Places:
    """Return the places with this file of settings."""
    at.home.mkdir()
    at.config.write_text(text, encoding="utf-8", newline="")
    return at


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("policy.mode", "never", "never"),
        ("policy.mode", '"never"', "never"),
        ("mode", "never", "never"),
        ("policy.paused", "true", True),
        ("policy.undo_keep", "7d", "7d"),
        ("policy.undo_bytes", "1.5 GiB", "1536 MiB"),
        ("limits.reply_bytes", "2048", "2 KiB"),
        ("limits.waiting", "7", 7),
        ("policy.roots", '["~/Documents", "/srv"]', ["~/Documents", "/srv"]),
        ("policy.roots", "~/Documents, /srv", ["~/Documents", "/srv"]),
        ("policy.allowed_operations", "[]", []),
        ("policy.allowed_apps", "Mail", ["Mail"]),
        ("mail.name", "Ana Maria", "Ana Maria"),
        ("mail.name", "1984", "1984"),
        ("mail.tls", "true", True),
        ("mail.password_command", "pass show 'my mail'", ["pass", "show", "my mail"]),
        ("journal.url", '""', ""),
    ],
)
def test_a_setting_is_written_as_what_it_means(at: Places, name: str, text: str, value: Any):
    assert set_key(at, name, text) == value

    section, _, last = ("policy." + name if "." not in name else name).partition(".")
    assert tomllib.loads(at.config.read_text(encoding="utf-8")) == {section: {last: value}}


def test_only_the_person_can_read_what_is_written(at: Places):
    set_key(at, "policy.mode", "never")

    assert stat.S_IMODE(at.config.stat().st_mode) == 0o600
    assert stat.S_IMODE(at.home.stat().st_mode) == 0o700


def test_comments_and_order_stay(at: Places):
    written(at, COMMENTED)

    set_key(at, "policy.mode", "always")
    set_key(at, "mail.port", "993")

    assert at.config.read_text(encoding="utf-8") == COMMENTED.replace('"destructive"', '"always"').replace("143", "993")


def test_line_ends_stay(at: Places):
    written(at, '# hello\r\n[policy]\r\nmode = "never"\r\n')

    set_key(at, "policy.mode", "always")

    assert at.config.read_bytes() == b'# hello\r\n[policy]\r\nmode = "always"\r\n'


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("policy.mode", "sometimes", "config.value"),
        ("policy.mod", "never", "config.unknown"),
        ("mail.password", "hunter2", "config.secret"),
        ("journal.url", "postgresql://ana:hunter2@db/x", "config.secret"),
        ("policy.roots", "Documents", "config.value"),
        ("limits.waiting", "0", "config.value"),
    ],
)
def test_what_is_not_right_is_refused_and_nothing_is_written(at: Places, name: str, text: str, code: str):
    written(at, COMMENTED)

    with pytest.raises(SetupError) as raised:
        set_key(at, name, text)

    assert raised.value.code == code
    assert "hunter2" not in str(raised.value)
    assert at.config.read_text(encoding="utf-8") == COMMENTED


def test_a_file_with_another_mistake_is_not_touched(at: Places):
    text = "[policy]\nmod = 3\n"
    written(at, text)

    with pytest.raises(SetupError, match="“mod”"):
        set_key(at, "policy.mode", "never")

    assert at.config.read_text(encoding="utf-8") == text


def test_a_wrong_value_can_be_put_right(at: Places):
    written(at, '[policy]\nmode = "sometimes"\n')

    set_key(at, "policy.mode", "never")

    assert at.config.read_text(encoding="utf-8") == '[policy]\nmode = "never"\n'


@pytest.mark.parametrize("text", ['policy.mode = "always"\n', 'policy = { mode = "always" }\n'])
def test_other_ways_of_writing_a_section_are_kept(at: Places, text: str):
    written(at, text)

    set_key(at, "policy.paused", "true")

    assert tomllib.loads(at.config.read_text(encoding="utf-8")) == {"policy": {"mode": "always", "paused": True}}


def test_a_link_to_the_file_stays_a_link(at: Places, tmp_path: Path):
    at.home.mkdir()
    (tmp_path / "mine.toml").write_text(COMMENTED, encoding="utf-8")
    at.config.symlink_to(tmp_path / "mine.toml")

    set_key(at, "policy.mode", "never")

    assert at.config.is_symlink()
    assert 'mode = "never"' in (tmp_path / "mine.toml").read_text(encoding="utf-8")


@pytest.mark.req("S0-83")
def test_the_safe_profile_allows_exactly_three_operations_and_can_be_left_again(at: Places):
    written(at, COMMENTED)

    set_profile(at, "safe")
    safe = tomllib.loads(at.config.read_text(encoding="utf-8"))["policy"]["allowed_operations"]
    set_profile(at, "default")

    assert sorted(safe) == ["clipboard.write", "notify.show", "url.open"]
    assert at.config.read_text(encoding="utf-8") == COMMENTED


def test_a_profile_that_there_is_not_is_an_error(at: Places):
    with pytest.raises(SetupError, match="“safe” and “default”"):
        set_profile(at, "wild")


def test_a_setting_is_taken_out_again(at: Places):
    written(at, COMMENTED)

    unset_key(at, "mail.port")
    unset_key(at, "notes.path")

    assert "port" not in at.config.read_text(encoding="utf-8")


def test_nothing_is_left_behind_beside_the_file(at: Places):
    set_key(at, "policy.mode", "never")

    assert [file.name for file in at.home.iterdir()] == ["config.toml"]


def test_a_change_that_was_killed_leaves_the_file_as_it_was_and_the_next_one_clears_away_what_it_left(at: Places):
    set_key(at, "policy.mode", "never")
    for _ in range(2):
        child = os.fork()
        if child == 0:
            os.fsync = lambda _: os._exit(0)  # died once its data was written
            set_key(at, "policy.mode", "always")
        os.waitpid(child, 0)

    left = [file.name for file in at.home.iterdir() if file != at.config]
    kept = at.config.read_text(encoding="utf-8")
    set_key(at, "policy.paused", "true")

    assert kept == '[policy]\nmode = "never"\n'
    assert left == [".config.toml.new"]
    assert [file.name for file in at.home.iterdir()] == ["config.toml"]


def test_a_file_that_cannot_be_replaced_is_named(at: Places):
    set_key(at, "policy.mode", "never")
    at.home.joinpath(".config.toml.new", "x").mkdir(parents=True)

    with pytest.raises(SetupError) as no:
        set_key(at, "policy.mode", "always")

    assert no.value.code == "config.unwritable"
    assert "never" in at.config.read_text(encoding="utf-8")


def test_changes_made_at_the_same_time_are_all_kept(at: Places):
    code = (
        "import sys; from pathlib import Path; from sayso.config.paths import in_folder\n"
        "from sayso.config.write import set_key\n"
        "set_key(in_folder(sys.argv[1], Path('/')  / 'nobody'), sys.argv[2], sys.argv[3])\n"
    )
    changes = {"policy.paused": "true", "limits.waiting": "7", "mail.port": "993", "model.name": "ollama:x"}

    running = [
        subprocess.Popen([sys.executable, "-c", code, str(at.home), name, text]) for name, text in changes.items()
    ]
    ended = [process.wait(30) for process in running]

    assert ended == [0, 0, 0, 0]
    assert tomllib.loads(at.config.read_text(encoding="utf-8")) == {
        "policy": {"paused": True},
        "limits": {"waiting": 7},
        "mail": {"port": 993},
        "model": {"name": "ollama:x"},
    }


def test_a_name_is_added_to_a_list_once_in_whatever_case_and_comments_stay(at: Places):
    written(at, COMMENTED)

    add_to_key(at, "policy.allowed_apps", ["mail", "Notes", "NOTES"])

    text = at.config.read_text()
    assert tomllib.loads(text)["policy"]["allowed_apps"] == ["Mail", "Notes"]
    assert text == COMMENTED.replace('["Mail"]', '["Mail", "Notes"]')


def test_a_name_is_added_to_the_default_of_a_list_that_is_not_set(at: Places):
    add_to_key(at, "policy.allowed_apps", ["Calculator"])

    apps = tomllib.loads(at.config.read_text())["policy"]["allowed_apps"]
    assert apps[-1] == "Calculator"
    assert "TextEdit" in apps


def test_what_is_no_name_is_not_added(at: Places):
    written(at, COMMENTED)

    with pytest.raises(SetupError, match="allowed_apps"):
        add_to_key(at, "policy.allowed_apps", ["a\nb"])

    assert at.config.read_text() == COMMENTED


def test_several_settings_are_written_at_once_and_others_stay(at: Places):
    written(at, "# mine\n[mail]\nport = 143 # usual\ntls = true\nhold_seconds = 30\n")

    set_keys(at, {"mail.port": 993, "mail.tls": None, "mail.password_command": ["pass", "mail"], "mail.auth": None})

    assert at.config.read_text() == (
        '# mine\n[mail]\nport = 993 # usual\nhold_seconds = 30\npassword_command = ["pass", "mail"]\n'
    )


def test_of_several_settings_one_that_is_wrong_keeps_all_from_being_written(at: Places):
    written(at, "[mail]\nport = 143\n")

    with pytest.raises(SetupError, match="a whole number"):
        set_keys(at, {"mail.user": "ana", "mail.port": 0})

    assert at.config.read_text() == "[mail]\nport = 143\n"
