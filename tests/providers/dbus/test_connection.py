"""What is at the other end of the socket may be no bus at all."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from jeepney import HeaderFields, MatchRule, message_bus
from jeepney.io.blocking import open_dbus_connection

from sayso.providers.dbus.connection import connect
from tests.desktop_env.session import Session


@pytest.fixture
def no_bus(tmp_path: Path) -> Iterator[str]:
    """Return the address of somebody who says no and hangs up."""
    with socket.socket(socket.AF_UNIX) as listening:
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
