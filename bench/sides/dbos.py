"""DBOS: a workflow that waits for a decision, then does the deed as a step; on SQLite or PostgreSQL."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.deed import move, two_places
from bench.serving import serve


def main(folder: str, url: str) -> None:
    """Serve one asked move after another, each a workflow of its own."""
    os.chdir(folder)
    dbos: Any = import_module("dbos")
    config = {"name": "bench", "system_database_url": url, "log_level": "ERROR", "run_admin_server": False}
    if url.startswith("sqlite"):
        _in_wal(Path(folder) / "dbos.db")
    dbos.DBOS(config=config)

    def deed(source: str, destination: str) -> str:
        move(Path(source), Path(destination))
        return "done"

    step: Any = dbos.DBOS.step(name="deed")(deed)

    def asked(source: str, destination: str) -> str:
        answer = dbos.DBOS.recv("decision", timeout_seconds=60)
        return str(step(source, destination)) if answer == "yes" else "declined"

    workflow: Any = dbos.DBOS.workflow(name="asked")(asked)
    dbos.DBOS.launch()
    places = two_places(Path(folder))

    def work(n: int) -> None:
        for _ in range(n):
            handle = dbos.DBOS.start_workflow(workflow, str(places[0]), str(places[1]))
            dbos.DBOS.send(handle.get_workflow_id(), "yes", "decision")
            if handle.get_result() != "done":
                raise RuntimeError("DBOS did not move the file")
            places.reverse()

    serve(work)
    dbos.DBOS.destroy()


def _in_wal(file: Path) -> None:
    sqlite = import_module("sqlite3")
    connection = sqlite.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")  # stays with the file; synchronous is FULL by itself
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
