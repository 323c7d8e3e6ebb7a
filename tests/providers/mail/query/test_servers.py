"""A query finds the same on a real IMAP server, in a real Maildir, and by the facts the messages were made from."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from sayso.core.ports import BackendContext
from sayso.providers.mail.account import VARIABLE
from sayso.providers.mail.imap.backend import build as imap
from sayso.providers.mail.maildir.backend import build as maildir
from sayso.providers.mail.query.imap_search import SearchServer, to_imap
from sayso.providers.mail.query.match import QueryMessage, matches
from sayso.providers.mail.query.parser import Query, QueryContext, parse, space_words
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.mail_env.dovecot import PASSWORD, USER, Dovecot
from tests.mail_env.queries import ME, NOW, ZONE, Drawn, Planted, messages, queries
from tests.mail_env.speaking import Speaker

HOW_MANY, QUERIES, OF_BACKENDS = 150, 360, 15
BOXES = {"inbox": "INBOX", "archive": "Archive", "sent": "Sent", "trash": "Trash"}
FOLDERS = {"inbox": "", "archive": ".Archive", "sent": ".Sent", "trash": ".Trash"}
ASKED = QueryContext(NOW, ZONE, (ME,))

pytestmark = pytest.mark.needs("dovecot", "setpriv")


@dataclass(frozen=True)
class Mailbox:
    """One mailbox of the server: the connection that stands in it, and its messages by UID."""

    name: str
    speaker: Speaker
    letters: dict[int, QueryMessage]


@dataclass(frozen=True)
class World:
    """The planted messages, and where they are."""

    messages: list[Planted]
    boxes: list[Mailbox]
    maildir: list[QueryMessage]


@pytest.fixture(scope="module")
def world(dovecot: Dovecot) -> Iterator[World]:
    planted = messages(HOW_MANY)
    speaker = Speaker(dovecot.port)
    for one in planted:
        flags = [name for name, on in (("\\Seen", one.read), ("\\Flagged", one.starred)) if on]
        speaker.append(BOXES[one.mailbox], one.raw, one.came, [*flags, *one.labels])
    speaker.close()
    boxes = [opened(dovecot.port, name) for name in BOXES]
    with pytest.MonkeyPatch.context() as once:
        # The same texts are looked at by hundreds of queries; each is cut into words once.
        once.setattr("sayso.providers.mail.query.match.space_words", cache(space_words))
        yield World(planted, boxes, [letter for name in BOXES for letter in in_folder(dovecot.maildir, name)])
    for box in boxes:
        box.speaker.close()


def opened(port: int, name: str) -> Mailbox:
    speaker = Speaker(port)
    speaker.say("SELECT", BOXES[name])
    letters: dict[int, QueryMessage] = {}
    for line, rest in speaker.fetch("(UID FLAGS RFC822.SIZE INTERNALDATE BODY.PEEK[])"):
        said = re.search(rb"FETCH \((.*)", line)
        if said is None:
            continue
        raw = rest.partition(b"\x00")[0]
        found = {
            key.decode(): value.decode()
            for key, value in re.findall(rb'(UID|FLAGS|RFC822\.SIZE|INTERNALDATE) (\([^)]*\)|"[^"]*"|\d+)', said[1])
        }
        came = datetime.strptime(found["INTERNALDATE"].strip('" '), "%d-%b-%Y %H:%M:%S %z")
        flags = found["FLAGS"].strip("()").split()
        letters[int(found["UID"])] = letter(raw, name, came, int(found["RFC822.SIZE"]), flags)
    return Mailbox(name, speaker, letters)


def in_folder(maildir: Path, name: str) -> Iterator[QueryMessage]:
    """Yield the messages that lie in a folder of a Maildir, by what its files say."""
    folder = maildir / FOLDERS[name]
    keywords = dict(line.split(" ", 1) for line in (folder / "dovecot-keywords").read_text().splitlines())
    for file in sorted((folder / "cur").iterdir()):
        letters = file.name.rpartition(":2,")[2]
        flags = [keywords[str(ord(one) - ord("a"))] for one in letters if one.islower()]
        flags += [word for sign, word in (("S", "\\Seen"), ("F", "\\Flagged")) if sign in letters]
        raw = re.sub(rb"\r?\n", b"\r\n", file.read_bytes())
        yield letter(raw, name, datetime.fromtimestamp(file.stat().st_mtime, UTC), len(raw), flags)


def letter(raw: bytes, mailbox: str, came: datetime, size: int, flags: Sequence[str]) -> QueryMessage:
    """Return a message as a query sees it, read by Python's own modules."""
    message = message_from_bytes(raw, policy=default)
    files = [part for part in message.walk() if part.get_content_disposition() == "attachment"]
    return QueryMessage(
        received=came,
        size=size,
        mailbox=mailbox,
        read="\\Seen" in flags,
        starred="\\Flagged" in flags,
        labels=tuple(flag for flag in flags if not flag.startswith("\\")),
        message_id=str(message["message-id"]),
        sender=str(message["from"]),
        to=people(message, "to"),
        cc=people(message, "cc"),
        bcc=people(message, "bcc"),
        subject=str(message["subject"]),
        body=text_of(message),
        attachments=tuple(part.get_filename() or "" for part in files),
    )


