"""The sites with names of their own are those of the specification, and more."""

import pytest

from sayso.core.sites import SITES


@pytest.mark.req("T-99")
def test_the_sites_of_the_specification_are_known():
    assert {"chatgpt", "github", "reddit", "google", "youtube", "gmail"} <= set(SITES)


def test_a_site_is_a_name_and_a_host():
    assert all(name.isalnum() and name == name.casefold() for name in SITES)
    assert all("." in host and "/" not in host for host in SITES.values())
