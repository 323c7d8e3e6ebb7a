"""The command bar: a request is checked whole, then done; what is unclear is asked back, and the answer carries on."""

import json
from pathlib import Path

import pytest

import sayso
from sayso.assistant.answer import Asker
from sayso.core.record import State
from sayso.testing.scripted import Scripted
from tests.assistant.homes import a_home, last, request

SWITCH = {"type": "switch_tab", "tab_index": 3}
YES = sayso.Client(lambda _: True)


@pytest.mark.req("S4-45", "S4-01", "S0-04")
async def test_one_match_is_switched_to_and_all_of_it_is_in_the_trace(tmp_path: Path):
    model = Scripted(request(SWITCH))
    async with a_home(tmp_path) as home:
        answer = await home.ask("switch to reddit", "commands", model)

        url = (await home.run("TAB_URL")).outcomes[0].text

    assert [one.record.state for one in answer.report.outcomes] == [State.DONE]
    assert url == "https://www.reddit.com/"
    trace = answer.trace.json()
    assert list(trace)[:4] == ["context", "system_prompt", "user_prompt", "response"]
    assert trace["response"] == request(SWITCH)
    assert [command.operation for command in answer.trace.steps[0].commands] == ["tab.switch"]
    assert '"state": "done"' in json.dumps(trace["results"])
    assert "switch to reddit" in model.asked[0].turns[-1].text
    assert '"domain":"reddit.com"' in model.asked[0].turns[-1].text


@pytest.mark.req("S4-03", "S4-50", "T-103", "S4-53")
async def test_nothing_of_a_request_is_done_when_one_command_of_it_cannot_be(tmp_path: Path):
    wrong = request(SWITCH, {"type": "switch_tab", "tab_index": 99})
    async with a_home(tmp_path) as home:
        before = (await home.run("TAB_URL")).outcomes[0].text
        answer = await home.ask("switch", "commands", Scripted(wrong, wrong))

        assert (await home.run("TAB_URL")).outcomes[0].text == before
    first, second = answer.report.outcomes
    assert (first.record.state, second.record.state) == (State.SKIPPED, State.FAILED)
    assert "99" in (second.record.marks.error or "")


@pytest.mark.req("S2-46", "S4-04", "T-60")
async def test_a_request_that_cannot_be_read_is_written_again_once_its_writer_knows_why(tmp_path: Path):
    model = Scripted(request({"type": "switch_tab", "filter": "reddit"}), request(SWITCH))
    async with a_home(tmp_path) as home:
        answer = await home.ask("switch to reddit", "commands", model)

    assert [one.record.state for one in answer.report.outcomes] == [State.DONE]
    assert [step.response for step in answer.trace.steps] == [
        request({"type": "switch_tab", "filter": "reddit"}),
        request(SWITCH),
    ]
    told = model.asked[1].turns[-1]
    assert told.role == "user"
    assert "filter" in told.text
    assert "Write the whole reply again" in told.text


async def test_who_writes_the_same_again_is_not_asked_once_more_and_nothing_is_done_twice(tmp_path: Path):
    wrong = request({"type": "switch_tab", "filter": "reddit"})
    model = Scripted(wrong, wrong)
    async with a_home(tmp_path) as home:
        answer = await home.ask("switch to reddit", "commands", model)

    assert [one.record.state for one in answer.report.outcomes] == [State.INVALID]
    assert len(model.asked) == 2


async def test_corrections_are_bounded(tmp_path: Path):
    model = Scripted(*(request({"type": "switch_tab", "filter": str(n)}) for n in range(3)))
    async with a_home(tmp_path) as home:
        answer = await home.ask("switch to reddit", "commands", model)

    assert len(model.asked) == 3
    assert [one.record.state for one in answer.report.outcomes] == [State.INVALID]


@pytest.mark.req("S4-48", "S4-49", "T-95")
async def test_a_question_back_does_nothing_and_its_answer_goes_along_with_it(tmp_path: Path):
    unclear = request({"type": "switch_tab"}, asks="Which one: reddit (3) or wikipedia (5)?")
    model = Scripted(unclear, request(SWITCH))
    async with a_home(tmp_path) as home:
        asked = await home.ask("switch to it", "commands", model, Asker("s"))
        answered = await home.ask("reddit", "commands", model, Asker("s"))
        after = Scripted(request())
        await home.ask("thanks", "commands", after, Asker("s"))

    assert asked.report.needs_clarification
    assert asked.report.clarification_reason == "Which one: reddit (3) or wikipedia (5)?"
    assert asked.report.outcomes == ()
    assert [one.record.state for one in answered.report.outcomes] == [State.DONE]
    turns = model.asked[1].turns
    assert [(turn.role, turn.text) for turn in turns[:-1]] == [("user", "switch to it"), ("assistant", unclear)]
    assert model.asked[1].earlier == ("switch to it",)
    assert len(after.asked[0].turns) == 1


