"""The kinds of slots that are read here: levels, monitors, sizes, endings, questions, tasks."""

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.match import Ambiguous, SlotValue, Unresolved
from sayso.models.builtin.slots import KINDS, WORKED_OUT, fill_template, slots_in
from tests.models.builtin.scenes import slot, utterance


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("level", "30", 30),
        ("level", "eighty percent", 80),
        ("level", "55%", 55),
        ("level", "half", 50),
        ("monitor", "the right monitor", "right"),
        ("monitor", "main", "main"),
        ("edge", "top", {"across": (0, 1, 1), "down": (0, 1, 2)}),
        ("area", "the right half", {"across": (1, 2, 2), "down": (0, 1, 1)}),
        ("area", "bottom left quarter", {"across": (0, 1, 2), "down": (1, 2, 2)}),
        ("area", "middle third", {"across": (1, 2, 3), "down": (0, 1, 1)}),
        ("area", "full screen", {"across": (0, 1, 1), "down": (0, 1, 1)}),
        ("shift", "half an hour later", 30),
        ("shift", "20 min earlier", -20),
        ("size", "1200x800", [1200, 800]),
        ("size", "1200 by 800", [1200, 800]),
        ("ending", "markdown", "*.md"),
        ("ending", "pdfs", "*.pdf"),
        ("often", "every 4 hours", 4),
        ("when", "tomorrow at 8", "2026-03-05 08:00"),
        ("span", "tomorrow from 9 to 10", {"start": "2026-03-05 09:00", "end": "2026-03-05 10:00"}),
        ("task", "the ladder task", "Buy a new ladder"),
        ("completed", "ferry", "Book the ferry"),
        ("habit", "my stretch habit", "Stretch"),
        ("preset", "the writing layout", "writing"),
        ("question", "how many tabs are open", "how many tabs are open"),
    ],
)
def test_a_slot_holds_what_is_said(kind: str, text: str, value: object):
    found = slot(kind, text)

    assert isinstance(found, SlotValue)
    assert found.value == value


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        ("level", "150", "0 to 100"),
        ("when", "later", "does not say when"),
        ("span", "yesterday from 9 to 10", "past"),
        ("start", "tomorrow at 9", "Until when"),
        ("task", "the ferry task", "is completed"),
        ("task", "the piano", "No task"),
        ("task", "all tasks", "everything"),
        ("preset", "gaming", "No layout"),
    ],
)
def test_what_is_not_there_is_said(kind: str, text: str, why: str):
    found = slot(kind, text)

    assert isinstance(found, Unresolved)
    assert why in found.why


def test_several_that_may_be_meant_are_all_told():
    found = slot("task", "the repair task")

    assert isinstance(found, Ambiguous)
    assert [choice.value for choice in found.choices] == ["Repair the garden gate", "Repair the kitchen lamp"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("level", "loud"),
        ("monitor", "middle"),
        ("edge", "the"),
        ("area", "left"),
        ("area", "the half"),
        ("size", "big"),
        ("ending", "nice"),
        ("often", "often"),
        ("when", "a fern"),
        ("task", "the"),
        ("question", "should I close a tab"),
        ("question", "what happens when I close a tab"),
        ("question", "what is the weather"),
        ("long", "long"),
    ],
)
def test_what_cannot_be_of_a_kind_is_none(kind: str, text: str):
    assert slot(kind, text) is None


def test_every_kind_can_be_asked_about_any_words():
    for kind in KINDS:
        for text in ("x", "the", "'q'", "all of it", "https://a.example/?b#c", "~/x", "7"):
            slot(kind, text)


def test_an_event_that_is_not_there_is_named():
    found = slot("event", "lunch with Mia")

    assert isinstance(found, Unresolved)
    assert found.why == "No event here is called “lunch with Mia”."


SCENE = utterance("")


@pytest.mark.parametrize(
    ("template", "said", "value"),
    [
        ("{tabs}", {"tabs": [1, 2]}, [1, 2]),
        ("{into}/{file.name}", {"into": "~/Documents", "file": "/a/b.txt"}, "~/Documents/b.txt"),
        ("{file.folder}", {"file": "/a/b.txt"}, "/a"),
        ("{span.end}", {"span": {"start": "1", "end": "2"}}, "2"),
        ("*{name}*", {"name": "tax"}, "*tax*"),
        (7, {}, 7),
        ({"from": "{person}", "unread": True}, {"person": "Ana"}, {"from": "Ana", "unread": True}),
        ("@renamed", {"file": "/a/b.txt", "name": "c"}, "/a/c.txt"),
        ("@renamed", {"file": "/a/b.txt", "name": "c.md"}, "/a/c.md"),
        ("@end", {"when": "2026-03-04 23:30", "long": "one hour"}, "2026-03-05 00:30"),
        ("@end", {"when": "2026-03-04", "long": "one hour"}, None),
        ("@moved", {"when": "2026-03-05 10:00", "event": {"start": "2026-03-04 15:00"}}, "2026-03-05 10:00"),
        ("@moved", {"when": "2026-03-05", "event": {"start": "2026-03-04 15:00"}}, "2026-03-05 15:00"),
        ("@moved", {"when": "2026-03-05", "event": {"start": "2026-03-04"}}, None),
        ("@before", {"long": "ten minutes", "event": {"start": "2026-03-04 15:00"}}, "2026-03-04 14:50"),
        ("@before", {"long": "an hour", "event": {"start": "2026-03-04 15:00"}}, None),
        ("@before", {"long": "an hour", "event": {"start": "2026-03-05"}}, None),
        ("@day_after", {"when": "2026-03-31"}, "2026-04-01"),
        ("@day_after", {"when": "2026-03-31 10:00"}, None),
        ("@levels", {"texts": ["a", "b"]}, [0, 0]),
    ],
)
def test_a_template_gives_a_value(template: Json, said: dict[str, Json], value: Json):
    assert fill_template(template, said, SCENE) == value


def test_the_slots_of_a_template_are_known():
    assert slots_in({"a": "{b}/{c.name}", "d": 1}) == {"b", "c"}
    assert slots_in(7) == set()
    assert {"area", "middle"} <= set(WORKED_OUT)
