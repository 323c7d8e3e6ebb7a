"""Where the program itself stands, and which settings count at this moment."""

import logging
import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

import sayso
from sayso.assembly.wiring import ReloadingSettings, program
from sayso.core.errors import SetupError
from sayso.policy.paths import within
from sayso.policy.settings import Policy

PACKAGE = Path(sayso.__file__).parent


def policy(*roots: str, home: str = "/nobody") -> Policy:
    """Return settings with these roots."""
    return Policy(home=home, own="/nobody/o", real_home=home, real_own="/nobody/o", roots=roots, real_roots=roots)


def test_a_program_that_no_action_comes_near_is_not_mentioned():
    assert program(policy("/nobody/Documents")) == ()


@pytest.mark.req("FS-11")
def test_package_environment_and_packages_are_named_where_a_root_holds_them():
    found = program(policy("/"))

    places = [PACKAGE, sys.prefix, sys.base_prefix, os.__file__, pytest.__file__]
    assert [place for place in places if not within(os.path.realpath(place), found)] == []


def test_folders_of_programs_that_hold_the_home_are_not_named_whole():
    found = program(policy(f"{sys.base_prefix}/share/x"))

    assert not within(f"{sys.base_prefix}/share/x", found)


@pytest.mark.req("FS-11")
def test_the_persons_own_packages_are_named_before_they_are_there(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(site, "USER_SITE", "/nobody/.local/lib/python3/site-packages")

    assert program(policy()) == ("/nobody/.local/lib/python3/site-packages",)


@pytest.mark.req("FS-11")
def test_links_to_the_program_are_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "link"))

    found = program(policy(home=str(tmp_path)))

    assert {str(tmp_path / "link"), str(tmp_path / "real")} <= set(found)


def test_the_outermost_folders_stand_for_what_is_in_them():
    found = program(policy("/"))

    assert [one for one in found if within(one, [other for other in found if other != one])] == []


@pytest.mark.req("FS-11")
def test_sayso_that_stands_in_a_root_does_not_let_itself_be_changed(scratch_home: Path):
    """The model writes into the file that judges, and deletes it, in a copy that runs from below a root."""
    copy = scratch_home / "Documents" / "code"
    shutil.copytree(PACKAGE, copy / "sayso", ignore=shutil.ignore_patterns("__pycache__"))
    own = scratch_home / ".sayso"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[policy]\nmode = "never"\nwaive_floor = ["file.delete"]\n')
    judge = copy / "sayso" / "policy" / "rules.py"
    before = judge.read_bytes()
    text = (
        'APPEND_FILE ~/Documents/code/sayso/policy/rules.py "x"\nWRITE_FILE ~/Documents/code/msgspec.py "x"\n'
        "DELETE_FILE ~/Documents/code\nMOVE_FILE ~/Documents/code ~/Documents/b\nCREATE_FOLDER ~/Documents/fine"
    )
    environ = {"HOME": str(scratch_home), "SAYSO_HOME": str(own), "PYTHONPATH": str(copy), "PATH": os.environ["PATH"]}

    run = subprocess.run(
        [sys.executable, "-m", "sayso", "run", "--dialect", "lines"],
        input=text,
        text=True,
        capture_output=True,
        env=environ,
        cwd=scratch_home,
        check=False,
    )

    assert judge.read_bytes() == before, run.stdout
    assert not (copy / "msgspec.py").exists()
    assert (scratch_home / "Documents" / "fine").is_dir(), run.stdout + run.stderr


def test_the_place_of_the_program_counts_in_the_hash():
    assert replace(policy(), program=("/x",)).hash != policy().hash


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of settings in a home of sayso."""
    (tmp_path / "own").mkdir()
    return tmp_path / "own" / "config.toml"


def reloading(file: Path) -> ReloadingSettings:
    """Return the settings of that home."""
    return ReloadingSettings({"HOME": str(file.parent.parent), "SAYSO_HOME": str(file.parent)})


def test_what_is_wrong_at_the_start_is_said(file: Path):
    file.write_text("[policy\n")
    settings = reloading(file)

    for _ in range(2):
        with pytest.raises(SetupError, match="is not TOML"):
            settings()


@pytest.mark.req("X-16")
def test_settings_that_break_later_pause_everything_and_keep_what_was_said(
    file: Path, caplog: pytest.LogCaptureFixture
):
    file.write_text('[policy]\nmode = "always"\n')
    settings = reloading(file)
    before = settings().policy

    with caplog.at_level(logging.WARNING, "sayso"):
        file.write_text("[policy\n")
        broken = [settings().policy, settings().policy]
        file.write_text('[policy]\nmode = "nonsense"\n')
        broken.append(settings().policy)

    assert not before.paused
    assert [(policy.mode, policy.paused) for policy in broken] == [("always", True)] * 3
    assert "config.toml is not TOML" in broken[0].why_paused
    assert "nonsense" in broken[2].why_paused
    (record,) = caplog.records
    assert "everything is paused" in record.getMessage()
    assert "config.toml is not TOML" in record.getMessage()


def test_settings_that_are_mended_hold_again(file: Path):
    file.write_text("")
    settings = reloading(file)
    settings()
    file.write_text("[policy\n")
    paused = settings().policy.paused
    file.write_text('[policy]\nmode = "never"\n')

    assert paused
    assert (settings().policy.mode, settings().policy.paused, settings().policy.why_paused) == ("never", False, "")


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(file: Path):
    file.write_text('[policy]\nundo_keep = "8h"\n')
    settings = reloading(file)
    before, at = settings().policy.undo_keep, file.stat().st_mtime_ns

    file.write_text('[policy]\nundo_keep = "9h"\n')
    os.utime(file, ns=(at, at))

    assert (before, settings().policy.undo_keep) == (28_800, 32_400)


def test_the_place_of_the_program_is_part_of_the_settings(file: Path):
    settings = ReloadingSettings(
        {"HOME": str(file.parent.parent), "SAYSO_HOME": str(file.parent)}, program=lambda policy: (policy.home + "/p",)
    )

    assert settings().policy.program == (f"{file.parent.parent}/p",)
