"""A checklist is read as it looks, and what is written is read back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.tasks.formats import Entry, read_markdown, write_markdown

LINE = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]) | st.sampled_from("-[]x*#`\\"), min_size=1, max_size=30
).filter(lambda text: bool(text.strip()) and text == text.strip())


@st.composite
def lists(draw: st.DrawFn) -> list[Entry]:
    """Return entries, each at most one level deeper than the one before it."""
    entries: list[Entry] = []
    for text in draw(st.lists(LINE, max_size=12)):
        deepest = entries[-1].level + 1 if entries else 0
        entries.append(Entry(text, draw(st.integers(0, deepest)), draw(st.booleans())))
    return entries


@given(lists())
def test_what_is_written_is_read_back_the_same(entries: list[Entry]):
    found = read_markdown(write_markdown(entries))

    assert list(found.entries) == entries
    assert found.left_out == ()


def test_it_looks_like_a_checklist():
    entries = [Entry("Party"), Entry("Wine", 1, completed=True), Entry("Red", 2), Entry("Trip")]

    assert write_markdown(entries) == "- [ ] Party\n  - [x] Wine\n    - [ ] Red\n- [ ] Trip\n"


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("* [ ] a\n\t* [ ] b\n\t\t* [X] c\n", [0, 1, 2]),
        ("1. [ ] a\n   2) [ ] b\n10. [ ] c\n", [0, 1, 0]),
        ("    - [ ] a\n  - [ ] b\n- [ ] c\n", [0, 0, 0]),
        ("- [ ] a\n        - [ ] b\n    - [ ] c\n", [0, 1, 1]),
        ("\ufeff+ [ ] a\r\n  + [ ] b\r\n", [0, 1]),
    ],
)
def test_depth_is_by_what_stands_deeper(text: str, levels: list[int]):
    assert [entry.level for entry in read_markdown(text).entries] == levels


def test_other_lines_are_left_out_and_told():
    found = read_markdown("# Shopping\n\nSome words.\n- [ ] Bread\n- no box\n- [ ]   \n")

    assert [entry.text for entry in found.entries] == ["Bread"]
    assert found.left_out == (
        "line 3 is no checklist item: Some words.",
        "line 5 is no checklist item: - no box",
        "line 6 is no checklist item: - [ ]",
    )


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("- [ ] Holiday\n- Garage\n  - [ ] Paint\n", [0, 0]),
        ("- [ ] Holiday\n  - Garage\n    - [ ] Paint\n      - [ ] Brush\n", [0, 1, 2]),
        ("- [ ] Holiday\n  - [ ] Pack\n  1. Garage\n     - [ ] Paint\n", [0, 1, 1]),
        ("- [ ] Holiday\n- [ ]\n  - [ ] Paint\n", [0, 0]),
        ("- [ ] Holiday\n# Garage\n  - [ ] Paint\n", [0, 0]),
        ("- [ ] Holiday\n---\n  - [ ] Paint\n", [0, 0]),
        ("- [ ] Holiday\n\nGarage\n\n  - [ ] Paint\n", [0, 0]),
        ("- [ ] Holiday\n```\n```\n  - [ ] Paint\n", [0, 0]),
        ("- [ ] Holiday\nby the sea\n  - [ ] Pack\n", [0, 1]),
        ("- [ ] Holiday\n\n  by the sea\n\n  - [ ] Pack\n", [0, 1]),
        ("- [ ] Holiday\n\n\n  - [ ] Pack\n", [0, 1]),
    ],
)
def test_nothing_is_put_below_an_item_that_another_line_has_closed(text: str, levels: list[int]):
    assert [entry.level for entry in read_markdown(text).entries] == levels


BEFORE, AFTER = "- [ ] Before\n", "- [ ] After\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("```\n- [ ] x\n```\n", "lines 2 to 4 are a code block"),
        ("``` md\n- [ ] x\n\n- [x] y\n`````  \n", "lines 2 to 6 are a code block"),
        ("~~~ `md`\n- [ ] x\n```\n- [ ] y\n~~~\n", "lines 2 to 6 are a code block"),
        ("````\n```\n- [ ] x\n```` not the end\n````\n", "lines 2 to 6 are a code block"),
        ("  ```\n  - [ ] x\n\n  ```\n", "lines 2 to 5 are a code block"),
        ("  ```\n  - [ ] not closed, but in the item\n\n", "lines 2 to 3 are a code block"),
        ("- ```\n  - [ ] x\n  ```\n", "lines 2 to 4 are a code block"),
        ("- ```\n  - [ ] not closed, but in a list\n", "lines 2 to 3 are a code block"),
    ],
)
def test_what_stands_in_a_code_block_is_no_item(code: str, told: str):
    found = read_markdown(BEFORE + code + AFTER)

    assert [(entry.text, entry.level) for entry in found.entries] == [("Before", 0), ("After", 0)]
    assert found.left_out == (told,)


def test_a_code_block_that_is_not_closed_goes_on_to_the_end():
    found = read_markdown(f"```\n{BEFORE}\n{AFTER}\n\n")

    assert found.entries == ()
    assert found.left_out == ("lines 1 to 4 are a code block",)


@pytest.mark.parametrize("line", ["``` in `one` line", "``", "text ```", "~~"])
def test_backticks_within_a_line_begin_no_code_block(line: str):
    assert [entry.text for entry in read_markdown(f"{BEFORE}{line}\n{AFTER}").entries] == ["Before", "After"]
