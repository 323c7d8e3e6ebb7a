"""Operations that talk are declared as the catalogue lists them and take only what fits."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import CannotUndo, ChangeRef, NotDone
from sayso.providers.talk import TALK
from sayso.providers.talk.backend import QuestionBackend
from sayso.providers.talk.memory import TalkWorld, memory_backend
from sayso.providers.talk.model import WriteLog
from sayso.testing.fakes import NumberedIds
from sayso.testing.harness import Trial
from tests.assistant.homes import a_home

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
    trial = Trial(TALK, memory_backend(NumberedIds(), TalkWorld()))

    plan = await trial.plan("agent.call", prompt="Hello", tools=["file.read", "file.read"])

    assert plan.sends == ("5 characters to the model memory",)
    assert plan.warns == ("The model may use: file.read",)
    assert isinstance(plan.changes[0].undo, CannotUndo)


async def test_a_long_text_is_shown_short_and_whole_in_the_preview():
    trial = Trial(TALK, memory_backend(NumberedIds(), TalkWorld()))

    plan = await trial.plan("log.write", message="word " * 100)

    assert plan.summary.endswith("…”")
    assert plan.preview == "word " * 100


class Echo:
    async def answer(self, question: str, session: str) -> str:
        return f"{question} in {session}"


@pytest.mark.req("S4-36", "T-100")
async def test_a_question_is_answered_in_its_session():
    assert await QuestionBackend(Echo()).reads.in_session("s").answer("what?") == "what? in s"


async def test_without_anything_that_answers_it_is_not_available():
    with pytest.raises(ProviderError, match="not available on this system"):
        await QuestionBackend(None).reads.answer("what?")


@pytest.mark.req("X-05", "T-56")
async def test_nothing_else_is_served_and_says_so(tmp_path: Path):
    reply = 'CHAT_ADD_MESSAGE user "x"\nAGENT_CALL "x"\nLOG_WRITE "x"\nTEMPLATE_LIST\n'
    async with a_home(tmp_path) as home:
        report = await home.run(reply)

    codes = [outcome.record.marks.code for outcome in report.outcomes]
    assert codes == ["unavailable", "unavailable", "unavailable", None]


async def test_no_step_is_ever_carried_out():
    here = QuestionBackend(None)

    with pytest.raises(ProviderError):
        await here.apply(WriteLog("1", "info", "x"), ())
    assert await here.settle(WriteLog("1", "info", "x"), ()) == NotDone()
    assert here.imagine(here.reads, WriteLog("1", "info", "x"), ChangeRef(0, 0)) is here.reads
