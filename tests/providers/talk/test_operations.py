"""Operations that talk are declared as the catalogue lists them and take only what fits."""

import pytest

from sayso.core.plan import CannotUndo
from sayso.providers.talk import TALK
from sayso.providers.talk.memory import World, memory_backend
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial

BY_ID = {operation.id: operation for operation in TALK.operations}


def test_who_must_approve_stands_in_the_catalogue():
    assert {id_: (operation.kind, operation.asks) for id_, operation in BY_ID.items()} == {
        "chat.add_message": ("write", "click"),
        "agent.call": ("external", "click"),
        "log.write": ("write", "mode"),
        "system.query": ("read", "none"),
        "template.list": ("read", "none"),
        "template.run": ("external", "click"),
    }


@pytest.mark.req("T-94")
@pytest.mark.parametrize(
    ("operation", "arguments", "wrong"),
    [
        ("log.write", {"message": "x", "level": "loud"}, "level"),
        ("chat.add_message", {"role": "tool", "content": "x"}, "role"),
    ],
)
def test_a_word_that_is_not_one_of_the_listed_is_refused(operation: str, arguments: dict[str, object], wrong: str):
    _, problems = BY_ID[operation].check(arguments)

    assert [problem.argument for problem in problems] == [wrong]


async def test_a_model_call_says_what_it_sends_and_which_tools_may_be_used():
    trial = Trial(TALK, memory_backend(NumberedIds(), World()))

    plan = await trial.plan("agent.call", prompt="Hello", tools=["file.read", "file.read"])

    assert plan.sends == ("5 characters to the model memory",)
    assert plan.warns == ("The model may use: file.read",)
    assert isinstance(plan.changes[0].undo, CannotUndo)


async def test_a_long_text_is_shown_short_and_whole_in_the_preview():
    trial = Trial(TALK, memory_backend(NumberedIds(), World()))

    plan = await trial.plan("log.write", message="word " * 100)

    assert plan.summary.endswith("…”")
    assert plan.preview == "word " * 100
