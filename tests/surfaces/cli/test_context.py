"""What is printed for a program is one document, in which nothing can act on a terminal."""

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.assembly import Home
from sayso.surfaces.cli.context import PIECE, UNLIMITED, CommandContext, terminal_width
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.journal import settings_of
from tests.surfaces.cli.person import sayso, states


def here() -> CommandContext:
    return CommandContext(io.StringIO(), io.StringIO(), None, {}, json=True)


@given(st.text(st.characters()))
def test_a_document_is_ascii_and_reads_back(text: str):
    place = here()

    place.document({"text": text})

    written = place.out.getvalue() if isinstance(place.out, io.StringIO) else ""
    assert written.isascii()
    assert json.loads(written) == {"text": text}
    assert "\x1b" not in written


def test_what_is_told_is_made_visible():
    place = here()

    place.tell("a\x1b[2Jb")

    assert isinstance(place.err, io.StringIO)
    assert place.err.getvalue() == "a\\u{1b}[2Jb\n"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_is_told_at_a_terminal_is_wrapped_between_its_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "40")
    told = _Terminal()
    place = CommandContext(io.StringIO(), told, None, {})

    place.tell(f"sayso: {'words ' * 12}end")

    lines = told.getvalue().splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(told.getvalue().split()) == f"sayso: {'words ' * 12}end"


def test_what_goes_into_a_file_is_not_wrapped():
    assert terminal_width(CommandContext(io.StringIO(), io.StringIO(), None, {})) == UNLIMITED


@pytest.mark.parametrize(("columns", "width"), [("100", 100), ("20", 40), ("400", 120)])
def test_a_terminal_is_used_within_reason(columns: str, width: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", columns)

    assert terminal_width(CommandContext(Screen(), io.StringIO(), None, {})) == width


def test_bytes_that_are_no_text_are_named_with_their_place(tmp_path: Path):
    (tmp_path / "r.txt").write_bytes(b"NOTIFY \xff\n")

    run = sayso("parse", str(tmp_path / "r.txt"), "--dialect", "lines")

    assert run.code == 2
    assert "byte 7 is 0xff" in run.err


@pytest.mark.req("PA-05")
def test_a_character_whose_bytes_come_in_two_reads_is_one(tmp_path: Path):
    said = "x" + "é" * PIECE  # a read of standard input ends in the middle of one of them

    run = sayso("parse", "-", "--dialect", "lines", "--json", text=f'COPY_TO_CLIPBOARD "{said}"\n')

    (proposal,) = run.document["proposals"]
    assert (proposal["arguments"], proposal["problem"]) == ({"text": said}, None)


def test_bytes_that_are_no_text_are_named_however_far_on_they_stand():
    run = sayso("parse", "-", "--dialect", "lines", text="é".encode() * PIECE + b"\xc3")

    assert (run.code, run.out) == (2, "")
    assert f"standard input is not UTF-8 text: byte {2 * PIECE} is 0xc3 (unexpected end of data)" in run.err


def test_line_ends_and_marks_reach_the_dialect_as_they_are():
    text = '\ufeffNOTIFY "a" "b"\r\nNOTIFY "c" "d"\rNOTIFY "e\u2028" "f"'

    proposals = sayso("parse", "-", "--dialect", "lines", "--json", text=text).document["proposals"]

    assert [proposal["line"] for proposal in proposals] == [1, 2, 3]


def test_a_folder_is_no_text(tmp_path: Path):
    assert "Is a directory" in sayso("parse", str(tmp_path), "--dialect", "lines").err


@pytest.mark.req("PA-12")
def test_a_reply_over_the_limit_is_refused_whole(scratch_home: Path):
    folder = scratch_home.parent / "sayso"
    folder.mkdir(mode=0o700)
    (folder / "config.toml").write_text('[limits]\nreply_bytes = "1 KiB"\n')
    (scratch_home / "Documents").mkdir()

    text = 'CREATE_FOLDER "~/Documents/x"\n' + "# é" * 400

    run = sayso("run", "--dialect", "lines", "--json", text=text)

    assert run.code == 3
    assert [result["code"] for result in run.document["results"]] == ["limit.reply"]
    assert list((scratch_home / "Documents").iterdir()) == []


def here_homes(folder: Path) -> CommandContext:
    return CommandContext(io.StringIO(), io.StringIO(), None, {**os.environ, "SAYSO_HOME": str(folder)})


async def mode_of(home: Home) -> str:
    return home.tools.policy().mode


def test_the_home_of_the_environment_is_opened(tmp_path: Path):
    assert in_home(here_homes(tmp_path / "one"), mode_of) == "destructive"

    assert (tmp_path / "one" / "sayso.db").exists()


def test_a_mode_holds_for_this_opening_alone(tmp_path: Path):
    assert in_home(here_homes(tmp_path / "one"), mode_of, mode="always") == "always"
    assert in_home(here_homes(tmp_path / "one"), mode_of) == "destructive"


def test_settings_are_read_without_making_anything(tmp_path: Path):
    assert settings_of(here_homes(tmp_path / "one")).policy.mode == "destructive"
    assert not (tmp_path / "one").exists()


@pytest.mark.req("X-15")
def test_a_folder_of_sayso_that_others_may_enter_is_closed(person: Path):
    folder = person / ".local/share/sayso"
    folder.mkdir(parents=True, mode=0o755)

    run = sayso("log", SAYSO_HOME="")

    assert run.code == 0
    assert (folder / "sayso.db").exists()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert run.err == ""


@pytest.mark.req("X-15")
def test_a_folder_that_the_person_named_is_left_and_told_and_what_is_in_it_is_closed(person: Path):
    folder = person.parent / "sayso"
    folder.mkdir(mode=0o755)

    run = sayso("log")
    doctor = sayso("doctor")

    assert run.code == 0
    assert run.err == f"sayso: others may look into “{folder}”; “sayso doctor” says how to close it\n"
    assert folder.stat().st_mode & 0o777 == 0o755
    assert f"chmod 700 '{folder}'" in doctor.out
    assert doctor.code == 1
    assert (folder / "sayso.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.req("X-15")
@pytest.mark.parametrize("named", [True, False])
def test_every_file_of_sayso_is_the_persons_alone_whatever_the_umask(person: Path, named: bool):
    environ = {} if named else {"SAYSO_HOME": ""}
    text = """WRITE_FILE ~/Documents/n "one"\nWRITE_FILE ~/Downloads/a.txt "two"\n"""
    before = os.umask(0)
    try:
        ran = sayso("run", "-", "--dialect", "lines", "--yes", "--json", text=text, **environ)
        assert sayso("config", "set", "policy.mode", "always", **environ).code in {0, 3}
        assert sayso("undo", "--yes", **environ).code == 0
        assert sayso("log", "export", str(person.parent / "out.jsonl"), **environ).code == 0
        assert sayso("backup", str(person.parent / "copy.db"), **environ).code == 0
    finally:
        os.umask(before)

    assert states(ran.document) == ["done", "done"]
    own = person.parent / "sayso" if named else person / ".local/share/sayso"
    made = [own, *own.rglob("*"), person.parent / "out.jsonl", person.parent / "copy.db"]
    assert {"sayso.db", "upkeep", "locks", "trash"} <= {path.name for path in made}
    # What is kept for the way back has its own mode to come back with; the folder around it is closed.
    loose = [path for path in made if path.stat().st_mode & 0o077 and path.name != "item"]
    assert loose == []
