"""A deed is given only what it takes; all else is named with where it belongs."""

import argparse

import pytest

from sayso.core.decision import Card, Decision, Question, Verdict, run_digest
from sayso.core.plan import Plan
from sayso.surfaces.cli.app import UsageProblem
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.direct import DirectApprover, Subcommand, find_subcommand, form_of, visible_lines
from sayso.testing.fakes import Says


def nothing(arguments: argparse.Namespace, here: CommandContext) -> int:
    return 0


DEEDS = {
    "add": Subcommand(nothing, ("hours", "dry_run")),
    "list": Subcommand(nothing, ("all",), words=False),
    "edit": Subcommand(nothing, ("hours",)),
}


def said(what: str, *words: str, **options: object) -> argparse.Namespace:
    return argparse.Namespace(
        what=what, words=list(words), **{"hours": None, "dry_run": False, "all": False, **options}
    )


def test_what_it_takes_is_given():
    assert find_subcommand("task", DEEDS, said("add", "Bread", hours=0.0, dry_run=True)) is DEEDS["add"]
    assert find_subcommand("task", DEEDS, said("list", all=True)) is DEEDS["list"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (said("ad"), "sayso task does not know “ad”; did you mean “add”?"),
        (said("list", "Bread"), "sayso task list does not take “Bread”"),
        (said("list", hours=0.0), "sayso task list does not take “--hours”; it is for sayso task add, edit"),
        (said("edit", dry_run=True), "sayso task edit does not take “--dry-run”; it is for sayso task add"),
    ],
)
def test_what_it_does_not_take_is_named(arguments: argparse.Namespace, sentence: str):
    with pytest.raises(UsageProblem) as refused:
        find_subcommand("task", DEEDS, arguments)

    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("file", "named", "form"),
    [
        ("a.md", None, "markdown"),
        ("a.ICS", None, "ical"),
        ("-", None, "markdown"),
        ("-", "ical", "ical"),
        ("a.ics", "markdown", "markdown"),
    ],
)
def test_the_format_is_what_was_named_or_what_the_file_is_called(file: str, named: str | None, form: str):
    assert form_of(file, named) == form


def test_on_a_terminal_no_text_can_act():
    assert "\x1b" not in visible_lines("- [ ] \x1b[2Jgone\r\n")


CLICK = Verdict("ask", "it runs by a click", "click", "click")


def question(*plans: Plan) -> Question:
    cards = tuple(Card(f"do_{n}", n, "task.delete", {}, plan, CLICK, f"sha256:{n}") for n, plan in enumerate(plans))
    return Question("run_1", cards, run_digest(card.digest for card in cards))


async def asked(*plans: Plan, at_terminal: bool = True) -> tuple[Decision | None, int]:
    person = Says(None)
    decision = await DirectApprover(person, at_terminal).ask(question(*plans))
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
