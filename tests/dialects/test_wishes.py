"""The wishes that dialects are compared by are themselves sound."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from tests.dialects.differential import BLOCKS
from tests.dialects.replies import EACH, OPERATIONS
from tests.dialects.wishes import OWN, Template, Wish, by_hand, own_wishes, templates, wishes
from tests.harness.wishes import faults

PLAIN = wishes()
OWN_WISHES = own_wishes()
FILE = "tests/cases/wishes/<domain>.json"
TEMPLATES = templates()
TYPES: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "whole number": int,
    "number": (int, float),
    "true or false": bool,
    "list of texts": list,
    "list of whole numbers": list,
}
CHOSEN = frozenset({"monitor", "browser", "priority", "type", "state", "role", "level", "where", "repeat"})
"""Arguments that are one word of a few; a sentence says them in its own way, in any case."""


def test_there_are_enough_of_them_for_every_operation():
    by_operation = Counter(wish.operation for wish in PLAIN)

    assert len(PLAIN) >= 200
    assert [f"{id_} needs two wishes in {FILE}" for id_ in OPERATIONS if by_operation[id_] < 2] == []
    assert [f"{id_} needs seven wishes in {FILE}" for id_ in BLOCKS if by_operation[id_] < 7] == []
    assert len(OWN_WISHES) >= 60
    assert sum(len(by_hand(name)) for name in EACH) >= 5 * 60


def test_no_two_wishes_are_the_same():
    every = [*PLAIN, *OWN_WISHES]

    assert len({wish.id for wish in every}) == len(every)
    assert len({wish.sentence for wish in every}) == len(every)


def test_each_wish_fits_its_operation():
    odd = [
        wish.id
        for wish in PLAIN
        if faults(OPERATIONS[wish.operation], wish.arguments) or OPERATIONS[wish.operation].check(wish.arguments)[1]
    ]

    assert odd == []


def test_each_wish_for_an_action_of_ones_own_fits_its_template():
    assert [wish.id for wish in OWN_WISHES if wish.operation != OWN] == []
    assert [wish.id for wish in OWN_WISHES if misfits(TEMPLATES[wish.template or ""], wish)] == []


def misfits(template: Template, wish: Wish) -> list[str]:
    known = {name.removesuffix("?"): said for name, said in template.params.items()}
    needed = {name for name in template.params if not name.endswith("?")}
    odd = [name for name in wish.arguments if name not in known]
    wrong = [name for name, value in wish.arguments.items() if name in known and not fits(known[name], value)]
    return odd + wrong + sorted(needed - wish.arguments.keys())


def fits(said: str, value: object) -> bool:
    if isinstance(value, bool) != (said == "true or false") or not isinstance(value, TYPES[said]):
        return False
    inner = {"list of texts": str, "list of whole numbers": int}.get(said)
    return inner is None or all(isinstance(item, inner) for item in cast("list[object]", value))


def test_every_value_stands_in_the_sentence():
    missing = [
        (wish.id, value)
        for wish in (*PLAIN, *OWN_WISHES)
        for quoted in [set(re.findall("«(.*?)»", wish.sentence))]
        for name, value in values(wish.arguments)
        if not stands(wish.sentence, quoted, name, value)
    ]

    assert missing == []


def test_every_quoted_text_is_a_value():
    for wish in (*PLAIN, *OWN_WISHES):
        texts = [value for _, value in values(wish.arguments) if isinstance(value, str)]
        lines = {line for text in texts for line in (text, *text.split("\n"))}
        names = {name for name, _ in values(wish.arguments)}

        assert set(re.findall("«(.*?)»", wish.sentence)) <= lines | names, wish.id


def values(arguments: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value below the arguments with the name that it stands under."""
    if isinstance(arguments, dict):
        for key, inner in cast("dict[str, Any]", arguments).items():
            yield from values(inner, key)
    elif isinstance(arguments, list):
        for inner in cast("list[Any]", arguments):
            yield from values(inner, name)
    else:
        yield name, arguments


def stands(sentence: str, quoted: set[str], name: str, value: Any) -> bool:
    """Say whether a sentence gives a value: a text between « and », a number as it is, a yes or no in any words."""
    if isinstance(value, bool):
        return True
    if not isinstance(value, str):
        return re.search(rf"(?<![\w.-]){re.escape(str(value))}(?![\w]|\.\d)", sentence) is not None
    if name in CHOSEN and value not in quoted:
        return value.lower() in sentence.lower()
    return all(line in quoted or not line for line in value.split("\n"))
