"""What each operator means, and the sentence for one that is not understood (T-47)."""

from collections.abc import Callable, Mapping

from sayso.core.errors import ProposalError
from sayso.providers.mail.query.terms import (
    AllOf,
    AnyOf,
    Before,
    Field,
    HasAttachment,
    Larger,
    Marked,
    Not,
    Since,
    Smaller,
    Term,
    WithId,
    Within,
    Words,
)
from sayso.providers.mail.query.values import Asked, read_age, read_day, read_size, wrong
from sayso.providers.mail.query.words import place, words_of

FIELDS: Mapping[str, Field] = {
    "from": "from",
    "to": "to",
    "cc": "cc",
    "bcc": "bcc",
    "subject": "subject",
    "filename": "filename",
}
"""Operators behind which words stand; all others have one value."""
ANYWHERE: Term = AllOf(())
_STATES: Mapping[str, Term] = {
    "unread": Marked("read", on=False),
    "read": Marked("read", on=True),
    "starred": Marked("starred", on=True),
}


def meant(operator: str, text: str, asked: Asked) -> Term:
    """Return what `operator:text` means. Raises `ProposalError` that names what is not understood."""
    if operator in FIELDS:
        return words(FIELDS[operator], text, asked)
    read = VALUES.get(operator)
    if read is None:
        raise unknown(f"{operator}:")
    return read(operator, text.strip(), asked)


def words(field: Field, text: str, asked: Asked) -> Term:
    """Return that a field has these words, one behind the other; “me” is the person."""
    if field in {"from", "to", "cc", "bcc"} and text.lower() == "me" and asked.me:
        return AnyOf(tuple(Words(field, words_of(address)) for address in asked.me))
    found = words_of(text)
    if not found:
        raise wrong(f"“{text}” holds no letter or digit that could be looked for")
    return Words(field, found)


def unknown(written: str) -> ProposalError:
    """Return the error for an operator that is not known here."""
    return wrong(f"the operator “{written}” is not understood here; to look for it as text, put it in quotation marks")


def _is(operator: str, text: str, asked: Asked) -> Term:
    state = _STATES.get(text.lower())
    if state is None:
        raise wrong(f"“is:{text}” is not understood here; write is:unread, is:read or is:starred")
    return state


def _has(operator: str, text: str, asked: Asked) -> Term:
    if text.lower() == "attachment":
        return HasAttachment()
    raise wrong(f"“has:{text}” is not understood here; write has:attachment or filename:")


def _within(operator: str, text: str, asked: Asked) -> Term:
    name = place(text)
    if not name:
        raise wrong(f"“{operator}:” names no mailbox or label")
    return ANYWHERE if operator == "in" and name == "anywhere" else Within(name)


def _with_id(operator: str, text: str, asked: Asked) -> Term:
    if not text.strip("<>"):
        raise wrong(f"“{operator}:{text}” names no Message-ID")
    return WithId(text)


VALUES: Mapping[str, Callable[[str, str, Asked], Term]] = {
    "is": _is,
    "has": _has,
    "in": _within,
    "label": _within,
    "after": lambda operator, text, asked: Since(read_day(operator, text, asked.zone)),
    "newer": lambda operator, text, asked: Since(read_day(operator, text, asked.zone)),
    "before": lambda operator, text, asked: Before(read_day(operator, text, asked.zone)),
    "older": lambda operator, text, asked: Before(read_day(operator, text, asked.zone)),
    "newer_than": lambda operator, text, asked: Since(read_age(operator, text, asked)),
    "older_than": lambda operator, text, asked: Before(read_age(operator, text, asked)),
    "larger": lambda operator, text, asked: Larger(read_size(operator, text)),
    "size": lambda operator, text, asked: Larger(read_size(operator, text)),
    "smaller": lambda operator, text, asked: Smaller(read_size(operator, text)),
    "rfc822msgid": _with_id,
}
"""Operators that have one value, and what it means."""


def named_apart(term: Term) -> frozenset[str]:
    """Return the mailboxes that are only searched when named, and are named by this term."""
    match term:
        case Within(name):
            return frozenset({name}) & {"trash", "spam"}
        case AllOf(()):
            return frozenset({"trash", "spam"})
        case AllOf(terms) | AnyOf(terms):
            return frozenset[str]().union(*(named_apart(one) for one in terms))
        case Not():
            return frozenset()
        case _:
            return frozenset()
