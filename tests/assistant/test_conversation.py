"""One ask goes from words to an answer, with a trace of all that was said."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sayso
from sayso.assistant.asker import CORRECTIONS, Asker, AskStep, NoView, Trace
from sayso.assistant.conversation import offer_tools, whole, write_calls
from sayso.assistant.port import AssistantPort
from sayso.core.conversation import ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProviderError, Refused, SetupError
from sayso.core.proposal import Proposal
from sayso.core.record import State
from sayso.dialects.tools import TOOLS
from sayso.models.fallback import Fallback
from sayso.runtime.questions import Nobody as NobodyAnswers
from sayso.runtime.results import Outcome, Report
from sayso.testing.fakes import Scripted
from sayso.testing.journal import a_record, as_done
from tests.assistant.homes import OPERATIONS, WORLD, a_home, last


def test_without_more_nobody_decides_and_nobody_hears():
    asker = Asker()

    assert (asker.session, asker.dry_run, asker.corrections) == ("", False, CORRECTIONS)
    assert isinstance(asker.approver, NobodyAnswers)
    assert isinstance(asker.view, NoView)


def test_each_tool_is_offered_with_its_schema():
    tools = {tool.name: tool for tool in offer_tools(OPERATIONS)}

    assert {"macos_auto", "browser", "file_move"} <= tools.keys()
    assert tools["file_move"].parameters["required"] == ["source", "destination"]
    assert tools["file_move"].description


def test_no_calls_are_no_text():
    assert write_calls(()) == ""


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=40)), min_size=1, max_size=4))
def test_every_call_is_read_as_one_proposal_whatever_it_says(made: list[tuple[str, str]]):
    calls = [ToolCall(f"c{n}", name, arguments) for n, (name, arguments) in enumerate(made)]
    reader = TOOLS.reader({})

    events = [*reader.feed(write_calls(calls)), *reader.close()]

    assert len(events) == len(calls)


def test_arguments_stay_the_text_that_the_model_wrote():
    (call,) = json.loads(write_calls([ToolCall("c", "file_read", '{"path": "~/a"')]))

    assert call["function"] == {"name": "file_read", "arguments": '{"path": "~/a"'}


def a_step(run: str, *states: State, first: int = 1) -> AskStep:
    outcomes = tuple(Outcome(a_record(first + n, index=n, state=state)) for n, state in enumerate(states))
    return AskStep("u", "r", (), (Report(run, "lines", outcomes, warnings=(run,)),))


def test_what_was_written_again_takes_the_place_of_what_was_wrong():
    first, second = a_step("run_a", State.DONE, State.INVALID), a_step("run_b", State.DONE, first=10)

    report = whole([first, second], {a_record(2).id}, "lines", dry_run=False)

    assert [(one.record.index, one.record.id) for one in report.outcomes] == [(0, a_record(1).id), (1, a_record(10).id)]
    assert (report.run, report.warnings) == ("run_b", ("run_a", "run_b"))


def test_a_reply_that_proposed_nothing_puts_nothing_right():
    report = whole([a_step("run_a", State.INVALID), a_step("run_b")], {a_record(1).id}, "lines", dry_run=False)

    assert [one.record.state for one in report.outcomes] == [State.INVALID]
    assert report.run == "run_a"


def test_failures_that_nobody_was_asked_to_put_right_stay():
    report = whole([a_step("run_a", State.FAILED), a_step("run_b", State.DONE, first=9)], set(), "lines", dry_run=False)

    assert [one.record.state for one in report.outcomes] == [State.FAILED, State.DONE]


def test_where_nothing_was_proposed_there_is_an_empty_report():
    report = whole([AskStep("u", "r")], set(), "chat", dry_run=True)

    assert (report.run, report.dialect, report.outcomes, report.dry_run) == ("", "chat", (), True)


ENTRIES = ("commands", "automation", "chat")


@pytest.mark.req("T-53")
@pytest.mark.parametrize("entry", ENTRIES)
async def test_while_everything_is_paused_no_model_is_asked(entry: str, tmp_path: Path):
    model = Scripted()
    async with a_home(tmp_path, f"[policy]\npaused = true\n{WORLD}") as home:
        with pytest.raises(Refused, match="paused"):
            await home.ask("x", entry, model)

    assert model.asked == []


async def test_an_entry_point_that_there_is_not_is_named(tmp_path: Path):
    async with a_home(tmp_path) as home:
        with pytest.raises(SetupError, match="commands, automation, chat"):
            await home.ask("x", "talk", Scripted())


class Told(NoView):
    """Keeps the lines that it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show_progress(self, line: str) -> None:
        self.lines.append(line)


async def test_who_answers_in_the_place_of_another_is_told_with_the_reason(tmp_path: Path):
    told = Told()
    model = Fallback((Scripted(ProviderError("a is down"), name="a"), Scripted('{"commands": []}', name="b")))
    async with a_home(tmp_path) as home:
        answer = await home.ask("x", "commands", model, Asker(view=told))

    assert (answer.model, told.lines) == ("b", ["b answers instead: a is down"])


@pytest.mark.parametrize("entry", ENTRIES)
async def test_a_model_that_refuses_is_told_as_such(entry: str, tmp_path: Path):
    async with a_home(tmp_path) as home:
        with pytest.raises(ProviderError, match="m refused to answer"):
            await home.ask("x", entry, Scripted([ReplyEnd("m", "refused")]))


