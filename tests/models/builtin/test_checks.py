"""What a wish came to is looked at once more, so that half of it, or a slip of the tongue, is not done."""

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.checks import NO_PLACE, NO_TIME, NOT_ALL_FOUND, NOT_READ, doubt_about, tidied
from sayso.models.builtin.outcomes import RequestedAction
from tests.models.builtin.scenes import utterance


def action(operation: str, **arguments: Json) -> RequestedAction:
    return RequestedAction(operation, arguments)


@pytest.mark.parametrize(
    ("said", "found", "doubt"),
    [
        ("close both tabs", [action("tab.close", indices=[3])], NOT_ALL_FOUND),
        ("close both tabs", [action("tab.close", indices=[3, 4])], ""),
        ("open both recipes", [action("file.open", path="~/recipes")], NOT_ALL_FOUND),
        ("delete the two blurred pictures", [action("file.delete", path="~/a.jpg")], NOT_ALL_FOUND),
        ("three things to do: a, b and c", [action("task.add", text="a"), action("task.add", text="b")], NOT_ALL_FOUND),
        ("two of these must go", [action("file.delete", path="~/a.jpg")], NOT_ALL_FOUND),
        ("it is two gigs of noise, delete it", [action("file.delete", path="~/a.jpg")], ""),
        ("new task: print two photos", [action("task.add", text="print two photos")], ""),
        ("delete chapter two", [action("file.delete", path="~/chapter two.odt")], ""),
        ("close one of the two tabs, or both", [action("tab.close", indices=[3])], ""),
        ("tomorrow at seven", [action("reminder.create", title="rise", due="2026-03-05")], NO_TIME),
        ("tomorrow at nine", [action("reminder.create", title="rise", due="2026-03-05 09:00")], ""),
        ("tomorrow", [action("reminder.create", title="rise", due="2026-03-05")], ""),
        ("put a below b", [action("task.move", target="a", where="top")], NO_PLACE),
        ("put a below b", [action("task.move", target="a", where="below", other="b")], ""),
        ("put a at the top", [action("task.move", target="a", where="top")], ""),
        ("tomorrow 9 am to 11 am", [action("calendar.create_event", title="tea", start="2026-03-05")], NO_TIME),
    ],
)
def test_what_leaves_out_a_thing_or_a_time_is_not_done(said: str, found: list[RequestedAction], doubt: str):
    assert doubt_about(found, utterance(said)) == doubt


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("remind me at 25 o'clock to sleep", "25"),
        ("remind me at 13pm to sleep", "13pm"),
        ("remind me at quarter past 30 to sleep", "30"),
        ("remind me at 9:75 to eat", "9:75"),
        ("remind me at 9:15 to eat", ""),
        ("remind me to buy 30 eggs", ""),
    ],
)
def test_a_number_that_is_no_time_of_day_is_asked_about_and_not_dropped(said: str, number: str):
    doubt = doubt_about([action("reminder.create", title="sleep")], utterance(said))

    assert (f"“{number}” {NOT_READ}" == doubt) is bool(number)


def test_the_same_action_is_proposed_once():
    switch, close = action("tab.switch", index=9), action("tab.close", indices=[2])

    assert tidied([switch, close, switch]) == (switch, close)
