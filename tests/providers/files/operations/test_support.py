"""Sizes, counts and links are said as a person would."""

import hashlib
from difflib import unified_diff
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Plan
from sayso.core.ports import BackendContext
from sayso.providers.files.memory_tree import MemoryFiles
from sayso.providers.files.model import Free, Rename
from sayso.providers.files.operations.moving import move
from sayso.providers.files.operations.support import (
    BUDGET,
    MOST_BYTES,
    MOST_LINES,
    RUN,
    about_links,
    added_lines,
    bound_lines,
    difference,
    place_for,
    size_in_words,
    things,
    why_run,
)
from sayso.providers.files.store import Files, Item, Place
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.counted import Calls
from tests.providers.files.staged import HOME, MemoryStage


@pytest.mark.parametrize(("size", "words"), [(0, "0 bytes"), (1, "1 byte"), (12345, "12,345 bytes")])
def test_sizes_are_exact(size: int, words: str):
    assert size_in_words(size) == words


@pytest.mark.parametrize(("count", "words"), [(0, "0 things"), (1, "1 thing"), (2000, "2,000 things")])
def test_things_are_counted(count: int, words: str):
    assert things(count) == words


@pytest.mark.parametrize("said", ["~/Documents/a", "/home/ana/Documents/a", "~/Documents/b/../a", "~/Documents//a/"])
def test_a_path_that_leads_where_it_reads_needs_no_word(said: str):
    assert about_links(said, "/home/ana/Documents/a") == ()


@pytest.mark.parametrize("said", ["~/Documents/l", "/home/ana/l/a", "~/Docs/a"])
def test_a_path_that_leads_elsewhere_says_where(said: str):
    assert about_links(said, "/home/ana/Documents/a") == (f"“{said}” leads to “/home/ana/Documents/a”",)


class CaseBlind(MemoryFiles):
    """Reads of a disk on which `a` and `A` are one."""

    async def look(self, path: str, *, reach: str = "roots") -> Item:
        found = await super().look(path.lower().replace("documents", "Documents"))
        return replace(found, path=path.replace("~", HOME))

    async def exists(self, path: str) -> bool:
        return await super().exists(path.lower().replace("documents", "Documents"))

    async def free(self, path: str) -> Place:
        return await super().free(path.lower().replace("documents", "Documents"))


def blind(stage: MemoryStage) -> Files:
    ground = BackendContext({}, HOME, f"{HOME}/.sayso", (stage.root,), FakeClock(), NumberedIds())
    return CaseBlind(stage.world, ground)


async def test_a_name_that_differs_only_in_case_is_a_move_where_case_does_not_count():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")

    plan = await move.function(blind(stage), source="~/Documents/a.txt", destination="~/Documents/A.txt")

    assert isinstance(plan, Plan)
    (change,) = plan.changes
    assert change.do == Rename(f"{stage.root}/a.txt", f"{stage.root}/A.txt")
    assert sorted(fact.fact for fact in change.expects) == ["same_folder", "unchanged"]


@pytest.mark.req("T-22")
async def test_another_name_of_the_same_file_is_taken():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")
    stage.thing(f"{stage.root}/a.txt").names = 2

    with pytest.raises(ProviderError) as caught:
        await move.function(blind(stage), source="~/Documents/a.txt", destination="~/Documents/A.txt")

    assert caught.value.code == "path.taken"


async def test_a_file_where_the_folder_should_be_is_named():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")

    with pytest.raises(ProviderError) as caught:
        await place_for(stage.backend().reads, "~/Documents/a.txt/b")

    assert caught.value.code == "path.not_a_folder"


class Huge(MemoryFiles):
    """Reads of a disk whose folders hold more than is ever listed."""

    async def look(self, path: str, *, reach: str = "roots") -> Item:
        return replace(await super().look(path), entries=100_001)


@pytest.mark.req("FS-10")
async def test_too_many_names_to_look_at_do_not_become_protected_ones():
    stage = MemoryStage()
    stage.folder(f"{stage.root}/x")
    ground = BackendContext({}, HOME, f"{HOME}/.sayso", (stage.root,), FakeClock(), NumberedIds())
    files: Files = Huge(stage.world, ground)

    with pytest.raises(Refused) as said:
        await move.function(files, "~/Documents/x", "~/Documents/.config")

    assert said.value.code == "path.denied_name"
    assert isinstance(await move.function(files, "~/Documents/x", "~/Documents/config"), Plan)


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


def item(name: str, mode: int = 0o644, kind: Literal["file", "folder", "link"] = "file") -> Item:
    path = f"/home/ana/Documents/{name}"
    return Item(path, kind, 1, 0, 0, 0, mode, 1, Free(path))


@pytest.mark.parametrize("ending", [*RUN, ".COMMAND", ".Sh", ".sh.", ".app. ", ".command\u200b", ".\uff33\uff28"])
@pytest.mark.req("X-21")
def test_these_endings_are_never_opened(ending: str):
    assert why_run(item(f"x{ending}"), f"~/Documents/x{ending}")


@pytest.mark.parametrize("bit", [0o100, 0o010, 0o001])
@pytest.mark.req("X-21")
def test_any_execute_bit_of_a_file_counts(bit: int):
    assert why_run(item("tool", 0o644 | bit), "~/Documents/tool")
    assert not why_run(item("folder", 0o755, "folder"), "~/Documents/folder")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.pdf", "a.png", "a.html", "a.sh.txt", "app", "a.b.csv", "résumé"])
def test_what_is_only_shown_is_opened(name: str):
    assert why_run(item(name), f"~/Documents/{name}") is None


@pytest.mark.req("X-21")
def test_neither_the_name_of_a_link_nor_its_target_hides_the_other():
    shown = item("notes.txt")

    assert why_run(shown, "~/Documents/notes.command")
    assert why_run(replace(shown, path="/home/ana/Documents/x.command"), "~/Documents/notes.txt")
