"""The file system in memory holds things by identity, and resolves links as a disk does."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.files.memory_world import denied_within, weight
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.folder(f"{D}/f")
    made.file(f"{D}/f/x", b"12345")
    made.link(f"{D}/f/l", "x")
    return made


def test_a_copy_has_new_inodes_and_the_same_content(stage: MemoryStage):
    folder = stage.thing(f"{D}/f")

    copied = stage.world.copied(folder, 7)

    assert copied.children["x"].data == b"12345"
    assert {thing.device for _, thing in copied.tree()} == {7}
    assert {thing.inode for _, thing in copied.tree()}.isdisjoint({thing.inode for _, thing in folder.tree()})


def test_a_tree_weighs_what_its_files_hold(stage: MemoryStage):
    assert weight(stage.thing(f"{D}/f")) == (2, 5)


def test_the_topmost_protected_names_are_found(stage: MemoryStage):
    stage.folder(f"{D}/f/.git")
    stage.file(f"{D}/f/.git/config", b"")

    assert denied_within(stage.thing(f"{D}/f"), f"{D}/f", 10) == (".git",)


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [("/home/ana/Documents/f/l", f"{D}/f/x"), (f"{D}/f/../f/l/", f"{D}/f/x"), (f"{D}/no/../x", f"{D}/x")],
)
def test_links_are_followed_to_their_end(stage: MemoryStage, path: str, leads_to: str):
    assert stage.world.resolved(path, path) == leads_to


def test_links_that_lead_in_a_circle_end(stage: MemoryStage):
    stage.link(f"{D}/one", "one")

    with pytest.raises(ProviderError):
        stage.world.resolved(f"{D}/one", "~/Documents/one")


def test_a_fact_changes_when_the_content_does(stage: MemoryStage):
    before = stage.world.unchanged(f"{D}/f/x")

    stage.thing(f"{D}/f/x").data = b"54321"

    assert stage.world.unchanged(f"{D}/f/x") != before
