"""`sayso doctor`: what works here, and the exact way to mend what does not."""

import argparse
from collections.abc import Iterator

import anyio

from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.finding import Finding
from sayso.surfaces.cli.health import findings
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.layout import sentence
from sayso.surfaces.cli.width import width_of

SIGNS = {"good": "✓", "note": "·", "broken": "✗"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Look, and say what was found."""
    found = anyio.run(findings, here.environ)
    broken = sum(one.how == "broken" for one in found)
    if here.json:
        here.document({"usable": broken == 0, "findings": [one.json() for one in found]})
    else:
        here.print(*(line for one in found for line in _lines(one, width_of(here), here)))
        here.print("", "All that was asked for works." if not broken else f"{broken} of these need mending.")
    return Exit.FAILED if broken else Exit.FINE


def _lines(one: Finding, width: int, here: Here) -> Iterator[str]:
    paint = {"good": here.style.good, "note": str, "broken": here.style.bad}[one.how]
    for line in sentence(visible(one.says), width, f"{SIGNS[one.how]} {one.about:<13} "):
        yield paint(line)
    if one.fix:
        yield from sentence(visible(one.fix), width, f"{'':<16}→ ")


COMMAND = Command(configure, act, "sayso doctor")
