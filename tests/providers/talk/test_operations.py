"""Operations that talk are declared as the catalogue lists them and take only what fits."""

import pytest
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.plan import CannotUndo, ChangeRef, NotDone
from sayso.core.ports import BackendContext
from sayso.providers.talk import TALK
from sayso.providers.talk.backend import build
from sayso.providers.talk.memory import TalkWorld, memory_backend
from sayso.providers.talk.model import RunTemplate, WriteLog
from sayso.providers.talk.store import TemplateParameter, check_parameters
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import OperationsById, Trial

GROUND = BackendContext({}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())
BY_ID = OperationsById(TALK.operations)


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
    backend = build(replace(GROUND, answers=Echo()))

    assert await backend.reads.in_session("s").answer("what?") == "what? in s"


@pytest.mark.req("X-05", "T-56")
async def test_without_a_home_nothing_is_available_and_says_so():
    here = build(GROUND)

    for refused in (here.reads.answer("what?"), here.apply(WriteLog("1", "info", "x"), ()), here.reads.templates()):
        with pytest.raises(ProviderError, match="not available on this system"):
            await refused
    assert here.imagine(here.reads, WriteLog("1", "info", "x"), ChangeRef(0, 0)) is here.reads


async def test_an_action_is_never_one_step():
    here = build(replace(GROUND, talk=lambda: None))

    with pytest.raises(ProviderError, match="not as one step"):
        await here.apply(RunTemplate("act_1", "s", "brief"), ())
    assert await here.settle(RunTemplate("act_1", "s", "brief"), ()) == NotDone()


REMINDER = (
    TemplateParameter("recipient", "string", "Whom to write to", required=True),
    TemplateParameter("daysPastDue", "number"),
    TemplateParameter("priority", "string", enum=("P1", "P2")),
    TemplateParameter("copies", "integer", default=1),
    TemplateParameter("urgent", "boolean", default=False),
    TemplateParameter("lines", "array"),
    TemplateParameter("extra", "object"),
)


@pytest.mark.req("T-77", "S3-13", "S3-14")
def test_what_is_of_its_type_is_handed_on_as_it_is():
    given: dict[str, Json] = {
        "recipient": "ana@example.org",
        "daysPastDue": 15,
        "priority": "P2",
        "copies": 2,
        "urgent": True,
        "lines": ["a", 1],
        "extra": {"a": None},
    }

    assert check_parameters(REMINDER, given) == (given, ())


@pytest.mark.req("S3-16", "T-77")
def test_a_default_stands_for_what_was_left_out_and_for_nothing_else():
    full, problems = check_parameters(REMINDER, {"recipient": "ana", "copies": 0})

    assert (full, problems) == ({"recipient": "ana", "copies": 0, "urgent": False}, ())


@pytest.mark.req("S3-16", "T-77")
def test_a_default_is_put_in_before_anything_is_asked_for():
    required = TemplateParameter("days", "integer", required=True, default=30)
    wrong = TemplateParameter("days", "integer", default="30")

    assert check_parameters([required], {}) == ({"days": 30}, ())
    assert [one.sentence for one in check_parameters([wrong], {})[1]] == ["“days” must be a whole number"]


@pytest.mark.req("S3-13")
def test_an_action_that_requires_nothing_may_be_given_nothing():
    assert check_parameters([TemplateParameter("a", "string")], {}) == ({}, ())
    assert check_parameters([], {}) == ({}, ())


@pytest.mark.req("T-77", "S3-14", "S3-15")
@pytest.mark.parametrize(
    ("name", "value", "sentence", "code"),
    [
        ("daysPastDue", "15", "“daysPastDue” must be a number", "arguments.type"),
        ("daysPastDue", True, "“daysPastDue” must be a number", "arguments.type"),
        ("daysPastDue", float("nan"), "“daysPastDue” must be a number", "arguments.type"),
        ("daysPastDue", None, "“daysPastDue” must be a number, not null; it may be left out", "arguments.type"),
        ("recipient", None, "“recipient” must be a text", "arguments.type"),
        ("recipient", 5, "“recipient” must be a text", "arguments.type"),
        (
            "recipient",
            "\ud83d",
            "“recipient” holds half of a character pair (a lone surrogate), which no file or mail can carry",
            "arguments.characters",
        ),
        ("copies", 1.5, "“copies” must be a whole number", "arguments.type"),
        ("copies", "1", "“copies” must be a whole number", "arguments.type"),
        ("copies", False, "“copies” must be a whole number", "arguments.type"),
        ("urgent", 1, "“urgent” must be true or false", "arguments.type"),
        ("urgent", "true", "“urgent” must be true or false", "arguments.type"),
        ("lines", "a", "“lines” must be a list", "arguments.type"),
        ("lines", {"a": 1}, "“lines” must be a list", "arguments.type"),
        ("extra", ["a"], "“extra” must be an object", "arguments.type"),
        ("priority", "P5", "“priority” must be one of P1, P2", "arguments.type"),
        ("priority", "p1", "“priority” must be one of P1, P2", "arguments.type"),
        (
            "Recipient",
            "x",
            f"“Recipient” is not a parameter of it; it takes {', '.join(parameter.name for parameter in REMINDER)}",
            "arguments.unknown",
        ),
    ],
)
def test_what_does_not_fit_is_named_and_never_made_to_fit(name: str, value: Json, sentence: str, code: str):
    _, problems = check_parameters(REMINDER, {"recipient": "ana", name: value})

    assert [(one.sentence, one.code, one.argument) for one in problems] == [(sentence, code, name)]


@pytest.mark.req("T-77")
def test_everything_that_is_wrong_is_told_at_once():
    _, problems = check_parameters(REMINDER, {"copies": "x", "zzz": 1})

    assert [one.argument for one in problems] == ["recipient", "copies", "zzz"]


@pytest.mark.req("T-105")
def test_three_point_nought_is_the_whole_number_three():
    full, problems = check_parameters(REMINDER, {"recipient": "ana", "copies": 3.0, "daysPastDue": 3.0})

    assert (repr(full["copies"]), repr(full["daysPastDue"]), problems) == ("3", "3.0", ())


@pytest.mark.req("S3-15")
def test_a_choice_is_of_its_own_type():
    one = TemplateParameter("level", "integer", enum=(1, 2))
    either = TemplateParameter("mode", "boolean", enum=(True,))

    assert check_parameters([one], {"level": 2})[1] == ()
    assert [problem.sentence for problem in check_parameters([one], {"level": True})[1]] == [
        "“level” must be a whole number"
    ]
    assert [problem.sentence for problem in check_parameters([either], {"mode": False})[1]] == [
        "“mode” must be one of true"
    ]


def test_where_nothing_is_taken_that_is_said():
    _, (problem,) = check_parameters([], {"a": 1})

    assert problem.sentence == "“a” is not a parameter of it; it takes no parameters"
