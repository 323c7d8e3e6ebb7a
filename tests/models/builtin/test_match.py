"""Choices are told in one clause, and somebody's words stand in quotes that they cannot close."""

import pytest

from sayso.models.builtin.match import (
    BY_PARTS,
    BY_SLIPS,
    BY_WORDS,
    WHOLE,
    Ambiguous,
    Choice,
    SlotValue,
    Unresolved,
    correct_words,
    distinguishing_words,
    entity_named,
    list_choices,
    match_entities,
    match_entity,
    match_name,
    name_parts,
    pattern_words,
    quote_words,
    similarities,
)
from sayso.models.builtin.tokens import tokenize
from tests.models.builtin.scenes import acts, slot, utterance


def test_choices_are_listed_and_many_are_counted():
    assert list_choices([Choice("a", 1)]) == "a"
    assert list_choices([Choice("a", 1), Choice("b", 2), Choice("c", 3)]) == "a, b or c"
    assert list_choices([Choice(str(number), number) for number in range(10)]) == "0, 1, 2, 3, 4, 5, 6, 7, and 2 more"


def test_words_in_quotes_cannot_close_them():
    assert quote_words("a “b”\nc") == '“a "b" c”'
    assert quote_words("x" * 200) == f"“{'x' * 120}…”"


NAMES = ["Google Chrome", "Chrome Remote Desktop", "WhatsApp", "Obsidian", "Slack", "Stack Exchange", "Notes to self"]


@pytest.mark.parametrize(
    ("said", "found", "confidence"),
    [
        ("google chrome", ["Google Chrome"], WHOLE),
        ("GOOGLE-CHROME", ["Google Chrome"], WHOLE),
        ("whats app", ["WhatsApp"], BY_WORDS),
        ("chrome", ["Google Chrome", "Chrome Remote Desktop"], BY_WORDS),
        ("chrome desk", ["Chrome Remote Desktop"], BY_PARTS),
        ("obsidain", ["Obsidian"], BY_SLIPS),
        ("stack", ["Stack Exchange"], BY_WORDS),
        ("slick", [], BY_SLIPS),
        ("no", [], BY_SLIPS),
        ("to", ["Notes to self"], BY_WORDS),
        ("chrome tabs", [], BY_SLIPS),
        ("obsidiam", ["Obsidian"], BY_SLIPS),
        ("obs", [], BY_SLIPS),
    ],
)
def test_a_name_is_found_at_the_first_step_that_finds_any(said: str, found: list[str], confidence: float):
    meant = match_name(said, [(name,) for name in NAMES])

    assert [NAMES[at] for at in meant.at] == found
    assert not found or meant.confidence == confidence


def test_no_words_name_nothing():
    assert match_name("…", [("a",)]).at == ()
    assert match_name("a", []).at == ()


def test_a_thing_may_go_by_several_names():
    assert match_name("code", [("Visual Studio Code", "vs code"), ("VS Codium", "code oss")]).at == (0, 1)
    assert match_name("vs code", [("Visual Studio Code", "vs code"), ("Codeberg",)]).at == (0,)


def test_a_whole_word_goes_before_the_beginning_of_one():
    names = [("Visual Studio Code", "vs code"), ("Codeberg",)]

    assert match_name("code", names).at == (0,)
    assert match_name("codebe", names).at == (1,)


def test_words_in_another_form_count_only_where_forms_may_differ():
    names = [("Water the ficus",), ("Waterfall",)]

    assert match_name("watering ficus", names, forms=True).at == (0,)
    assert match_name("watering ficus", names).at == ()


def test_parts_are_letters_and_digits():
    assert name_parts("Peñarol Käse") == ("penarol", "kase")
    assert name_parts("Mia's lo-fi_beats (2026)") == ("mia", "lo", "fi", "beats", "2026")


def test_names_are_told_by_how_like_what_was_said_they_are():
    bladder, ladder, other = similarities("ladders", ["The bladder", "Buy a new ladder", "Call Ana"])

    assert ladder > bladder > other
    assert similarities("…", ["", "x"]) == [0.0, 0.0]


THINGS = [
    entity_named("Buy wine"),
    entity_named("Task force report"),
    entity_named("Call it a day"),
    entity_named("Wine list"),
]


@pytest.mark.req("T-58", "S2-24")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("buy wine", "Buy wine"),
        ("the task force", "Task force report"),
        ("my report task", "Task force report"),
        ("call it a day", "Call it a day"),
        ("“Wine List”", "Wine list"),
    ],
)
def test_the_one_that_is_meant_is_found(text: str, found: str):
    reading = match_entity("task", tokenize(text), utterance(text), THINGS, ["task"])

    assert isinstance(reading, SlotValue)
    assert reading.value == found


def test_several_are_told_and_none_is_said():
    wine, beer = (
        match_entity("task", tokenize(text), utterance(text), THINGS, ["task"]) for text in ("the wine task", "beer")
    )

    assert isinstance(wine, Ambiguous)
    assert isinstance(beer, Unresolved)
    assert beer.why == "No task here is called “beer”."


@pytest.mark.parametrize("text", ["it", "all wine", "everything", "every task", "not the report", "wine except list"])
def test_words_that_change_what_is_meant_name_nothing(text: str):
    assert match_entities(tokenize(text), THINGS, ["task"]) == ([], 0.0)


def test_words_for_the_kind_alone_name_nothing():
    assert match_entities(tokenize("the item"), THINGS, ["item"]) is None
    assert [word.text for word in distinguishing_words(tokenize("the red task"), ["task"])] == ["red"]


@pytest.mark.parametrize("said", ["watered the ferns", "the ferns are watered", "just watered the ferns"])
def test_a_task_that_is_said_to_be_done_is_known(said: str):
    found = slot("task_done", said)

    assert isinstance(found, SlotValue)
    assert found.value == "Water the ferns"


def test_a_part_of_a_task_is_asked_about():
    found = slot("task_done", "repaired the gate")

    assert isinstance(found, Ambiguous)
    assert [choice.value for choice in found.choices] == ["Repair the garden gate"]


@pytest.mark.parametrize(
    "said",
    ["water the ferns", "almost watered the ferns", "not watered the ferns", "watered", "are the ferns watered",
     "watered the roses", "watered everything", "'watered the ferns'"],
)  # fmt: skip
def test_what_is_not_said_to_be_done_is_not(said: str):
    assert slot("task_done", said) is None


def test_what_is_said_to_be_done_is_ticked_off_or_logged():
    assert acts("I stretched") == [("habit.log", {"target": "Stretch"})]
    assert acts("I just watered the ferns, tick it off") == [("task.complete", {"target": "Water the ferns"})]
    assert acts("I repaired the gate") == [("task.complete", {"target": "Repair the garden gate"})]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("swich", "switch"), ("remnid", "remind"), ("delte", "delete"), ("volumme", "volume"),
        ("clone", "clone"), ("closed", "closed"), ("lunch", "lunch"), ("opens", "opens"), ("tab", "tab"),
        ("tba", "tba"), ("x9remind", "x9remind"), ("'swich'", "swich"),
    ],
)  # fmt: skip
def test_a_slip_is_set_right(typed: str, meant: str):
    assert correct_words(tokenize(typed)) == (meant,)


def test_the_words_of_all_patterns_are_known():
    assert {"remind", "switch", "close"} <= pattern_words()
