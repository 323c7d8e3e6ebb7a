"""Parse a query in Gmail's language into a tree of terms."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal, Protocol

from msgspec import Struct

from sayso.core.errors import ProposalError, SetupError
from sayso.core.lazy import load
from sayso.core.normal_forms import normal_form
from sayso.core.provider import add_extra
from sayso.core.quotes import quoted
from sayso.core.schema import LONGEST_LINE

# Scripts that are written without blanks between words. Each of their characters counts as a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd"
)
_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_])+")
_MAILBOX_BREAKS = re.compile(r"[ /]")
_SAME_PLACE = {"draft": "drafts", "junk": "spam", "bin": "trash", "all": "anywhere"}


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text: runs of letters and digits, in lower case and composed form (NFC)."""
    return tuple(_WORD.findall(fold(text)))


def space_words(text: str) -> str:
    """Return the words of a text, each between two blanks, so that a substring search finds only whole words."""
    return f" {' '.join(words_of(text))} "


def fold_mailbox(name: str) -> str:
    """Return the name of a mailbox or label as Gmail compares it: in lower case, with “-” for blanks and “/”."""
    plain = _MAILBOX_BREAKS.sub("-", fold(name.strip()))
    return _SAME_PLACE.get(plain, plain)


def fold(text: str) -> str:
    """Return a text in the form in which texts are compared: composed (NFC), in lower case."""
    return text.lower() if text.isascii() else normal_form(normal_form(text).lower())


CODE = "mail.query"
FIRST_YEAR, LAST_YEAR = 1900, 2999
_DAY = re.compile(r"(?P<year>\d{4})(?P<between>[/-])(?P<month>\d{1,2})(?P=between)(?P<day>\d{1,2})", re.ASCII)
_AMERICAN = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})", re.ASCII)
_SECONDS = re.compile(r"\d{9,11}", re.ASCII)
_AGE = re.compile(r"(?P<count>\d{1,5})(?P<unit>[dmy])", re.ASCII | re.IGNORECASE)
_SIZE = re.compile(r"(?P<count>\d{1,15})(?P<unit>[kmg]?)b?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


class QueryContext(Struct, frozen=True):
    """The current time, the time zone and the person's addresses, which the meaning of a query depends on."""

    now: datetime
    zone: tzinfo
    me: tuple[str, ...] = ()
    """The person's own addresses, for which “me” stands."""


def query_error(sentence: str) -> ProposalError:
    """Return the error for a query that is invalid."""
    return ProposalError(sentence, CODE)


def read_day(operator: str, text: str, zone: tzinfo) -> datetime:
    """Return the first moment of a day, or the moment that a number of seconds since 1970 gives."""
    if _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text), UTC)
    found = _DAY.fullmatch(text) or _AMERICAN.fullmatch(text)
    if found is None:
        raise query_error(f"{quoted(f'{operator}:{text}')} names no day that can be read; write {operator}:2025/01/31")
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:
        raise query_error(
            f"{quoted(f'{operator}:{text}')} names a day that does not exist; write {operator}:2025/01/31"
        ) from None
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise query_error(
            f"{quoted(f'{operator}:{text}')} is out of reach; years from {FIRST_YEAR} to {LAST_YEAR} are taken"
        )
    return datetime.combine(day, time(), zone).astimezone(UTC)


def read_age(operator: str, text: str, context: QueryContext) -> datetime:
    """Return the moment that was this many days, months or years ago."""
    found = _AGE.fullmatch(text)
    if found is None:
        raise query_error(
            f"{quoted(f'{operator}:{text}')} is no age that can be read; write 3d, 2m or 1y for days, months or years"
        )
    count, unit = int(found["count"]), found["unit"].lower()
    now = context.now.astimezone(context.zone)
    try:
        if unit == "d":
            return context.now.astimezone(UTC) - timedelta(days=count)
        return _months_before(now, count * (12 if unit == "y" else 1)).astimezone(UTC)
    except (OverflowError, ValueError):
        raise query_error(
            f"{quoted(f'{operator}:{text}')} reaches back further than mail does; write a shorter time"
        ) from None


