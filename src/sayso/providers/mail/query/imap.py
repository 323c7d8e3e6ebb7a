"""Put a query to an IMAP server: as much of it as the server means alike, so that little is left to decide here.

What a server says of words and days is not what the query means (docs/decisions/mail-queries.md), so it is asked for
all messages that may fulfil it, and `matches` decides.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import assert_never

from sayso.core.values import dataclass
from sayso.providers.mail.query.matching import bare
from sayso.providers.mail.query.narrowing import (
    ALWAYS,
    NEVER,
    NONE,
    OPEN,
    Key,
    Literal,
    Narrowed,
    both,
    either,
    no,
)
from sayso.providers.mail.query.terms import (
    AllOf,
    AnyOf,
    Before,
    Field,
    HasAttachment,
    Larger,
    Marked,
    Not,
    Query,
    Since,
    Smaller,
    Term,
    WithId,
    Within,
    Words,
)
from sayso.providers.mail.query.words import place

_LARGEST = 2**32 - 1
_AHEAD, _BEHIND = timedelta(hours=14), timedelta(hours=12)
"""How far the clocks of the world stand from UTC: a server counts days by one of them, and does not say which."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CURLY = re.compile("[“”]")
_ASCII = re.compile(r"[a-z0-9]+", re.ASCII)
_KEYWORD = re.compile(r"[A-Za-z0-9!#$&'+,./:;<=>?@^_`|~$-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Server:
    """Who is asked: one mailbox of a server, and what that server can do."""

    mailbox: str
    """A role, or the name of another mailbox, as messages carry it."""
    keywords: Callable[[str], tuple[str, ...]] | None = None
    """The keywords that stand for labels of this name; without it labels are decided here."""
    unicode: bool = False
    """Whether letters beyond a to z are found in any case and form: it announces I18NLEVEL (RFC 5255)."""
    gmail: bool = False
    """Whether it understands the query as it is: it announces X-GM-EXT-1."""


@dataclass(frozen=True, slots=True)
class Search:
    """What to put behind SEARCH: words, and texts that go as literals."""

    key: Key
    exact: bool
    """Whether what is found is the answer; else `matches` decides on each of it."""

    @property
    def charset(self) -> str | None:
        """Return the charset to name, None where all texts are ASCII."""
        return None if all(isinstance(one, str) or one.data.isascii() for one in self.key) else "UTF-8"


def to_imap(query: Query, server: Server) -> Search | None:
    """Return what to ask a server for; None where nothing in this mailbox can be found."""
    if not query.searches(place(server.mailbox)):
        return None
    if server.gmail:
        return Search(("X-GM-RAW", Literal(_CURLY.sub('"', query.text).encode())), exact=True)
    found = _narrowed(query.term, server)
    return None if found.key == NONE else Search(found.key, found.exact)


def _narrowed(term: Term, server: Server) -> Narrowed:
    match term:
        case AllOf(terms):
            return both(tuple(_narrowed(one, server) for one in terms))
        case AnyOf(terms):
            return either(tuple(_narrowed(one, server) for one in terms))
        case Not(inner):
            return no(_narrowed(inner, server))
        case Words(field, words):
            return _words(field, words, server)
        case Within(name):
            return _within(name, server)
        case _:
            return _plain(term)


def _plain(leaf: WithId | HasAttachment | Marked | Since | Before | Larger | Smaller) -> Narrowed:
    match leaf:
        case Marked(flag, on):
            found = Narrowed(("SEEN" if flag == "read" else "FLAGGED",), exact=True)
            return found if on else no(found)
        case Larger(size) | Smaller(size):
            if size > _LARGEST:
                return OPEN
            return Narrowed(("LARGER" if isinstance(leaf, Larger) else "SMALLER", str(size)), exact=True)
        case Since(moment):
            return Narrowed(("SINCE", _day(moment - _BEHIND)), exact=False)
        case Before(moment):
            return Narrowed(("BEFORE", _day(moment + _AHEAD + timedelta(days=1))), exact=False)
        case WithId(message_id):
            name = bare(message_id)
            return _has("HEADER Message-ID", name) if name.isascii() else NEVER
        case HasAttachment():
            return FILES
        case _:
            assert_never(leaf)


def _within(name: str, server: Server) -> Narrowed:
    if name == place(server.mailbox):
        return ALWAYS
    if server.keywords is None:
        return OPEN
    keywords = server.keywords(name)
    if any(not _KEYWORD.fullmatch(one) for one in keywords):
        return OPEN
    return either(tuple(Narrowed(("KEYWORD", one), exact=True) for one in keywords))


def _words(field: Field, words: tuple[str, ...], server: Server) -> Narrowed:
    match field:
        case "from" | "cc" | "bcc" | "subject":
            return _every(field.upper(), words, server)
        case "to":
            return either(tuple(_every(one, words, server) for one in ("TO", "CC", "BCC")))
        case "text":
            return _every("TEXT", words, server)
        case "filename":
            return FILES
        case _:
            assert_never(field)


def _every(where: str, words: tuple[str, ...], server: Server) -> Narrowed:
    # The server looks for parts of words; where words begin and end, and whether they follow each other, is decided
    # here.
    return both(tuple(_word(where, word, server) for word in words))


def _word(where: str, word: str, server: Server) -> Narrowed:
    if word.isascii():
        return _has(where, word)
    spelled = both((*(_has(where, part) for part in _ASCII.findall(word)), OPEN))
    if not server.unicode:
        return spelled
    if where != "TEXT":
        return _has(where, word)
    # HTML may write a letter by its name or number (&uuml;), which no server reads.
    return either((_has(where, word), both((spelled, _has(where, "&")))))


def _has(where: str, text: str) -> Narrowed:
    return Narrowed((*where.split(), Literal(text.encode())), exact=False)


def _day(moment: datetime) -> str:
    return f"{moment.day}-{_MONTHS[moment.month - 1]}-{moment.year}"


# A message that is one part carries a file where that part says so; one of several parts may carry some.
FILES = either(
    (
        _has("HEADER Content-Type", "multipart"),
        _has("HEADER Content-Type", "name"),
        _has("HEADER Content-Disposition", ""),
        both(
            (
                _has("HEADER Content-Type", "/"),
                Narrowed(("NOT", "HEADER", "Content-Type", Literal(b"text/")), exact=False),
            )
        ),
    )
)
