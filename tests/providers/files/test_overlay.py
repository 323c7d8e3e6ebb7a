"""In a batch the reads show the files as the earlier plans would leave them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import ChangeRef, Plan, ResultRef
from sayso.providers.files import overlay, tree
from sayso.providers.files.imagined import CachedFiles, ask_real
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    Free,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    SameFolder,
    Steps,
    Trash,
    Unchanged,
    Unkeep,
    Write,
)
from sayso.providers.files.overlay import FollowedPath, Walker, imagine
from sayso.providers.files.paths import content_of, is_like, show_name
from sayso.providers.files.store import Content, Files, Gap
from sayso.providers.files.tree import FileTree, Shards, after, find
from sayso.testing.files import Wish, plan_wishes
from tests.counted import Calls
from tests.fails import fails
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.fixture
def linked() -> MemoryStage:
    made = MemoryStage()
    made.folder(f"{D}/f")
    made.folder(f"{D}/f/g")
    made.link(f"{D}/l", "f")
    made.link(f"{D}/f/up", "../f/g")
    made.link(f"{D}/f/far", f"{D}/l/g")
    made.link(f"{D}/one", "two")
    made.link(f"{D}/two", "one")
    return made


def walker(linked: MemoryStage, *steps: Steps) -> Walker:
    tree = FileTree()
    for step in steps:
        tree = after(tree, step, ChangeRef(0, 0))
    return Walker(CachedFiles(linked.backend().reads), tree)


@pytest.mark.parametrize(
    ("said", "path", "rest"),
    [
        ("~/Documents/f/g", "f/g", ()),
        ("~/Documents/l/g", "f/g", ()),
        ("~/Documents/f/up/new", "f/g/new", ()),
        ("~/Documents/f/far/new", "f/g/new", ()),
        (f"{D}/f/../f/./g//", "f/g", ()),
        ("~/Documents/no/a/b", "no", ("a", "b")),
    ],
)
async def test_it_leads_to_the_resolved_path(linked: MemoryStage, said: str, path: str, rest: tuple[str, ...]):
    way = await walker(linked).follow(said, follow=False)

    assert way is not None
    assert (way.path, way.rest) == (f"{D}/{path}", rest)


async def test_the_last_name_is_followed_only_if_asked(linked: MemoryStage):
    steps = walker(linked)

    assert await steps.follow("~/Documents/l", follow=False) == FollowedPath(f"{D}/l")
    assert await steps.follow("~/Documents/l", follow=True) == FollowedPath(f"{D}/f", (), linked=True, last_linked=True)


async def test_a_made_folder_is_gone_through(linked: MemoryStage):
    way = await walker(linked, MakeFolders(f"{D}/new", ("a",), "k")).follow("~/Documents/new/a/b", follow=False)

    assert way == FollowedPath(f"{D}/new/a/b")


async def test_a_folder_that_was_moved_away_stops_the_way(linked: MemoryStage):
    way = await walker(linked, Rename(f"{D}/f", f"{D}/h")).follow("~/Documents/l/g", follow=False)

    assert way is not None
    assert (way.whole, way.rest) == (f"{D}/f/g", ("g",))


@pytest.mark.parametrize("said", ["/etc/passwd", "~/elsewhere", "~", "/"])
async def test_what_cannot_be_reached_is_left_to_the_real_world(linked: MemoryStage, said: str):
    assert await walker(linked).follow(said, follow=False) is None


@pytest.mark.req("FS-09")
async def test_links_that_lead_in_a_circle_end(linked: MemoryStage):
    with fails(ProviderError, "path.circle"):
        await walker(linked).follow("~/Documents/one", follow=True)


@pytest.fixture
def seen() -> Files:
    stage = MemoryStage()
    stage.folder(f"{D}/f")
    for name in ("a", "b", "\udcff"):
        stage.file(f"{D}/f/{name}", b"12345")
    stage.file(f"{D}/f/.bashrc", b"")
    moved = imagine(stage.backend().reads, Rename(f"{D}/f", f"{D}/g"), ChangeRef(0, 0))
    return imagine(moved, Write(f"{D}/g/aa", "x", "k"), ChangeRef(1, 0))


async def test_what_is_new_stands_among_the_rest(seen: Files):
    listing = await seen.list("~/Documents/g", 10)

    assert [(entry.name, entry.size) for entry in listing.entries] == [("\\xff", 5), ("a", 5), ("aa", 1), ("b", 5)]
    assert {entry.path for entry in listing.entries if not entry.flagged} == {
        f"{D}/g/{name}" for name in ("a", "aa", "b")
    }
    assert listing.omitted == 1


async def test_more_than_asked_for_is_left_out_and_counted(seen: Files):
    listing = await seen.list("~/Documents/g", 2)

    assert (len(listing.entries), listing.omitted) == (2, 3)


@pytest.mark.req("FS-09")
async def test_a_search_goes_through_what_was_moved(seen: Files):
    listing = await seen.find("~/Documents", "A*", 10)

    assert [entry.path for entry in listing.entries] == [f"{D}/g/a", f"{D}/g/aa"]


@pytest.mark.parametrize(("name", "pattern"), [("Bill.PDF", "*.pdf"), ("STRASSE", "straße"), ("a.b", "?.b")])
def test_case_does_not_count(name: str, pattern: str):
    assert is_like(name, pattern)


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{D}/a", b"alpha\n")
    made.folder(f"{D}/f")
    made.file(f"{D}/f/x", b"inner\n")
    made.link(f"{D}/l", "f")
    return made


def view_after(stage: MemoryStage, *steps: Steps) -> Files:
    seen: Files = stage.backend().reads
    for number, step in enumerate(steps):
        seen = imagine(seen, step, ChangeRef(number, 0))
    return seen


async def test_a_made_folder_can_be_moved_into(stage: MemoryStage):
    seen = view_after(stage, MakeFolders(f"{D}/new", (), "k"))

    place = await seen.free("~/Documents/new/a")

    assert place.parent == ResultRef(f"{D}/new", "same_folder", 0, 0)
    assert place.free == Free(f"{D}/new/a")


async def test_a_thing_in_a_moved_folder_is_the_very_one_under_its_new_path(stage: MemoryStage):
    before = (await stage.backend().reads.look("~/Documents/f/x")).fact
    seen = view_after(stage, Rename(f"{D}/f", f"{D}/g"))

    item = await seen.look("~/Documents/g/x")

    assert item.fact == replace(before, about=f"{D}/g/x")
    assert (await seen.look("~/Documents/g")).fact == ResultRef(f"{D}/g", "unchanged", 0, 0)
    with pytest.raises(ProviderError, match="“~/Documents/f/x” is not there"):
        await seen.look("~/Documents/f/x")


async def test_a_real_folder_that_was_put_into_is_expected_with_what_it_will_hold(stage: MemoryStage):
    seen = view_after(stage, Rename(f"{D}/a", f"{D}/f/a"))

    fact = (await seen.look("~/Documents/f")).fact

    assert isinstance(fact, Unchanged)
    assert (fact.entries, fact.size) == (2, 12)


async def test_a_freed_place_is_free_as_that_step_left_it(stage: MemoryStage):
    seen = view_after(stage, Trash(f"{D}/a", "a"))

    place = await seen.free("~/Documents/a")

    assert place.free == ResultRef(f"{D}/a", "free", 0, 0)
    assert isinstance(place.parent, SameFolder)


async def test_written_text_is_read_and_more_is_added_to_it(stage: MemoryStage):
    seen = view_after(stage, Write(f"{D}/new", "one\n", "k"))
    plan = await OPERATIONS["file.append"].function(seen, path="~/Documents/new", content="two\n")
    assert isinstance(plan, Plan)
    seen = stage.backend().imagine(seen, plan.changes[0].do, ChangeRef(1, 0))

    assert (await seen.read("~/Documents/new", 100)).text == "one\ntwo\n"
    assert plan.changes[0].expects == (ResultRef(f"{D}/new", "unchanged", 0, 0),)


async def test_a_link_is_followed_to_where_it_leads_by_then(stage: MemoryStage):
    seen = view_after(stage, Rename(f"{D}/f", f"{D}/g"), MakeFolders(f"{D}/f", (), "k"), Write(f"{D}/f/y", "new", "k2"))

    assert (await seen.read("~/Documents/l/y", 10)).text == "new"
    assert not await seen.exists("~/Documents/l/x")
    with pytest.raises(Refused):
        await view_after(stage, Rename(f"{D}/f", f"{D}/g")).opened("~/Documents/l")


async def test_a_moved_link_leads_from_its_new_place(stage: MemoryStage):
    stage.link(f"{D}/f/up", "x")
    seen = view_after(stage, Rename(f"{D}/f/up", f"{D}/up"), Write(f"{D}/x", "outer", "k"))

    assert (await seen.read("~/Documents/up", 10)).text == "outer"


async def test_two_things_of_one_name_get_two_names_in_the_trash(stage: MemoryStage):
    stage.file(f"{D}/f/a", b"another")
    first = await stage.backend().reads.trash_entry(await stage.backend().reads.look(f"{D}/a"))
    seen = view_after(stage, Trash(f"{D}/a", first or ""))

    second = await seen.trash_entry(await seen.look(f"{D}/f/a"))

    assert second
    assert second != first


async def test_what_comes_back_unseen_says_so(stage: MemoryStage):
    seen = view_after(stage, Restore(f"{D}/old", "old"))

    assert await seen.exists("~/Documents/old")
    with fails(ProviderError, "path.not_yet"):
        await seen.look("~/Documents/old")


@pytest.mark.parametrize("path", ["/etc/passwd", "~/Documents/new/.bashrc", "~/Documents/g/.git/hooks/x", "~/.sayso/x"])
@pytest.mark.req("FS-10", "FS-11")
async def test_nothing_becomes_reachable_by_being_imagined(stage: MemoryStage, path: str):
    seen = view_after(stage, MakeFolders(f"{D}/new", (), "k"), Rename(f"{D}/f", f"{D}/g"))

    for read in (seen.look, seen.opened, seen.exists, seen.free, seen.gap):
        with pytest.raises(Refused):
            await read(path)


async def test_an_earlier_view_stays_as_it_was(stage: MemoryStage):
    first = view_after(stage, Rename(f"{D}/a", f"{D}/b"))
    imagine(first, Copy(f"{D}/b", f"{D}/c", "k"), ChangeRef(1, 0))

    assert not await first.exists("~/Documents/c")


async def test_a_missing_way_goes_through_imagined_folders(stage: MemoryStage):
    seen = view_after(stage, MakeFolders(f"{D}/new", (), "k"))

    gap = await seen.gap("~/Documents/new/b/c")

    assert isinstance(gap, Gap)
    assert (gap.place.path, gap.below) == (f"{D}/new/b", ("c",))


async def test_a_batch_of_many_moves_takes_steps_in_proportion():
    few, many = [await _calls_for(count) for count in (50, 400)]

    assert many < 8 * 2 * few


async def _calls_for(count: int) -> int:
    stage = MemoryStage()
    stage.folder(f"{D}/in")
    for number in range(count):
        stage.file(f"{D}/in/{number}", b"")
    backend: Any = stage.backend()
    seen: Files = imagine(backend.reads, MakeFolders(f"{D}/out", (), "k"), ChangeRef(0, 0))
    with Calls() as calls:
        for number in range(count):
            wish = {"source": f"~/Documents/in/{number}", "destination": f"~/Documents/out/{number}"}
            plan = await OPERATIONS["file.move"].function(seen, **wish)
            assert isinstance(plan, Plan)
            seen = backend.imagine(seen, plan.changes[0].do, ChangeRef(number + 1, 0))
    return calls.count


@pytest.mark.req("PA-12")
async def test_a_folder_copied_into_itself_again_and_again_is_given_up_soon(monkeypatch: pytest.MonkeyPatch):
    for module in (tree, overlay):
        monkeypatch.setattr(module, "MOST", 2_000)
    stage = MemoryStage()
    wishes: list[Wish] = [("file.mkdir", {"path": "~/Documents/s"})]
    for number in range(16):
        wishes.append(("file.copy", {"source": "~/Documents/s", "destination": f"~/Documents/s{number}"}))
        wishes.append(("file.move", {"source": f"~/Documents/s{number}", "destination": f"~/Documents/s/c{number}"}))

    batch = await plan_wishes(stage.backend(), OPERATIONS, wishes)

    with fails(ProviderError, "plan.too_large"):
        await batch.seen.look("~/Documents/s")


@pytest.mark.req("PA-12")
async def test_thousands_of_additions_to_one_file_are_planned():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a", b"old\n")
    lines = [f"{number}\n" for number in range(2_000)]
    wishes: list[Wish] = [("file.append", {"path": "~/Documents/a", "content": line}) for line in lines]

    batch = await plan_wishes(stage.backend(), OPERATIONS, wishes)

    whole = "old\n" + "".join(lines)
    assert len(batch.changes) == 2_000
    assert (await batch.seen.look("~/Documents/a")).size == len(whole)
    assert await batch.seen.read("~/Documents/a", 100_000) == content_of(whole.encode(), len(whole))


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


def tree_after(*steps: Steps) -> FileTree:
    made = FileTree()
    for number, step in enumerate(steps):
        made = after(made, step, ChangeRef(number, 0))
    return made


def left(tree_after: FileTree, path: str) -> ResultRef | None:
    node = find(tree_after, path).node
    return node.unchanged if node else None


def test_what_no_step_touched_is_where_it_was():
    spot = find(tree_after(Rename("/a", "/b")), "/c/d")

    assert (spot.node, spot.base) == (None, "/c/d")


def test_what_lies_in_a_moved_folder_is_found_at_the_old_place():
    spot = find(tree_after(Rename("/a", "/b"), Rename("/b/x", "/y")), "/y/deep")

    assert (spot.node, spot.base) == (None, "/a/x/deep")


def test_a_place_that_was_left_is_free_by_that_step():
    made = tree_after(Rename("/a", "/b"))

    assert find(made, "/a").free == ResultRef("/a", "free", 0, 0)
    assert find(made, "/a/below").free is None
    assert find(made, "/a/below").base is None


def test_a_touched_folder_is_no_longer_as_a_step_left_it():
    moved = tree_after(Rename("/a", "/b"))
    touched = after(moved, Write("/b/new", "x", "k"), ChangeRef(1, 0))

    assert left(moved, "/b") == ResultRef("/b", "unchanged", 0, 0)
    assert left(touched, "/b") is None
    folder = find(touched, "/b").node
    assert folder is not None
    assert folder.folder == ResultRef("/b", "same_folder", 0, 0)


def test_what_came_with_a_folder_is_expected_through_it():
    made = tree_after(Write("/a/new", "x", "k"), Rename("/a", "/b"))

    spot = find(made, "/b/new")

    assert spot.around == (ResultRef("/b", "unchanged", 0, 1), ResultRef("/b", "same_folder", 0, 1))


def test_everything_that_is_put_away_can_come_back():
    for away, back in [
        (Trash("/a", "e"), Restore("/a", "e")),
        (Keep("/a", "k"), Unkeep("/a", "k")),
        (Rename("/a", "/b"), Rename("/b", "/a")),
    ]:
        assert find(tree_after(away), "/a").base is None
        assert find(tree_after(away, back), "/a").base == "/a"


def test_an_exchange_brings_the_former_content_back():
    made = tree_after(Replace("/a", "new", "k"), ExchangeFiles("/a", "k"))

    spot = find(made, "/a")

    assert spot.base == "/a"
    assert left(made, "/a") == ResultRef("/a", "unchanged", 0, 1)


def test_folders_are_made_and_taken_away():
    made = tree_after(MakeFolders("/a", ("b", "c"), "k"))
    gone = after(made, RemoveFolders("/a", "k2"), ChangeRef(1, 0))

    deepest = find(made, "/a/b/c").node
    assert deepest is not None
    assert deepest.folder == ResultRef("/a/b/c", "same_folder", 0, 0)
    assert find(gone, "/a").free == ResultRef("/a", "free", 0, 1)


def test_a_copy_is_another_thing_with_the_same_content():
    made = tree_after(Write("/a/new", "x", "k"), Copy("/a", "/b", "k2"))

    assert find(made, "/b/old").base == "/a/old"
    assert find(made, "/b/old").copied
    assert find(made, "/b/new").node is not None
    assert not find(made, "/a/old").copied


def test_what_comes_back_from_before_the_batch_is_not_seen():
    assert find(tree_after(Restore("/a", "long ago")), "/a/below").unseen


def test_an_earlier_tree_stays_as_it_was():
    first = tree_after(Rename("/a", "/b"))
    after(first, Rename("/b", "/c"), ChangeRef(1, 0))

    assert find(first, "/b").base == "/a"


@pytest.fixture
def one_file() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{made.root}/a", b"alpha")
    return made


async def test_what_was_seen_stays_as_it_was_seen(one_file: MemoryStage):
    known = CachedFiles(one_file.backend().reads)
    first = await known.item(f"{one_file.root}/a", "~/a")

    one_file.file(f"{one_file.root}/a", b"longer than before")

    assert await known.item(f"{one_file.root}/a", "~/a") is first


async def test_a_missing_thing_is_named_as_each_asked_for_it(one_file: MemoryStage):
    known = CachedFiles(one_file.backend().reads)

    with pytest.raises(ProviderError, match="“~/Documents/no”"):
        await known.item(f"{one_file.root}/no", "~/Documents/no")
    assert await known.item_or_none(f"{one_file.root}/no") is None


async def test_a_folder_is_told_from_what_is_none_and_a_refusal_stays_one(one_file: MemoryStage):
    known = CachedFiles(one_file.backend().reads)

    assert await known.folder(one_file.root) is not None
    assert await known.folder(f"{one_file.root}/a") is None
    for _ in range(2):
        with pytest.raises(Refused):
            await known.folder("/etc")


async def test_a_problem_is_reworded_and_stays_what_it_is(one_file: MemoryStage):
    with pytest.raises(ProviderError) as caught:
        await ask_real(one_file.backend().reads.look, f"{one_file.root}/no", "~/Documents/no")

    assert (str(caught.value), caught.value.code) == ("“~/Documents/no” is not there", "path.missing")


async def test_an_entry_is_found_by_its_path(one_file: MemoryStage):
    known = CachedFiles(one_file.backend().reads)

    entry = await known.entry(f"{one_file.root}/a")

    assert entry is not None
    assert entry.size == 5
    assert await known.entry(f"{one_file.root}/no") is None


@pytest.mark.parametrize(("name", "text"), [("é", "é"), ("\udcff.txt", "\\xff.txt")])
def test_a_name_that_is_no_text_shows_its_bytes(name: str, text: str):
    assert show_name(name) == text


@given(st.text("aé€\U0001d11e\0", max_size=20), st.integers(0, 90))
def test_the_start_of_a_text_is_a_text(text: str, limit: int):
    data = text.encode("utf-8", "replace")

    found = content_of(data[:limit], len(data))

    assert data.startswith(found.text.encode())
    assert found.exact == (len(data) <= limit)
    assert len(found.text.encode()) > min(limit, len(data)) - 4


def test_what_is_no_text_is_not_exact():
    assert content_of(b"\xff\xfe", 2) == Content("\ufffd\ufffd", 2, exact=False, head=b"\xff\xfe")
    assert content_of("é".encode()[:1], 2) == Content("", 2, exact=False, head=b"\xc3")


async def test_a_copy_on_another_disk_lies_there():
    one_file = MemoryStage()
    one_file.folder(f"{D}/stick", 2)
    one_file.folder(f"{D}/f")
    one_file.file(f"{D}/f/x", b"inner")
    seen = imagine(one_file.backend().reads, Copy(f"{D}/f", f"{D}/stick/f", "k"), ChangeRef(0, 0))

    assert (await seen.look(f"{D}/stick/f")).device == 2
    assert (await seen.look(f"{D}/stick/f/x")).device == 2
    assert (await seen.free(f"{D}/stick/f/new")).device == 2


async def test_a_replaced_file_keeps_its_mode_and_has_one_name():
    one_file = MemoryStage()
    one_file.file(f"{D}/a", b"alpha")
    one_file.change(f"{D}/a", mode=0o600, names=2)
    seen = imagine(one_file.backend().reads, Replace(f"{D}/a", "beta", "k"), ChangeRef(0, 0))
    seen = imagine(seen, Rename(f"{D}/a", f"{D}/b"), ChangeRef(1, 0))

    item = await seen.look(f"{D}/b")

    assert (item.mode, item.links, item.size) == (0o600, 1, 4)
