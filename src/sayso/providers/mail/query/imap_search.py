"""Translate a query into IMAP search keys."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import assert_never

from msgspec import Struct

from sayso.providers.mail.query.match import bare
from sayso.providers.mail.query.parser import (
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
    fold_mailbox,
)


class LiteralText(Struct, frozen=True):
    """Bytes that are sent to the server as a literal, without quoting."""

    data: bytes


Key = tuple[str | LiteralText, ...]
"""Words and texts of a search key, in the order in which they are sent; brackets are words."""


class Narrowed(Struct, frozen=True):
    """The IMAP search key for a term. It finds every message that matches the term, and maybe others.

    If `exact` is true, it finds no others.
    """

    key: Key
    """(ALL) finds every message, (NOT ALL) finds none."""
    exact: bool


ALL: Key = ("ALL",)
NONE: Key = ("NOT", "ALL")
ALWAYS, NEVER, OPEN = Narrowed(ALL, exact=True), Narrowed(NONE, exact=True), Narrowed(ALL, exact=False)


def no(term: Narrowed) -> Narrowed:
    """Return the search for messages that do not match a term."""
    if not term.exact:
        return OPEN
    if term.key in {ALL, NONE}:
        return NEVER if term.key == ALL else ALWAYS
    return Narrowed(("NOT", *group_key(term.key)), exact=True)


def both(terms: tuple[Narrowed, ...]) -> Narrowed:
    """Return the search for messages that match all of these terms."""
    exact = all(term.exact for term in terms)
    keys = tuple(dict.fromkeys(term.key for term in terms if term.key != ALL))
    if NONE in keys:
        return NEVER
    if not keys:
        return Narrowed(ALL, exact)
    return Narrowed(tuple(piece for key in keys for piece in key), exact)


def either(terms: tuple[Narrowed, ...]) -> Narrowed:
    """Return the search for messages that match at least one of these terms."""
    there = tuple(term for term in terms if term.key != NONE)
    if not there:
        return NEVER
    exact = all(term.exact for term in there)
    if any(term.key == ALL for term in there):
        return ALWAYS if any(term == ALWAYS for term in there) else OPEN
    return Narrowed(_or(tuple(dict.fromkeys(term.key for term in there))), exact)


def _or(keys: tuple[Key, ...]) -> Key:
    if len(keys) == 1:
        return keys[0]
    middle = len(keys) // 2  # halves, so that a hundred keys nest only seven deep
    return ("OR", *group_key(_or(keys[:middle])), *group_key(_or(keys[middle:])))


def group_key(key: Key) -> Key:
    """Return the key in brackets, so that it counts as one key."""
    return ("(", *key, ")")


_LARGEST = 2**32 - 1
_AHEAD, _BEHIND = timedelta(hours=14), timedelta(hours=12)
"""The largest offsets from UTC. A server counts days in one time zone, and does not say in which."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CURLY = re.compile("[“”]")
_ASCII = re.compile(r"[a-z0-9]+", re.ASCII)
_KEYWORD = re.compile(r"[A-Za-z0-9!#$&'+,./:;<=>?@^_`|~$-]+", re.ASCII)


class SearchServer(Struct, frozen=True):
    """The mailbox that is searched, and what its server can do."""

    mailbox: str
    """A `Role`, or the name of another mailbox, as in `Message.mailbox`."""
    keywords: Callable[[str], tuple[str, ...]] | None = None
    """Returns the keywords that stand for labels of this name. If it is None, sayso checks the labels itself."""
    unicode: bool = False
    """Whether the server finds letters beyond a to z in any case and form: it announces I18NLEVEL (RFC 5255)."""
    gmail: bool = False
    """Whether the server understands Gmail's queries unchanged: it announces X-GM-EXT-1."""


class ImapSearch(Struct, frozen=True):
    """The arguments of a SEARCH command: words, and texts that are sent as literals."""

    key: Key
    exact: bool
    """Whether the search finds exactly the matching messages. Otherwise each must be checked with `matches`."""

    @property
    def charset(self) -> str | None:
        """Return the charset of the command; None if all its texts are ASCII."""
        return None if all(isinstance(one, str) or one.data.isascii() for one in self.key) else "UTF-8"


def to_imap(query: Query, server: SearchServer) -> ImapSearch | None:
    """Return the search to send to a server; None if no message in this mailbox can match."""
    if not query.searches(fold_mailbox(server.mailbox)):
        return None
    if server.gmail:
        return ImapSearch(("X-GM-RAW", LiteralText(_CURLY.sub('"', query.text).encode())), exact=True)
    found = _narrow_term(query.term, server)
    return None if found.key == NONE else ImapSearch(found.key, found.exact)


def _narrow_term(term: Term, server: SearchServer) -> Narrowed:
    match term:
        case AllOf(terms):
            return both(tuple(_narrow_term(one, server) for one in terms))
        case AnyOf(terms):
            return either(tuple(_narrow_term(one, server) for one in terms))
        case Not(inner):
            return no(_narrow_term(inner, server))
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
            return Narrowed(("SINCE", search_day(moment - _BEHIND)), exact=False)
        case Before(moment):
            return Narrowed(("BEFORE", search_day(moment + _AHEAD + timedelta(days=1))), exact=False)
        case WithId(message_id):
            name = bare(message_id)
            return _has("HEADER Message-ID", name) if name.isascii() else NEVER
        case HasAttachment():
            return FILES
        case _:
            assert_never(leaf)


def _within(name: str, server: SearchServer) -> Narrowed:
    if name == fold_mailbox(server.mailbox):
        return ALWAYS
    if server.keywords is None:
        return OPEN
    keywords = server.keywords(name)
    if any(not _KEYWORD.fullmatch(one) for one in keywords):
        return OPEN
    return either(tuple(Narrowed(("KEYWORD", one), exact=True) for one in keywords))


def _words(field: Field, words: tuple[str, ...], server: SearchServer) -> Narrowed:
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


def _every(where: str, words: tuple[str, ...], server: SearchServer) -> Narrowed:
    # The server finds parts of words. sayso then checks where words begin and end, and whether they follow each other.
    return both(tuple(_word(where, word, server) for word in words))


def _word(where: str, word: str, server: SearchServer) -> Narrowed:
    if word.isascii():
        return _has(where, word)
    spelled = both((*(_has(where, part) for part in _ASCII.findall(word)), OPEN))
    if not server.unicode:
        return spelled
    if where != "TEXT":
        return _has(where, word)
    # HTML may write a letter by its name or number (&uuml;), which servers do not decode.
    return either((_has(where, word), both((spelled, _has(where, "&")))))


def _has(where: str, text: str) -> Narrowed:
    return Narrowed((*where.split(), LiteralText(text.encode())), exact=False)


def search_day(moment: datetime) -> str:
    """Return a day in the format of an IMAP search."""
    return f"{moment.day}-{_MONTHS[moment.month - 1]}-{moment.year:04}"


# Finds every message that may have attachments: those with several parts, or whose only part may be a file.
FILES = either(
    (
        _has("HEADER Content-Type", "multipart"),
        _has("HEADER Content-Type", "name"),
        _has("HEADER Content-Disposition", ""),
        both(
            (
                _has("HEADER Content-Type", "/"),
                Narrowed(("NOT", "HEADER", "Content-Type", LiteralText(b"text/")), exact=False),
            )
        ),
    )
)