def read_size(operator: str, text: str) -> int:
    """Return a number of bytes, from a text such as `500K`."""
    found = _SIZE.fullmatch(text)
    if found is None:
        raise query_error(
            f"{quoted(f'{operator}:{text}')} is no size that can be read; write 500K, 10M or a number of bytes"
        )
    return int(found["count"]) * _UNITS[found["unit"].lower()]


def _months_before(now: datetime, months: int) -> datetime:
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    if year < FIRST_YEAR:
        raise ValueError(year)
    return now.replace(year=year, month=month + 1, day=min(now.day, monthrange(year, month + 1)[1]))


Field = Literal["from", "to", "cc", "bcc", "subject", "text", "filename"]
"""Where words are searched. `to` includes copies; `text` is the subject, the addresses and the body."""


class Words(Struct, frozen=True):
    """One value of the field has these words next to each other, in this order."""

    field: Field
    words: tuple[str, ...]


class WithId(Struct, frozen=True):
    """The message has this Message-ID."""

    message_id: str


class HasAttachment(Struct, frozen=True):
    """The message has an attachment."""


class Marked(Struct, frozen=True):
    """The message has a flag, or does not have it."""

    flag: Literal["read", "starred"]
    on: bool


class Within(Struct, frozen=True):
    """The message is in the mailbox of this name or has the label of this name.

    The name is in the form that `fold_mailbox` returns.
    """

    name: str


class Since(Struct, frozen=True):
    """The message was received at this time or later."""

    moment: datetime


class Before(Struct, frozen=True):
    """The message was received before this time."""

    moment: datetime


class Larger(Struct, frozen=True):
    """The message is larger than this many bytes."""

    size: int


class Smaller(Struct, frozen=True):
    """The message is smaller than this many bytes."""

    size: int


class AllOf(Struct, frozen=True):
    """All of the terms match; true if there are none."""

    terms: "tuple[Term, ...]"


class AnyOf(Struct, frozen=True):
    """At least one of the terms matches."""

    terms: "tuple[Term, ...]"


class Not(Struct, frozen=True):
    """The term does not match."""

    term: "Term"


Leaf = Words | WithId | HasAttachment | Marked | Within | Since | Before | Larger | Smaller
Term = Leaf | AllOf | AnyOf | Not

APART = frozenset({"trash", "spam"})
"""Mailboxes that a query searches only if it names them or has `in:anywhere`."""


class Query(Struct, frozen=True):
    """A parsed query: its text as it was written, and its meaning."""

    text: str
    term: Term
    apart: frozenset[str] = frozenset()
    """The mailboxes of `APART` that the query searches."""

    def searches(self, mailbox: str) -> bool:
        """Return whether the query can find messages in this mailbox."""
        return mailbox not in APART or mailbox in self.apart


FIELDS: Mapping[str, Field] = {
    "from": "from",
    "to": "to",
    "cc": "cc",
    "bcc": "bcc",
    "subject": "subject",
    "filename": "filename",
}
"""Operators that are followed by words. All others have one value."""
ANYWHERE: Term = AllOf(())
_STATES: Mapping[str, Term] = {
    "unread": Marked("read", on=False),
    "read": Marked("read", on=True),
    "starred": Marked("starred", on=True),
}


def read_operator(operator: str, text: str, context: QueryContext) -> Term:
    """Return the term for `operator:text`. Raises `ProposalError` that names what is not understood."""
    if operator in FIELDS:
        return words(FIELDS[operator], text, context)
    read = VALUES.get(operator)
    if read is None:
        raise unknown(f"{operator}:")
    return read(operator, text.strip(), context)


