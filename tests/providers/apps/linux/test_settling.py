"""What became of a step is judged by what the screen shows, and never claimed when that could be somebody else's."""

import os
from dataclasses import replace

import pytest

from sayso.core.plan import CannotTell, Left, NotDone
from sayso.providers.apps.facts import Running, WindowAt
from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.looking import Sight, seen
from sayso.providers.apps.linux.processes import instance
from sayso.providers.apps.linux.screen import Look, Shown
from sayso.providers.apps.linux.settling import settled
from sayso.providers.apps.steps import Activate, Open, OpenPlaced, Place, PlaceNew, Quit, Steps
from sayso.providers.entries.installed import Installed

PAD = Shown("1", ("Pad",), os.getpid(), Bounds(0, 0, 10, 10))
ME = instance(os.getpid()) or ""
GONE = f"{os.getpid()}-1"
WAS, WANTED = WindowAt("1", "Pad", 0, 0, 10, 10), WindowAt("1", "Pad", 5, 5, 20, 20)
PLACE = Place("Pad", "1", 5, 5, 20, 20)


def sight(*windows: Shown) -> Sight:
    return seen(Look(windows, ()), Installed((), {}))


def test_an_application_was_quit_when_none_of_what_was_meant_lives():
    assert settled(Quit("Pad"), (Running("Pad", (GONE,)),), sight()) == Left((Running("Pad", ()),))
    assert isinstance(settled(Quit("Pad"), (Running("Pad", (ME,)),), sight(PAD)), NotDone)
    assert isinstance(settled(Quit("Pad"), (Running("Pad", (ME, GONE)),), sight(PAD)), CannotTell)
    assert isinstance(settled(Quit("Pad"), (), sight(PAD)), CannotTell)


def test_another_one_that_was_started_since_does_not_count():
    assert isinstance(settled(Quit("Pad"), (Running("Pad", (GONE,)),), sight(PAD)), Left)


def test_a_window_is_where_it_was_or_where_it_was_to_go_or_nobody_can_tell():
    there = replace(PAD, bounds=Bounds(5, 5, 20, 20))
    elsewhere = replace(PAD, bounds=Bounds(7, 7, 20, 20))

    assert isinstance(settled(PLACE, (WAS,), sight(PAD)), NotDone)
    assert settled(PLACE, (WAS,), sight(there)) == Left((WANTED,))
    assert isinstance(settled(PLACE, (WAS,), sight(elsewhere)), CannotTell)
    assert isinstance(settled(PLACE, (WAS,), sight()), CannotTell)


def test_a_window_in_the_right_place_and_another_state_is_not_there():
    maximised = replace(PAD, bounds=Bounds(5, 5, 20, 20), state="maximised")

    assert isinstance(settled(PLACE, (WAS,), sight(maximised)), CannotTell)


@pytest.mark.parametrize("step", [Open("Pad", "pad"), OpenPlaced("Pad", "pad", 0, 0, 1, 1)])
def test_what_runs_may_have_been_opened_by_somebody_else(step: Steps):
    assert isinstance(settled(step, (), sight(PAD)), CannotTell)
    assert isinstance(settled(step, (), sight()), NotDone)


@pytest.mark.parametrize("step", [Activate("Pad"), PlaceNew("Pad", 0, 0, 1, 1)])
def test_what_leaves_no_trace_cannot_be_told(step: Steps):
    assert isinstance(settled(step, (), sight(PAD)), CannotTell)
