"""Run what is too slow for every change, and say at the end what ran and how long each part took.

The tests look for the planted bugs of the long runs too. `PARTS="tests bench"` chooses parts. Ends with 1 if any of
them failed.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHON = sys.executable
PARTS: dict[str, tuple[str, ...]] = {
    "tests": (PYTHON, "-m", "pytest", "-n", os.environ.get("WORKERS", "2"), "-q", "--ring", "thorough"),
    "attacks-then": (PYTHON, "-m", "tests.security.attacks", "--then"),
    "leftovers": (PYTHON, "-m", "tests.harness.leftovers"),
    "screenshots": (PYTHON, "-m", "tests.harness.screenshots"),
    "conformance": (PYTHON, "-m", "tools.conformance"),
    "outcomes": (PYTHON, "-m", "tools.outcomes"),
    "mcp-conformance": ("bash", "tests/harness/mcp-conformance-run"),
    "mcp-clients": ("bash", "tests/harness/mcp-clients-run"),
    "local-model": ("bash", "tests/harness/local-model-run"),
    "bench": ("bash", "bench/run"),
}


def main() -> int:
    """Run the chosen parts one after the other."""
    chosen = os.environ.get("PARTS", "").split() or list(PARTS)
    if unknown := [name for name in chosen if name not in PARTS]:
        print(f"there is no part {', '.join(unknown)}; there are: {' '.join(PARTS)}", file=sys.stderr)
        return 2
    rows: list[tuple[str, str, float]] = []
    for name in chosen:
        print(f"--- {name}", flush=True)
        began = time.monotonic()
        code = subprocess.run(PARTS[name], cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode
        rows.append((name, "passed" if code == 0 else f"FAILED with {code}", time.monotonic() - began))
    print("\nthorough:")
    for name, outcome, seconds in rows:
        print(f"  {name:<16} {outcome:<16} {seconds:7.0f} s")
    print(f"  {'in all':<16} {'':<16} {sum(seconds for *_, seconds in rows):7.0f} s")
    return int(any(outcome != "passed" for _, outcome, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
