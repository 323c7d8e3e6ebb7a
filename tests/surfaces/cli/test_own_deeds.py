"""What the person typed is its own yes; only what destroys a thing named in part is asked."""

import pytest

from sayso.core.plan import Plan
from sayso.core.verdict import Card, Decision, Question, Verdict, run_digest
from sayso.surfaces.cli.own_deeds import Typed
from sayso.testing.fakes import Says

CLICK = Verdict("ask", "it runs by a click", "click", "click")


def question(*plans: Plan) -> Question:
    cards = tuple(Card(f"do_{n}", n, "task.delete", {}, plan, CLICK, f"sha256:{n}") for n, plan in enumerate(plans))
    return Question("run_1", cards, run_digest(card.digest for card in cards))


async def asked(*plans: Plan, yes: bool = False) -> tuple[Decision | None, int]:
    person = Says(None)
    decision = await Typed(person, yes).ask(question(*plans))
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


async def test_the_flag_is_a_yes_to_that_too():
    plan = Plan("Delete", loses=("all",), warns=("only in part",))

    decision, questions = await asked(plan, yes=True)

    assert decision == question(plan).yes("flag")
    assert questions == 0
