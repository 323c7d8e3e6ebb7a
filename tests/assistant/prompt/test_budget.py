"""What is shown stays within its bounds, gives way in order, and says what was left out."""

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from sayso.assistant.prompt.budget import bounded
from sayso.core.canonical import Json
from sayso.core.context import Context, LeftOut, Piece
from sayso.core.fence import fenced

ROWS = st.lists(st.text(max_size=30), max_size=30)


EMPTY = fenced("", "")


def size(context: Context) -> int:
    """Return the characters of data, each entry of a list on its line."""
    return sum(len(fenced("", piece.data)) - len(EMPTY) + 1 for piece in context.pieces if piece.data)


def test_what_fits_stays_as_it_is():
    context = Context((Piece("a", "", ["x"] * 10), Piece("b", "", "text")))

    assert bounded(context, 1000) is context


def test_raw_texts_give_way_before_lists_do():
    rows: list[Json] = ["row"] * 10
    context = Context((Piece("tabs", "", rows), Piece("tabs_raw", "", "x" * 1000)), (LeftOut("mail", "m", "down"),))

    cut = bounded(context, 300)

    assert cut.data["tabs"] == rows
    assert 0 < len(str(cut.data["tabs_raw"])) < 300
    assert [one.store for one in cut.left_out] == ["mail", "tabs_raw"]
    assert "characters are told" in cut.left_out[1].why


def test_of_the_longest_list_the_first_entries_stay_and_the_short_one_is_whole():
    context = Context((Piece("short", "", ["a", "b"]), Piece("long", "", [f"row {n}" for n in range(1000)])))

    cut = bounded(context, 500)

    assert cut.data["short"] == ["a", "b"]
    rows = cast("list[str]", cut.data["long"])
    assert rows == [f"row {n}" for n in range(len(rows))]
    assert cut.left_out == (LeftOut("long", "", f"only the first {len(rows):,} of 1,000 are told"),)


@given(st.lists(ROWS | st.text(max_size=300), max_size=5), st.integers(150, 600))
def test_no_more_is_told_than_there_is_room_for(data: list[list[str] | str], most: int):
    pieces = tuple(Piece(f"p{n}", "", [*one] if isinstance(one, list) else one) for n, one in enumerate(data))

    cut = bounded(Context(pieces), most)

    assert size(cut) <= most + len(pieces)
    assert len(cut.pieces) == len(pieces)
    changed = [after.name for before, after in zip(pieces, cut.pieces, strict=True) if before.data != after.data]
    assert [one.store for one in cut.left_out] == changed
