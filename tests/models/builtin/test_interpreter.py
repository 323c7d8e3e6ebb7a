"""Words and their context are interpreted as actions, or as a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.conversation import ContextPiece, ModelContext
from sayso.core.encoding import Json
from sayso.models.builtin.grammar import Intent, Pattern, intents, parse_pattern
from sayso.models.builtin.interpreter import (
    ClauseQuestion,
    IntentMatch,
    IntentMatcher,
    RequestedAction,
    arguments_of,
    choose_interpretation,
)
from sayso.models.builtin.match import Ambiguous, Choice, Unresolved
from sayso.models.builtin.tokens import tokenize
from sayso.models.builtin.world import (
    ContextEvent,
    ContextFile,
    ContextMonitor,
    ContextTab,
    ContextWindow,
    ContextWorld,
    world_of,
)
from tests.models.builtin.scenes import acts, context, utterance


def heard(text: str, *, alone: bool = False):
    words = tokenize(text)
    return IntentMatcher(utterance(text), intents()).match(words, [word.text for word in words], alone=alone)


def test_every_meaning_has_its_arguments():
    found = [one for one in heard("remind me to call Ana at six") if one.doubt is None]

    assert {"title": "call Ana", "due": "2026-03-04 18:00"} in [dict(each) for one in found for each in one.arguments]


def test_a_doubt_keeps_what_is_known_so_that_an_answer_can_go_on():
    found = next(one for one in heard("add a subtask varnish to the repair task") if isinstance(one.doubt, Ambiguous))

    assert found.slot is not None
    assert (found.slot.name, found.values) == ("task", {"text": "varnish"})
    done = arguments_of(found.intent, {**(found.values or {}), "task": "Repair the garden gate"}, utterance(""))
    assert done == ({"parent": "Repair the garden gate", "text": "varnish"},)


def test_what_is_for_a_wish_alone_is_not_looked_for_in_a_part_of_one():
    assert heard("gimp") == []
    assert [one.intent.means for one in heard("gimp", alone=True)] == ["app.open"]


def test_words_that_fit_nothing_mean_nothing():
    assert heard("") == []
    assert heard("colourless green ideas") == []


def meant(
    means: str, confidence: float, free: int = 0, doubt: Ambiguous | Unresolved | None = None, **arguments: str
) -> IntentMatch:
    says = f"do [one] {means} {{x:task}}"
    pattern = Pattern(says, parse_pattern(says))
    return IntentMatch(Intent(means, (pattern,)), (arguments,), confidence, free, doubt, values=arguments)


def test_one_meaning_is_done():
    found = choose_interpretation([meant("a", 1.0, x="1"), meant("a", 0.9, x="1"), meant("b", 0.8)])

    assert found is not None
    assert found.outcome == (RequestedAction("a", {"x": "1"}),)


def test_two_meanings_that_are_near_are_asked_about():
    found = choose_interpretation([meant("a", 1.0, x="1"), meant("b", 0.95, x="2")])

    assert found is not None
    assert isinstance(found.outcome, ClauseQuestion)
    assert "do a the task “1” or do b the task “2”" in found.outcome.text
    assert found.outcome.about == ("a", "b")


def test_of_one_operation_the_meaning_that_takes_fewest_words_as_they_are_counts():
    found = choose_interpretation(
        [meant("a", 1.0, 5, x="call Ana at six"), meant("a", 1.0, 2, x="call Ana", due="18:00")]
    )

    assert found is not None
    assert found.outcome == (RequestedAction("a", {"x": "call Ana", "due": "18:00"}),)


def test_choices_are_told():
    found = choose_interpretation([meant("a", 1.0, 0, Ambiguous("Which?", (Choice("“x”", 1), Choice("“y”", 2))))])

    assert found is not None
    assert isinstance(found.outcome, ClauseQuestion)
    assert found.outcome.text == "Which? There are “x” or “y”."


def test_what_is_not_there_is_said_unless_something_else_is_meant():
    gone = meant("a", 1.0, 0, Unresolved("No a."))

    alone, beside, certain = (
        choose_interpretation(each)
        for each in (
            [gone],
            [gone, meant("b", 0.8)],
            [meant("a", 1.0, 0, Unresolved("Past.", sure=True)), meant("b", 0.8)],
        )
    )

    assert alone is not None
    assert isinstance(alone.outcome, ClauseQuestion)
    assert alone.outcome.text == "No a."
    assert beside is not None
    assert beside.outcome == (RequestedAction("b", {}),)
    assert certain is not None
    assert isinstance(certain.outcome, ClauseQuestion)


def test_nothing_is_decided_about_nothing():
    assert choose_interpretation([]) is None
    assert choose_interpretation([meant("a", 0.1)]) is None


def test_what_the_same_words_name_none_of_is_said_once():
    missing = [
        meant(one, 1.0, 0, Unresolved(f"No {one} here is called {said}.", kind=one, quoted=said))
        for one, said in (("task", "“the report”"), ("habit", "“report”"), ("file", "“report”"))
    ]
    other = meant("tab", 1.0, 0, Unresolved("No tab is on “example.org”."))

    found = choose_interpretation([*missing, other])

    assert found is not None
    assert isinstance(found.outcome, ClauseQuestion)
    assert found.outcome.text == "No task, habit or file here is called “report”. No tab is on “example.org”."


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


def test_every_piece_is_known_by_its_name():
    world = world_of(context())

    assert world.tabs[0] == ContextTab(
        1, "r/gardening", "https://www.reddit.com/r/gardening", "reddit.com", active=True
    )
    assert world.apps == ("Firefox", "Signal", "Microsoft Word", "GIMP", "Visual Studio Code")
    assert world.monitors[1] == ContextMonitor("DP-2", ("right",), 1920, 0, 1280, 1024)
    assert world.windows == (ContextWindow("Signal", (2000, 10, 2600, 700)),)
    assert (world.presets, world.habits) == (("writing",), ("Stretch",))
    assert (world.tasks[0], world.completed) == ("Water the ferns", ("Book the ferry",))
    assert world.files[0] == ContextFile("plan.odt", "/home/mo/Documents/plan.odt")
    assert world.events[0] == ContextEvent("e-1", "Dentist", "2026-03-04 15:00")
    assert world.files[-1] == ContextFile("greenhouse", "/home/mo/Documents/greenhouse", is_folder=True)


def test_an_empty_context_is_an_empty_world():
    assert world_of(ModelContext(())) == ContextWorld()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["index", "text", "path", "x"]), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["tabs", "tasks", "monitors", "running_apps", "recent_files", "windows"]), JSON))
def test_whatever_stands_in_a_context_is_read_without_a_fault(data: dict[str, Json]):
    world_of(ModelContext(tuple(ContextPiece(name, "", value) for name, value in data.items())))
