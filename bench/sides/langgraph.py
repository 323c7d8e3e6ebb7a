"""LangGraph with its SQLite checkpointer: interrupted before the deed, resumed with the decision, each step durable."""

import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.deed import move, two_places
from bench.serving import serve


def deed(state: dict[str, Any], *, interrupt: Callable[[object], str]) -> dict[str, str]:
    """Ask, then move."""
    answer = interrupt({"move": [state["source"], state["destination"]]})
    if answer == "yes":
        move(Path(state["source"]), Path(state["destination"]))
    return {"outcome": "done"}


def main(folder: str) -> None:
    """Serve one asked move after another, each a thread of its own."""
    graphs, types = import_module("langgraph.graph"), import_module("langgraph.types")
    saver = import_module("langgraph.checkpoint.sqlite")
    connection = sqlite3.connect(Path(folder) / "checkpoints.db", check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    graph: Any = graphs.StateGraph(dict)
    graph.add_node("deed", partial(deed, interrupt=types.interrupt))
    graph.add_edge(graphs.START, "deed")
    checkpointer: Any = saver.SqliteSaver(connection)
    checkpointer.setup()
    compiled: Any = graph.compile(checkpointer=checkpointer)
    places = two_places(Path(folder))
    count = iter(range(10**9))

    def work(n: int) -> None:
        for _ in range(n):
            config = {"configurable": {"thread_id": str(next(count))}}
            wish = {"source": str(places[0]), "destination": str(places[1])}
            compiled.invoke(wish, config, durability="sync")
            compiled.invoke(types.Command(resume="yes"), config, durability="sync")
            places.reverse()
            if not places[0].exists():
                raise RuntimeError("LangGraph did not move the file")

    serve(work)


if __name__ == "__main__":
    main(sys.argv[1])
