"""Attacks that got through once are held now; those whose defence is still to come say so."""

import pytest

from tests.security.attack_ground import CannotTryError
from tests.security.attacks import ATTACKS, ROOT, made

GETS_THROUGH: frozenset[str] = frozenset()
"""Attacks that nothing holds yet. Whoever builds a defence takes its attack out of here."""
NEEDS = {"second_user_at_the_browser": ("chromium", "setpriv"), "keys_bound_elsewhere": ("unshare",)}


def attacked(name: str) -> str | None:
    try:
        return made(name, ROOT)
    except CannotTryError as why:
        pytest.skip(str(why))


def case(name: str) -> object:
    marks = [pytest.mark.thorough] if name in GETS_THROUGH else []
    marks += [pytest.mark.needs(*NEEDS[name])] if name in NEEDS else []
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [case(name) for name in ATTACKS])
def test_an_attack_gets_nothing_unless_it_is_listed(name: str):
    got = attacked(name)

    assert (got is not None) == (name in GETS_THROUGH), got or f"{name} is held by now: take it out of GETS_THROUGH"


def test_only_attacks_are_listed():
    assert set(ATTACKS) >= GETS_THROUGH
