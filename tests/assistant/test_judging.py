"""What an answer to a wish is worth, and which differences do not count."""

import pytest

from tests.assistant.judging import verdict
from tests.assistant.worlds import Case, Deed, World

WORLD = World(
    "2027-03-09 14:20", "Europe/Lisbon", "/home/ines", (), (), (), (), (), (), (), (), (), (), (), ()
)  # fmt: skip
SWITCH = Case("studio-tabs-1", "go to figma", (Deed("tab.switch", {"index": 1}),))
CHOOSE = Case("studio-tabs-2", "go to pinterest", offer=("Glaze", "Shopfront"))
NEVER = Case("studio-negation-1", "should I quit?", leave="hypothetical", may=("system.query",))


@pytest.mark.parametrize(
    ("right", "given"),
    [
        (Deed("tab.close", {"indices": [1, 3]}), Deed("tab.close", {"indices": [3, 1], "browser": "chrome"})),
        (Deed("task.add", {"text": "buy stamps"}), Deed("task.add", {"text": "“Buy  stamps.”"})),
        (Deed("file.open", {"path": "~/a.pdf"}), Deed("file.open", {"path": "/home/ines/a.pdf", "app": None})),
        (
            Deed("reminder.create", {"title": "x", "due": "2027-03-09 18:00"}),
            Deed("reminder.create", {"title": "X", "due": "2027-03-09T18:00:00+00:00", "notes": ""}),
        ),
        (Deed("url.open", {"url": "https://wikipedia.org"}), Deed("url.open", {"url": "wikipedia"})),
        (Deed("url.open", {"url": "https://a.example/B/"}), Deed("url.open", {"url": "www.a.example/B"})),
        (
            Deed("mail.search", {"criteria": {"from": "Rui"}}),
            Deed("mail.search", {"criteria": {"from": "rui", "limit": 5}}),
        ),
        (
            Deed("app.place", {"name": "A", "bounds": [0, 0, 5, 5]}),
            Deed("app.place", {"name": "A", "bounds": [0, 0, 5, 5], "monitor": "left"}),
        ),
        (Deed("system.query", {"question": "what?"}), Deed("system.query", {"question": "which?"})),
    ],
)
def test_the_same_deed_put_otherwise_is_right(right: Deed, given: Deed):
    assert verdict(Case("studio-x-1", "words", (right,)), WORLD, [given]) == "right"


@pytest.mark.parametrize(
    ("right", "given"),
    [
        (Deed("tab.close", {"indices": [1, 3]}), Deed("tab.close", {"indices": [1]})),
        (Deed("file.open", {"path": "~/a.pdf"}), Deed("file.open", {"path": "~/A.pdf"})),
        (Deed("task.add", {"text": "buy stamps"}), Deed("task.delete", {"target": "buy stamps"})),
        (
            Deed("reminder.create", {"title": "x", "due": "2027-03-09 18:00"}),
            Deed("reminder.create", {"title": "x", "due": "2027-03-09 18:00+01:00"}),
        ),
        (Deed("url.open", {"url": "https://a.example"}), Deed("url.open", {"url": "https://a.example/login"})),
        (Deed("app.place", {"name": "A", "monitor": "left"}), Deed("app.place", {"name": "A", "monitor": "right"})),
    ],
)
def test_another_deed_is_wrong(right: Deed, given: Deed):
    assert verdict(Case("studio-x-1", "words", (right,)), WORLD, [given]) == "wrong"


def test_to_do_more_or_less_than_was_wished_is_wrong():
    two = Case("studio-x-1", "words", (Deed("clipboard.read", {}), Deed("app.list", {})))

    assert verdict(two, WORLD, [Deed("clipboard.read", {}), Deed("app.list", {})]) == "right"
    assert verdict(two, WORLD, [Deed("app.list", {}), Deed("clipboard.read", {})]) == "wrong"
    assert verdict(two, WORLD, [Deed("clipboard.read", {})]) == "wrong"
    assert verdict(SWITCH, WORLD, [*SWITCH.do, *SWITCH.do]) == "wrong"


def test_to_ask_where_it_was_clear_is_neither_right_nor_wrong():
    assert verdict(SWITCH, WORLD, [], "Which tab?") == "asked"


def test_a_question_is_right_when_it_offers_every_choice():
    assert verdict(CHOOSE, WORLD, [], "“ceramic glaze” or “shopfront signs”?") == "right"
    assert verdict(CHOOSE, WORLD, [], "Which one?") == "asked"
    assert verdict(CHOOSE, WORLD, [Deed("tab.switch", {"index": 3})], "Glaze, Shopfront") == "wrong"


def test_where_nothing_may_be_done_only_telling_is_right():
    assert verdict(NEVER, WORLD, []) == "right"
    assert verdict(NEVER, WORLD, [Deed("system.query", {"question": "?"})]) == "right"
    assert verdict(NEVER, WORLD, [Deed("app.quit", {"name": "Inkscape"})]) == "wrong"
