"""Tasks become lines with a depth, and lines become what is to be added."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sayso.providers.tasks.formats import (
    ListEntry,
    arguments_of,
    entries_of,
    read_ical,
    read_markdown,
    too_much,
    write_ical,
    write_markdown,
)
from sayso.providers.tasks.lists import Task

TASKS = [Task("a", "A"), Task("b", "B", "a", 1, "2026-03-01T10:00:00Z"), Task("c", "C", "b"), Task("d", "D")]


def test_depth_is_how_many_stand_above():
    entries = [("A", 0, False), ("B", 1, True), ("C", 2, False), ("D", 0, False)]

    assert [(entry.text, entry.level, entry.completed) for entry in entries_of(TASKS)] == entries


def test_what_was_completed_at_an_unknown_time_is_so_now():
    then = ListEntry("C", 0, completed=True, completed_at="then")

    arguments = arguments_of([ListEntry("A"), ListEntry("B", 1, completed=True), then], "now")

    assert arguments == {"texts": ["A", "B", "C"], "levels": [0, 1, 0], "completed": ["", "now", "then"]}


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([ListEntry("x")] * 5_000, None),
        ([ListEntry("x" * 2_000, 100)], None),
        ([ListEntry("x")] * 5_001, "there are 5,001 tasks, and at most 5,000 are added at once; split the file"),
        (
            [ListEntry("a"), ListEntry("x" * 2_001)],
            f"task 2, “{'x' * 40}…”, has 2,001 characters, and a task has at most 2,000; shorten it",
        ),
        ([ListEntry("deep", 101)], "task 1, “deep”, stands below 101 others, and at most 100 are taken; move it up"),
    ],
)
def test_the_task_that_keeps_a_list_from_being_added_is_named(entries: list[ListEntry], said: str | None):
    assert too_much(entries) == said


NOW = "2026-03-14T12:00:00Z"
LINE = (
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]) | st.sampled_from('\\;,:n" \u00a0'),
        min_size=1,
        max_size=120,
    )
    .map(str.strip)
    .filter(bool)
)
TIMES = st.integers(-(6 * 10**10), 10**9).map(
    lambda seconds: (datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
)


@st.composite
def lists(draw: st.DrawFn) -> list[ListEntry]:
    """Return entries with ids and times, each at most one level deeper than the one before it."""
    entries: list[ListEntry] = []
    for number, text in enumerate(draw(st.lists(LINE, max_size=10))):
        level = draw(st.integers(0, entries[-1].level + 1 if entries else 0))
        done = draw(st.none() | TIMES)
        entries.append(ListEntry(text, level, done is not None, done or "", f"id{number}", draw(TIMES)))
    return entries


@given(lists())
@example([ListEntry("a  b\u00a0c\u2003d", 0, completed=False, id="id0")])
@example([ListEntry("買" * 60 + "🍷" * 30, 0, completed=False, id="id0")])
def test_what_is_written_is_read_back_the_same(entries: list[ListEntry]):
    text = write_ical(entries, NOW)

    assert list(read_ical(text).entries) == entries
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    assert "\n" not in text.replace("\r\n", "")


def test_a_todo_looks_as_the_standard_says():
    entries = [
        ListEntry("Buy; wine, “red”\\white", 0, completed=True, completed_at="2026-03-01T09:30:00+01:00", id="a")
    ]

    assert write_ical(entries, NOW).split("\r\n")[3:-2] == [
        "BEGIN:VTODO",
        "UID:a",
        "DTSTAMP:20260314T120000Z",
        "SUMMARY:Buy\\; wine\\, “red”\\\\white",
        "STATUS:COMPLETED",
        "PERCENT-COMPLETE:100",
        "COMPLETED:20260301T083000Z",
        "END:VTODO",
    ]


OTHERS = (Path(__file__).parent / "others.ics").read_text(encoding="utf-8").replace("\n", "\r\n")


@pytest.mark.parametrize("text", [OTHERS, OTHERS.replace("\r\n", "\n"), "\ufeff" + OTHERS], ids=["crlf", "lf", "bom"])
def test_what_other_programs_write_is_read(text: str):
    found = read_ical(text)

    assert [(entry.text, entry.level, entry.completed, entry.completed_at) for entry in found.entries] == [
        ("Feier", 0, True, "2026-03-01T08:30:00Z"),
        ("Wein kaufen, rot", 1, False, ""),
        ("Two lines", 0, True, ""),
    ]
    assert found.left_out == ("to-do 3 has no summary",)


@pytest.mark.parametrize(
    ("summary", "text"),
    [("Two\\n lines", "Two lines"), ("a \\n\\N \\n b", "a b"), (" a\\n", "a"), ("a\tb", "a b"), ("a\u2028 b", "a b")],
)
def test_a_summary_of_several_lines_becomes_one_line(summary: str, text: str):
    assert [entry.text for entry in read_ical(f"BEGIN:VTODO\nSUMMARY:{summary}\nEND:VTODO").entries] == [text]


def todo(uid: str, parent: str = "", *more: str) -> str:
    lines = [f"UID:{uid}", *([f"RELATED-TO:{parent}"] if parent else []), *(more or [f"SUMMARY:{uid}"])]
    return "\n".join(["BEGIN:VTODO", *lines, "END:VTODO", ""])


def test_what_was_cancelled_is_left_out_and_what_stands_below_it_is_moved_up():
    found = read_ical(
        todo("holiday")
        + todo("boat", "holiday", "SUMMARY:Rent a boat", "STATUS:Cancelled")
        + todo("oar", "boat", "PRIORITY:1")
        + todo("paint", "oar")
        + todo("nobody", "holiday", "STATUS:CANCELLED", "SUMMARY:Nobody's")
        + todo("home")
    )

    assert [(entry.text, entry.level) for entry in found.entries] == [("holiday", 0), ("paint", 1), ("home", 0)]
    assert found.left_out == (
        "to-do 2, “Rent a boat”, was cancelled",
        "to-do 3 has no summary",
        "to-do 5, “Nobody's”, was cancelled",
    )


def test_a_circle_of_parents_loses_nobody_and_ends():
    found = read_ical(todo("a", "c") + todo("b", "a") + todo("c", "b") + todo("d", "d"))

    assert sorted(entry.text for entry in found.entries) == ["a", "b", "c", "d"]
    assert found.entries[0].level == 0

    cancelled = (todo("a", "b") + todo("b", "a")).replace("END", "STATUS:CANCELLED\nEND")
    assert [(entry.text, entry.level) for entry in read_ical(cancelled + todo("c", "a")).entries] == [("c", 0)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcx")), max_size=6))
def test_every_todo_comes_once_and_no_level_is_skipped(pairs: list[tuple[str, str]]):
    found = read_ical("".join(todo(uid, parent) for uid, parent in pairs)).entries

    assert sorted(entry.text for entry in found) == sorted(uid for uid, _ in pairs)
    levels = [entry.level for entry in found]
    assert all(now <= before + 1 for before, now in zip([-1, *levels], levels, strict=False))


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str):
    read_ical(text)
    read_ical(f"BEGIN:VTODO\nSUMMARY:{text}\nEND:VTODO")


MARKDOWN_LINE = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]) | st.sampled_from("-[]x*#`\\"), min_size=1, max_size=30
).filter(lambda text: bool(text.strip()) and text == text.strip())


@st.composite
def checklists(draw: st.DrawFn) -> list[ListEntry]:
    """Return entries, each at most one level deeper than the one before it."""
    entries: list[ListEntry] = []
    for text in draw(st.lists(MARKDOWN_LINE, max_size=12)):
        deepest = entries[-1].level + 1 if entries else 0
        entries.append(ListEntry(text, draw(st.integers(0, deepest)), draw(st.booleans())))
    return entries


@given(checklists())
def test_a_checklist_is_read_back_the_same(entries: list[ListEntry]):
    found = read_markdown(write_markdown(entries))

    assert list(found.entries) == entries
    assert found.left_out == ()


def test_it_looks_like_a_checklist():
    entries = [ListEntry("Party"), ListEntry("Wine", 1, completed=True), ListEntry("Red", 2), ListEntry("Trip")]

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
