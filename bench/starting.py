"""How long the program takes to start: measured by `bench.start`, which prints its lines itself."""

import json
import subprocess
import sys

from bench.line import Gap, Line
from bench.paired import ROOT
from bench.size import Size


def measured(size: Size) -> list[Line | Gap]:
    """Run that measurement in a process of its own, and take over what its JSON line tells."""
    if not (ROOT / "bench" / "start.py").exists():
        return [Gap("start-up", "bench/start.py is not there")]
    ran = subprocess.run(
        [sys.executable, "-m", "bench.start"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    sys.stderr.write(ran.stderr)
    told = ran.stdout.strip().splitlines()
    try:
        lines = json.loads(told[-1])["lines"]
    except (IndexError, KeyError, ValueError, TypeError):
        print("\n".join(told))
        return [Gap("start-up", f"bench.start ended with {ran.returncode}; what it says stands above")]
    return [
        Line(
            str(line["what"]),
            float(line["value"]),
            float(line["target"]),
            unit=str(line.get("unit", "×")),
            beside=str(line.get("beside", "")),
        )
        for line in lines
    ]
