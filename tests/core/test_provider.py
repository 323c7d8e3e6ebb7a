"""Dialects and providers fit their sockets, and what is not said of them is empty."""

import inspect

import pytest

from sayso.assembly.parts import DIALECTS, dialect
from sayso.core.dialect import Dialect, Reader
from sayso.core.provider import Alternative, Availability, Capability, Provider


@pytest.mark.parametrize("name", list(DIALECTS))
def test_a_dialect_offers_what_the_socket_asks_for(name: str):
    found = dialect(name)
    wanted = {
        verb: list(inspect.signature(getattr(Dialect, verb)).parameters)[1:] for verb in ("reader", "describe", "write")
    }

    assert found.name == name
    assert {verb: list(inspect.signature(getattr(found, verb)).parameters) for verb in wanted} == wanted


def test_a_reader_is_fed_and_closed():
    assert {name for name in vars(Reader) if not name.startswith("_")} == {"feed", "close"}


def test_what_is_not_said_of_a_provider_is_empty():
    one, bare = Capability("speech", "", "nothing speaks"), Provider("tabs", ())

    assert (one.fix, one.others, one.asked) == ("", (), False)
    assert (Alternative("spd-say", "it is not installed").fix, Availability(here=True, says="x").fix) == ("", "")
    assert (dict(bare.backends), bare.default, tuple(bare.steps), tuple(bare.facts)) == ({}, None, (), ())


def test_the_section_of_the_settings_has_the_name_of_the_store_or_its_own():
    assert Provider("tabs", ()).settings_section == "tabs"
    assert Provider("tabs", (), section="browser").settings_section == "browser"
