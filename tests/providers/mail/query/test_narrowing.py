"""What a server is asked never leaves out what the query finds, and is called exact only where it is."""

from itertools import product
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.query.narrowing import ALWAYS, NEVER, OPEN, Key, Literal, Narrowed, both, either, no

# Each leaf: what the server can say of it, and whether it holds where the server's key is fulfilled or not.
EXACT = Narrowed(("A",), exact=True)
LOOSE = Narrowed(("B", Literal(b"b")), exact=False)
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
