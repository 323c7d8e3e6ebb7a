"""Every case of the file operations plans, answers or refuses what it says."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from sayso.core.errors import SaysoError
from sayso.providers.files import errors
from sayso.providers.files.model import Carrying, Keep, Rename, Restore, Trash, Unkeep, about, place_of, way
from tests.providers.files.cases import OPERATIONS, cases, outcome


@pytest.mark.parametrize("case", cases())
async def test_an_operation_does_what_its_case_says(case: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch):
    # The words of the cases are those of Linux, wherever they are tried.
    monkeypatch.setattr(sys, "platform", "linux")

    assert await outcome(case) == case["expected"]


def test_every_operation_has_cases():
    named = {case.values[0]["operation"] for case in cases()}

    assert named == set(OPERATIONS)


SAID = "~/Documents/a.txt"
ONE: list[Callable[[str], SaysoError]] = [
    errors.missing,
    errors.path_taken_error,
    errors.not_a_folder,
    errors.not_a_file,
    errors.link_circle,
    errors.path_changed_error,
    errors.not_yet,
    errors.dangling,
    errors.is_root,
    errors.outside,
    errors.own,
]
TWO: list[Callable[[str, str], SaysoError]] = [errors.no_folder, errors.inside_itself, errors.name_denied_error]


@pytest.mark.parametrize("make", ONE)
def test_a_sentence_names_the_path(make: Callable[[str], SaysoError]):
    assert f"“{SAID}”" in str(make(SAID))


@pytest.mark.parametrize("make", TWO)
def test_a_sentence_names_both(make: Callable[[str, str], SaysoError]):
    assert all(f"“{name}”" in str(make(SAID, ".git")) for name in (SAID, ".git"))


def test_each_has_a_code_of_its_own():
    codes = [*[make(SAID).code for make in ONE], *[make(SAID, "x").code for make in TWO]]

    assert len(set(codes)) == len(codes)


@pytest.mark.req("T-19")
def test_a_missing_folder_says_how_to_make_it():
    assert "CREATE_FOLDER" in str(errors.no_folder(SAID, "~/Documents"))


@pytest.mark.parametrize(
    ("step", "undo"),
    [
        (Rename("/a", "/b"), Rename("/b", "/a")),
        (Trash("/a", "a"), Restore("/a", "a")),
        (Keep("/a", "t"), Unkeep("/a", "t")),
    ],
)
def test_an_undo_goes_the_way_back(step: Carrying, undo: Carrying):
    assert way(undo) == way(step)[::-1]


@pytest.mark.parametrize("place", ["/a/b", "kept:token", "trash:a.txt"])
def test_a_fact_about_a_place_leads_to_it(place: str):
    assert place_of(about(place)) == place
