"""Count how many wishes of both sets the built-in rules get right, ask about, and get wrong."""

import hashlib
import time
from pathlib import Path
from statistics import median

from bench.line import Gap, Line
from bench.size import Size
from sayso.assembly.parts import PROVIDERS, dialect
from sayso.core.conversation import ConversationRequest
from sayso.models.builtin import BuiltIn
from sayso.runtime.registry import catalogue
from sayso.testing.fakes import FakeClock
from tests.assistant.scoring import answers, counts
from tests.assistant.worlds import DEVELOPMENT, FROZEN, read

SETS = (("development", DEVELOPMENT), ("frozen", (FROZEN,)))
RIGHT = 85.0
"""Of a hundred wishes."""


def measured(size: Size) -> list[Line | Gap]:
    """Score both sets, and measure how long one wish takes."""
    lines: list[Line | Gap] = []
    for name, paths in SETS:
        worth = counts(answer for path in paths for answer in answers(path))
        total = sum(worth.values())
        told = (
            ", ".join(f"{count} {each}" for each, count in worth.items()) + f" of {total}; sha256 {_digest(paths[-1])}"
        )
        right = 100 * worth["right"] / total
        lines += [
            Line(f"{name} wishes right by the built-in rules", right, RIGHT, "of 100", at_least=True, beside=told),
            Line(f"{name} wishes wrong by the built-in rules", worth["wrong"], 0, "of all", beside=told),
        ]
    took = _milliseconds(size)
    return [
        *lines,
        Line("one wish understood by the built-in rules", took, 50, "ms", beside="in time of the processor"),
    ]


def _milliseconds(size: Size) -> float:
    wishes = read(DEVELOPMENT[0])
    operations = dict(catalogue(PROVIDERS))
    found: list[float] = []
    for case in wishes.cases[: size.n * size.rounds]:
        world = wishes.worlds[case.world]
        rules = BuiltIn(FakeClock(world.moment), world.moment.tzinfo)
        asked = ConversationRequest(
            "", (), case.words, dialect("commands"), context=world.context(), operations=operations
        )
        began = time.process_time()
        rules.reply(asked)
        found.append(1000 * (time.process_time() - began))
    return median(found)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
