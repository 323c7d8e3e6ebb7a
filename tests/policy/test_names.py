"""The list of names that no action may touch."""

import pytest

from sayso.policy.names import DENIED
from sayso.policy.paths import denied_name


def test_every_name_has_a_reason():
    assert [name for name, why in DENIED.items() if not why.strip()] == []


@pytest.mark.parametrize("entry", DENIED)
def test_every_entry_of_the_list_denies_what_it_names(entry: str):
    path = "/home/ana/" + entry.removeprefix("=").replace("*", "x")

    assert denied_name(path) is not None
