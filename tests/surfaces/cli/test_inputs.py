"""Texts are read as they are: UTF-8, line ends untouched, no more than allowed."""

from pathlib import Path

import pytest

from sayso.surfaces.cli.inputs import PIECE
from tests.surfaces.cli.person import sayso


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
