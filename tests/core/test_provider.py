"""A provider is a value; its section of the settings is called like its store, unless it says otherwise."""

import pytest

from sayso.core.provider import Alternative, Availability, Capability, Provider


def test_nothing_is_asked_for_unless_it_is_said():
    one = Capability("speech", "", "nothing speaks")

    assert (one.fix, one.others, one.asked) == ("", (), False)
    assert (Alternative("spd-say", "it is not installed").fix, Availability(here=True, says="x").fix) == ("", "")


@pytest.mark.parametrize(("section", "called"), [("", "tabs"), ("browser", "browser")])
def test_the_section_of_the_settings_has_the_name_of_the_store_or_its_own(section: str, called: str):
    assert Provider("tabs", (), section=section).settings_section == called


def test_a_provider_needs_no_backend():
    bare = Provider("tabs", ())

    assert (dict(bare.backends), bare.default, tuple(bare.steps), tuple(bare.facts)) == ({}, None, (), ())
