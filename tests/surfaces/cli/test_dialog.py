"""A question about one action: a yes, a no, an edit, and nothing in between."""

from dataclasses import replace

import pytest

from sayso.core.plan import Change, Plan, Step
from sayso.core.verdict import Card, Question, Verdict, run_digest
from sayso.surfaces.cli.choosing import Wish
from sayso.surfaces.cli.dialog import Answer, Dialog
from tests.surfaces.cli.test_talking import a_talk


def asked(rule: str = "mode", preview: str = "") -> Question:
    plan = Plan("Open Calculator", (Change(Step(), Step()),), preview=preview)
    card = Card("do_1", 0, "app.open", {}, plan, Verdict("ask", "it asks", rule, "mode"), "sha256:1")
    return Question("run_1", (card,), run_digest(["sha256:1"]), "lines")


def asked_twice() -> Question:
    question = asked()
    card = replace(question.cards[0], plan=Plan("Delete “Trip”", (), loses=("the task “Trip” and 3 tasks below it",)))
    return replace(question, cards=(card,), twice=frozenset({"do_1"}))


def answered(question: Question, *lines: str | None) -> tuple[Wish, str]:
    talk, terminal = a_talk(*lines, height=0)
    answer = Dialog(question, talk, None).answer(edit_first=False)
    return answer.how, "".join(terminal.written)


@pytest.mark.parametrize("line", ["y", "yes", "Y\n"])
def test_a_yes_is_a_yes(line: str):
    assert answered(asked(), line)[0] is Wish.EXECUTE


@pytest.mark.req("AV-06")
@pytest.mark.parametrize("line", ["", "n", "yy", "e", "3", "all", "l", "a", None])
def test_anything_that_is_not_offered_is_a_no(line: str | None):
    how, said = answered(asked(), line)

    assert how is Wish.CANCEL
    assert said.endswith("bobobo: no; nothing is done\n")


def test_a_question_mark_says_what_may_be_typed_and_decides_nothing():
    how, said = answered(asked(), "?", "y")

    assert how is Wish.EXECUTE
    assert "y does it, v shows all of it; Enter or anything else is a no" in " ".join(said.split())


@pytest.mark.req("T-31")
def test_always_is_offered_for_applications_alone():
    assert answered(asked("allowed_apps"), "a")[0] is Wish.ALWAYS
    assert "[y]es once / [a]lways / [N]o" in answered(asked("allowed_apps"), "n")[1]


@pytest.mark.req("AV-03")
def test_a_yes_counts_once_everything_was_seen():
    question = asked(preview="+x\n" * 100)

    how, said = answered(question, "y", "v", "y")

    assert how is Wish.EXECUTE
    assert said.index("there is more to see first") < said.rindex("│ +x")


def test_a_yes_names_what_it_is_for():
    talk, _ = a_talk("y", height=0)

    assert Dialog(asked(), talk, None).answer(edit_first=True) == Answer(Wish.EXECUTE, ("do_1",))


@pytest.mark.req("S2-49", "T-35")
def test_what_is_destructive_is_asked_about_a_second_time_where_that_is_wished_for():
    how, said = answered(asked_twice(), "y", "y")

    assert how is Wish.EXECUTE
    assert "bobobo: the task “Trip” and 3 tasks below it\nbobobo: Really take this away? [y/N]" in said


@pytest.mark.req("S2-49")
@pytest.mark.parametrize("line", ["", "n", "a", "e", None])
def test_anything_but_a_second_yes_is_a_no(line: str | None):
    how, said = answered(asked_twice(), "y", line)

    assert how is Wish.CANCEL
    assert said.endswith("bobobo: no; nothing is done\n")
