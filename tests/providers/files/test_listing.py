"""Lists and searches of a touched folder are ordered, bounded, and count what they leave out."""

import pytest

from sayso.core.plan import Ref
from sayso.providers.files.listing import is_like
from sayso.providers.files.overlay import imagine
from sayso.providers.files.steps import Rename, Write
from sayso.providers.files.store import Files
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.fixture
def seen() -> Files:
    stage = MemoryStage()
    stage.folder(f"{D}/f")
    for name in ("a", "b", "\udcff"):
        stage.file(f"{D}/f/{name}", b"12345")
    stage.file(f"{D}/f/.bashrc", b"")
    moved = imagine(stage.backend().reads, Rename(f"{D}/f", f"{D}/g"), Ref(0, 0))
    return imagine(moved, Write(f"{D}/g/aa", "x", "k"), Ref(1, 0))


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
