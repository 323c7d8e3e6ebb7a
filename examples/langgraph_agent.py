"""A graph of LangGraph acts through sayso; it stops where the person must decide, and goes on from its checkpoint.

Needs the package `langgraph`. LangGraph runs a node anew after an interrupt, so one node proposes and another one
waits: no action is proposed twice.
"""

import tempfile
from pathlib import Path
from typing import Annotated, Any, TypedDict

import anyio
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

import sayso
from sayso.core.record import State


class Talk(TypedDict):
    """What the graph keeps: the messages, and the calls that wait, each with the id of its action."""

    messages: Annotated[list[AnyMessage], add_messages]
    waiting: dict[str, str]


def scripted(state: Talk) -> dict[str, Any]:
    """Stand in for a language model: delete the file, then say what the tool answered."""
    last = state["messages"][-1]
    if isinstance(last, ToolMessage):
        return {"messages": [AIMessage(f"I was told: {last.content}")]}
    call = {"name": "file_delete", "args": {"path": "~/Documents/old.txt"}, "id": "c1"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def graph_for(home: sayso.Home) -> Any:
    """Return a graph whose tools are sayso's; a real model is given `toolset.schemas("openai")`."""
    toolset = sayso.Toolset(home)

    async def act(state: Talk) -> dict[str, Any]:
        messages: list[AnyMessage] = []
        waiting: dict[str, str] = {}
        for call in state["messages"][-1].tool_calls:
            called = await toolset.call(call["name"], call["args"])
            record = called.report.outcomes[0].record
            if record.state is State.WAITING:
                waiting[call["id"]] = record.id
            else:
                messages.append(ToolMessage(called.text, tool_call_id=call["id"]))
        return {"messages": messages, "waiting": waiting}

    async def wait(state: Talk) -> dict[str, Any]:
        interrupt([*state["waiting"].values()])
        messages: list[AnyMessage] = []
        for call, id_ in state["waiting"].items():
            outcome = await home.outcome(id_)
            marks = outcome.record.marks if outcome else None
            text = (marks and (marks.error or marks.message)) or "nothing is known of it"
            messages.append(ToolMessage(text, tool_call_id=call))
        return {"messages": messages, "waiting": {}}

    graph = StateGraph(Talk)
    for name, node in (("model", scripted), ("act", act), ("wait", wait)):
        graph.add_node(name, node)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", lambda state: "act" if state["messages"][-1].tool_calls else END)
    graph.add_conditional_edges("act", lambda state: "wait" if state["waiting"] else "model")
    graph.add_edge("wait", "model")
    return graph.compile(checkpointer=InMemorySaver())


async def main(*, yes: bool = True) -> str:
    """Run the graph until it must wait, let the person decide, and let it go on."""
    person = Path(tempfile.mkdtemp())
    (person / "Documents").mkdir()
    (person / "Documents" / "old.txt").write_text("old")
    thread = {"configurable": {"thread_id": "1"}}
    async with sayso.open_home(str(person / "sayso"), environ={"HOME": str(person)}) as home:
        graph = graph_for(home)
        begun = await graph.ainvoke({"messages": [HumanMessage("Delete old.txt.")], "waiting": {}}, thread)
        ids: list[str] = begun["__interrupt__"][0].value
        print(f"waiting: {len(ids)}")
        for id_ in ids:
            # Your program shows the question here; `sayso approve` on a terminal would do as well.
            await home.approve(id_, sayso.Client(lambda question: yes))
        ended = await graph.ainvoke(Command(resume=True), thread)
        actions = len(await home.log())
    said = str(ended["messages"][-1].content)
    print(f"{said} ({actions} action)")
    return said


if __name__ == "__main__":
    anyio.run(main)
