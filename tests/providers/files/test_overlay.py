"""A path is followed name by name and link by link."""

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import ChangeRef
from sayso.providers.files.imagined import CachedFiles
from sayso.providers.files.model import MakeFolders, Rename, Steps, Write
from sayso.providers.files.overlay import FollowedPath, Walker, imagine
from sayso.providers.files.paths import is_like
from sayso.providers.files.store import Files
from sayso.providers.files.tree import FileTree, after
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.folder(f"{D}/f")
    made.folder(f"{D}/f/g")
    made.link(f"{D}/l", "f")
    made.link(f"{D}/f/up", "../f/g")
    made.link(f"{D}/f/far", f"{D}/l/g")
    made.link(f"{D}/one", "two")
    made.link(f"{D}/two", "one")
    return made


def walker(stage: MemoryStage, *steps: Steps) -> Walker:
    tree = FileTree()
    for step in steps:
        tree = after(tree, step, ChangeRef(0, 0))
    return Walker(CachedFiles(stage.backend().reads), tree)


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
async def test_it_leads_to_the_resolved_path(stage: MemoryStage, said: str, path: str, rest: tuple[str, ...]):
    way = await walker(stage).follow(said, follow=False)

    assert way is not None
    assert (way.path, way.rest) == (f"{D}/{path}", rest)


async def test_the_last_name_is_followed_only_if_asked(stage: MemoryStage):
    steps = walker(stage)

    assert await steps.follow("~/Documents/l", follow=False) == FollowedPath(f"{D}/l")
    assert await steps.follow("~/Documents/l", follow=True) == FollowedPath(f"{D}/f", (), linked=True, last_linked=True)


async def test_a_made_folder_is_gone_through(stage: MemoryStage):
    way = await walker(stage, MakeFolders(f"{D}/new", ("a",), "k")).follow("~/Documents/new/a/b", follow=False)

    assert way == FollowedPath(f"{D}/new/a/b")


async def test_a_folder_that_was_moved_away_stops_the_way(stage: MemoryStage):
    way = await walker(stage, Rename(f"{D}/f", f"{D}/h")).follow("~/Documents/l/g", follow=False)

    assert way is not None
    assert (way.whole, way.rest) == (f"{D}/f/g", ("g",))


@pytest.mark.parametrize("said", ["/etc/passwd", "~/elsewhere", "~", "/"])
async def test_what_cannot_be_reached_is_left_to_the_real_world(stage: MemoryStage, said: str):
    assert await walker(stage).follow(said, follow=False) is None


@pytest.mark.req("FS-09")
async def test_links_that_lead_in_a_circle_end(stage: MemoryStage):
    with pytest.raises(ProviderError) as caught:
        await walker(stage).follow("~/Documents/one", follow=True)

    assert caught.value.code == "path.circle"


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
