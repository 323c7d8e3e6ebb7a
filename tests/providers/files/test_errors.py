"""Every sentence names the path as it was said, and carries a stable code of its own."""

from collections.abc import Callable

import pytest

from sayso.core.errors import SaysoError
from sayso.providers.files import errors

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
