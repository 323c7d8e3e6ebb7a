# What sayso uses of jeepney, which brings no types of its own.

from enum import Enum
from typing import Any

class HeaderFields(Enum):
    interface = 2
    member = 3
    error_name = 4
    reply_serial = 5
    sender = 7

class MessageType(Enum):
    method_call = 1
    method_return = 2
    error = 3
    signal = 4

class Header:
    message_type: MessageType
    fields: dict[HeaderFields, Any]

class Message:
    header: Header
    body: tuple[Any, ...]
    def serialise(self, serial: int) -> bytes: ...

class DBusAddress:
    def __init__(self, object_path: str, bus_name: str | None, interface: str) -> None: ...

class MatchRule:
    def __init__(self, *, type: str, interface: str, path: str) -> None: ...

class DBus:
    def AddMatch(self, rule: MatchRule) -> Message: ...
    def RequestName(self, name: str) -> Message: ...

message_bus: DBus

class Parser:
    def add_data(self, data: bytes) -> None: ...
    def get_next_message(self) -> Message | None: ...

def new_method_call(remote_obj: DBusAddress, method: str, signature: str | None, body: tuple[Any, ...]) -> Message: ...
def new_method_return(parent_msg: Message, signature: str | None = None, body: tuple[Any, ...] = ()) -> Message: ...
def new_signal(emitter: DBusAddress, signal: str, signature: str | None, body: tuple[Any, ...]) -> Message: ...
