"""What cannot be understood on the command line is told in one sentence, with near names."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.core.version import VERSION
from sayso.surfaces.cli import commands
from sayso.surfaces.cli.app import UsageProblem, command_called, parser_for, run, whole_parser
from sayso.surfaces.cli.main import TABLE, answer_at_once, overview
from tests.surfaces.cli.person import in_process_of_its_own, sayso


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rnu", "did you mean “run”?"),
        ("xyzzy", "`sayso --help` lists the commands"),
        ("--jsn", "no option “--jsn”"),
        ("run --dialect lines --dry-rnu", "did you mean “--dry-run”?"),
        ("parse", "sayso parse needs --dialect; `sayso parse --help`"),
        ("parse --dialect line", "there are: auto, lines"),
        ("parse --dialect lines --chunk 0", "“0” is not a whole number"),
        ("parse --dialect lines --chunk x", "“x” is not a whole number"),
        ("run --dialect lines --mode nevr", "did you mean “never”?"),
        ("log --state don", "did you mean “done”"),
        ("log --since yesterday", "--since"),
        ("log verfy", "did you mean “verify”?"),
        ("log --limit -1", "--limit"),
        ("undo 7", "is not the id of an action"),
        ("undo run_7", "is not the id of a run"),
        ("config set policy.mod always", "sayso config set is for you alone"),
        ("config get policy.mod", "policy.mode"),
        ("config st", "did you mean “set”"),
        ("grants revok x", "did you mean “revoke”?"),
        ("grants show x --all", "--all is for sayso grants list and revoke"),
        ("grants --times 3", "--times is for sayso grants suggest"),
        ("habit add Walk --every soon", "“soon” is not a number such as 24 or 0.5"),
        ("settle do_0D8M2YQ5Z3F4K don", "did you mean “done”"),
        ("completion tcsh", "bash"),
        ("run nowhere.txt --dialect lines", "“nowhere.txt” cannot be read: No such file or directory"),
    ],
)
def test_one_sentence_says_what_is_wrong(words: str, said: str):
    run = sayso(*words.split())

    assert run.code == (3 if "alone" in said else 2)
    assert said in run.err
    assert run.err.count("\n") == 1
    assert run.out == ""


def test_help_is_wrapped_where_the_terminal_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "60")

    lines = sayso("undo", "--help").out.split("\n")

    assert [line for line in lines if len(line) > 60] == []
    assert "  sayso undo --list" in lines


def test_with_json_there_is_a_document_too():
    run = sayso("run", "--json", "--no-such-option")

    assert run.code == 2
    assert run.document["code"] == "usage"
    assert run.document["error"] in run.err


def test_words_of_the_command_line_are_made_visible():
    assert "\\u{1b}" in sayso("a\x1b[2Jb").err


def test_the_version_and_the_overview_are_said_at_once():
    assert answer_at_once(["--version"]) == answer_at_once(["-V", "x"]) == f"sayso {VERSION}"
    assert answer_at_once([]) == answer_at_once(["--help"]) == answer_at_once(["help"]) == overview()


def test_a_command_has_to_be_begun():
    assert answer_at_once(["run", "--help"]) is None
    assert answer_at_once(["--nothing"]) is None


def test_it_fits_on_a_screen_of_eighty_columns():
    assert [line for line in overview().split("\n") if len(line) > 80] == []


def test_every_command_stands_in_a_line_of_its_own():
    lines = overview().split("\n")

    assert [line for name, entry in TABLE.items() if (line := f"  {name:<12} {entry.does}") not in lines] == []


def test_one_parser_knows_all_commands():
    text = whole_parser().format_help()

    assert all(name in text for name in TABLE)


@pytest.mark.parametrize("name", list(TABLE))
def test_every_command_takes_json_and_no_shortened_option(name: str):
    parser = parser_for(name, command_called(name))

    assert "--json" in parser.format_help()
    with pytest.raises(UsageProblem):
        parser.read(["--jso"])


def test_what_is_said_at_once_can_be_said_here_too(capsys: pytest.CaptureFixture[str]):
    codes = run(["--version"], {}), run(["help"], {}), run([], {})

    assert codes == (0, 0, 2)
    assert capsys.readouterr().out.startswith(f"sayso {VERSION}\nsayso: a model proposes")


@pytest.mark.parametrize(
    ("words", "told"),
    [(["--verbose"], "has no option “--verbose” before the command"), (["unod"], "did you mean “undo”?")],
)
def test_what_is_no_command_is_told_in_one_sentence(words: list[str], told: str, capsys: pytest.CaptureFixture[str]):
    code = run(words, {})

    assert code == 2
    assert told in capsys.readouterr().err


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
    run = in_process_of_its_own(name, "--help")

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


@pytest.mark.parametrize("name", list(TABLE))
def test_the_example_can_be_read(name: str):
    command = command_called(name)
    words = shlex.split(command.example.partition(" > ")[0])

    assert words[:2] == ["sayso", name]
    assert parser_for(name, command).read(words[2:])


@pytest.mark.parametrize("name", list(TABLE))
def test_a_command_can_be_loaded(name: str):
    command = command_called(name)

    assert command.example.startswith(f"sayso {name}")


def test_the_table_and_the_files_agree():
    files = {file.stem for file in Path(commands.__path__[0]).glob("*.py")} - {"__init__"}

    assert {entry.place.partition(":")[0].rpartition(".")[2] for entry in TABLE.values()} == files
