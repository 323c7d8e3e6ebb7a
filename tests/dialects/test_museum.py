"""Each reply of the museum is read as a careful person reads it."""

import re
from collections import Counter
from typing import Any

import pytest

from tests.dialects.museum import DIALECTS, FOLDER, KINDS, Piece, differences, pieces
from tests.dialects.replies import EACH

PIECES = pieces()
WRITTEN = "written from the prompt alone, without sight of the reader"
MODEL = re.compile(
    r"SmolLM2-135M-Instruct Q4_1, seed \d+, temperature 0\.\d+, with the prompt of 2026-11-22"
    r"(, in the server's JSON mode)?"
)
LATIN = ("[äöüß]", "[éèç]", "[¿¡ñ]")
SCRIPTS = (r"[\u0430-\u044f]", "[一-鿿]", "[ぁ-ヿ]", "[ء-ي]", "[अ-ह]", "[\U0001f300-\U0001faff]", *LATIN)


def shelf() -> list[Any]:
    return [pytest.param(piece, id=piece.id, marks=_marks(piece)) for piece in PIECES]


def _marks(piece: Piece) -> list[pytest.MarkDecorator]:
    return [pytest.mark.req("PA-08")] if piece.kind == "hostile" else []


@pytest.mark.parametrize("piece", shelf())
def test_a_reply_is_read_as_a_careful_person_reads_it(piece: Piece):
    assert differences(piece) == []


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_has_replies_of_every_kind(name: str):
    kinds = Counter(piece.kind for piece in PIECES if piece.dialect == name)

    assert set(kinds) == set(KINDS)
    assert kinds["unedited"] >= 20
    assert sum(kinds.values()) - kinds["unedited"] >= 20


def test_each_reply_names_its_origin():
    odd = [
        piece.id
        for piece in PIECES
        if not (MODEL.fullmatch(piece.origin) if piece.kind == "unedited" else piece.origin == WRITTEN)
    ]

    assert odd == []


def test_a_third_of_all_are_unedited_and_a_third_written_from_the_prompt_alone():
    unedited = sum(piece.kind == "unedited" for piece in PIECES)

    assert unedited >= 100
    assert min(unedited, len(PIECES) - unedited) >= len(PIECES) / 3


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_replies_are_in_several_languages_and_scripts(script: str):
    assert sum(bool(re.search(script, piece.reply)) for piece in PIECES) >= 3


def test_the_readme_counts_what_is_there():
    counted = {(piece.dialect, piece.kind): 0 for piece in PIECES}
    for piece in PIECES:
        counted[piece.dialect, piece.kind] += 1
    rows = re.findall(r"^\| (\w+) \|(.+)\|$", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE)
    told = {name: [int(cell.split()[-1]) for cell in cells.split("|")] for name, cells in rows if name in EACH}

    assert told == {name: [counted[name, kind] for kind in KINDS] for name in DIALECTS}
