"""What a wish mentions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.models.builtin.mentions import Mention, find_mentions
from sayso.models.builtin.tokens import tokenize
from tests.models.builtin.scenes import utterance


def mentions(text: str, kind: str) -> list[Mention]:
    return [one for one in find_mentions(tokenize(text), utterance(text)) if one.kind == kind]


def meant(text: str, kind: str) -> list[Any]:
    return [one.value for one in mentions(text, kind)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("close the moss tab", "tab", 3),
        ("the wiener linien one please", "tab", 2),
        ("word to the front", "app", "Microsoft Word"),
        ("code up", "app", "Visual Studio Code"),
        ("bin the garden picture", "file", "/home/mo/Downloads/garden-2026.png"),
        ("what is in the greenhouse folder", "folder", "/home/mo/Documents/greenhouse"),
        ("move it to downloads", "folder", "~/Downloads"),
        ("tick off the ferns", "task", "Water the ferns"),
        ("I watered the ferns", "task", "Water the ferns"),
        ("open the ferry one again", "done", "Book the ferry"),
        ("stretched", "habit", "Stretch"),
        ("writing layout", "preset", "writing"),
        ("mail ana@example.org", "address", "ana@example.org"),
        ("open docs.python.org/3", "url", "https://docs.python.org/3"),
        ("open plan.odt", "filename", "plan.odt"),
        ("a folder documents/loans", "path", "~/Documents/loans"),
        ("signal on the right screen", "monitor", "right"),
        ("set it to thirty five", "number", 35),
        ("at 800 by 600", "size", [800, 600]),
        ("do it", "pronoun", "it"),
    ],
)
def test_a_thing_that_is_named_is_mentioned(text: str, kind: str, value: Any) -> None:
    assert value in meant(text, kind)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tomorrow at nine", {"when": "2026-03-05 09:00"}),
        ("from 4 till 5 in the afternoon", {"span": ["2026-03-04 16:00", "2026-03-04 17:00"]}),
        ("20 minutes", {"lasts": 20}),
        ("next week", {"days": ["2026-03-09", "2026-03-16"]}),
        ("every 4 hours", {"hours": 4, "said": "every 4 hours"}),
        ("half an hour later", {"shift": 30}),
        ("830am tomorrow", {"when": "2026-03-05 08:30"}),
    ],
)
def test_words_about_time_are_one_mention_with_what_they_mean(text: str, told: dict[str, Any]) -> None:
    found = find_mentions(tokenize(text), utterance(text))

    assert [one.told for one in found if one.told] == [told]


def test_a_name_that_fits_several_things_has_rivals() -> None:
    (mention,) = mentions("close the wikipedia tab", "tab")

    assert {mention.value, *(one.value for one in mention.rivals)} == {3, 4}


def test_a_whole_name_is_surer_than_a_part_of_it() -> None:
    (whole,), (part,) = mentions("buy a new ladder", "task"), mentions("the ladder", "task")

    assert whole.strength == 1
    assert part.strength < whole.strength


def test_a_mistyped_name_is_found_if_it_is_long_enough() -> None:
    assert meant("close the gardning tab", "tab") == [1]
    assert meant("close the mess tab", "tab") == []


def test_words_with_which_people_say_what_they_want_do_not_name_a_tab_that_has_them() -> None:
    assert meant("close the tab please", "tab") == []


@given(st.text(max_size=200))
def test_any_text_has_mentions_inside_of_it(text: str) -> None:
    words = tokenize(text)

    for one in find_mentions(words, utterance(text)):
        assert 0 <= one.start < one.end <= len(words)
