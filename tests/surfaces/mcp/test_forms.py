"""An agent's program may show the person a form only if the settings say so, and only about what can be taken back."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    InputResponses,
)

import sayso
from sayso.assembly import Home
from sayso.providers.browser.address import announce_page
from sayso.surfaces.mcp.calls import Calls
from sayso.surfaces.mcp.forms import KEY, NO, YES, secret_for
from sayso.surfaces.mcp.server import server_of

PROTOCOLS = pytest.mark.parametrize("mode", ["legacy", "auto"])
MOVE = {"source": "~/Documents/a.txt", "destination": "~/Documents/b.txt"}
ACCEPT = ElicitResult(action="accept", content={"answer": YES})


@asynccontextmanager
async def home_at(tmp_path: Path, settings: str = "[mcp]\nforms = true\n") -> AsyncGenerator[Home]:
    (tmp_path / "own").mkdir(exist_ok=True)
    (tmp_path / "own" / "config.toml").write_text(settings)
    if not (tmp_path / "Documents").exists():
        (tmp_path / "Documents").mkdir()
        (tmp_path / "Documents" / "a.txt").write_text("kept")
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as opened:
        yield opened


@pytest.fixture
async def home(tmp_path: Path) -> AsyncGenerator[Home]:
    async with home_at(tmp_path) as opened:
        yield opened


class Program:
    """The program of an agent, which answers every question in the same way and keeps what it was asked."""

    def __init__(self, answer: ElicitResult = ACCEPT) -> None:
        self._answer = answer
        self.asked: list[ElicitRequestFormParams | ElicitRequestURLParams] = []

    async def __call__(self, context: Any, params: ElicitRequestFormParams | ElicitRequestURLParams) -> ElicitResult:
        self.asked.append(params)
        return self._answer

    def connected(self, calls: Calls, mode: str) -> Client:
        return Client(server_of(calls, secret_for(calls.home)), elicitation_callback=self, mode=mode)


def state_of(result: CallToolResult) -> str:
    assert result.structured_content is not None
    return str(result.structured_content["state"])


@PROTOCOLS
async def test_a_form_says_what_is_to_be_done_and_a_yes_to_it_counts(home: Home, mode: str, tmp_path: Path):
    program = Program()

    async with program.connected(Calls(home, 5), mode) as agent:
        moved = await agent.call_tool("file_move", MOVE)

    (form,) = program.asked
    assert state_of(moved) == "done"
    assert (tmp_path / "Documents" / "b.txt").read_text() == "kept"
    assert "a.txt" in form.message
    assert "It can be taken back with “sayso undo”." in form.message
    (record,) = await home.log()
    assert record.marks.approved_by == "form"


@PROTOCOLS
@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (ElicitResult(action="accept", content={"answer": NO}), "declined"),
        (ElicitResult(action="decline"), "declined"),
        (ElicitResult(action="cancel"), "waiting"),
        (ElicitResult(action="accept"), "waiting"),
        (ElicitResult(action="accept", content={"answer": "yes"}), "waiting"),
        (ElicitResult(action="accept", content={"answer": YES, "more": "x"}), "waiting"),
    ],
)
async def test_every_other_answer_does_nothing(home: Home, mode: str, answer: ElicitResult, state: str, tmp_path: Path):
    async with Program(answer).connected(Calls(home, 0.5), mode) as agent:
        ended = await agent.call_tool("file_move", MOVE)

    assert state_of(ended) == state
    assert (tmp_path / "Documents" / "a.txt").exists()


@pytest.mark.req("AV-12")
@PROTOCOLS
@pytest.mark.parametrize(
    ("settings", "name", "arguments"),
    [
        ("", "file_move", MOVE),
        ("[mcp]\nforms = false\n", "file_move", MOVE),
        ("[mcp]\nforms = true\n", "file_delete", {"path": "~/Documents/a.txt"}),
        ("[mcp]\nforms = true\n", "net_fetch", {"url": "https://example.org/"}),
        ("[mcp]\nforms = true\n", "task_delete", {"text": "buy milk"}),
        ("[mcp]\nforms = true\n", "page_run_js", {"code": "1"}),
    ],
)
async def test_a_program_that_says_yes_to_all_is_not_asked_about_what_it_may_not_decide(
    tmp_path: Path, mode: str, settings: str, name: str, arguments: dict[str, str]
):
    program = Program()

    async with home_at(tmp_path, settings) as home, program.connected(Calls(home, 0), mode) as agent:
        waits = await agent.call_tool(name, arguments)

    assert program.asked == []
    assert state_of(waits) != "done"
    assert (tmp_path / "Documents" / "a.txt").exists()


async def asked(agent: Client, calls: Calls) -> InputRequiredResult:
    found = await agent.session.call_tool("file_move", MOVE, allow_input_required=True)
    assert isinstance(found, InputRequiredResult)
    return found


async def test_what_passes_through_the_program_is_good_for_this_call_of_this_agent_alone(home: Home, tmp_path: Path):
    mine, other = Calls(home, 0, "mine"), Calls(home, 0, "other")
    answers: InputResponses = {KEY: ACCEPT}

    async with Program().connected(mine, "auto") as agent, Program().connected(other, "auto") as thief:
        state = (await asked(agent, mine)).request_state
        assert state is not None
        attempts: list[Callable[[], Any]] = [
            lambda: thief.session.call_tool("file_move", MOVE, input_responses=answers, request_state=state),
            lambda: agent.session.call_tool(
                "file_move", {**MOVE, "destination": "~/x"}, input_responses=answers, request_state=state
            ),
            lambda: agent.session.call_tool("file_copy", MOVE, input_responses=answers, request_state=state),
            lambda: agent.session.call_tool(
                "file_move",
                MOVE,
                input_responses=answers,
                request_state=state.replace(state[20], "A-"[state[20] == "A"]),
            ),
            lambda: agent.session.call_tool("file_move", MOVE, input_responses=answers, request_state="[]"),
        ]
        for attempt in attempts:
            with pytest.raises(MCPError, match="Invalid or expired requestState"):
                await attempt()

    assert [record.state for record in await home.log()] == ["waiting"]
    assert (tmp_path / "Documents" / "a.txt").exists()


async def test_an_answer_counts_once_and_also_after_a_restart(tmp_path: Path):
    answers: InputResponses = {KEY: ACCEPT}
    async with home_at(tmp_path) as home, Program().connected(Calls(home, 0), "auto") as agent:
        state = (await asked(agent, Calls(home, 0))).request_state

    async with home_at(tmp_path) as home, Program().connected(Calls(home, 0), "auto") as agent:
        first = await agent.session.call_tool("file_move", MOVE, input_responses=answers, request_state=state)
        (tmp_path / "Documents" / "b.txt").rename(tmp_path / "Documents" / "a.txt")
        again = await agent.session.call_tool("file_move", MOVE, input_responses=answers, request_state=state)
        records = await home.log()

    assert (state_of(first), state_of(again), len(records)) == ("done", "done", 1)
    assert not (tmp_path / "Documents" / "b.txt").exists()


async def test_a_yes_to_a_form_comes_too_late_if_the_person_said_no_elsewhere(home: Home, tmp_path: Path):
    calls = Calls(home, 0)
    async with Program().connected(calls, "auto") as agent:
        state = (await asked(agent, calls)).request_state
        (waiting,) = await home.pending()
        await home.decline(waiting.id, by="terminal")
        ended = await agent.session.call_tool("file_move", MOVE, input_responses={KEY: ACCEPT}, request_state=state)

    assert state_of(ended) == "declined"
    assert (tmp_path / "Documents" / "a.txt").exists()


async def test_what_an_agent_wrote_cannot_shape_the_form(home: Home):
    program = Program(ElicitResult(action="cancel"))
    odd = {"source": "~/Documents/a.txt", "destination": "~/Documents/b\u202etxt.exe”, harmless"}

    async with program.connected(Calls(home, 0), "auto") as agent:
        await agent.call_tool("file_move", odd)

    (form,) = program.asked
    assert "\u202e" not in form.message
    assert "”” harmless" in form.message.replace(",", "")


@PROTOCOLS
async def test_where_there_is_a_page_the_program_leads_there_and_its_answer_decides_nothing(
    home: Home, mode: str, tmp_path: Path
):
    program, calls = Program(ElicitResult(action="accept")), Calls(home, 0.5)
    calls.page = lambda id_: f"http://127.0.0.1:8737/card/{id_}"

    async with program.connected(calls, mode) as agent:
        waits = await agent.call_tool("file_delete", {"path": "~/Documents/a.txt"})

    (shown,) = program.asked
    assert isinstance(shown, ElicitRequestURLParams)
    assert shown.url == f"http://127.0.0.1:8737/card/{(waits.structured_content or {})['id']}"
    assert state_of(waits) == "waiting"
    assert (tmp_path / "Documents" / "a.txt").exists()


@PROTOCOLS
async def test_the_page_that_is_served_now_is_shown_to_the_person_also_where_no_forms_are(tmp_path: Path, mode: str):
    program = Program(ElicitResult(action="accept"))

    async with home_at(tmp_path, "") as home:
        with announce_page(str(tmp_path / "own"), 8739), announce_page(str(tmp_path / "own"), 8738, cards=True):
            async with program.connected(Calls(home, 0.1), mode) as agent:
                waits = await agent.call_tool("file_delete", {"path": "~/Documents/a.txt"})

    (shown,) = program.asked
    assert isinstance(shown, ElicitRequestURLParams)
    assert shown.url == f"http://127.0.0.1:8738/#waiting/{(waits.structured_content or {})['id']}"
    assert state_of(waits) == "waiting"


async def test_a_page_that_a_killed_process_announced_is_not_shown(tmp_path: Path):
    program = Program(ElicitResult(action="accept"))
    (tmp_path / "own" / "pages").mkdir(parents=True)
    (tmp_path / "own" / "pages" / "8738").write_text("cards")

    async with home_at(tmp_path, "") as home, program.connected(Calls(home, 0), "auto") as agent:
        await agent.call_tool("file_delete", {"path": "~/Documents/a.txt"})

    assert program.asked == []
