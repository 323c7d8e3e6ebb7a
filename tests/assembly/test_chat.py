"""In a real home, what is said is added to the chat and the log once, and the model of the settings is asked."""

import json
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio
import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.model import open_model
from sayso.assistant.asker import NoView
from sayso.core.conversation import ToolCall
from sayso.core.encoding import Json
from sayso.core.ports import Approver
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.runtime.questions import Client
from sayso.runtime.results import Outcome, Report
from sayso.testing.model_server import ModelServer, Status, playing

KILLED = 9
YES = Client(lambda question: True)


def configure(place: Path, server: ModelServer | None = None, more: str = "") -> str:
    own = place / "own"
    (own / "actions").mkdir(parents=True, exist_ok=True)
    asked = "" if server is None else f'[model]\nname = "openai-compatible:tiny"\nurl = "{server.url}"\n'
    (own / "config.toml").write_text(asked + more)
    return str(own)


def opened(place: Path, own: str) -> AbstractAsyncContextManager[Home]:
    (place / "Documents").mkdir(exist_ok=True)
    return sayso.open_home(own, environ={"HOME": str(place)})


async def calls(home: Home, approver: Approver = YES, **arguments: Json) -> Report:
    """Propose a call of the model."""
    return await home.take([Proposal(0, "", "agent.call", arguments)], Origin("tools", session="s1"), approver)


async def said(home: Home, text: str, session: str = "s1") -> Report:
    return await home.run(text, approver=YES, session=session)


def states(report: Report) -> Sequence[State]:
    return [one.record.state for one in report.outcomes]


@pytest.mark.req("S3-45")
async def test_a_message_is_added_to_its_session_alone_and_stays_there(tmp_path: Path):
    own = configure(tmp_path)
    async with opened(tmp_path, own) as home:
        report = await said(home, 'CHAT_ADD_MESSAGE assistant "All is done"\nCHAT_ADD_MESSAGE system "Be brief"')
        await said(home, 'CHAT_ADD_MESSAGE user "Elsewhere"', "s2")

    async with opened(tmp_path, own) as home:
        kept = await home.journal.instances.said("s1")
        assert states(report) == [State.DONE, State.DONE]
        assert [(one.role, one.content) for one in kept] == [("assistant", "All is done"), ("system", "Be brief")]
        assert [one.content for one in await home.journal.instances.said("s2")] == ["Elsewhere"]
        assert (await home.journal.verify()).ok


@pytest.mark.req("S3-48")
async def test_a_line_for_the_log_is_found_again(tmp_path: Path):
    async with opened(tmp_path, configure(tmp_path)) as home:
        report = await said(home, 'LOG_WRITE "Only 3 % left" warn\nLOG_WRITE "Fine"')
        kept = await home.journal.instances.logged()

    assert states(report) == [State.DONE, State.DONE]
    assert [(one.level, one.content, one.session) for one in kept] == [
        ("info", "Fine", "s1"),
        ("warn", "Only 3 % left", "s1"),
    ]


async def test_what_calls_of_the_model_take_counts_to_the_budget_of_the_ask_that_goes_on(tmp_path: Path):
    with playing("yes", "yes", "yes") as server:
        own = configure(tmp_path, server, "budget_tokens = 3000\nbudget_turns = 1\n")
        async with opened(tmp_path, own) as home:
            free = [await calls(home, prompt="a" * 6000) for _ in range(2)]
            home.questions.answering.serve("s1", open_model(home.settings, home.ids), NoView())
            first, second = [await calls(home, prompt="a" * 6000) for _ in range(2)]

    assert [states(one) for one in (*free, first)] == [[State.DONE]] * 3
    assert states(second) == [State.REFUSED]
    assert second.outcomes[0].record.marks.code == "budget.reached"
    assert len(server.heard) == 3


@pytest.mark.req("S3-44", "T-90")
async def test_the_model_of_the_settings_is_asked_without_tools_and_its_words_are_strangers(tmp_path: Path):
    with playing("Forty-\ntwo\u202e") as server:
        async with opened(tmp_path, configure(tmp_path, server)) as home:
            asked: list[str] = []
            look = Client(lambda question: not asked.extend(question.cards[0].plan.sends))
            report = await calls(home, look, prompt="6 times 7?", system_prompt="Be brief.", max_tokens=40)
            exposed = await home.exposed_principals()

    (heard,) = server.heard
    (outcome,) = report.outcomes
    (change,) = outcome.record.marks.changes
    body = json.loads(json.dumps(heard.body))
    assert outcome.record.state is State.DONE
    assert change.left is not None
    assert "Forty-\ntwo" in json.dumps(change.left, ensure_ascii=False).replace("\\n", "\n")
    assert [one["content"] for one in body["messages"]] == ["Be brief.", "6 times 7?"]
    assert (body.get("tools"), body.get("max_tokens") or body.get("max_completion_tokens")) == (None, 40)
    assert asked == ["19 characters to the model openai-compatible:tiny"]
    assert "\u202e" not in str(outcome.record.marks.message)
    assert "Forty-" in str(outcome.record.marks.message)
    assert [one.sources for one in exposed] == [("agent.call",)]


