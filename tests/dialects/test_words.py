"""Words that stand for one another have one meaning; none stands for a more dangerous deed than it names."""

import pytest

from sayso.dialects.meaning import Meaning
from sayso.dialects.words import ALSO, MEANS, OTHERS
from tests.dialects.replies import OPERATIONS

SAY_SO = {
    "file.move": {"move", "rename"},
    "file.delete": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
    "calendar.delete_event": {"delete", "remove", "trash", "erase", "destroy", "discard", "rm", "del"},
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
    ("delete", "add"),
    ("delete", "undelete"),
    ("delete", "complete"),
    ("open", "close"),
    ("open", "reopen"),
    ("complete", "reopen"),
    ("done", "delete"),
    ("undone", "complete"),
    ("read", "write"),
    ("get", "delete"),
    ("get", "send"),
    ("star", "unstar"),
    ("archive", "trash"),
    ("copy", "move"),
]


def test_every_dangerous_operation_has_its_words():
    assert {id_ for id_, it in OPERATIONS.items() if it.kind in {"destructive", "external"}} == SAY_SO.keys()


@pytest.mark.req("X-11")
def test_only_a_word_that_says_so_leads_to_what_destroys_or_goes_outside():
    led = [
        (word, id_)
        for word in (*MEANS, *OTHERS)
        for thing in THINGS
        for id_ in Meaning(OPERATIONS).of(f"{thing}_{word}")
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
