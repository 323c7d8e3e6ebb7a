"""Speak IMAP with a server as a socket does it: what is said is said as it stands, and literals are literals."""

import re
import socket
from collections.abc import Sequence
from datetime import datetime

from tests.mail_env.dovecot import PASSWORD, USER

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Said(Exception):
    """The server said NO or BAD."""


class Speaker:
    """One connection, logged in."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), 10)
        self._lines = self._socket.makefile("rb")
        self._lines.readline()
        self._number = 0
        self.say(f'LOGIN {USER} "{PASSWORD}"')

    def say(self, *pieces: str | bytes) -> list[bytes]:
        """Say a command, texts as they are and bytes as literals; return the answers before the last."""
        self._number += 1
        tag = f"t{self._number}"
        self._write(tag.encode())
        for piece in pieces:
            self._write(b" ")
            if isinstance(piece, bytes):
                self._write(b"{%d}\r\n" % len(piece))
                go = self._lines.readline()
                if not go.startswith(b"+"):
                    raise Said(go)
                self._write(piece)
            else:
                self._write(piece.encode())
        self._write(b"\r\n")
        return self._answers(tag.encode())

    def search(self, charset: str | None, key: Sequence[str | bytes]) -> list[int]:
        """Return the UIDs that a search finds."""
        named = [] if charset is None else ["CHARSET", charset]
        for answer in self.say("UID SEARCH", *named, *key):
            if answer.startswith(b"* SEARCH"):
                return [int(one) for one in answer.split()[2:]]
        raise Said("no answer to a search")

    def append(self, mailbox: str, message: bytes, when: datetime, flags: Sequence[str] = ()) -> None:
        """Put a message into a mailbox, with the time at which it came."""
        came = f'"{when:%d}-{MONTHS[when.month - 1]}-{when:%Y %H:%M:%S %z}"'
        self.say(f"APPEND {mailbox} ({' '.join(flags)}) {came}", message)

    def fetch(self, what: str) -> list[tuple[bytes, bytes]]:
        """Return line and literal of each answer to a FETCH of all messages."""
        found: list[tuple[bytes, bytes]] = []
        for answer in self.say(f"UID FETCH 1:* {what}"):
            line, _, rest = answer.partition(b"\x00")
            found.append((line, rest))
        return found

    def close(self) -> None:
        """End the connection."""
        self._lines.close()
        self._socket.close()

    def _write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def _answers(self, tag: bytes) -> list[bytes]:
        answers: list[bytes] = []
        while line := self._lines.readline():
            whole = line.rstrip(b"\r\n")
            while announced := re.search(rb"\{(\d+)\}$", line.rstrip(b"\r\n")):
                literal = self._lines.read(int(announced[1]))
                line = self._lines.readline()
                whole += b"\x00" + literal + b"\x00" + line.rstrip(b"\r\n")
            if whole.startswith(tag + b" "):
                if not whole.startswith(tag + b" OK"):
                    raise Said(whole)
                return answers
            answers.append(whole)
        raise Said("the server hung up")
