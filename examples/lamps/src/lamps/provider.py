"""Lamps, as sayso sees them."""

from sayso.core.provider import Provider

from lamps.facts import FACTS
from lamps.operations import off, on
from lamps.steps import STEPS

LAMPS = Provider(
    store="lamps",
    operations=(on, off),
    steps=STEPS,
    facts=FACTS,
    backends={"memory": "lamps.memory:build"},
    default="memory",
)
