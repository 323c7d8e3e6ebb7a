"""Words that stand for one another have one meaning; none stands for a more dangerous deed than it names."""

import json
from pathlib import Path

import pytest

from sayso.dialects.suggestions import ALSO, MEANS, MOST_SEARCHES, OTHERS, NameMeanings, is_slip, words
from tests.dialects.replies import OPERATIONS

SAY_SO = {
    "file.move": {"move", "rename"},
    "file.delete": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
    "calendar.delete_event": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
    "reminder.delete": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
    "task.delete": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
    "habit.delete": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
    "mail.trash": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
    "mail.send": {"send"},
    "url.open": {"open", "launch", "start", "goto", "navigate"},
    "page.run_js": {"run", "execute", "eval", "evaluate"},
    "shortcut.run": {"run", "execute", "eval", "evaluate"},
    "template.run": {"run", "execute", "eval", "evaluate"},
    "page.click": {"click", "press", "tap"},
    "page.fill": {"fill", "type"},
    "agent.call": {"call"},
    "net.fetch": {"fetch"},
}
"""For each operation that destroys or goes outside: the words of which one must stand in a name that means it."""
THINGS = sorted({id_.partition(".")[0] for id_ in OPERATIONS} | {"event", "label", "subtask", "folder", "website"})
OPPOSITES = [
    ("delete", "add"), ("delete", "undelete"), ("delete", "complete"), ("open", "close"), ("open", "reopen"),
    ("complete", "reopen"), ("done", "delete"), ("undone", "complete"), ("read", "write"), ("get", "delete"),
    ("get", "send"), ("star", "unstar"), ("archive", "trash"), ("copy", "move"),
]  # fmt: skip


def test_every_dangerous_operation_has_its_words():
    assert {id_ for id_, it in OPERATIONS.items() if it.kind in {"destructive", "external"}} == SAY_SO.keys()


@pytest.mark.req("X-11")
def test_only_a_word_that_says_so_leads_to_what_destroys_or_goes_outside():
    led = [
        (word, id_)
        for word in (*MEANS, *OTHERS)
        for thing in THINGS
        for id_ in NameMeanings(OPERATIONS).of(f"{thing}_{word}")
        if id_ in SAY_SO and not {word, thing} & SAY_SO[id_]
    ]

    assert led == []


@pytest.mark.req("X-11")
@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_words_of_opposite_meaning_never_stand_for_each_other(one: str, other: str):
    assert other not in MEANS.get(one, ())
    assert one not in MEANS.get(other, ())
    assert not set(MEANS.get(one, ())) & set(MEANS.get(other, ()))


def test_a_word_means_others_and_what_means_nothing_here_means_nothing():
    assert [word for word, others in MEANS.items() if word in others or len(set(others)) != len(others)] == []
    assert OTHERS.isdisjoint(MEANS)


def test_what_is_also_said_means_an_operation_of_the_catalogue():
    assert set(ALSO.values()) <= OPERATIONS.keys()


CASES = json.loads((Path(__file__).parents[1] / "cases" / "names.json").read_text("utf-8"))


@pytest.mark.req(*CASES["req"])
@pytest.mark.parametrize("name", CASES["meant"])
def test_a_name_means_what_its_words_mean(name: str):
    assert list(NameMeanings(OPERATIONS).of(name)) == CASES["meant"][name]


@pytest.mark.req(*CASES["req"])
@pytest.mark.parametrize("name", CASES["none"])
def test_a_name_of_another_or_the_opposite_meaning_means_nothing(name: str):
    assert NameMeanings(OPERATIONS).of(name) == ()


@pytest.mark.req("T-32")
def test_only_what_is_there_is_meant():
    assert NameMeanings(["file.read"]).of("file_get") == ("file.read",)
    assert NameMeanings(["file.read"]).of("delete_file") == ()
    assert NameMeanings([]).of("open_app") == NameMeanings([]).of("mkdir") == ()


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
        ("delet", "delete"), ("dlete", "delete"), ("delte", "delete"), ("dellete", "delete"),
        ("delite", "delete"), ("deleet", "delete"), ("fiel", "file"), ("fil", "file"), ("ad", "add"),
    ],
)  # fmt: skip
def test_one_slip_is_a_slip(wrong: str, right: str):
    assert is_slip(wrong, right)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("undelete", "delete"), ("deleted", "delete"), ("elete", "delete"), ("select", "delete"),
        ("xelete", "delete"), ("dleet", "delete"), ("deleex", "delete"), ("dxlyte", "delete"),
        ("de", "delete"), ("film", "file"), ("fille", "file"), ("tag", "tab"), ("felt", "file"),
        ("file", "file"),
    ],
)  # fmt: skip
def test_what_holds_the_word_begins_otherwise_or_differs_in_more_is_another_word(wrong: str, right: str):
    assert not is_slip(wrong, right)


def test_each_word_may_have_a_slip_but_none_may_be_another_word():
    assert NameMeanings(OPERATIONS).of("caledar_creat_event") == ("calendar.create_event",)
    assert NameMeanings(OPERATIONS).of("fil_select") == ()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("file_get", "; did you mean FILE.READ or FILE.LIST?"),
        ("habit_undelete", "; of that kind there are: HABIT.ADD, HABIT.EDIT, HABIT.DELETE"),
        ("log_habit", "; of that kind there are: HABIT.ADD, HABIT.EDIT, HABIT.DELETE, LOG.WRITE"),
        ("fly", ""),
    ],
)
def test_a_hint_names_what_may_be_meant_else_what_there_is_of_the_kind(name: str, says: str):
    called = {id_: id_.upper() for id_ in OPERATIONS if id_ != "habit.log"}

    assert NameMeanings(OPERATIONS).hint(name, lambda id_: called.get(id_, "")) == says


def test_a_hint_takes_words_of_the_same_kind_for_one_another():
    hint = NameMeanings(OPERATIONS).hint("email_fly", str.upper)

    assert hint.startswith("; of that kind there are: MAIL.COMPOSE, MAIL.SEND, ")


@pytest.mark.req("PA-12")
def test_only_so_many_names_are_searched_for():
    meaning = NameMeanings(OPERATIONS)
    for number in range(MOST_SEARCHES - 1):
        meaning.of(f"fly_{number}")

    assert meaning.of("delete_file") == ("file.delete",)
    assert meaning.of("delete_task") == ()
    assert meaning.of("delete_file") == ("file.delete",)
