"""An editor talks with the chat over the Agent Client Protocol, with the client of the protocol's own package."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, run_agent, schema, spawn_agent_process, text_block
from acp.interfaces import Agent

from sayso.assembly import Home, open_home
from sayso.surfaces.acp.agent import ChatAgent
from tests.memory import memory_settings
from tests.patience import patience

ENDS = patience()


class Editor:
    """An editor that notes what it is sent, and answers questions with `says`."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.asked: list[schema.ToolCallUpdate] = []
        self.says = ""
        self.on_text: Callable[[], Awaitable[None]] | None = None

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.sent.append(update)
        if self.on_text is not None and isinstance(update, schema.AgentMessageChunk):
            await self.on_text()

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption], **_: Any
    ) -> schema.RequestPermissionResponse:
        self.asked.append(tool_call)
        outcome = (
            schema.AllowedOutcome(outcome="selected", option_id=self.says)
            if self.says
            else schema.DeniedOutcome(outcome="cancelled")
        )
        return schema.RequestPermissionResponse(outcome=outcome)

    @property
    def text(self) -> str:
        return "".join(one.content.text for one in self.sent if isinstance(one, schema.AgentMessageChunk))

    @property
    def calls(self) -> dict[str, Any]:
        """Return the last state of each tool call."""
        return {
            one.tool_call_id: one
            for one in self.sent
            if isinstance(one, schema.ToolCallStart | schema.ToolCallProgress)
        }


class World:
    """A person's home, with the replies that the scripted model gives."""

    def __init__(self, home: Path, replies: Path) -> None:
        self.home = home
        self._replies = replies
        self.opened: Home = cast("Home", None)

    def settings(self, text: str) -> None:
        own = self.home.parent / "sayso"
        own.mkdir(mode=0o700, exist_ok=True)
        (own / "config.toml").write_text(f"{text}\n{memory_settings('files')}")

    @asynccontextmanager
    async def editor(self, *replies: object) -> AsyncGenerator[tuple[Editor, Agent]]:
        """Connect an editor to the chat, in this process."""
        self._replies.write_text(json.dumps(replies))
        editor = Editor()
        async with open_home(environ=os.environ) as home, pipes() as (to_agent, from_agent, reading, writing):
            self.opened = home
            agent = ChatAgent(home, f"replay:{self._replies}")
            async with anyio.create_task_group() as together:
                together.start_soon(run_agent, cast("Any", agent), writing, reading)
                client = connect_to_agent(cast("Any", editor), to_agent, from_agent)
                with anyio.fail_after(ENDS):
                    await client.initialize(protocol_version=PROTOCOL_VERSION)
                    yield editor, cast("Agent", client)
                await client.close()
                together.cancel_scope.cancel()


@asynccontextmanager
async def pipes() -> AsyncGenerator[tuple[Any, Any, Any, Any]]:
    """Yield what the editor writes to and reads from, and what the agent reads from and writes to."""
    loop = asyncio.get_running_loop()
    ends: list[Any] = []
    transports: list[asyncio.BaseTransport] = []
    for _ in range(2):
        read, write = os.pipe()
        reader = asyncio.StreamReader(limit=2**20)
        reads = asyncio.StreamReaderProtocol(reader)
        transports.append((await loop.connect_read_pipe(lambda one=reads: one, os.fdopen(read, "rb")))[0])
        flow = asyncio.streams.FlowControlMixin(loop)
        writing, _ = await loop.connect_write_pipe(lambda one=flow: one, os.fdopen(write, "wb"))
        transports.append(writing)
        ends.append((reader, asyncio.StreamWriter(writing, cast("Any", flow), None, loop)))
    (agent_reads, editor_writes), (editor_reads, agent_writes) = ends
    try:
        yield editor_writes, editor_reads, agent_reads, agent_writes
    finally:
        for transport in transports:
            transport.close()
        for _ in range(3):
            await anyio.lowlevel.checkpoint()


@pytest.fixture
def world(scratch_home: Path, tmp_path: Path) -> World:
    (scratch_home / "Documents").mkdir()
    (scratch_home / "Documents" / "a.txt").write_text("one\ntwo\n")
    made = World(scratch_home, tmp_path / "replies.json")
    made.settings("")
    return made


def call(name: str, **arguments: str) -> object:
    return {"text": "", "calls": [{"name": name, "arguments": arguments}]}


async def say(agent: Agent, words: str, session: str = "") -> tuple[str, schema.PromptResponse]:
    if not session:
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
    return session, await agent.prompt(session_id=session, prompt=[text_block(words)])


async def test_a_reply_comes_in_pieces_and_the_turn_ends(world: World):
    said = "Hello, this reply is longer than one piece of it, so it comes in several."

    async with world.editor(said) as (editor, agent):
        _, answer = await say(agent, "hello")

    assert answer.stop_reason == "end_turn"
    assert editor.text.strip() == said


async def test_an_action_is_a_tool_call_with_the_lines_it_changes_and_waits_for_the_person(world: World):
    file = world.home / "Documents" / "a.txt"
    writes = call("file_write", path="~/Documents/a.txt", content="one\nthree\n")

    async with world.editor(writes, "It waits.") as (editor, agent):
        await say(agent, "write three")
        (shown,) = editor.calls.values()
        before = file.read_text()

    diff = next(one for one in shown.content if isinstance(one, schema.FileEditToolCallContent))
    assert (shown.kind, shown.status, before) == ("edit", "pending", "one\ntwo\n")
    assert (diff.path, diff.old_text, diff.new_text) == (str(file), "one\ntwo", "one\nthree")
    assert f"sayso approve {shown.tool_call_id}" in "".join(str(one) for one in shown.content)
    assert editor.asked == []


