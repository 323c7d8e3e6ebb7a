"""Find the one thing that words in a slot name, among things that go by names."""

from collections.abc import Iterable, Sequence

from sayso.core.canonical import Json
from sayso.core.values import dataclass
from sayso.models.embedded.names import WHOLE, named
from sayso.models.embedded.readings import Choice, Found, Missing, Reading, Several, quoted
from sayso.models.embedded.words import Word, between, each, joined
from sayso.models.embedded.world import Scene

FILLING = frozenset(
    {"the", "my", "a", "an", "that", "this", "our", "called", "named", "one", "about", "for", "to", "with"}
)
"""Words around a name that tell nothing apart (T-58)."""
NOT_ALL = "Nothing is done to everything at once: name what you mean."
EVERYTHING = frozenset({"all", "everything", "every", "each", "anything", "any", "entire", "whole"})
CHANGING = frozenset(
    each(
        "all everything every each anything any entire whole both not never no except but without nothing "
        "don't it them those these other others"
    )
)
"""Words that change what is meant: no name is found by them, unless they are all of it that was said."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something with its names, what a person is told of it, and what stands for it in an argument."""

    value: Json
    said: str
    names: tuple[str, ...]
    is_deed: bool = False
    """It is named by a deed, the words of which may be said in another form: “watering the ficus”."""


def by_name(name: str, *more: str, is_deed: bool = False) -> Thing:
    """Return a thing that is its name, and may go by others."""
    return Thing(name, quoted(name), (name, *more), is_deed)


def bare(words: Sequence[Word], nouns: Iterable[str] = ()) -> list[Word]:
    """Return the words that may tell things apart."""
    passed_over = FILLING.union(nouns)
    return [word for word in words if word.text not in passed_over]


def one(
    what: str, words: Sequence[Word], scene: Scene, things: Sequence[Thing], nouns: Iterable[str] = ()
) -> Reading | None:
    """Return the one of these things that is meant; `nouns` are words for their kind, which tell none apart."""
    found = some(words, things, nouns)
    if found is None:
        return None
    meant, sureness = found
    said = quoted(between(scene.text, words))
    if len(meant) > 1:
        return Several(
            f"Which {what} is meant by {said}?", tuple(Choice(thing.said, thing.value) for thing in meant), sureness
        )
    if not meant:
        there = tuple(Choice(thing.said, thing.value) for thing in things)
        why = none_of(f"No {what} here is called {said}.", words)
        return Missing(why, what=what, said=said, telling=joined(bare(words, nouns)), there=there)
    return Found(meant[0].value, sureness)


def none_of(why: str, words: Sequence[Word]) -> str:
    """Return why nothing is meant, with what to do where it was too much that was meant."""
    if any(word.text in EVERYTHING for word in words):
        return f"{why} {NOT_ALL}"
    return why


def some(words: Sequence[Word], things: Sequence[Thing], nouns: Iterable[str] = ()) -> tuple[list[Thing], float] | None:
    """Return all of these things that are meant, and how surely; None where the words name nothing at all."""
    forms = any(thing.is_deed for thing in things)
    names = [thing.names for thing in things]
    whole = named(joined(words), names)
    if whole.sureness == WHOLE:
        return [things[at] for at in whole.at], WHOLE
    telling = bare(words)
    if any(word.text in CHANGING for word in telling):
        return [], 0.0
    # Words for the kind of thing tell nothing apart, unless nothing is found without them: “wine task”, “Task force”.
    for told in (bare(telling, nouns), telling):
        if told:
            found = named(joined(told), names, forms=forms)
            if found.at:
                return [things[at] for at in found.at], found.sureness
    return ([], 0.0) if bare(telling, nouns) else None
