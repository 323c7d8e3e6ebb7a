"""The program begins fast, ends in sentences, and never in a traceback for what is foreseen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.surfaces.cli.table import TABLE
from tests.surfaces.cli.person import sayso

HEAVY = (
    "anyio",
    "argparse",
    "asyncio",
    "dataclasses",
    "importlib.metadata",
    "json",
    "logging",
    "msgspec",
    "re",
    "sayso.assembly",
    "shtab",
    "sqlite3",
    "tomlkit",
    "typing",
)


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(word: str):
    code = f"import sys; from sayso.surfaces.cli.main import main; main(['{word}']); print(*sys.modules, sep='\\n')"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not set(HEAVY) & set(loaded)


def test_version_names_the_program():
    assert sayso("--version").out.startswith("sayso 0.")


def test_help_lists_every_command():
    shown = sayso("--help").out

    assert all(f"  {name} " in shown for name in TABLE)


@pytest.mark.parametrize("name", list(TABLE))
def test_every_command_has_help_with_an_example(name: str):
    run = sayso(name, "--help")

    assert run.code == 0
    assert f"example:\n  sayso {name}" in run.out
    assert "--json" in run.out


def test_without_a_command_the_overview_is_shown():
    assert sayso().code == 2


def test_a_home_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("")

    run = sayso("log", SAYSO_HOME=str(tmp_path / "file" / "home"))

    assert run.code == 2
    assert "Traceback" not in run.err


def test_settings_that_are_wrong_are_told_in_a_sentence(scratch_home: Path):
    folder = scratch_home.parent / "sayso"
    folder.mkdir()
    (folder / "config.toml").write_text("[policy]\nmod = 1\n")

    run = sayso("run", "--dialect", "lines", text="")

    assert run.code == 2
    assert "mode" in run.err
    assert run.err.count("\n") == 1


def test_a_reader_that_goes_away_is_no_fault():
    run = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m sayso operations --json | head -c 10; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )

    assert run.returncode == 0
    assert run.stderr == ""


def test_closed_streams_are_no_fault():
    run = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m sayso run - --dialect lines <&-"], capture_output=True, check=False
    )

    assert run.returncode == 2
    assert b"standard input is closed" in run.stderr


@pytest.mark.parametrize("words", ["operations", "operations --json", "prompt --dialect lines", "--help"])
def test_a_full_disk_behind_the_output_is_told_once(words: str):
    run = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m sayso {words} > /dev/full"], capture_output=True, text=True, check=False
    )

    assert run.returncode == 1
    assert run.stderr == "sayso: what it printed could not be written: No space left on device\n"


def test_a_closed_output_is_no_fault():
    run = subprocess.run(["bash", "-c", f"{sys.executable} -m sayso log >&-"], capture_output=True, check=False)

    assert (run.returncode, run.stderr) == (0, b"")
