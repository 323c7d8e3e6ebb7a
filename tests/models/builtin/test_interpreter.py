"""All that words may mean is found, each with its arguments or what is in doubt."""

import pytest

from sayso.models.builtin.grammar import Intent, Pattern, intents, parse_pattern
from sayso.models.builtin.interpreter import Act, Ask, Listener, Meant, arguments_of, choose_meaning
from sayso.models.builtin.match import Choice, Missing, Several
from sayso.models.builtin.tokens import words_of
from tests.models.embedded.scenes import acts, scene


def heard(text: str, *, alone: bool = False):
    words = words_of(text)
    return Listener(scene(text), intents()).of(words, [word.text for word in words], alone=alone)


def test_every_meaning_has_its_arguments():
    found = [one for one in heard("remind me to call Ana at six") if one.doubt is None]

    assert {"title": "call Ana", "due": "2026-03-04 18:00"} in [dict(one.arguments) for one in found]


def test_a_doubt_keeps_what_is_known_so_that_an_answer_can_go_on():
    found = next(one for one in heard("add a subtask varnish to the repair task") if isinstance(one.doubt, Several))

    assert found.slot is not None
    assert (found.slot.name, found.said) == ("task", {"text": "varnish"})
    done = arguments_of(found.intent, {**(found.said or {}), "task": "Repair the garden gate"}, scene(""))
    assert done == {"parent": "Repair the garden gate", "text": "varnish"}


def test_what_is_for_a_wish_alone_is_not_looked_for_in_a_part_of_one():
    assert heard("gimp") == []
    assert [one.intent.means for one in heard("gimp", alone=True)] == ["app.open"]


def test_words_that_fit_nothing_mean_nothing():
    assert heard("") == []
    assert heard("colourless green ideas") == []


def meant(
    means: str, sureness: float, free: int = 0, doubt: Several | Missing | None = None, **arguments: str
) -> Meant:
    says = f"do [the] {means} {{x:task}}"
    pattern = Pattern(says, parse_pattern(says), None)
    return Meant(Intent(means, (pattern,)), arguments, sureness, free, doubt, said=arguments)


def test_one_meaning_is_done():
    found = choose_meaning([meant("a", 1.0, x="1"), meant("a", 0.9, x="1"), meant("b", 0.8)])

    assert found is not None
    assert found.what == Act("a", {"x": "1"})


def test_two_meanings_that_are_near_are_asked_about():
    found = choose_meaning([meant("a", 1.0, x="1"), meant("b", 0.95, x="2")])

    assert found is not None
    assert isinstance(found.what, Ask)
    assert "do a the task “1” or do b the task “2”" in found.what.why
    assert found.what.about == ("a", "b")


def test_of_one_operation_the_meaning_that_takes_fewest_words_as_they_are_counts():
    found = choose_meaning([meant("a", 1.0, 5, x="call Ana at six"), meant("a", 1.0, 2, x="call Ana", due="18:00")])

    assert found is not None
    assert found.what == Act("a", {"x": "call Ana", "due": "18:00"})


def test_choices_are_told():
    found = choose_meaning([meant("a", 1.0, 0, Several("Which?", (Choice("“x”", 1), Choice("“y”", 2))))])

    assert found is not None
    assert isinstance(found.what, Ask)
    assert found.what.why == "Which? There are “x” or “y”."


def test_what_is_not_there_is_said_unless_something_else_is_meant():
    gone = meant("a", 1.0, 0, Missing("No a."))

    alone, beside, certain = (
        choose_meaning(each)
        for each in (
            [gone],
            [gone, meant("b", 0.8)],
            [meant("a", 1.0, 0, Missing("Past.", sure=True)), meant("b", 0.8)],
        )
    )

    assert alone is not None
    assert isinstance(alone.what, Ask)
    assert alone.what.why == "No a."
    assert beside is not None
    assert beside.what == Act("b", {})
    assert certain is not None
    assert isinstance(certain.what, Ask)


def test_nothing_is_decided_about_nothing():
    assert choose_meaning([]) is None
    assert choose_meaning([meant("a", 0.1)]) is None


def test_what_the_same_words_name_none_of_is_said_once():
    missing = [
        meant(one, 1.0, 0, Missing(f"No {one} here is called {said}.", what=one, said=said))
        for one, said in (("task", "“the report”"), ("habit", "“report”"), ("file", "“report”"))
    ]
    other = meant("tab", 1.0, 0, Missing("No tab is on “example.org”."))

    found = choose_meaning([*missing, other])

    assert found is not None
    assert isinstance(found.what, Ask)
    assert found.what.why == "No task, habit or file here is called “report”. No tab is on “example.org”."


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("close reddit and mute", ["tab.close", "sound.set_volume"]),
        ("close all wikipedia tabs and open reddit.com", ["tab.close", "url.open"]),
        ("close moss and open fern.example", ["tab.close", "url.open"]),
        ("mute, open gimp; then list my tabs", ["sound.set_volume", "app.open", "tab.list"]),
        ("open gimp and signal", ["app.open", "app.open"]),
        ("add a task to buy bread and butter", ["task.add"]),
        ("remind me to buy bread and close signal", ["reminder.create", "app.quit"]),
        ("remind me at 6pm to call Ana and at 7pm to feed the cat", ["reminder.create", "reminder.create"]),
        ("delete the ladder task and the stretch habit", ["task.delete", "habit.delete"]),
        ('say "close reddit and mute"', ["speech.say"]),
    ],
)
def test_a_text_is_cut_where_another_wish_begins(text: str, operations: list[str]):
    assert [operation for operation, _ in acts(text)] == operations


def test_what_was_begun_with_goes_on():
    assert acts("remind me at 6pm to call Ana and at 7pm to feed the cat") == [
        ("reminder.create", {"title": "call Ana", "due": "2026-03-04 18:00"}),
        ("reminder.create", {"title": "feed the cat", "due": "2026-03-04 19:00"}),
    ]
