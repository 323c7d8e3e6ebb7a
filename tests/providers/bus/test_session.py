"""The bus of a session answers, refuses, or is not there."""

import sys
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.bus.session import ADDRESS, Bus, Method, NoService
from tests.desktop_env.session import Session

ITSELF = "org.freedesktop.DBus"


def method(name: str, service: str = ITSELF) -> Method:
    return Method(service, "/org/freedesktop/DBus", ITSELF, name, "the bus")


async def test_a_call_is_answered(x_session: Session):
    bus = Bus(x_session.environment)

    (names,) = await bus.call(method("ListNames"))
    (owner,) = await bus.call(method("GetNameOwner"), "s", ITSELF)

    assert ITSELF in names
    assert owner == ITSELF
    assert bus.there


@pytest.mark.req("X-05")
async def test_nobody_under_a_name_is_said(x_session: Session):
    with pytest.raises(NoService, match="the bus is not running"):
        await Bus(x_session.environment).call(method("Ping", "org.example.Nobody"))


async def test_a_refusal_has_the_words_of_who_refuses(x_session: Session):
    with pytest.raises(ProviderError, match=r"the bus refused: .*NoSuchMethod"):
        await Bus(x_session.environment).call(method("NoSuchMethod"))


async def test_a_property_is_read(x_session: Session):
    assert "HeaderFiltering" in await Bus(x_session.environment).property(method("Features"))


@pytest.mark.req("X-05")
@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("", "this session has no D-Bus"),
        ("tcp:host=localhost,port=1", "names no bus that can be reached"),
        ("nonsense", "names no bus that can be reached"),
        ("unix:path=/nowhere/bus", "the D-Bus of your session cannot be reached: No such file"),
    ],
)
async def test_a_bus_that_is_not_there_is_said(address: str, says: str):
    with pytest.raises(SetupError, match=says):
        await Bus({ADDRESS: address}).call(method("ListNames"))


async def test_no_connection_is_left_open(x_session: Session):
    before = len(list(Path("/proc/self/fd").iterdir()))

    for _ in range(5):
        await Bus(x_session.environment).call(method("ListNames"))

    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.req("X-05")
async def test_without_the_extra_it_says_how_to_get_it(x_session: Session, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "sayso.providers.bus.wire", raising=False)
    monkeypatch.setitem(sys.modules, "jeepney", None)

    with pytest.raises(SetupError, match=r"pip install 'sayso\[desktop\]'"):
        await Bus(x_session.environment).call(method("ListNames"))
