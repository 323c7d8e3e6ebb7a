"""The D-Bus of a session is reached, asked and listened to, and what is no bus is said to be none."""

import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from socket import AF_UNIX, socket

import anyio
import pytest
from jeepney import HeaderFields, MatchRule, message_bus
from jeepney.io.blocking import open_dbus_connection

from sayso.core.errors import ProviderError, SetupError
from sayso.core.provider import add_extra
from sayso.providers.dbus.connection import connect
from sayso.providers.dbus.session import ADDRESS, BusMethod, NoService, SessionBus, open_socket
from tests.descriptors import open_descriptors
from tests.desktop_env.session import Session


async def test_a_socket_that_takes_nobody_in_is_given_up_and_reached_once_there_is_room(tmp_path: Path):
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
    with pytest.raises(FileNotFoundError):
        await open_socket(str(tmp_path / "nobody"))


ITSELF = "org.freedesktop.DBus"


def method(name: str, service: str = ITSELF) -> BusMethod:
    return BusMethod(service, "/org/freedesktop/DBus", ITSELF, name, "the bus")


@pytest.mark.req("X-05")
async def test_a_call_is_answered_or_says_why_not_and_leaves_no_connection_open(x_session: Session):
    before = open_descriptors()
    bus = SessionBus(x_session.environment)

    (names,) = await bus.call(method("ListNames"))
    (owner,) = await bus.call(method("GetNameOwner"), "s", ITSELF)
    features = await bus.property(method("Features"))
    with pytest.raises(NoService, match="the bus is not running"):
        await bus.call(method("Ping", "org.example.Nobody"))
    with pytest.raises(ProviderError, match=r"the bus refused: .*NoSuchMethod"):
        await bus.call(method("NoSuchMethod"))

    assert ITSELF in names
    assert owner == ITSELF
    assert "HeaderFiltering" in features
    assert open_descriptors() <= before


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


@pytest.mark.req("X-05")
async def test_without_the_extra_it_says_how_to_get_it(x_session: Session, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "sayso.providers.dbus.connection", raising=False)
    monkeypatch.setitem(sys.modules, "jeepney", None)

    with pytest.raises(SetupError, match=re.escape(add_extra("desktop"))):
        await SessionBus(x_session.environment).call(method("ListNames"))


@pytest.fixture
def no_bus(tmp_path: Path) -> Iterator[str]:
    """Return the address of somebody who says no and hangs up."""
    with socket(AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()

        def refuse() -> None:
            with listening.accept()[0] as one:
                one.recv(100)
                one.sendall(b"REJECTED\r\n")

        refusing = threading.Thread(target=refuse)
        refusing.start()
        yield f"unix:path={tmp_path / 's'}"
        refusing.join()


async def test_who_does_not_let_us_in_is_no_bus(no_bus: str):
    with pytest.raises(ConnectionError, match="it does not let us in"):
        async with connect(no_bus):
            pass


async def test_an_address_of_another_kind_is_none():
    with pytest.raises(ValueError, match="tcp"):
        async with connect("tcp:host=localhost"):
            pass


async def test_who_is_called_answers_and_each_knows_the_other(x_session: Session):
    address = x_session.environment["DBUS_SESSION_BUS_ADDRESS"]
    heard: list[tuple[object, ...]] = []

    async with connect(address) as ours, connect(address) as other, anyio.create_task_group() as tasks:

        async def call() -> None:
            reply = await other.call(("/it", ours.name, "a.b"), "Double", "s", ("x",))
            heard.append(reply.body)

        tasks.start_soon(call)
        asked = await ours.next_call()
        assert asked.sender == other.name != ours.name
        await ours.answer(asked, "s", (asked.body[0] * 2,))

    assert heard == [("xx",)]


async def test_a_call_that_comes_while_we_wait_for_an_answer_is_kept(x_session: Session):
    address = x_session.environment["DBUS_SESSION_BUS_ADDRESS"]

    async with connect(address) as ours:
        sent = ("dbus-send", "--session", "--type=method_call", f"--dest={ours.name}", "/it", "a.b.C", "string:x")
        x_session.run(*sent)
        itself = "org.freedesktop.DBus"
        reply = await ours.call(("/org/freedesktop/DBus", itself, itself), "GetNameOwner", "s", (itself,))
        asked = await ours.next_call()

    assert (reply.body, asked.body) == ((itself,), ("x",))


async def test_what_everybody_is_told_is_heard_by_who_listens(x_session: Session):
    address = x_session.environment["DBUS_SESSION_BUS_ADDRESS"]
    listening = open_dbus_connection(bus=address)
    listening.send_and_get_reply(message_bus.AddMatch(MatchRule(type="signal", interface="a.b", path="/it")))

    async with connect(address) as ours:
        await ours.send_signal(("/it", "a.b"), "Changed", "as", (["x"],))
    heard = listening.receive()
    while heard.header.fields.get(HeaderFields.member) != "Changed":
        heard = listening.receive()
    listening.close()

    assert heard.body == (["x"],)
