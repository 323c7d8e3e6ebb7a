"""A message that has no Message-ID of its own goes by its place."""

import pytest

from sayso.providers.mail.places import Place, place_of


@pytest.mark.parametrize("place", [Place("inbox", "17", 1234), Place("Lists/a b", "1767.M1P2.host", 1)], ids=str)
def test_a_place_comes_back_from_its_id(place: Place):
    assert place_of(str(place)) == place


@pytest.mark.parametrize("id_", ["<a@x.test>", "<place:inbox/1/2>", "place:", "place:inbox/x/2", "place:inbox/1/", ""])
def test_what_is_no_place_is_taken_for_a_message_id(id_: str):
    assert place_of(id_) is None
