"""Messages as the world writes them, and a Maildir as another program left it."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

from sayso.core.encoding import Json
from sayso.core.ports import Backend, BackendContext, KillPoint, no_kill_point
from sayso.providers.mail.maildir.backend import build
from sayso.providers.mail.store import Message
from sayso.testing.fakes import FakeClock, NumberedIds

CHARSETS = {
    "utf-8": "grüße 日本", "iso-8859-1": "grüße", "windows-1252": "“grüße” €", "iso-8859-15": "10 €",
    "iso-8859-2": "Žluťoučký", "iso-8859-7": "καλημέρα", "koi8-r": "привет", "windows-1251": "Привет",
    "shift_jis": "東京", "iso-2022-jp": "会議 東京", "euc-jp": "東京", "gb2312": "报告", "gb18030": "报告",
    "big5": "報告", "euc-kr": "회의", "utf-7": "grüße", "utf-16": "grüße", "macintosh": "grüße",
}  # fmt: skip
"""A text in each charset that mail is written in."""


def moment_of(message: Message) -> datetime:
    """Return when a message came."""
    return datetime.fromisoformat(message.received_at).astimezone(UTC)


def letter(message: Message) -> bytes:
    """Return a message as it comes over the wire."""
    made = EmailMessage()
    made["From"] = message.from_address
    made["To"] = ", ".join(message.to)
    made["Subject"] = message.subject
    made["Date"] = format_datetime(moment_of(message))
    made["Message-ID"] = message.message_id
    made.set_content(message.body_text)
    return made.as_bytes()


def mbox_of(messages: Sequence[Message]) -> list[tuple[bytes, int, str]]:
    """Return messages as bytes, with the second in which each came and the letters of its flags."""
    return [(letter(one), int(moment_of(one).timestamp()), "S" if "read" in one.flags else "") for one in messages]


def planted(root: Path, messages: Sequence[Message], folder: str = "") -> Path:
    """Put messages into a folder of a Maildir, as a delivery leaves them."""
    place = root / folder
    for part in ("tmp", "new", "cur"):
        (place / part).mkdir(parents=True, exist_ok=True)
    for number, (data, seconds, letters) in enumerate(mbox_of(messages)):
        deliver(place, f"{seconds}.M{number}P1.host", data, seconds, letters)
    return place


def deliver(place: Path, unique: str, data: bytes, seconds: int, letters: str = "") -> Path:
    """Put one message into a folder: unseen ones into `new`."""
    file = place / "cur" / f"{unique}:2,{letters}" if letters else place / "new" / unique
    file.write_bytes(data)
    os.utime(file, (seconds, seconds))
    return file


def over(
    root: Path, kill: KillPoint = no_kill_point, own: str = "/home/ana/.sayso", more: Mapping[str, Json] | None = None
) -> Backend:
    """Return the backend over a folder."""
    ground = BackendContext({"path": str(root), **(more or {})}, "/home/ana", own, (), FakeClock(), NumberedIds(), kill)
    return build(ground)
