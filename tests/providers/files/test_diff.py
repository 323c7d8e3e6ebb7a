"""Previews of text: a bounded unified diff, and sizes and hashes where there is none."""

import hashlib
from difflib import unified_diff

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.files.diff import BUDGET, MOST_BYTES, MOST_LINES, added_lines, bound_lines, difference
from tests.counted import Calls
from tests.providers.files.staged import MemoryStage


async def preview(old: bytes, new: str) -> str:
    stage = MemoryStage()
    stage.file(f"{stage.root}/a", old)
    files = stage.backend().reads
    return await difference(files, "~/Documents/a", await files.look("~/Documents/a"), new)


async def test_only_line_feeds_end_a_line():
    shown = await preview("one\u2028still one\r\n".encode(), "one\u2028still one\n")

    assert shown.split("\n")[3:] == ["-one\u2028still one\r", "+one\u2028still one"]


async def test_a_missing_line_end_is_a_difference():
    assert (await preview(b"a", "a\n")).split("\n")[3:] == ["-a", "\\ no newline at the end", "+a"]


async def test_what_is_too_long_to_compare_is_told_apart_by_size_and_hash():
    shown = await preview(b"a\n" * 60_000, "b")

    assert shown.split("\n")[0] == "too long to compare line by line"
    assert "before: 120,000 bytes, SHA-256 " in shown


@given(st.lists(st.text("ab\n", max_size=50), max_size=500))
def test_a_preview_keeps_its_bounds_and_counts_what_it_leaves_out(lines: list[str]):
    whole = "\n".join(lines)

    shown = bound_lines(lines)

    kept = shown.split("\n")
    assert len(kept) <= MOST_LINES + 1
    assert len(shown) <= MOST_BYTES + 100
    count = len(whole.split("\n")) if lines else 0
    if count > MOST_LINES:
        assert kept[-1] == f"… {count - MOST_LINES:,} more {'line' if count - MOST_LINES == 1 else 'lines'}"


def test_one_endless_line_is_left_out():
    assert added_lines("x" * MOST_BYTES) == "… 2 more lines"


def test_nothing_added_is_nothing_shown():
    assert added_lines("") == ""


@given(st.lists(st.sampled_from("abcdef"), max_size=40), st.lists(st.sampled_from("abcdef"), max_size=40))
async def test_a_preview_is_the_unified_diff_that_everybody_knows(old: list[str], new: list[str]):
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)

    shown = await preview(before.encode(), after)

    assert shown == "\n".join(unified_diff(old, new, "before", "after", lineterm=""))


def shuffled(lines: list[str], how: str) -> list[str]:
    order = [hashlib.sha256(f"{how} {number}".encode()).digest() for number in range(len(lines))]
    return [lines[number] for number in sorted(range(len(lines)), key=order.__getitem__)]


@pytest.mark.req("PA-12")
async def test_lines_that_repeat_without_end_are_given_up_soon():
    stage = MemoryStage()
    lines = [f"x{number % 105}\n" for number in range(1_999)]
    one, other = shuffled(lines, "one"), shuffled(lines, "other")
    stage.file(f"{stage.root}/a", "".join(one).encode())
    files = stage.backend().reads
    found = await files.look("~/Documents/a")

    with Calls() as calls:
        shown = await difference(files, "~/Documents/a", found, "".join(other))

    assert shown.split("\n")[0] == "too different to compare line by line"
    assert calls.count < 2 * BUDGET
