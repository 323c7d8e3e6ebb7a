"""A notification service that calls itself Plasma and heeds Plasma's setting, as far as do-not-disturb is about it.

Run as a program it serves the session's bus until it is ended. It reads the setting when it is told that it changed,
with a parser that is not KDE's, and says on the bus whether notifications are held back (`Inhibited`).
"""

import os
import time
from configparser import ConfigParser
from pathlib import Path

from jeepney import HeaderFields, MatchRule, Message, MessageType, message_bus, new_method_return
from jeepney.io.blocking import DBusConnection, open_dbus_connection

NAME = "org.freedesktop.Notifications"
TOLD = ("Plasma", "KDE", "5.27.5", "1.2")


def held_back(file: Path) -> bool:
    """Say whether the moment in the file is still to come."""
    parser = ConfigParser(interpolation=None)
    parser.read(file)
    until = parser.get("DoNotDisturb", "Until", fallback="")
    if not until:
        return False
    year, month, day, hour, minute, second = map(int, until.split(",")[:6])
    return time.mktime((year, month, day, hour, minute, second, 0, 0, -1)) > time.mktime(time.localtime())


def answer(connection: DBusConnection, message: Message, *, held: bool) -> None:
    """Answer a call, if it is one that is known."""
    match message.header.fields.get(HeaderFields.member):
        case "GetServerInformation":
            connection.send(new_method_return(message, "ssss", TOLD))
        case "GetCapabilities":
            connection.send(new_method_return(message, "as", (["body"],)))
        case "Get":
            connection.send(new_method_return(message, "v", (("b", held),)))
        case _:
            return


def main() -> None:
    """Serve."""
    file = Path(os.environ["XDG_CONFIG_HOME"]) / "plasmanotifyrc"
    connection = open_dbus_connection(bus=os.environ["DBUS_SESSION_BUS_ADDRESS"])
    rule = MatchRule(type="signal", interface="org.kde.kconfig.notify", path="/plasmanotifyrc")
    connection.send_and_get_reply(message_bus.AddMatch(rule))
    connection.send_and_get_reply(message_bus.RequestName(NAME))
    held = held_back(file)
    while True:
        message = connection.receive()
        if message.header.message_type is MessageType.signal:
            held = held_back(file)
        elif message.header.message_type is MessageType.method_call:
            answer(connection, message, held=held)


if __name__ == "__main__":
    main()
