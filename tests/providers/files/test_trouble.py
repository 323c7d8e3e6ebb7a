"""Every sentence names the path as it was said, and carries a stable code of its own."""

from collections.abc import Callable

import pytest

from sayso.core.errors import SaysoError
from sayso.providers.files import trouble

SAID = "~/Documents/a.txt"
ONE: list[Callable[[str], SaysoError]] = [
    trouble.missing,
    trouble.taken,
    trouble.not_a_folder,
    trouble.not_a_file,
    trouble.link_circle,
    trouble.changed,
    trouble.not_yet,
    trouble.dangling,
    trouble.is_root,
    trouble.outside,
    trouble.own,
]
TWO: list[Callable[[str, str], SaysoError]] = [trouble.no_folder, trouble.inside_itself, trouble.denied]


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
    assert "CREATE_FOLDER" in str(trouble.no_folder(SAID, "~/Documents"))
