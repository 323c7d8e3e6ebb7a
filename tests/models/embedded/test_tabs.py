"""Tabs are meant by number, site, or words of their title; many only where a group is named."""

import pytest

from sayso.models.embedded.readings import Found, Missing, Several
from sayso.models.embedded.tabs import one
from sayso.models.embedded.words import words_of
from tests.models.embedded.scenes import DATA, scene, slot


@pytest.mark.req("S4-45")
@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("reddit", 1),
        ("my reddit tab", 1),
        ("tab 3", 3),
        ("the third tab", 3),
        ("this tab", 1),
        ("timetable", 2),
        ("wiener linien", 2),
        ("wienerlinien.at", 2),
        ("the moss page", 3),
        ("redit", 1),
        ("tab number four", 4),
    ],
)
def test_one_tab_is_found(text: str, index: int):
    found = slot("tab", text)

    assert isinstance(found, Found)
    assert found.value == index


@pytest.mark.req("S4-46", "S4-47")
@pytest.mark.parametrize(
    ("text", "indices"),
    [
        ("reddit", [1]),
        ("all wikipedia tabs", [3, 4]),
        ("my wikipedia tabs", [3, 4]),
        ("both wikipedia tabs", [3, 4]),
        ("tabs 1, 3, and 5", [1, 3, 5]),
        ("tabs 2 to 4", [2, 3, 4]),
        ("tabs 2-4", [2, 3, 4]),
        ("moss and fern", [3, 4]),
        ("the reddit and wikipedia tabs", [1, 3, 4]),
        ("this tab", [1]),
        ("tab 2", [2]),
    ],
)
def test_several_tabs_are_found(text: str, indices: list[int]):
    found = slot("tabs", text)

    assert isinstance(found, Found)
    assert found.value == indices


@pytest.mark.req("S4-49")
@pytest.mark.parametrize("kind", ["tab", "tabs"])
def test_two_tabs_that_match_are_both_told(kind: str):
    found = slot(kind, "wikipedia")

    assert isinstance(found, Several)
    assert [choice.said for choice in found.choices] == ["3 “Moss - Wikipedia”", "4 “Fern - Wikipedia”"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("tab", "tab 9"),
        ("tabs", "tabs 1 and 9"),
        ("tab", "twitter"),
        ("tabs", "all tabs except reddit"),
        ("tabs", "everything"),
        ("tabs", "both reddit tabs"),
        ("tabs", "reddit and twitter"),
        ("tabs", "no reddit tabs"),
    ],
)
def test_what_no_tab_is_on_is_said(kind: str, text: str):
    assert isinstance(slot(kind, text), Missing)


@pytest.mark.parametrize("text", ["all tabs", "my tabs", "the tabs", "tabs"])
def test_all_tabs_are_no_group(text: str):
    assert slot("tabs", text) is None or isinstance(slot("tabs", text), Missing)


def test_which_tab_is_in_front_must_be_known():
    data = {**DATA, "tabs": [{**tab, "is_active": False} for tab in DATA["tabs"]]}

    assert isinstance(one(words_of("this tab"), scene("this tab", data=data)), Missing)


def test_a_bare_name_means_a_tab_only_by_its_whole_name():
    assert isinstance(slot("tab_name", "reddit"), Found)
    assert slot("tab_name", "timetable") is None
    assert slot("tab_name", "3") is None


def test_a_word_for_what_a_tab_shows_counts_only_where_it_stands_in_one():
    assert slot("tab", "the moss article") == slot("tab", "moss")
    assert slot("tab", "the timetable tab") == slot("tab", "timetable")
