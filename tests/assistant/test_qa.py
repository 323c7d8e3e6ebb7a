"""Without a model a question is answered with a plain list of what it names."""

from pathlib import Path

import pytest

from sayso.assistant.asker import NoView
from sayso.assistant.qa import NOTHING, PAIRS, SESSIONS, QuestionAnswerer, RecentQuestions, listing
from sayso.core.conversation import ContextPiece, ModelContext, ReplyEnd, ReplyText
from sayso.core.errors import ProviderError, Refused
from sayso.testing.fakes import Scripted
from tests.assistant.homes import WORLD, a_home
from tests.fails import fails

TABS = ContextPiece("tabs", "The tabs.", [{"index": 1, "title": "One", "content_summary": "", "is_active": True}])
TASKS = ContextPiece(
    "tasks", "The tasks.", [{"text": "Buy wine", "level": 0, "completed": True}, {"text": "Rent", "level": 1}]
)
HABITS = ContextPiece("habits", "The habits.", [{"text": "Stretch", "repeatIntervalHours": 24.0, "last_done_at": None}])
RUNNING = ContextPiece("running_apps", "What runs.", ["Notes"])
EVENTS = ContextPiece("events", "The events of today.", [])
RAW = ContextPiece("tabs_raw", "Raw.", "text")
HISTORY = ContextPiece("history", "What was done.", [{"time": "12:00", "said": "Add the task"}])
ALL = ModelContext((TABS, TASKS, HABITS, RUNNING, EVENTS, RAW, HISTORY))


@pytest.mark.req("T-100")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What are my tasks?", "Tasks:\n- Buy wine (completed)\n- Rent (level: 1)"),
        ("any open to-dos", "Tasks:\n- Buy wine (completed)\n- Rent (level: 1)"),
        ("which habits do I have?", "Habits:\n- Stretch (repeat interval hours: 24)"),
        ("Which tabs?", "Tabs:\n- One (index: 1, is active)"),
        ("what programs are running?", "Running apps:\n- Notes"),
        (
            "what is in my calendar and on my list of tasks?",
            "Tasks:\n- Buy wine (completed)\n- Rent (level: 1)\n\nEvents: none",
        ),
    ],
)
def test_what_a_question_names_is_listed_and_nothing_else(question: str, answer: str):
    assert listing(ALL, question) == answer


@pytest.mark.req("T-100")
def test_a_question_that_names_nothing_of_it_is_answered_with_all_that_is_known():
    told = listing(ALL, "what is going on?")

    assert [part.partition(":")[0] for part in told.split("\n\n")] == [
        "Tabs",
        "Tasks",
        "Habits",
        "Running apps",
        "History",
    ]
    assert "Raw" not in told


def test_an_entry_without_a_title_is_told_by_its_members():
    rows = ContextPiece("monitors", "The monitors.", [{"width": 800, "bounds": [0, 0]}, 3])

    assert listing(ModelContext((rows,)), "monitors?") == "Monitors:\n- width: 800, bounds: [0, 0]\n- 3"


@pytest.mark.req("T-100")
def test_where_nothing_is_known_that_is_said():
    assert listing(ModelContext(()), "what?") == NOTHING


@pytest.mark.req("S4-37", "T-100")
def test_ten_pairs_of_each_session_are_remembered():
    remembered = RecentQuestions()
    for n in range(PAIRS + 2):
        remembered.add("one", f"q{n}", f"a{n}")
    remembered.add("two", "q", "a")

    assert remembered.of("one") == tuple((f"q{n}", f"a{n}") for n in range(2, 12))
    assert remembered.of("two") == (("q", "a"),)
    assert remembered.of("three") == ()


def test_of_many_sessions_those_asked_in_last_are_remembered():
    remembered = RecentQuestions()
    for n in range(SESSIONS + 1):
        remembered.add(f"s{n}", "q", "a")

    assert (remembered.of("s0"), remembered.of("s1")) == ((), (("q", "a"),))


async def test_a_model_that_says_nothing_is_no_answer(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answering = QuestionAnswerer(home)
        answering.serve("s", Scripted(" "), NoView())

        with pytest.raises(ProviderError, match="did not answer"):
            await answering.answer("what?", "s")


@pytest.mark.parametrize(
    ("settings", "asked"), [("budget_turns = 3", 3), ("budget_tokens = 1000", 0), ("budget_turns = 2", 2)]
)
async def test_the_questions_of_one_request_end_with_its_limits(settings: str, asked: int, tmp_path: Path):
    model = Scripted(*["yes"] * 5)
    async with a_home(tmp_path, f"{WORLD}[model]\n{settings}\n") as home:
        answering = QuestionAnswerer(home)
        answering.serve("s", model, NoView())
        for _ in range(asked):
            await answering.answer("why " * 100, "s")

        with fails(Refused, "budget.reached", "this one was not asked"):
            await answering.answer("why " * 2000, "s")

        assert len(model.asked) == asked
        answering.serve("s", model, NoView())
        if asked:
            assert await answering.answer("why?", "s") == "yes"


async def test_each_session_is_answered_by_its_own_model(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answering = QuestionAnswerer(home)
        for name in ("one", "two"):
            answering.serve(name, Scripted(name), NoView())

        assert [await answering.answer("who?", name) for name in ("one", "two")] == ["one", "two"]
        assert "reddit" in await answering.answer("tabs?", "three")


@pytest.mark.req("T-100")
async def test_what_goes_by_rules_gets_a_plain_list_also_where_it_answers_for_another(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answering = QuestionAnswerer(home)
        for session, model in (
            ("rules", Scripted(name="embedded")),
            ("behind", Scripted([ReplyText("SWITCH 3"), ReplyEnd("embedded", "stop")], name="openai:any")),
        ):
            answering.serve(session, model, NoView())

            assert "https://www.reddit.com/" in await answering.answer("tabs?", session)
