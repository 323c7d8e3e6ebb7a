"""Every dialect there is fits the socket."""

import inspect

import pytest

from sayso.assembly.parts import DIALECTS, dialect
from sayso.core.dialect import Dialect, Reader


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
