"""Things are found by their whole name, by words of it, or by words with a slip, and never by less."""

import pytest

from sayso.models.embedded.names import BY_PARTS, BY_SLIPS, BY_WORDS, WHOLE, alike, named, parts

NAMES = ["Google Chrome", "Chrome Remote Desktop", "WhatsApp", "Obsidian", "Slack", "Stack Exchange", "Notes to self"]


@pytest.mark.parametrize(
    ("said", "found", "sureness"),
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
def test_a_name_is_found_at_the_first_step_that_finds_any(said: str, found: list[str], sureness: float):
    meant = named(said, [(name,) for name in NAMES])

    assert [NAMES[at] for at in meant.at] == found
    assert not found or meant.sureness == sureness


def test_no_words_name_nothing():
    assert named("…", [("a",)]).at == ()
    assert named("a", []).at == ()


def test_a_thing_may_go_by_several_names():
    assert named("code", [("Visual Studio Code", "vs code"), ("VS Codium", "code oss")]).at == (0, 1)
    assert named("vs code", [("Visual Studio Code", "vs code"), ("Codeberg",)]).at == (0,)


def test_a_whole_word_goes_before_the_beginning_of_one():
    names = [("Visual Studio Code", "vs code"), ("Codeberg",)]

    assert named("code", names).at == (0,)
    assert named("codebe", names).at == (1,)


def test_words_in_another_form_count_only_where_forms_may_differ():
    names = [("Water the ficus",), ("Waterfall",)]

    assert named("watering ficus", names, forms=True).at == (0,)
    assert named("watering ficus", names).at == ()


def test_parts_are_letters_and_digits():
    assert parts("Peñarol Käse") == ("penarol", "kase")
    assert parts("Mia's lo-fi_beats (2026)") == ("mia", "lo", "fi", "beats", "2026")


def test_names_are_told_by_how_like_what_was_said_they_are():
    bladder, ladder, other = alike("ladders", ["The bladder", "Buy a new ladder", "Call Ana"])

    assert ladder > bladder > other
    assert alike("…", ["", "x"]) == [0.0, 0.0]