def words(field: Field, text: str, context: QueryContext) -> Term:
    """Return the term for a field with these words next to each other; “me” stands for the person's addresses."""
    if field in {"from", "to", "cc", "bcc"} and text.lower() == "me" and context.me:
        return AnyOf(tuple(Words(field, words_of(address)) for address in context.me))
    found = words_of(text)
    if not found:
        raise query_error(f"{quoted(text)} holds no letter or digit that could be looked for")
    return Words(field, found)


def unknown(written: str) -> ProposalError:
    """Return the error for an unknown operator."""
    return query_error(
        f"the operator {quoted(written)} is not understood here; to look for it as text, put it in quotation marks"
    )


def _is(operator: str, text: str, context: QueryContext) -> Term:
    state = _STATES.get(text.lower())
    if state is None:
        raise query_error(f"“is:{text}” is not understood here; write is:unread, is:read or is:starred")
    return state


def _has(operator: str, text: str, context: QueryContext) -> Term:
    if text.lower() == "attachment":
        return HasAttachment()
    raise query_error(f"“has:{text}” is not understood here; write has:attachment or filename:")


def _within(operator: str, text: str, context: QueryContext) -> Term:
    name = fold_mailbox(text)
    if not name:
        raise query_error(f"{quoted(f'{operator}:')} names no mailbox or label")
    return ANYWHERE if operator == "in" and name == "anywhere" else Within(name)


def _with_id(operator: str, text: str, context: QueryContext) -> Term:
    if not text.strip("<>"):
        raise query_error(f"{quoted(f'{operator}:{text}')} names no Message-ID")
    return WithId(text)


VALUES: Mapping[str, Callable[[str, str, QueryContext], Term]] = {
    "is": _is,
    "has": _has,
    "in": _within,
    "label": _within,
    "after": lambda operator, text, context: Since(read_day(operator, text, context.zone)),
    "newer": lambda operator, text, context: Since(read_day(operator, text, context.zone)),
    "before": lambda operator, text, context: Before(read_day(operator, text, context.zone)),
    "older": lambda operator, text, context: Before(read_day(operator, text, context.zone)),
    "newer_than": lambda operator, text, context: Since(read_age(operator, text, context)),
    "older_than": lambda operator, text, context: Before(read_age(operator, text, context)),
    "larger": lambda operator, text, context: Larger(read_size(operator, text)),
    "size": lambda operator, text, context: Larger(read_size(operator, text)),
    "smaller": lambda operator, text, context: Smaller(read_size(operator, text)),
    "rfc822msgid": _with_id,
}
"""Operators that have one value, and the function that reads it."""


def mailboxes_apart(term: Term) -> frozenset[str]:
    """Return the mailboxes of `APART` that the query searches because this term names them."""
    match term:
        case Within(name):
            return frozenset({name}) & {"trash", "spam"}
        case AllOf(()):
            return frozenset({"trash", "spam"})
        case AllOf(terms) | AnyOf(terms):
            return frozenset[str]().union(*(mailboxes_apart(one) for one in terms))
        case Not():
            return frozenset()
        case _:
            return frozenset()


DEEPEST, MOST = 20, 100
_CLOSES = {"RPAR": "LPAR", "RBRACE": "LBRACE"}
_SIGNS = {"LPAR": "(", "RPAR": ")", "LBRACE": "{", "RBRACE": "}"}
_BEGINS = frozenset({"WORD", "PHRASE", "LPAR", "LBRACE"})

_NOT_UNDERSTOOD = {
    "NOT": '“NOT” is not understood here; write “-” right before what is left out, or “"NOT"” to look for the word',
    "AROUND": "“AROUND” is not understood here; write words in quotation marks to find them side by side",
}


class Piece(Protocol):
    """A word or sign of a query."""

    @property
    def type(self) -> str:
        """Return the kind of piece."""
        ...

    @property
    def value(self) -> str:
        """Return the piece as it was written."""
        ...


