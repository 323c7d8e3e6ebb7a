"""An agent of the OpenAI Agents SDK acts through sayso; its run stops where the person must decide, and goes on later.

Needs the package `openai-agents`. The SDK's own approval is only the place where the run stops: what counts is what the
person says to sayso, and the agent is told what became of the action, also after a no.
"""

import json
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
from agents import Agent, FunctionTool, Model, ModelResponse, Runner, RunState, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import sayso
from sayso.core.record import State


class Scripted(Model):
    """Stands in for a language model: deletes the file, then says what the tool answered."""

    async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
        """Return the next reply."""
        heard = given["input"]
        answers = [] if isinstance(heard, str) else [one for one in heard if one.get("type") == "function_call_output"]
        if answers:
            text = ResponseOutputText(type="output_text", text=f"I was told: {answers[-1]['output']}", annotations=[])
            said: Any = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
        else:
            wanted = json.dumps({"path": "~/Documents/old.txt"})
            said = ResponseFunctionToolCall(type="function_call", call_id="c1", name="file_delete", arguments=wanted)
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *rest: Any, **more: Any) -> AsyncIterator[Any]:
        """Raise: nothing is streamed here."""
        raise NotImplementedError


class Calls:
    """The calls of one agent: each is proposed to sayso once, and answered with what became of it."""

    def __init__(self, home: sayso.Home) -> None:
        self.home = home
        self.toolset = sayso.Toolset(home)
        self.ids: dict[str, str] = {}
        """The id of the action of each call."""
        self.texts: dict[str, str] = {}

    async def must_wait(self, name: str, arguments: dict[str, Any], call: str) -> bool:
        """Propose the action of a call; return whether the person must decide."""
        if call not in self.ids:
            called = await self.toolset.call(name, arguments)
            record = called.report.outcomes[0].record
            self.ids[call], self.texts[call] = record.id, called.text
        outcome = await self.home.outcome(self.ids[call])
        return outcome is not None and outcome.record.state is State.WAITING

    async def answer(self, call: str) -> str:
        """Return what the model is told of a call that is over."""
        outcome = await self.home.outcome(self.ids[call])
        marks = outcome.record.marks if outcome else None
        return (marks and (marks.error or marks.message)) or self.texts[call]

    def tools(self) -> list[FunctionTool]:
        """Return sayso's tools for the agent."""
        return [self._tool(schema) for schema in self.toolset.schemas("anthropic")]

    def _tool(self, schema: Any) -> FunctionTool:
        name = str(schema["name"])
        return FunctionTool(
            name,
            str(schema["description"]),
            schema["input_schema"],
            lambda context, _: self.answer(context.tool_call_id),
            strict_json_schema=False,
            needs_approval=lambda _, arguments, call: self.must_wait(name, arguments, call),
        )


async def main(*, yes: bool = True) -> str:
    """Run the agent until it must wait, let the person decide, and let it go on."""
    set_tracing_disabled(True)
    person = Path(tempfile.mkdtemp())
    (person / "Documents").mkdir()
    (person / "Documents" / "old.txt").write_text("old")
    async with sayso.open_home(str(person / "sayso"), environ={"HOME": str(person)}) as home:
        calls = Calls(home)
        agent = Agent(name="helper", model=Scripted(), tools=calls.tools())
        begun = await Runner.run(agent, "Delete old.txt.")
        print(f"waiting: {[item.name for item in begun.interruptions]}")
        state: RunState[Any, Any] = begun.to_state()
        for item in begun.interruptions:
            # Your program shows the question here; `sayso approve` on a terminal would do as well.
            await decide(home, calls.ids[str(item.raw_item.call_id)], yes=yes)
            state.approve(item)  # only lets the run go on: the tool answers what became of the action
        ended = await Runner.run(agent, state)
    print(ended.final_output)
    return str(ended.final_output)


async def decide(home: sayso.Home, id_: str, *, yes: bool) -> None:
    """Do what the person says."""
    await home.approve(id_, sayso.Client(lambda question: yes))


if __name__ == "__main__":
    anyio.run(main)