@pytest.mark.req("S4-36", "S4-44", "T-100")
async def test_a_question_is_answered_in_its_place_by_the_model_with_what_belongs_to_questions(tmp_path: Path):
    model = Scripted(request({"type": "query", "question": "What was I working on?"}, SWITCH), "On the plan.")
    async with a_home(tmp_path) as home:
        (tmp_path / "Documents" / "plan.md").write_text("x")
        answer = await home.ask("what was I working on, and go to reddit", "commands", model)

    query, switch = answer.report.outcomes
    assert (query.text, query.record.state, switch.record.state) == ("On the plan.", State.DONE, State.DONE)
    assert "plan.md" in model.asked[1].turns[-1].text
    assert ["<history>" in asked.turns[-1].text for asked in model.asked] == [False, True]
    assert model.asked[1].tools == ()


@pytest.mark.req("S4-37")
async def test_the_last_ten_questions_of_a_session_are_remembered_as_long_as_the_process_lives(tmp_path: Path):
    def ask(number: int) -> str:
        return request({"type": "query", "question": f"question {number}?"})

    replies = [reply for n in range(12) for reply in (ask(n), f"answer {n}")]
    model, other, later = Scripted(*replies), Scripted(ask(99), "x"), Scripted(ask(100), "x")
    async with a_home(tmp_path) as home:
        for n in range(12):
            await home.ask(f"q{n}", "commands", model, Asker("s"))
        await home.ask("q", "commands", other, Asker("another"))
    async with a_home(tmp_path) as home:
        await home.ask("q", "commands", later, Asker("s"))

    told = model.asked[-1].turns[-1].text
    assert [n for n in range(12) if f'"answer {n}"' in told] == list(range(1, 11))
    assert "before" not in other.asked[-1].turns[-1].text.partition("QUESTION")[0].rpartition("</")[2]
    assert "answer 11" not in later.asked[-1].turns[-1].text


@pytest.mark.req("T-100")
async def test_without_a_model_that_speaks_a_question_gets_a_plain_list(tmp_path: Path):
    async with a_home(tmp_path) as home:
        report = await home.run(request({"type": "query", "question": "tabs?"}), "commands")

    assert "https://www.reddit.com/" in report.outcomes[0].text


@pytest.mark.req("S0-85", "S4-53")
async def test_the_whole_trace_is_kept_and_found_by_its_run(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("switch to reddit", "commands", Scripted(request(SWITCH)), Asker("s"))

        kept = await home.sessions.of_run(answer.report.run)

    assert kept is not None
    assert (kept.session, kept.words, kept.reply, kept.runs) == ("s", "switch to reddit", request(SWITCH), answer.runs)
    assert {"context", "system_prompt", "user_prompt", "response", "commands", "results"} <= set(kept.trace)


async def test_a_dry_run_does_nothing_and_corrects_nothing(tmp_path: Path):
    model = Scripted(request(SWITCH))
    async with a_home(tmp_path) as home:
        before = (await home.run("TAB_URL")).outcomes[0].text
        answer = await home.ask("switch to reddit", "commands", model, Asker(dry_run=True))

        assert (await home.run("TAB_URL")).outcomes[0].text == before
    assert [one.record.state for one in answer.report.outcomes] == [State.PLANNED]


@pytest.mark.req("X-11", "S2-44")
async def test_what_was_said_no_to_later_is_told_with_the_next_turn_and_once(tmp_path: Path):
    ask = request({"type": "task_add", "text": "x"}, {"type": "file_delete", "path": "~/Documents/a.txt"})
    model = Scripted(ask, request(), request())
    (tmp_path / "Documents").mkdir()
    (tmp_path / "Documents" / "a.txt").write_text("x")
    async with a_home(tmp_path) as home:
        waits = await home.ask("delete a.txt", "commands", model, Asker("s"))
        await home.decline(waits.report.run)
        await home.ask("and now?", "commands", model, Asker("s"))
        await home.ask("and now?", "commands", model, Asker("s"))

    assert {one.record.state for one in waits.report.outcomes} == {State.WAITING}
    assert "The person said no" in model.asked[1].turns[-1].text
    assert "The person said no" not in model.asked[2].turns[-1].text


async def test_what_must_not_be_kept_is_in_no_trace(tmp_path: Path):
    hidden = "very secret words"
    reply = request({"type": "notify_show", "title": "A", "message": hidden})
    async with a_home(
        tmp_path,
        '[policy]\naudit_redact = ["notify.show.message"]\n[desktop]\nkind = "memory"\n',
    ) as home:
        answer = await home.ask(f"say {hidden}", "commands", Scripted(reply), Asker("s"))
        kept = await last(home, "s")

    assert hidden in answer.trace.steps[0].response
    assert hidden not in str(kept)
    assert "[redacted]" in kept.reply
    assert hidden.encode() not in (tmp_path / "own" / "sayso.db").read_bytes()
