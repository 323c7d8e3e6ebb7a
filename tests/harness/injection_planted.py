"""Bugs for the injection replay; each removes something that holds an attack back."""

from collections.abc import Generator
from contextlib import contextmanager

from sayso.policy import rules as policy_rules
from sayso.policy.rules import RULES
from tests.harness.planting import always, everywhere, rules
from tests.harness.told import Planted

NAMES = ("floor", "click", "warning", "outside_text", "mode")
"""The rules that ask."""


def policy_off() -> None:
    """Ask about nothing at all."""
    rules(**dict.fromkeys(NAMES, silent))


def floor_forgotten() -> None:
    """Forget that some operations are asked about in every mode."""
    rules(floor=silent)


def click_forgotten() -> None:
    """Forget that some operations run by a click alone."""
    rules(click=silent)


def strangers_forgotten() -> None:
    """Forget that strangers' words were read, so that addresses and forms go out."""
    rules(outside_text=silent)


def mode_forgotten() -> None:
    """Forget the mode."""
    rules(mode=silent)


@contextmanager
def asking_nothing() -> Generator[None]:
    """Ask about nothing within the block: what the attacks would do if nobody judged them."""
    sound = RULES
    policy_off()
    worse = vars(policy_rules)["RULES"]
    try:
        yield
    finally:
        everywhere(worse, sound)


silent = always(None)

PLANTED: Planted = {
    "policy-off": policy_off,
    "floor-forgotten": floor_forgotten,
    "click-forgotten": click_forgotten,
    "strangers-forgotten": strangers_forgotten,
    "mode-forgotten": mode_forgotten,
}
