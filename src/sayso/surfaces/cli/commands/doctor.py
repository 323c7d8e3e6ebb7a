"""`sayso doctor`: what works here, and the exact way to mend what does not."""

import argparse
from collections.abc import Iterable, Iterator

import anyio

from sayso.core.provider import Other
from sayso.surfaces.cli.context import Here, terminal_width
from sayso.surfaces.cli.doctor import A_SIMULATION, SIMULATED, findings
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import Finding
from sayso.surfaces.cli.text import sentence, visible

SIGNS = {"good": "✓", "note": "·", "broken": "✗"}
ABOUT = 14
"""How wide the column of what was looked at is."""
INDENT = " " * (ABOUT + 3)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Look, and say what was found."""
    found = anyio.run(findings, here.environ)
    broken = sum(one.how == "broken" for one in found)
    if here.json:
        here.document({"usable": broken == 0, "findings": [one.json() for one in found]})
    else:
        width = terminal_width(here)
        here.print(*(line for one in found for line in _lines(one, width, here)), *_simulations(found, width, here))
        here.print("", "All that was asked for works." if not broken else f"{broken} of these need mending.")
    return Exit.FAILED if broken else Exit.FINE


def _lines(one: Finding, width: int, here: Here) -> Iterator[str]:
    paint = {"good": here.style.good, "note": str, "broken": here.style.bad}[one.how]
    first, *more = sentence(visible(one.says), width, f"{SIGNS[one.how]} {one.about:<{ABOUT}} ")
    yield paint(first[:1]) + first[1:]
    yield from more
    if one.fix:
        yield from sentence(visible(one.fix), width, f"{INDENT}→ ")
    for says in _passed_over(other for other in one.others if other.why != one.why):
        for line in sentence(visible(says), width, INDENT, f"{INDENT}  "):
            yield here.style.faint(line)


def _passed_over(others: Iterable[Other]) -> Iterator[str]:
    """Yield why each was passed over; those for the same reason in one sentence."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for other in others:
        if other.name != SIMULATED:
            reasons.setdefault((other.why, other.fix), []).append(other.name)
    for (why, fix), names in reasons.items():
        yield f"not {', '.join(names)}: {why}" + (f" → {fix}" if fix else "")


def _simulations(found: Iterable[Finding], width: int, here: Here) -> Iterator[str]:
    """Yield once what would otherwise stand below nearly every line."""
    names = [one.about for one in found if any(other.name == SIMULATED for other in one.others)]
    if names:
        says = f"{', '.join(names)} could each be “{SIMULATED}” too, {A_SIMULATION}; only where the settings name it"
        for line in sentence(visible(says), width, f"{SIGNS['note']} {'simulations':<{ABOUT}} "):
            yield here.style.faint(line)


COMMAND = Command(configure, act, "sayso doctor")
