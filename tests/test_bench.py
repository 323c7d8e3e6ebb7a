"""Bench measures what it says it measures: a tiny run of every part that needs no peers and no large journal."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.line import Gap, Line, table
from bench.paired import ROOT, syncs_in

TINY = ["--rounds", "1", "--n", "2", "--rows", "3000", "--text", "20000"]
OTHERS = [
    "callers",
    "moving",
    "judging",
    "reading",
    "history",
    "laden",
    "peers",
    "tasks",
    "tabs",
    "windows",
    "page",
    "mail",
    "former",
]


def run_bench(folder: Path, *parts: str) -> dict[str, dict[str, Any]]:
    """Run some parts and return the lines of the result by what they measure."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), "BENCH_WORK": str(folder)}
    command = [sys.executable, "-m", "bench", *TINY, *parts]
    ran = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    told = json.loads(ran.stdout.splitlines()[-1])
    return {line["what"]: line for line in told["lines"]}


@pytest.mark.thorough
@pytest.mark.needs("strace")
def test_an_action_takes_three_commits_and_a_batch_two_more_than_it_has_actions(tmp_path: Path):
    lines = run_bench(tmp_path, "actions")

    assert lines["asked: fsyncs of one action"]["value"] == 3
    assert lines["asked: fsyncs of a batch of 10"]["value"] == 12
    assert lines["allowed by rule: fsyncs of one action"]["value"] == 2
    assert lines["asked: pages of the write-ahead log for one action"]["reached"]
    assert lines["kept in the journal for one action"]["reached"]


@pytest.mark.thorough
@pytest.mark.parametrize("part", OTHERS)
def test_every_other_part_still_runs(part: str, tmp_path: Path):
    lines = run_bench(tmp_path, part)

    assert lines
    assert all(line["value"] > 0 for line in lines.values() if "value" in line and "more than" not in line["what"])


def test_a_call_that_strace_cut_in_two_is_counted_once():
    trace = '7 fsync(5 <unfinished ...>\n8 fdatasync(3) = 0\n7 <... fsync resumed>) = 0\n7 write(1, "x", 1) = 1\n'

    assert syncs_in(trace) == 2


def test_a_line_tells_its_target_and_why_it_was_missed():
    told = table(
        [
            Line("quick", 1.2, 1.4, floor="of no use"),
            Line("slow", 2, 1.4, floor="the disk", beside="1 µs"),
            Line("many", 0.7, 0.65, "", at_least=True),
            Gap("far", "no server"),
        ]
    )

    assert told.splitlines() == [
        "what   measured   target  verdict",
        "quick    1.20 ×  ≤ 1.4 ×  reached",
        "slow     2.00 ×  ≤ 1.4 ×  missed: the disk",
        "    1 µs",
        "many      0.70   ≥ 0.65   reached",
        "far           –        –  not measured: no server",
    ]
