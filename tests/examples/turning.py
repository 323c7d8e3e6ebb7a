"""Run in a process of its own: turn a lamp on in the line dialect, take it back, and print each state as JSON."""

import json
import sys
from typing import Any

import anyio

import sayso


async def main() -> None:
    """Print what the lamps were after each step."""
    async with sayso.open_home() as home:
        backend: Any = home.tools.backends["lamps"]
        seen = [dict(backend.world.lamps)]
        report = await home.run('LAMP_ON "desk" 40\nLAMP_OFF "hall"\nLAMP_ON "cellar"')
        seen.append(dict(backend.world.lamps))
        back = await home.undo(report.run)
        seen.append(dict(backend.world.lamps))
        log = await home.log()
    states = [[outcome.record.state.value for outcome in each.outcomes] for each in (report, back)]
    json.dump({"seen": seen, "states": states, "log": [record.operation for record in log]}, sys.stdout)


if __name__ == "__main__":
    anyio.run(main)
