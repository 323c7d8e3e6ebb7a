"""Two actions that differ give two cards, whatever their sentences say."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.assembly.parts import providers
from sayso.core.decision import Card, Question, Verdict, run_digest
from sayso.core.encoding import Json, canonical, digest
from sayso.core.operation import Operation
from sayso.core.plan import CannotUndo, Change, OpenFile, Plan, RevealFile, Step, plan_json
from sayso.runtime.registry import catalogue
from sayso.surfaces.cli.preview import TickedRows, listing, page, whole
from sayso.surfaces.cli.text import Style
from tests.harness.wishes import Wisher

WIDTHS = (50, 100)
ASKS = Verdict("ask", "the mode asks", "mode", "mode")
OPERATIONS = [one for _, one in sorted(catalogue(providers()).items())]
SAME = Plan("It does something with “a”", (Change(Step(), Step()),), preview="--- before\n+++ after\n+a")
"""A plan whose sentences tell nothing apart; its preview looks like that of a file."""

PAIRS: Mapping[str, tuple[Mapping[str, Json], Mapping[str, Json]]] = {
    "curly quotes in a name": (
        {"source": "a” to “b", "destination": "c"}, {"source": "a", "destination": "b” to “c"},
    ),
    "a calendar that the title quotes": (
        {"title": "Lunch in “Work”", "calendar_name": "Work"}, {"title": "Lunch in “Work”", "calendar_name": ""},
    ),
    "a calendar that the title names": (
        {"title": "Calendar Personal", "calendar_name": "Personal"}, {"title": "Calendar Personal"},
    ),
    "right-to-left override": ({"path": "a\u202etxt.exe"}, {"path": "aexe.txt"}),
    "right-to-left letters": ({"path": "א/ב"}, {"path": "ב/א"}),
    "combining marks": ({"path": "e" + "\u0301" * 5}, {"path": "e" + "\u0301" * 6}),
    "enclosing marks": ({"path": "e" + "\u20dd" * 5}, {"path": "e" + "\u20dd" * 6}),
    "trailing blank": ({"path": "a "}, {"path": "a"}),
    "trailing newline": ({"content": "a\n"}, {"content": "a"}),
    "tab and blanks": ({"content": "\ta"}, {"content": "    a"}),
    "tab and its picture": ({"content": "\ta\nb"}, {"content": "⇥   a\nb"}),
    "newline in a name": ({"path": "a\nb"}, {"path": "a b"}),
    "newline and its number": ({"path": "a\nb"}, {"path": "a\\u{a}b"}),
    "composed and not": ({"path": "caf\u00e9"}, {"path": "cafe\u0301"}),
    "blank that does not break": ({"path": "a\u00a0b"}, {"path": "a b"}),
    "text and number": ({"id": "7"}, {"id": 7}),
    "text and list": ({"to": "a"}, {"to": ["a"]}),
    "one name or two": ({"to": ["a", "b"]}, {"to": ["a”, “b"]}),
    "true and its word": ({"on": True}, {"on": "true"}),
    "argument or other argument": ({"cc": "a"}, {"bcc": "a"}),
    "end of a long text": ({"body": "x" * 5000 + "a"}, {"body": "x" * 5000 + "b"}),
    "middle of a long text": ({"body": "x\n" * 99 + "a\n" + "x\n" * 99}, {"body": "x\n" * 99 + "b\n" + "x\n" * 99}),
    "content under a diff": ({"content": "kept\na"}, {"content": "left\na"}),
    "cut of a word at the edge": ({"path": "x" * 85 + " " + "y" * 9}, {"path": "x" * 85 + "y" * 9}),
    "two blanks where the line breaks": ({"path": "x" * 85 + "  " + "y" * 9}, {"path": "x" * 85 + " " + "y" * 9}),
}  # fmt: skip


def a_card(arguments: Mapping[str, Json], plan: Plan = SAME, operation: str = "file.write", index: int = 0) -> Card:
    made = digest({"operation": operation, "arguments": dict(arguments), "plan": plan_json(plan)})
    return Card(f"do_{index}", index, operation, arguments, plan, ASKS, made)


def without_code(lines: list[str]) -> str:
    """Return a card without its last row, so that only what a person can read tells two cards apart."""
    return "\n".join(line for line in lines if not line.startswith("     exactly"))


def one(card: Card, width: int) -> str:
    question = Question("run_1", (card,), run_digest([card.digest]))
    return without_code(page(question, width, Style(), whole=False).lines)


def opened(card: Card, width: int) -> str:
    question = Question("run_1", (card,), run_digest([card.digest]))
    blocks = whole(question, {card.index}, TickedRows.of(question, ()), width, Style())
    return without_code([line for block in blocks for line in block.lines])


def listed(card: Card, width: int) -> str:
    cards = (*(a_card({"path": str(n)}, Plan(f"Open “{n}”"), index=n) for n in range(1, 4)), card)
    question = Question("run_1", cards, run_digest(card.digest for card in cards))
    blocks = listing(question, TickedRows.of(question, ()), width, Style())
    return without_code([line for block in blocks for line in block.lines])


VIEWS: tuple[Callable[[Card, int], str], ...] = (one, opened, listed)


def differ(first: Card, second: Card) -> bool:
    return all(view(first, width) != view(second, width) for view in VIEWS for width in WIDTHS)


@pytest.mark.parametrize("name", PAIRS)
def test_two_that_were_made_to_look_alike_do_not(name: str):
    first, second = PAIRS[name]

    assert differ(a_card(first), a_card(second))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.id)
@settings(max_examples=8)
@given(st.randoms(use_true_random=False))
def test_two_sets_of_arguments_give_two_cards(operation: Operation, random: Any):
    wisher = Wisher(random)
    first, second = wisher.arguments(operation), wisher.arguments(operation)

    same = canonical(first) == canonical(second)

    assert differ(a_card(first, operation=operation.id), a_card(second, operation=operation.id)) is not same


NASTY = st.text(st.sampled_from("ab “”\\{}u\t\n\u202e\u200bשם\u0301\u20dd/⇥⟨⟩┊│0123456789spaceshrtco,"), max_size=200)


@given(NASTY, NASTY)
def test_two_hostile_texts_give_two_cards(first: str, second: str):
    assert differ(a_card({"body": first}), a_card({"body": second})) is (first != second)


@given(st.lists(NASTY, min_size=2, max_size=2), st.lists(NASTY, min_size=2, max_size=2))
def test_no_text_reaches_into_the_row_of_another(first: list[str], second: list[str]):
    cards = [a_card({"title": title, "location": location}) for title, location in (first, second)]

    assert differ(*cards) is (first != second)


PLANS = {
    "the plan": SAME,
    "loses": Plan(SAME.summary, SAME.changes, loses=("the draft",), preview=SAME.preview),
    "sends": Plan(SAME.summary, SAME.changes, sends=("mail to ana@example.org",), preview=SAME.preview),
    "sends to two": Plan(
        SAME.summary, SAME.changes, sends=("mail to ana@example.org", "mail to eve@example.org"), preview=SAME.preview
    ),
    "warns": Plan(SAME.summary, SAME.changes, warns=("it is late",), preview=SAME.preview),
    "no way back": Plan(SAME.summary, (Change(Step(), CannotUndo("it is gone")),), preview=SAME.preview),
    "other step": Plan(SAME.summary, (Change(OpenFile("/a"), Step()),), preview=SAME.preview),
    "another step": Plan(SAME.summary, (Change(RevealFile("/a"), Step()),), preview=SAME.preview),
    "other path": Plan(SAME.summary, (Change(OpenFile("/b"), Step()),), preview=SAME.preview),
    "other app": Plan(SAME.summary, (Change(OpenFile("/a", "x"), Step()),), preview=SAME.preview),
    "two steps": Plan(SAME.summary, (*SAME.changes, *SAME.changes), preview=SAME.preview),
}


@pytest.mark.parametrize("width", WIDTHS)
def test_two_plans_that_differ_give_two_cards_for_the_same_arguments(width: int):
    questions = [
        Question("run_1", (card,), run_digest([card.digest]))
        for plan in PLANS.values()
        for operation in ("file.open", "file.reveal")
        for card in [a_card({"path": "a"}, plan, operation)]
    ]

    cards = ["\n".join(page(question, width, Style(), whole=False).lines) for question in questions]
    lists = [
        "\n".join(
            line for block in listing(question, TickedRows.of(question, ()), width, Style()) for line in block.lines
        )
        for question in questions
    ]

    assert len(set(cards)) == len(questions)
    assert len(set(lists)) == len(questions)
