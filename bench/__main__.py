"""`make bench`: measure everything, print one table and one JSON line."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from bench import (
    actions,
    agents,
    callers,
    former,
    gateway,
    history,
    judging,
    laden,
    mail,
    moving,
    page,
    peers,
    reading,
    starting,
    tabs,
    tasks,
    windows,
    wishes,
)
from bench.line import Gap, Line, table
from bench.paired import ROOT
from bench.size import Size

PARTS: dict[str, Callable[[Size], list[Line | Gap]]] = {
    "actions": actions.measured,
    "peers": peers.measured,
    "agents": agents.measured,
    "gateway": gateway.measured,
    "callers": callers.measured,
    "moving": moving.measured,
    "judging": judging.measured,
    "reading": reading.measured,
    "tasks": tasks.measured,
    "tabs": tabs.measured,
    "mail": mail.measured,
    "start": starting.measured,
    "windows": windows.measured,
    "page": page.measured,
    "wishes": wishes.measured,
    "laden": laden.measured,
    "history": history.measured,
    "former": former.measured,
}


def size_of(words: list[str], work: Path) -> tuple[Size, list[str]]:
    """Read the command line: how much, and which parts."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure sayso side by side.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--n", type=int, default=30, help="how many in each round")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the large journal")
    parser.add_argument("--text", type=int, default=10_000_000, help="characters of the longest text")
    parser.add_argument("--peers", default="", metavar="PYTHON", help="the Python that has the peers")
    given = parser.parse_args(words)
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part “{unknown[0]}”")
    return Size(given.rounds, given.n, work, given.peers, given.rows, given.text), given.parts or list(PARTS)


def main(words: list[str]) -> int:
    """Measure part by part; print each table as it is there, and one JSON line at the end."""
    build = Path(os.environ.get("BENCH_WORK") or ROOT / ".build" / "bench")
    build.mkdir(parents=True, exist_ok=True)
    work = Path(mkdtemp(prefix="run-", dir=build))
    work.chmod(0o755)  # a PostgreSQL server runs as another user
    try:
        size, parts = size_of(words, work)
        lines: list[Line | Gap] = []
        for part in parts:
            found = PARTS[part](size)
            lines += found
            print(table(found), flush=True)
            print()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    reached = sum(isinstance(line, Line) and line.reached for line in lines)
    print(f"{reached} of {len(lines)} reached")
    print(json.dumps({"run": "bench", "lines": [line.document() for line in lines]}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
