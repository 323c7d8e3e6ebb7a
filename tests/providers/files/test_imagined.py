"""The tree of what steps would leave says where a thing is, and as which step left it."""

from sayso.core.plan import AsLeft, Ref
from sayso.providers.files.imagined import Imagined, after, find
from sayso.providers.files.steps import (
    Copy,
    Exchange,
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


def tree(*steps: Steps) -> Imagined:
    made = Imagined()
    for number, step in enumerate(steps):
        made = after(made, step, Ref(number, 0))
    return made


def left(tree: Imagined, path: str) -> AsLeft | None:
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

    assert find(made, "/a").free == AsLeft("/a", "free", 0, 0)
    assert find(made, "/a/below").free is None
    assert find(made, "/a/below").base is None


def test_a_touched_folder_is_no_longer_as_a_step_left_it():
    moved = tree(Rename("/a", "/b"))
    touched = after(moved, Write("/b/new", "x", "k"), Ref(1, 0))

    assert left(moved, "/b") == AsLeft("/b", "unchanged", 0, 0)
    assert left(touched, "/b") is None
    folder = find(touched, "/b").node
    assert folder is not None
    assert folder.folder == AsLeft("/b", "same_folder", 0, 0)


def test_what_came_with_a_folder_is_expected_through_it():
    made = tree(Write("/a/new", "x", "k"), Rename("/a", "/b"))

    spot = find(made, "/b/new")

    assert spot.around == (AsLeft("/b", "unchanged", 0, 1), AsLeft("/b", "same_folder", 0, 1))


def test_everything_that_is_put_away_can_come_back():
    for away, back in [
        (Trash("/a", "e"), Restore("/a", "e")),
        (Keep("/a", "k"), Unkeep("/a", "k")),
        (Rename("/a", "/b"), Rename("/b", "/a")),
    ]:
        assert find(tree(away), "/a").base is None
        assert find(tree(away, back), "/a").base == "/a"


def test_an_exchange_brings_the_former_content_back():
    made = tree(Replace("/a", "new", "k"), Exchange("/a", "k"))

    spot = find(made, "/a")

    assert spot.base == "/a"
    assert left(made, "/a") == AsLeft("/a", "unchanged", 0, 1)


def test_folders_are_made_and_taken_away():
    made = tree(MakeFolders("/a", ("b", "c"), "k"))
    gone = after(made, RemoveFolders("/a", "k2"), Ref(1, 0))

    deepest = find(made, "/a/b/c").node
    assert deepest is not None
    assert deepest.folder == AsLeft("/a/b/c", "same_folder", 0, 0)
    assert find(gone, "/a").free == AsLeft("/a", "free", 0, 1)


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
    after(first, Rename("/b", "/c"), Ref(1, 0))

    assert find(first, "/b").base == "/a"
