"""A socket is connected to once there is room, and somebody who gives up leaves none open."""

import sys
from pathlib import Path
from socket import AF_UNIX, socket

import anyio
import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.dbus.session import ADDRESS, BusMethod, NoService, SessionBus, open_socket
from tests.descriptors import open_descriptors
from tests.desktop_env.session import Session


async def test_one_that_takes_nobody_in_is_given_up_and_reached_once_there_is_room(tmp_path: Path):
    with socket(AF_UNIX) as full, socket(AF_UNIX) as first:
        full.bind(str(tmp_path / "full"))
        full.listen(0)
        first.connect(str(tmp_path / "full"))

        with pytest.raises(TimeoutError):
            with anyio.fail_after(0.1):
                await open_socket(str(tmp_path / "full"))
        full.accept()[0].close()
        async with await open_socket(str(tmp_path / "full")) as stream:
            taken, _ = full.accept()
            with taken:
                taken.sendall(b"come in")
                said = await stream.receive()

    assert said == b"come in"


async def test_where_nobody_listens_it_says_so(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        await open_socket(str(tmp_path / "nobody"))


ITSELF = "org.freedesktop.DBus"


def method(name: str, service: str = ITSELF) -> BusMethod:
    return BusMethod(service, "/org/freedesktop/DBus", ITSELF, name, "the bus")


async def test_a_call_is_answered(x_session: Session):
    bus = SessionBus(x_session.environment)

    (names,) = await bus.call(method("ListNames"))
    (owner,) = await bus.call(method("GetNameOwner"), "s", ITSELF)

    assert ITSELF in names
    assert owner == ITSELF


@pytest.mark.req("X-05")
async def test_nobody_under_a_name_is_said(x_session: Session):
    with pytest.raises(NoService, match="the bus is not running"):
        await SessionBus(x_session.environment).call(method("Ping", "org.example.Nobody"))


async def test_a_refusal_has_the_words_of_who_refuses(x_session: Session):
    with pytest.raises(ProviderError, match=r"the bus refused: .*NoSuchMethod"):
        await SessionBus(x_session.environment).call(method("NoSuchMethod"))


async def test_a_property_is_read(x_session: Session):
    assert "HeaderFiltering" in await SessionBus(x_session.environment).property(method("Features"))


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
        await SessionBus({ADDRESS: address}).call(method("ListNames"))


async def test_no_connection_is_left_open(x_session: Session):
    before = open_descriptors()

    for _ in range(5):
        await SessionBus(x_session.environment).call(method("ListNames"))

    assert open_descriptors() <= before


@pytest.mark.req("X-05")
async def test_without_the_extra_it_says_how_to_get_it(x_session: Session, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "sayso.providers.dbus.connection", raising=False)
    monkeypatch.setitem(sys.modules, "jeepney", None)

    with pytest.raises(SetupError, match=r"pip install 'sayso\[desktop\]'"):
        await SessionBus(x_session.environment).call(method("ListNames"))