async def test_what_the_person_decided_elsewhere_is_shown_at_the_next_turn(world: World):
    deletes = call("file_delete", path="~/Documents/a.txt")

    async with world.editor(deletes, "It waits.", "Good.") as (editor, agent):
        session, _ = await say(agent, "delete it")
        (id_,) = editor.calls
        await world.opened.decline(id_)
        await say(agent, "and now?", session)

    assert editor.calls[id_].status == "failed"


async def test_a_yes_of_the_editor_counts_only_where_the_person_switched_it_on(world: World):
    moves = call("file_move", source="~/Documents/a.txt", destination="~/Documents/b.txt")
    world.settings('[policy]\nmode = "always"\n[acp]\nanswers = true')

    async with world.editor(moves, "Done.") as (editor, agent):
        editor.says = "yes"
        await say(agent, "move it")

    (shown,) = editor.calls.values()
    assert (shown.status, len(editor.asked)) == ("completed", 1)
    assert (world.home / "Documents" / "b.txt").exists()


@pytest.mark.parametrize("says", ["no", ""])
async def test_a_no_or_no_answer_of_the_editor_does_nothing(world: World, says: str):
    moves = call("file_move", source="~/Documents/a.txt", destination="~/Documents/b.txt")
    world.settings('[policy]\nmode = "always"\n[acp]\nanswers = true')

    async with world.editor(moves, "Well.") as (editor, agent):
        editor.says = says
        await say(agent, "move it")

    (shown,) = editor.calls.values()
    assert shown.status == ("failed" if says else "pending")
    assert (world.home / "Documents" / "a.txt").exists()


async def test_what_an_editor_may_never_answer_is_not_put_to_it(world: World):
    world.settings("[acp]\nanswers = true")
    sends = call("file_write", path="~/Documents/run.sh", content="#!/bin/sh\n")

    async with world.editor(sends, "It waits.") as (editor, agent):
        editor.says = "yes"
        await say(agent, "write a program")

    assert editor.asked == []
    assert [one.status for one in editor.calls.values()] == ["pending"]


async def test_a_turn_that_is_stopped_ends_as_stopped_and_the_conversation_goes_on(world: World):
    async with world.editor("word " * 2000, "Still here.") as (editor, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id

        async def stop() -> None:
            editor.on_text = None
            await agent.cancel(session_id=session)

        editor.on_text = stop
        _, first = await say(agent, "talk", session)
        editor.sent.clear()
        _, second = await say(agent, "and now?", session)

    assert (first.stop_reason, second.stop_reason) == ("cancelled", "end_turn")
    assert "Still here." in editor.text


async def test_a_conversation_is_listed_and_goes_on_in_another_process(world: World):
    async with world.editor("First answer.") as (_, agent):
        session, _ = await say(agent, "first words")

    async with world.editor("Second answer.") as (editor, agent):
        listed = await agent.list_sessions()
        await agent.load_session(cwd="/", session_id=session, mcp_servers=[])
        told = [one.content.text for one in editor.sent]
        await say(agent, "second words", session)

    assert [one.session_id for one in listed.sessions] == [session]
    assert told == ["first words", "First answer."]
    assert "Second answer." in editor.text


async def test_what_is_not_there_or_not_text_is_an_error_and_nothing_is_asked(world: World):
    async with world.editor() as (editor, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        image = schema.ImageContentBlock(type="image", data="AA==", mime_type="image/png")

        for attempt in (
            agent.prompt(session_id="ask_none", prompt=[text_block("hello")]),
            agent.load_session(cwd="/", session_id="ask_none", mcp_servers=[]),
            agent.prompt(session_id=session, prompt=[image]),
            agent.prompt(session_id=session, prompt=[]),
        ):
            with pytest.raises(RequestError):
                await attempt

    assert editor.sent == []


async def test_servers_that_an_editor_names_are_not_started(world: World, tmp_path: Path):
    started = tmp_path / "started"
    server = schema.McpServerStdio(name="x", command="/usr/bin/touch", args=[str(started)], env=[])

    async with world.editor("Hello.") as (_, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[server])).session_id
        await say(agent, "hello", session)

    assert not started.exists()


async def test_characters_that_hide_or_reorder_text_are_shown_in_the_editor(world: World):
    async with world.editor("safe \u202e evil\x1b[2J") as (editor, agent):
        await say(agent, "hello")

    assert not {"\u202e", "\x1b"} & set(editor.text)


@pytest.mark.thorough
async def test_over_the_standard_streams_it_is_the_same(world: World, tmp_path: Path):
    replies = tmp_path / "said.json"
    replies.write_text(json.dumps([call("file_read", path="~/Documents/a.txt"), "It says one and two."]))
    editor = Editor()
    command = ["-m", "sayso", "acp", "--model", f"replay:{replies}"]

    async with spawn_agent_process(cast("Any", editor), sys.executable, *command, env=os.environ) as (agent, process):
        with anyio.fail_after(ENDS):
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            _, answer = await say(cast("Agent", agent), "what does it say?")

    assert answer.stop_reason == "end_turn"
    assert "It says one and two." in editor.text
    assert [(one.kind, one.status) for one in editor.calls.values()] == [("read", "completed")]
    assert process.returncode is not None
