"""Each step declares what it does to a tree, and a preview shows what would change in a text."""

import hashlib
from difflib import unified_diff
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.plan import CannotUndo, Codec, step_json
from sayso.providers.files import FILES
from sayso.providers.files.diff import BUDGET, MOST_BYTES, MOST_LINES, added_lines, bound_lines, difference
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    FileStep,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Steps,
    Trash,
    Unkeep,
    Write,
    place_of,
    subject_of,
)
from tests.counted import Calls
from tests.providers.files.staged import MemoryStage


def test_only_showing_reaches_beyond_the_roots():
    assert [operation.id for operation in FILES.operations if operation.reach == "home"] == ["file.reveal"]


@pytest.mark.parametrize("step", [MakeFolders("/a", ("b", "c"), "k"), Replace("/a", "é\n", "k", append=True)])
def test_steps_survive_a_restart(step: Steps):
    assert Codec(FILES.steps, FILES.facts).step(step_json(step)) == step


@pytest.mark.parametrize("path", ["relative", "~other/x", "$HOME/x", "file:///etc/passwd", "a\nb", "", "~/a\0b"])
@pytest.mark.req("T-17", "FS-01", "PA-03")
def test_a_path_that_names_no_place_does_not_pass_the_door(path: str):
    for operation in FILES.operations:
        _, problems = operation.check({"path": path, "source": path, "destination": path})

        assert any(problem.argument in {"path", "source"} for problem in problems), operation.id


@pytest.mark.parametrize("key", ["root", "cwd", "base", "allow", "mode", "approved"])
@pytest.mark.req("FS-19")
def test_no_argument_changes_the_bounds(key: str):
    for operation in FILES.operations:
        _, problems = operation.check({"path": "~/Documents/a", key: "/"})

        assert "arguments.unknown" in {problem.code for problem in problems}


WAYS: list[tuple[FileStep, FileStep]] = [
    (Rename("/a", "/b"), Rename("/b", "/a")),
    (Copy("/a", "/b", "t"), Keep("/b", "new0")),
    (Trash("/a", "e"), Restore("/a", "e")),
    (Restore("/a", "e"), Trash("/a", "e")),
    (Keep("/a", "t"), Unkeep("/a", "t")),
    (Unkeep("/a", "t"), Keep("/a", "t")),
    (MakeFolders("/a", ("b",), "t"), RemoveFolders("/a", "new0")),
    (Write("/a", "x", "t"), Keep("/a", "new0")),
    (Replace("/a", "x", "t"), ExchangeFiles("/a", "t")),
    (ExchangeFiles("/a", "t"), ExchangeFiles("/a", "t")),
]


def test_each_step_knows_its_way_back():
    for step, undo in WAYS:
        numbers = count()
        assert step.way_back(lambda numbers=numbers: f"new{next(numbers)}") == undo
    assert isinstance(RemoveFolders("/a", "t").way_back(str), CannotUndo)


@pytest.mark.parametrize("step", [step for step, _ in WAYS if step.effect.builds is None])
def test_a_way_back_takes_the_thing_from_where_the_step_put_it(step: FileStep):
    back = step.way_back(str)

    assert isinstance(back, FileStep)
    if step.effect.displaces:
        assert back.effect == step.effect
    else:
        assert (back.effect.takes, back.effect.puts) == (step.effect.puts, step.effect.takes)


@pytest.mark.parametrize("place", ["/a/b", "kept:token", "trash:a.txt"])
def test_a_fact_about_a_place_leads_to_it(place: str):
    assert place_of(subject_of(place)) == place


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
