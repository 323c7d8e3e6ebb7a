"""A step and its undo carry a thing the same way, in opposite directions."""

import pytest

from sayso.providers.files.model import Carrying, Keep, Rename, Restore, Trash, Unkeep, about, place_of, way


@pytest.mark.parametrize(
    ("step", "undo"),
    [
        (Rename("/a", "/b"), Rename("/b", "/a")),
        (Trash("/a", "a"), Restore("/a", "a")),
        (Keep("/a", "t"), Unkeep("/a", "t")),
    ],
)
def test_an_undo_goes_the_way_back(step: Carrying, undo: Carrying):
    assert way(undo) == way(step)[::-1]


@pytest.mark.parametrize("place", ["/a/b", "kept:token", "trash:a.txt"])
def test_a_fact_about_a_place_leads_to_it(place: str):
    assert place_of(about(place)) == place
