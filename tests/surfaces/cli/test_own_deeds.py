"""What the person typed is its own yes; what destroys a thing named in part is asked, if anybody is there."""

import pytest

from sayso.core.plan import Plan
from sayso.core.verdict import Card, Decision, Question, Verdict, run_digest
from sayso.surfaces.cli.own_deeds import Typed
from sayso.testing.fakes import Says

CLICK = Verdict("ask", "it runs by a click", "click", "click")


def question(*plans: Plan) -> Question:
    cards = tuple(Card(f"do_{n}", n, "task.delete", {}, plan, CLICK, f"sha256:{n}") for n, plan in enumerate(plans))
    return Question("run_1", cards, run_digest(card.digest for card in cards))


async def asked(*plans: Plan, at_terminal: bool = True) -> tuple[Decision | None, int]:
    person = Says(None)
    decision = await Typed(person, at_terminal).ask(question(*plans))
    return decision, len(person.questions)


@pytest.mark.parametrize("plan", [Plan("Add"), Plan("Add", warns=("x",)), Plan("Delete", loses=("all",))], ids=repr)
async def test_a_typed_command_is_a_yes_to_exactly_what_was_planned(plan: Plan):
    decision, questions = await asked(plan)

    assert decision == question(plan).yes("command")
    assert questions == 0


async def test_what_would_be_gone_though_it_was_named_only_in_part_is_asked():
    decision, questions = await asked(Plan("Add"), Plan("Delete", loses=("all",), warns=("only in part",)))

    assert decision is None
    assert questions == 1


@pytest.mark.req("SE-04")
async def test_what_would_be_gone_waits_where_nobody_typed_it():
    assert await asked(Plan("Delete", loses=("all",)), at_terminal=False) == (None, 0)


async def test_what_loses_nothing_needs_no_terminal():
    decision, questions = await asked(Plan("Add"), at_terminal=False)

    assert decision == question(Plan("Add")).yes("command")
    assert questions == 0
