"""An agent of pydantic-ai acts through sayso; its run ends where the person must decide, and goes on after that."""

import tempfile
from pathlib import Path
from typing import Any, cast

import anyio
from pydantic_ai import Agent, CallDeferred, DeferredToolRequests, DeferredToolResults, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import sayso
from sayso.core.record import State


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stand in for a language model: delete the file, then say what the tool answered."""
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        return ModelResponse(parts=[TextPart(f"It is done: {last.content}")])
    return ModelResponse(parts=[ToolCallPart("file_delete", {"path": "~/Documents/old.txt"})])


def tools_of(toolset: sayso.Toolset) -> list[Tool[object]]:
    """Return sayso's tools for an agent; a call that waits for the person is deferred."""

    def calling(name: str) -> Any:
        async def call(**arguments: Any) -> str:
            called = await toolset.call(name, arguments)
            record = called.report.outcomes[0].record
            if record.state is State.WAITING:
                raise CallDeferred(metadata={"id": record.id})
            return called.text

        return call

    return [
        Tool.from_schema(
            calling(name), name, str(schema["description"]), cast("dict[str, Any]", schema["input_schema"])
        )
        for schema in toolset.schemas("anthropic")
        if (name := str(schema["name"]))
    ]


async def main() -> str:
    """Run the agent until it must wait, let the person decide, and let it go on."""
    person = Path(tempfile.mkdtemp())
    (person / "Documents").mkdir()
    (person / "Documents" / "old.txt").write_text("old")
    async with sayso.open_home(str(person / "sayso"), environ={"HOME": str(person)}) as home:
        agent = Agent[object, str | DeferredToolRequests](
            FunctionModel(scripted), tools=tools_of(sayso.Toolset(home)), output_type=[str, DeferredToolRequests]
        )
        begun = await agent.run("Delete old.txt.")
        if isinstance(begun.output, str):
            return begun.output
        print(f"waiting: {[call.tool_name for call in begun.output.calls]}")

        results = DeferredToolResults()
        for call in begun.output.calls:
            id_ = str(begun.output.metadata[call.tool_call_id]["id"])
            # Your program shows the question here; `sayso approve` on a terminal would do as well.
            report = await home.approve(id_, sayso.Client(lambda question: True))
            results.calls[call.tool_call_id] = report.outcomes[0].record.marks.message
        ended = await agent.run(message_history=begun.all_messages(), deferred_tool_results=results)
    print(ended.output)
    return str(ended.output)


if __name__ == "__main__":
    anyio.run(main)