def check(pieces: Sequence[Piece]) -> None:
    """Raise `ProposalError` if a piece is wrong or misplaced, with one sentence that names it."""
    if not pieces:
        raise query_error("the query is empty; write at least one word or operator")
    if len(pieces) > 4 * MOST:
        raise too_long()
    _brackets(pieces)
    for before, piece, after in _in_place(pieces):
        _piece(before, piece, after)


def too_long() -> ProposalError:
    """Return the error for a query of too many terms."""
    return query_error(f"the query has too many terms; at most {MOST} are taken")


def _in_place(pieces: Sequence[Piece]) -> Iterator[tuple[str, Piece, str]]:
    kinds = ["START", *(piece.type for piece in pieces), "END"]
    yield from zip(kinds[:-2], pieces, kinds[2:], strict=True)


def _brackets(pieces: Sequence[Piece]) -> None:
    opened: list[str] = []
    for piece in pieces:
        if piece.type in _CLOSES.values():
            opened.append(piece.type)
        elif piece.type in _CLOSES and (not opened or opened.pop() != _CLOSES[piece.type]):
            raise query_error(
                f"{quoted(_SIGNS[piece.type])} closes nothing; each bracket needs its other half before it"
            )
        elif piece.type == "AND" and opened and opened[-1] == "LBRACE":
            raise query_error("“AND” cannot stand between { and }, which mean OR; write ( and ) there")
        if len(opened) > DEEPEST:
            raise query_error(f"brackets stand deeper than {DEEPEST} within each other; write the query flatter")
    if opened:
        raise query_error(f"{quoted(_SIGNS[opened[-1]])} is not closed")


def _piece(before: str, piece: Piece, after: str) -> None:
    match piece.type:
        case "OR" | "AND" if not (_ends(before) and _starts(after)):
            raise query_error(
                f"{quoted(piece.value)} needs something on both sides; put it in quotation marks to look for the word"
            )
        case "MINUS" if before == "OPERATOR":
            raise query_error("“-” stands before the operator, as in -from:ana, and not behind it")
        case "MINUS" if after not in {*_BEGINS, "OPERATOR"}:
            raise query_error("“-” must stand right before what it leaves out")
        case "WORD":
            _word(piece.value)
        case "OPERATOR" if after == "OPERATOR":
            raise query_error(
                f"{quoted(piece.value)} needs something behind it; put text with a colon in quotation marks"
            )
        case "OPERATOR" if after not in {*_BEGINS, "MINUS"}:
            raise query_error(f"{quoted(piece.value)} needs something behind it, as in {piece.value}word")
        case "LPAR" | "LBRACE" if after in _CLOSES:
            raise query_error("a pair of brackets is empty")
        case _:
            pass


def _word(word: str) -> None:
    if word in _NOT_UNDERSTOOD:
        raise query_error(_NOT_UNDERSTOOD[word])
    if word.startswith("-"):
        raise query_error("“-” must stand once, right before what it leaves out")


def _ends(kind: str) -> bool:
    return kind in {"WORD", "PHRASE", *_CLOSES}


def _starts(kind: str) -> bool:
    return kind in {*_BEGINS, "OPERATOR", "MINUS"}


def no_extra() -> str:
    """Return what is missing for queries, and what installs it."""
    return f"queries are read with lark, which is not installed; {add_extra('mail')}"


def parse(text: str, context: QueryContext) -> Query:
    """Return the parsed query.

    Raises `ProposalError` that says what is wrong or not understood, and `SetupError` if lark is not installed.
    """
    if len(text) > LONGEST_LINE:
        raise query_error(f"the query is longer than the {LONGEST_LINE} characters that are taken")
    try:
        read = load("sayso.providers.mail.query.grammar:read")
    except ImportError:
        raise SetupError(no_extra(), "mail.extra") from None
    found: Query = read(text, context)
    return found
