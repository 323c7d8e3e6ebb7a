"""A name that there is not means what its words mean, never what only looks like it (cases: tests/cases/names.json)."""

import json
from pathlib import Path

import pytest

from sayso.dialects.meaning import MOST_SEARCHES, Meaning, is_slip, words
from tests.dialects.replies import OPERATIONS

CASES = json.loads((Path(__file__).parents[1] / "cases" / "names.json").read_text("utf-8"))


@pytest.mark.req(*CASES["req"])
@pytest.mark.parametrize("name", CASES["meant"])
def test_a_name_means_what_its_words_mean(name: str):
    assert list(Meaning(OPERATIONS).of(name)) == CASES["meant"][name]


@pytest.mark.req(*CASES["req"])
@pytest.mark.parametrize("name", CASES["none"])
def test_a_name_of_another_or_the_opposite_meaning_means_nothing(name: str):
    assert Meaning(OPERATIONS).of(name) == ()


@pytest.mark.req("T-32")
def test_only_what_is_there_is_meant():
    assert Meaning(["file.read"]).of("file_get") == ("file.read",)
    assert Meaning(["file.read"]).of("delete_file") == ()
    assert Meaning([]).of("open_app") == Meaning([]).of("mkdir") == ()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("deleteFile", ("delete", "file")),
        ("FILE_DELETE", ("file", "delete")),
        ("list_apps", ("list", "app")),
        ("URLOpen2", ("url", "open", "2")),
        ("is_address", ("is", "address")),
        ("gas", ("gas",)),
        ("tabs", ("tab",)),
        ("\u017fpeak", ()),
        ("a" * 60, ("a" * 60,)),
        ("a" * 61, ()),
    ],
)
def test_a_name_has_words_in_lower_case_and_the_singular(name: str, found: tuple[str, ...]):
    assert words(name) == found


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("delet", "delete"),
        ("dlete", "delete"),
        ("delte", "delete"),
        ("dellete", "delete"),
        ("delite", "delete"),
        ("deleet", "delete"),
        ("fiel", "file"),
        ("fil", "file"),
        ("ad", "add"),
    ],
)
def test_one_slip_is_a_slip(wrong: str, right: str):
    assert is_slip(wrong, right)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("undelete", "delete"),
        ("deleted", "delete"),
        ("elete", "delete"),
        ("select", "delete"),
        ("xelete", "delete"),
        ("dleet", "delete"),
        ("deleex", "delete"),
        ("dxlyte", "delete"),
        ("de", "delete"),
        ("film", "file"),
        ("fille", "file"),
        ("tag", "tab"),
        ("felt", "file"),
        ("file", "file"),
    ],
)
def test_what_holds_the_word_begins_otherwise_or_differs_in_more_is_another_word(wrong: str, right: str):
    assert not is_slip(wrong, right)


def test_each_word_may_have_a_slip_but_none_may_be_another_word():
    assert Meaning(OPERATIONS).of("caledar_creat_event") == ("calendar.create_event",)
    assert Meaning(OPERATIONS).of("fil_select") == ()


def test_a_hint_names_what_may_be_meant_else_what_there_is_of_the_kind():
    called = {id_: id_.upper() for id_ in OPERATIONS if id_ != "habit.log"}
    meaning = Meaning(OPERATIONS)

    assert meaning.hint("file_get", lambda id_: called.get(id_, "")) == "; did you mean FILE.READ or FILE.LIST?"
    assert (
        meaning.hint("habit_undelete", lambda id_: called.get(id_, ""))
        == "; of that kind there are: HABIT.ADD, HABIT.EDIT, HABIT.DELETE"
    )
    assert meaning.hint("log_habit", lambda id_: called.get(id_, "")).startswith(
        "; of that kind there are: HABIT.ADD, "
    )
    assert meaning.hint("email_fly", str.upper).startswith("; of that kind there are: MAIL.COMPOSE, MAIL.SEND, ")
    assert meaning.hint("fly", str.upper) == ""


@pytest.mark.req("PA-12")
def test_only_so_many_names_are_searched_for():
    meaning = Meaning(OPERATIONS)
    for number in range(MOST_SEARCHES - 1):
        meaning.of(f"fly_{number}")

    assert meaning.of("delete_file") == ("file.delete",)
    assert meaning.of("delete_task") == ()
    assert meaning.of("delete_file") == ("file.delete",)