async def test_a_model_that_is_given_a_tool_looks_with_it_and_can_use_no_other(tmp_path: Path):
    made = [ToolCall("1", "template_list", "{}"), ToolCall("2", "task_add", '{"title": "Evil"}')]
    with playing(made, "You have none.") as server:
        async with opened(tmp_path, configure(tmp_path, server)) as home:
            report = await calls(home, prompt="Which actions?", tools=["template.list"])
            log = await home.log()

    told = json.dumps(server.heard[1].body)
    assert states(report) == [State.DONE]
    assert "There are no actions of your own" in told
    assert "this tool was not offered" in told
    assert {(one.operation, one.state) for one in log} == {
        ("agent.call", State.DONE),
        ("template.list", State.DONE),
        (None, State.INVALID),
    }


@pytest.mark.parametrize("tool", ["task.add", "task_add", "agent.call", "nothing"])
async def test_a_tool_that_does_more_than_look_is_refused_before_anything_is_sent(tool: str, tmp_path: Path):
    with playing() as server:
        async with opened(tmp_path, configure(tmp_path, server)) as home:
            report = await calls(home, prompt="Hello", tools=[tool])

    (outcome,) = report.outcomes
    assert (outcome.record.state, outcome.record.marks.code) == (State.FAILED, "agent.tool")
    assert server.heard == []


async def test_without_a_language_model_a_call_says_how_to_set_one_up(tmp_path: Path):
    async with opened(tmp_path, configure(tmp_path)) as home:
        report = await calls(home, prompt="Hello")

    (outcome,) = report.outcomes
    assert outcome.record.marks.code == "agent.no_model"
    assert "sayso config model" in str(outcome.record.marks.error)


async def test_a_model_that_refuses_to_answer_makes_the_call_fail(tmp_path: Path):
    with playing(Status(400), "") as server:
        async with opened(tmp_path, configure(tmp_path, server)) as home:
            report = [await calls(home, prompt="Hello") for _ in range(2)]

    assert [states(one) for one in report] == [[State.FAILED], [State.FAILED]]
    assert report[1].outcomes[0].record.marks.code == "model.silent"


DIES = """
import anyio, os, sys
import sayso
from sayso.testing.fakes import KillAt
own, place, text, at = sys.argv[1:]

async def main():
    death = KillAt(at, how=lambda: os._exit(9))
    async with sayso.open_home(own, environ={"HOME": place}, kill=death) as home:
        await home.run(text, approver=sayso.Client(lambda question: True), session="s1")

anyio.run(main)
"""


@pytest.mark.parametrize(
    ("text", "at", "state"),
    [
        ('CHAT_ADD_MESSAGE user "x"', "talk.before", State.FAILED),
        ('CHAT_ADD_MESSAGE user "x"', "talk.after", State.DONE),
        ('LOG_WRITE "x"', "talk.before", State.FAILED),
        ('LOG_WRITE "x"', "talk.after", State.DONE),
        ('AGENT_CALL "x"', "talk.before", State.UNKNOWN),
        ('AGENT_CALL "x"', "talk.after", State.UNKNOWN),
    ],
)
async def test_after_a_crash_each_step_is_settled_by_what_is_stored(tmp_path: Path, text: str, at: str, state: State):
    with playing("Yes.") as server:
        own = configure(tmp_path, server)
        died = await anyio.run_process([sys.executable, "-c", DIES, own, str(tmp_path), text, at], check=False)
        async with opened(tmp_path, own) as home:
            (record,) = await home.log()
            stored = len(await home.journal.instances.said("s1")) + len(await home.journal.instances.logged())
            settled = await home.settle(record.id, done=True) if state is State.UNKNOWN else Outcome(record)

    assert died.returncode == KILLED, died.stderr
    assert (record.state, stored) == (state, int(state is State.DONE))
    assert settled.record.state is (State.FAILED if state is State.FAILED else State.DONE)
