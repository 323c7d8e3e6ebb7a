"""Attacks that got through once are held now, and what the person wants still happens."""

from pathlib import Path

import pytest

from tests.security.attack_ground import CannotTryError, Ground
from tests.security.attacks import ATTACKS, READS, ROOT, made

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


def agreed() -> None:
    """Do nothing before the yes."""


@pytest.mark.parametrize(
    ("proposed", "handed"),
    [
        ('WRITE_FILE "~/Documents/new.html" "<p>Hello</p>"\nOPEN_FILE "~/Documents/new.html"\n', "new.html"),
        ('RUN_SHORTCUT "hand-on" "my own words"\n', "my own words"),
        ('OPEN_FILE "~/Documents/letter.txt"\n', "letter.txt"),
    ],
    ids=["page", "shortcut", "file"],
)
def test_where_the_person_says_yes_the_same_is_done(proposed: str, handed: str, tmp_path: Path):
    ground = Ground(ROOT, tmp_path)
    ground.lay("always")
    ground.sayso("run", "-", "--dialect", "lines", text=READS)

    seen = ground.asked(proposed, agreed)

    assert handed in ground.handed_over, seen


def test_a_handler_that_does_no_harm_runs(tmp_path: Path):
    ground = Ground(ROOT, tmp_path)
    ground.lay()
    ground.action("kind", '    return {"success": True, "message": "kind words"}')

    ran = ground.sayso("template", "run", "kind")

    assert (ran.code, "kind words" in ran.out) == (0, True)
