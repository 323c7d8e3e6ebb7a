"""What a server is asked never leaves out what the query finds, and is called exact only where it is."""

from datetime import UTC, datetime
from itertools import product
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.query.imap_search import (
    ALWAYS,
    NEVER,
    OPEN,
    ImapSearch,
    Key,
    LiteralText,
    Narrowed,
    SearchServer,
    both,
    either,
    no,
    to_imap,
)
from sayso.providers.mail.query.parser import QueryContext, parse

# Each leaf: what the server can say of it, and whether it holds where the server's key is fulfilled or not.
EXACT = Narrowed(("A",), exact=True)
LOOSE = Narrowed(("B", LiteralText(b"b")), exact=False)
Tree: TypeAlias = "str | tuple[str, list[Tree]]"


def grown(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.tuples(st.sampled_from(["and", "or", "not"]), st.lists(inner, min_size=1, max_size=4))


LEAVES: st.SearchStrategy[Tree] = st.sampled_from(["exact", "loose", "open", "always", "never"])
TREES = st.recursive(LEAVES, grown)
NARROWED = {"exact": EXACT, "loose": LOOSE, "open": OPEN, "always": ALWAYS, "never": NEVER}


def narrowed(tree: Tree) -> Narrowed:
    if isinstance(tree, str):
        return NARROWED[tree]
    word, inner = tree
    terms = tuple(narrowed(one) for one in inner)
    return {"and": both, "or": either}[word](terms) if word != "not" else no(terms[0])


def holds(tree: Tree, world: dict[str, bool]) -> bool:
    if isinstance(tree, str):
        return world[tree]
    word, inner = tree
    held = [holds(one, world) for one in inner]
    return {"and": all, "or": any}[word](held) if word != "not" else not held[0]


def answered(key: Key, said: dict[str, bool]) -> bool:
    """Return what a server says to a key of which it knows A and B, by RFC 3501: side by side is and."""
    words = [one for one in key if isinstance(one, str)]
    found = _all(words, said)
    assert not words
    return found


def _all(words: list[str], said: dict[str, bool]) -> bool:
    found = True
    while words and words[0] != ")":
        found = _one(words, said) and found
    return found


def _one(words: list[str], said: dict[str, bool]) -> bool:
    match words.pop(0):
        case "(":
            found = _all(words, said)
            words.pop(0)
            return found
        case "NOT":
            return not _one(words, said)
        case "OR":
            one, other = _one(words, said), _one(words, said)
            return one or other
        case "ALL":
            return True
        case word:
            return said[word]


@given(TREES)
def test_nothing_is_left_out_and_exact_is_exact(tree: Tree):
    asked = narrowed(tree)

    for exact, server_loose, loose, open_ in product([False, True], repeat=4):
        world = {"exact": exact, "loose": server_loose and loose, "open": open_, "always": True, "never": False}
        answer = answered(asked.key, {"A": exact, "B": server_loose})
        assert answer or not holds(tree, world)
        if asked.exact:
            assert answer == holds(tree, world)


def test_a_hundred_alternatives_stand_seven_deep():
    many = either(tuple(Narrowed((f"K{n}",), exact=True) for n in range(100)))
    depth = deepest = 0

    for word in many.key:
        depth += {"(": 1, ")": -1}.get(str(word), 0)
        deepest = max(deepest, depth)

    assert deepest == 7


ASKED = QueryContext(datetime(2026, 3, 31, 12, tzinfo=UTC), UTC)
INBOX = SearchServer("inbox", keywords=lambda name: (name.upper(),) if name == "urgent" else (), unicode=True)


def asked(query: str, server: SearchServer = INBOX) -> ImapSearch | None:
    return to_imap(parse(query, ASKED), server)


def spelled(search: ImapSearch | None) -> str:
    assert search is not None
    return " ".join(one if isinstance(one, str) else repr(one.data.decode()) for one in search.key)


@pytest.mark.parametrize(
    ("query", "key", "exact"),
    [
        ("is:unread is:starred", "NOT ( SEEN ) FLAGGED", True),
        ("larger:10 -smaller:5k", "LARGER 10 NOT ( SMALLER 5120 )", True),
        ("label:urgent", "KEYWORD URGENT", True),
        ("in:inbox is:read", "SEEN", True),
        ("in:anywhere", "ALL", True),
        ("from:a@x.org", "FROM 'a' FROM 'x' FROM 'org'", False),
        ("-from:a", "ALL", False),
        ("-(is:read is:starred)", "NOT ( SEEN FLAGGED )", True),
        ("a OR is:read", "OR ( TEXT 'a' ) ( SEEN )", False),
        ("after:2025/01/01", "SINCE 31-Dec-2024", False),
        ("before:2025/01/01", "BEFORE 2-Jan-2025", False),
        ("larger:9999999999", "ALL", False),
        ("rfc822msgid:<a@x>", "HEADER Message-ID 'a@x'", False),
        ("subject:grüße", "SUBJECT 'grüße'", False),
        ("grüße", "OR ( TEXT 'grüße' ) ( TEXT 'gr' TEXT 'e' TEXT '&' )", False),
    ],
)
def test_each_term_is_asked_for_as_far_as_the_server_means_it(query: str, key: str, exact: bool):
    search = asked(query)

    assert spelled(search) == key
    assert search is not None
    assert search.exact is exact


def test_a_mailbox_in_which_nothing_can_be_is_not_asked():
    assert asked("in:sent") is None
    assert asked("label:none from:a") is None
    assert asked("from:a", SearchServer("trash")) is None
    assert asked("from:a in:trash", SearchServer("trash")) is not None


def test_a_server_that_folds_no_letters_is_asked_for_the_plain_ones():
    search = asked("subject:grüße from:ünal subject:日本", SearchServer("inbox"))

    assert spelled(search) == "SUBJECT 'gr' SUBJECT 'e' FROM 'nal'"
    assert search is not None
    assert search.charset is None


def test_the_charset_is_named_where_a_text_is_not_ascii():
    search = asked("subject:grüße")

    assert search is not None
    assert search.charset == "UTF-8"


@pytest.mark.req("ML-07")
@pytest.mark.parametrize("text", ['a") ALL (', "{3}", "a\\b", "a*%"])
def test_no_text_is_said_but_as_a_literal(text: str):
    search = asked(f"rfc822msgid:“{text.replace(chr(34), '')}” subject:“x{text.replace(chr(34), '')}”")

    assert search is not None
    assert {one for one in search.key if isinstance(one, str)} == {"HEADER", "Message-ID", "SUBJECT"}


def test_gmail_is_asked_in_its_own_language():
    search = asked("from:a “b c” ü", SearchServer("inbox", gmail=True))

    assert search == ImapSearch(("X-GM-RAW", LiteralText('from:a "b c" ü'.encode())), exact=True)
