"""Of many processes that decide about one waiting action at the same moment, exactly one wins."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.ground import NOON, Ground, Row, a_ground, events, in_mode

ROOT = Path(__file__).parents[2]
FEW, MANY = (8, 8, 2), (32, 50, 10)
"""How many processes, in how many rounds half of them against the other, and in how many all for it."""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path, in_mode("always"))
    for number in range(sum(MANY[1:])):
        ground.file(f"{number}.txt", f"round {number}\n")
    ground.file("log.txt", "")
    (ground.documents / "moved").mkdir()
    return ground


def raced(*words: str) -> list[dict[str, Any]]:
    run = [sys.executable, "-m", "tests.journeys.racing", *words]
    ran = subprocess.run(run, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.req("TO-04", "CR-02", "X-10")
@pytest.mark.parametrize("size", [FEW, pytest.param(MANY, marks=pytest.mark.thorough)], ids=["few", "many"])
def test_of_the_processes_that_decide_at_once_one_wins_in_each_round(ground: Ground, size: tuple[int, int, int]):
    processes, mixed, agreed = size
    words = ["mixed"] * mixed + ["approve"] * agreed

    rounds = raced("race", str(ground.base), str(processes), *words)

    rows = {row.id: row for row in ground.rows()}
    assert len(rounds) == len(rows) == len(words)
    for number, this in enumerate(rounds):
        must_have_one_winner(rows[this["ref"]], this["told"], processes)
        happened = is_moved(ground, number) if number % 2 == 0 else is_added(ground, number)
        assert happened == (rows[this["ref"]].state == "done"), number
    counts = Counter(row.state for row in rows.values())
    assert counts["done"] + counts["declined"] == len(words)
    assert counts["done"] >= agreed
    must_have_moved_once(ground, rows)


def must_have_moved_once(ground: Ground, rows: Mapping[str, Row]) -> None:
    """Hold the journal's commits: every action left waiting exactly once."""
    left: Counter[str] = Counter()
    for event, actions in events(ground.own / "sayso.db"):
        left.update(id_ for id_, _ in actions if event in {"approved", "declined"})
    assert left == Counter(rows.keys())


def must_have_one_winner(row: Row, told: list[dict[str, Any]], processes: int) -> None:
    """Hold one round: one decided state, and everybody was told the truth about it."""
    assert row.state in {"done", "declined"}
    winning = "approve" if row.state == "done" else "decline"
    assert len(told) == processes
    losers = [one for one in told if one.get("code") is not None]
    others = [one for one in told if one.get("code") is None]
    # Who lost only after being shown the question is told what became of it, as the winner is.
    assert any(one["word"] == winning for one in others)
    assert {one["state"] for one in others} <= {row.state, "running"}
    assert all(one["code"] in {"action.not_waiting", "journal.stale"} for one in losers), losers
    assert all(one["error"] for one in losers)


def is_moved(ground: Ground, number: int) -> bool:
    here, there = ground.documents / f"{number}.txt", ground.documents / "moved" / f"{number}.txt"
    assert here.exists() != there.exists()
    moved = here if here.exists() else there
    assert (moved.read_text(), moved.stat().st_mtime_ns) == (f"round {number}\n", NOON)
    return there.exists()


def is_added(ground: Ground, number: int) -> bool:
    count = (ground.documents / "log.txt").read_text().count(f"round {number};")
    assert count <= 1
    return count == 1


@pytest.mark.req("CR-02", "TO-03")
def test_a_process_that_wakes_up_after_another_has_acted_does_nothing(ground: Ground):
    (this,) = raced("overtaken", str(ground.base))

    (row,) = ground.rows()
    assert this["quick"]["state"] == this["slow"]["state"] == row.state == "done"
    assert is_moved(ground, 0)
    begun = [event for event, actions in events(ground.own / "sayso.db") if (row.id, "running") in actions]
    assert begun == ["approved"]