async def test_a_chat_reply_that_was_cut_off_keeps_its_words_and_its_open_block_never_runs(tmp_path: Path):
    cut = [ReplyText('Adding:\n\n```json-action\n{"type": "add_task", "text": "A'), ReplyEnd("m", "length")]
    async with a_home(tmp_path) as home:
        answer = await home.ask("x", "chat", Scripted(cut, "Sorry."))
        waiting = await home.pending()

    assert answer.text == "Adding:\n\nSorry."
    assert waiting == []


@pytest.mark.parametrize("entry", ENTRIES)
async def test_a_session_is_made_where_none_is_named_and_is_named_after_the_words(entry: str, tmp_path: Path):
    async with a_home(tmp_path) as home:
        empty = '{"commands": []}' if entry == "commands" else "# No action needed"
        answer = await home.ask("what a day", entry, Scripted(empty))
        (session,) = await home.sessions.all()

    assert (session.id, session.name, session.entry) == (answer.session, "what a day", entry)
    assert answer.session.startswith("ask_")


async def test_the_tokens_that_it_took_are_in_the_trace(tmp_path: Path):
    async with a_home(tmp_path) as home:
        await home.ask("x", "chat", Scripted([ReplyText("Hi."), ReplyEnd("m-7", "stop", 100, 2)]), Asker("s"))
        kept = (await last(home, "s")).trace

    assert '"tokens_in": 100, "tokens_out": 2' in str(kept["turns"]).replace("'", '"')
    assert kept["model"] == "m-7"


async def test_a_home_offers_everything_the_assistant_needs(tmp_path: Path):
    async with a_home(tmp_path) as home:
        port: AssistantPort = home

        assert [name for name in vars(AssistantPort) if not name.startswith("_") and not hasattr(port, name)] == []


PARTS = ["context", "system_prompt", "user_prompt", "response", "commands"]


@pytest.mark.req("S0-85")
def test_all_six_parts_are_there_when_nothing_was_read():
    trace = Trace("automation", {"time": "now"}, "system", "user", (AskStep("user", "# No action needed"),)).json()

    assert [key for key in trace if key in {*PARTS, "results"}] == [*PARTS, "results"]
    assert (trace["response"], trace["commands"], trace["results"]) == ("# No action needed", [], [])


@pytest.mark.req("S4-53")
def test_request_validation_and_execution_are_told_apart():
    bad = a_record(2, index=1, state=State.INVALID, plan=None)
    report = Report("run_x", "commands", (Outcome(as_done(a_record(1))), Outcome(bad.marked(error="no such tab"))))
    step = AskStep("u", "r", (Proposal(0, "a"), Proposal(1, "b", problem="no such tab")), (report,))

    trace = Trace("commands", steps=(step,)).json()

    assert trace["validation"] == [
        {"index": 0, "valid": True, "problem": None},
        {"index": 1, "valid": False, "problem": "no such tab"},
    ]


def test_what_a_read_found_is_told_and_not_kept():
    read = Outcome(a_record(1, plan=None, state=State.DONE), {"text": "private"}, "private")
    trace = Trace("chat", steps=(AskStep("u", "r", (), (Report("run_x", "tools", (read,)),)),))

    assert "private" in str(trace.json())
    assert "private" not in str(trace.json(whole=False))


def test_why_it_ended_without_a_reply_is_in_it():
    trace = Trace("chat", user_prompt="u", error="the server fell silent").json()

    assert (trace["error"], trace["response"], trace["user_prompt"]) == ("the server fell silent", "", "u")


YES = sayso.Client(lambda _: True)


@pytest.mark.parametrize("entry", ["commands", "chat", "automation"])
async def test_words_become_deeds_at_every_entry_point(entry: str, tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("create a folder called Trips in Documents", entry)

    assert (tmp_path / "Documents" / "Trips").is_dir()
    assert (answer.model, [one.record.state for one in answer.report.outcomes]) == ("embedded", [State.DONE])


@pytest.mark.req("S4-48", "S4-49")
async def test_what_is_not_sure_is_asked_back_and_nothing_is_done(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("delete everything", "commands", asker=Asker(approver=YES))

    assert answer.report.needs_clarification
    assert answer.report.outcomes == ()


@pytest.mark.req("T-100", "S4-36")
async def test_a_question_gets_a_plain_list(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answer = await home.ask("what tabs are open?", "commands")

    assert "https://www.reddit.com/" in answer.report.outcomes[0].text


@pytest.mark.req("S4-44")
async def test_a_file_and_a_project_are_found_by_what_they_are_called(tmp_path: Path):
    documents = tmp_path / "Documents"
    (documents / "plan" / ".git").mkdir(parents=True)
    async with a_home(tmp_path) as home:
        (documents / "report.pdf").write_text("x")
        (documents / "Invoices").mkdir()
        opened = await home.ask("open the report", "commands", asker=Asker(dry_run=True))
        moved = await home.ask("move report.pdf to the invoices folder", "commands", asker=Asker(approver=YES))
        automated = await home.ask("nothing", "automation")

    assert [one.record.operation for one in opened.report.outcomes] == ["file.open"]
    assert opened.report.outcomes[0].record.arguments["path"] == str(documents / "report.pdf")
    assert [one.record.state for one in moved.report.outcomes] == [State.DONE]
    assert (documents / "Invoices" / "report.pdf").read_text() == "x"
    assert "Recent projects: plan" in automated.trace.user_prompt