def people(message: EmailMessage, field: str) -> tuple[str, ...]:
    return tuple(str(one) for one in message[field].addresses) if field in message else ()


def text_of(message: EmailMessage) -> str:
    body = message.get_body(("plain", "html"))
    assert isinstance(body, EmailMessage)
    text = str(body.get_content())
    return unescape(re.sub(r"<[^>]*>", " ", text)) if body.get_content_subtype() == "html" else text


def on_the_server(world: World, query: Query) -> tuple[set[str], int]:
    """Return what is found there, and how many messages the server named beyond that."""
    found: set[str] = set()
    named = 0
    for box in world.boxes:
        server = SearchServer(box.name, keywords_of, unicode=True)
        search = to_imap(query, server)
        if search is None:
            continue
        uids = box.speaker.search(search.charset, [one if isinstance(one, str) else one.data for one in search.key])
        named += len(uids)
        letters = [box.letters[uid] for uid in uids]
        found |= {one.message_id for one in letters if search.exact or matches(query, one)}
    return found, named - len(found)


def keywords_of(name: str) -> tuple[str, ...]:
    return tuple(label for label in ("urgent", "Team", "old-stuff") if label.lower() == name)


def by_the_facts(world: World, drawn: Drawn) -> set[str]:
    return {one.message_id for one in world.messages if one.mailbox != "trash" and drawn.holds(one)}


@pytest.mark.req("S3-34", "S3-35", "T-47")
def test_the_same_is_found_wherever_the_mail_is(world: World):
    everything = {one.message_id for one in world.messages if one.mailbox != "trash"}
    telling: Counter[str] = Counter()
    some = beyond = 0

    for drawn in queries(world.messages, QUERIES):
        expected = by_the_facts(world, drawn)
        query = parse(drawn.text, ASKED)

        found, more = on_the_server(world, query)
        assert found == expected, drawn.text
        assert {one.message_id for one in world.maildir if matches(query, one)} == expected, drawn.text

        beyond += more
        if expected and expected != everything:
            some += 1
            telling.update(drawn.operators)

    assert some >= 0.6 * QUERIES
    assert {operator: count for operator, count in telling.items() if count < 10} == {}
    assert len(telling) == 27, sorted(telling)


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process be in the person's time zone."""
    monkeypatch.setenv("TZ", ZONE.key)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def ground(**settings: str | int) -> BackendContext:
    environ = {VARIABLE: PASSWORD}
    return BackendContext(
        {"address": ME, **settings}, "/home/ana", "/none", (), FakeClock(NOW), NumberedIds(), environ=environ
    )


@pytest.mark.thorough
@pytest.mark.req("S3-34", "T-47")
@pytest.mark.usefixtures("there")
async def test_the_backends_themselves_find_the_same(world: World, dovecot: Dovecot):
    on_imap = imap(ground(host="127.0.0.1", port=dovecot.port, user=USER))
    in_maildir = maildir(ground(path=str(dovecot.maildir)))
    try:
        for drawn in queries(world.messages, OF_BACKENDS, seed=11):
            expected = by_the_facts(world, drawn)
            for backend in (on_imap, in_maildir):
                found = {one.message_id for one in await backend.reads.query(drawn.text, 500)}
                assert found == expected, f"{backend.name}: {drawn.text}"
    finally:
        on_imap.close()
