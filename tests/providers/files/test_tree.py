"""A map that never changes holds what a dict would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import ChangeRef, ResultRef
from sayso.providers.files.imagined import CachedFiles, ask_real
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
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
)
from sayso.providers.files.overlay import imagine
from sayso.providers.files.paths import content_of, show_name
from sayso.providers.files.store import Content
from sayso.providers.files.tree import FileTree, Shards, after, find
from tests.providers.files.staged import HOME, MemoryStage


@given(st.lists(st.tuples(st.text(max_size=3), st.integers())))
def test_it_holds_what_a_dict_holds(pairs: list[tuple[str, int]]):
    shards: Shards[int] = Shards()
    for name, value in pairs:
        shards = shards.set(name, value)

    assert dict(shards.items()) == dict(pairs)
    assert all(shards.get(name) == value for name, value in dict(pairs).items())
    assert shards.get("no such name") is None


def test_what_was_there_before_stays_as_it_was():
    first = one("a", 1)
    second = first.set("a", 2).set("b", 3)

    assert dict(first.items()) == {"a": 1}
    assert dict(second.items()) == {"a": 2, "b": 3}


def one(name: str, value: int) -> Shards[int]:
    shards: Shards[int] = Shards()
    return shards.set(name, value)


def tree(*steps: Steps) -> FileTree:
    made = FileTree()
    for number, step in enumerate(steps):
        made = after(made, step, ChangeRef(number, 0))
    return made


def left(tree: FileTree, path: str) -> ResultRef | None:
    node = find(tree, path).node
    return node.unchanged if node else None


def test_what_no_step_touched_is_where_it_was():
    spot = find(tree(Rename("/a", "/b")), "/c/d")

    assert (spot.node, spot.base) == (None, "/c/d")


def test_what_lies_in_a_moved_folder_is_found_at_the_old_place():
    spot = find(tree(Rename("/a", "/b"), Rename("/b/x", "/y")), "/y/deep")

    assert (spot.node, spot.base) == (None, "/a/x/deep")


def test_a_place_that_was_left_is_free_by_that_step():
    made = tree(Rename("/a", "/b"))

    assert find(made, "/a").free == ResultRef("/a", "free", 0, 0)
    assert find(made, "/a/below").free is None
    assert find(made, "/a/below").base is None


def test_a_touched_folder_is_no_longer_as_a_step_left_it():
    moved = tree(Rename("/a", "/b"))
    touched = after(moved, Write("/b/new", "x", "k"), ChangeRef(1, 0))

    assert left(moved, "/b") == ResultRef("/b", "unchanged", 0, 0)
    assert left(touched, "/b") is None
    folder = find(touched, "/b").node
    assert folder is not None
    assert folder.folder == ResultRef("/b", "same_folder", 0, 0)


def test_what_came_with_a_folder_is_expected_through_it():
    made = tree(Write("/a/new", "x", "k"), Rename("/a", "/b"))

    spot = find(made, "/b/new")

    assert spot.around == (ResultRef("/b", "unchanged", 0, 1), ResultRef("/b", "same_folder", 0, 1))


def test_everything_that_is_put_away_can_come_back():
    for away, back in [
        (Trash("/a", "e"), Restore("/a", "e")),
        (Keep("/a", "k"), Unkeep("/a", "k")),
        (Rename("/a", "/b"), Rename("/b", "/a")),
    ]:
        assert find(tree(away), "/a").base is None
        assert find(tree(away, back), "/a").base == "/a"


def test_an_exchange_brings_the_former_content_back():
    made = tree(Replace("/a", "new", "k"), ExchangeFiles("/a", "k"))

    spot = find(made, "/a")

    assert spot.base == "/a"
    assert left(made, "/a") == ResultRef("/a", "unchanged", 0, 1)


def test_folders_are_made_and_taken_away():
    made = tree(MakeFolders("/a", ("b", "c"), "k"))
    gone = after(made, RemoveFolders("/a", "k2"), ChangeRef(1, 0))

    deepest = find(made, "/a/b/c").node
    assert deepest is not None
    assert deepest.folder == ResultRef("/a/b/c", "same_folder", 0, 0)
    assert find(gone, "/a").free == ResultRef("/a", "free", 0, 1)


def test_a_copy_is_another_thing_with_the_same_content():
    made = tree(Write("/a/new", "x", "k"), Copy("/a", "/b", "k2"))

    assert find(made, "/b/old").base == "/a/old"
    assert find(made, "/b/old").copied
    assert find(made, "/b/new").node is not None
    assert not find(made, "/a/old").copied


def test_what_comes_back_from_before_the_batch_is_not_seen():
    assert find(tree(Restore("/a", "long ago")), "/a/below").unseen


def test_an_earlier_tree_stays_as_it_was():
    first = tree(Rename("/a", "/b"))
    after(first, Rename("/b", "/c"), ChangeRef(1, 0))

    assert find(first, "/b").base == "/a"


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{made.root}/a", b"alpha")
    return made


async def test_what_was_seen_stays_as_it_was_seen(stage: MemoryStage):
    known = CachedFiles(stage.backend().reads)
    first = await known.item(f"{stage.root}/a", "~/a")

    stage.file(f"{stage.root}/a", b"longer than before")

    assert await known.item(f"{stage.root}/a", "~/a") is first


async def test_a_missing_thing_is_named_as_each_asked_for_it(stage: MemoryStage):
    known = CachedFiles(stage.backend().reads)

    with pytest.raises(ProviderError, match="“~/Documents/no”"):
        await known.item(f"{stage.root}/no", "~/Documents/no")
    assert await known.item_or_none(f"{stage.root}/no") is None


async def test_a_folder_is_told_from_what_is_none_and_a_refusal_stays_one(stage: MemoryStage):
    known = CachedFiles(stage.backend().reads)

    assert await known.folder(stage.root) is not None
    assert await known.folder(f"{stage.root}/a") is None
    for _ in range(2):
        with pytest.raises(Refused):
            await known.folder("/etc")


async def test_a_problem_is_reworded_and_stays_what_it_is(stage: MemoryStage):
    with pytest.raises(ProviderError) as caught:
        await ask_real(stage.backend().reads.look, f"{stage.root}/no", "~/Documents/no")

    assert (str(caught.value), caught.value.code) == ("“~/Documents/no” is not there", "path.missing")


async def test_an_entry_is_found_by_its_path(stage: MemoryStage):
    known = CachedFiles(stage.backend().reads)

    entry = await known.entry(f"{stage.root}/a")

    assert entry is not None
    assert entry.size == 5
    assert await known.entry(f"{stage.root}/no") is None


@pytest.mark.parametrize(("name", "text"), [("é", "é"), ("\udcff.txt", "\\xff.txt")])
def test_a_name_that_is_no_text_shows_its_bytes(name: str, text: str):
    assert show_name(name) == text


D = f"{HOME}/Documents"


@given(st.text("aé€\U0001d11e\0", max_size=20), st.integers(0, 90))
def test_the_start_of_a_text_is_a_text(text: str, limit: int):
    data = text.encode("utf-8", "replace")

    found = content_of(data[:limit], len(data))

    assert data.startswith(found.text.encode())
    assert found.exact == (len(data) <= limit)
    assert len(found.text.encode()) > min(limit, len(data)) - 4


def test_what_is_no_text_is_not_exact():
    assert content_of(b"\xff\xfe", 2) == Content("\ufffd\ufffd", 2, exact=False)
    assert content_of("é".encode()[:1], 2) == Content("", 2, exact=False)


async def test_a_copy_on_another_disk_lies_there():
    stage = MemoryStage()
    stage.folder(f"{D}/stick", 2)
    stage.folder(f"{D}/f")
    stage.file(f"{D}/f/x", b"inner")
    seen = imagine(stage.backend().reads, Copy(f"{D}/f", f"{D}/stick/f", "k"), ChangeRef(0, 0))

    assert (await seen.look(f"{D}/stick/f")).device == 2
    assert (await seen.look(f"{D}/stick/f/x")).device == 2
    assert (await seen.free(f"{D}/stick/f/new")).device == 2


async def test_a_replaced_file_keeps_its_mode_and_has_one_name():
    stage = MemoryStage()
    stage.file(f"{D}/a", b"alpha")
    stage.change(f"{D}/a", mode=0o600, names=2)
    seen = imagine(stage.backend().reads, Replace(f"{D}/a", "beta", "k"), ChangeRef(0, 0))
    seen = imagine(seen, Rename(f"{D}/a", f"{D}/b"), ChangeRef(1, 0))

    item = await seen.look(f"{D}/b")

    assert (item.mode, item.links, item.size) == (0o600, 1, 4)
