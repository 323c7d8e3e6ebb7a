"""What a wish came to is looked at once more, so that half of it, or a slip of the tongue, is not done."""

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.checks import NO_TEXT, NO_TIME, NOT_ALL_FOUND, doubt_about, without_repeats
from sayso.models.builtin.interpreter import RequestedAction


def action(operation: str, **arguments: Json) -> RequestedAction:
    return RequestedAction(operation, arguments)


@pytest.mark.parametrize(
    ("said", "found", "doubt"),
    [
        ("close both tabs", [action("tab.close", indices=[3])], NOT_ALL_FOUND),
        ("close both tabs", [action("tab.close", indices=[3, 4])], ""),
        ("delete the two blurred pictures", [action("file.delete", path="~/a.jpg")], NOT_ALL_FOUND),
        ("three things to do: a, b and c", [action("task.add", text="a"), action("task.add", text="b")], NOT_ALL_FOUND),
        ("new task: print two photos", [action("task.add", text="print two photos")], ""),
        ("delete chapter two", [action("file.delete", path="~/chapter two.odt")], ""),
        ("close one of the two tabs, or both", [action("tab.close", indices=[3])], ""),
        ("throw away every task", [action("task.add", text="away every task")], NO_TEXT),
        ("new task: wash up; then iron", [action("task.add", text="wash up; then iron")], NO_TEXT),
        ('new task "wash up; then iron"', [action("task.add", text="wash up; then iron")], ""),
        ("mail, and the text is late", [action("mail.compose", body="is late")], NO_TEXT),
        ("search him in the calendar", [action("calendar.find", text="him")], NO_TEXT),
        ("draft, subject late say I run", [action("mail.compose", subject="late say I run")], NO_TEXT),
        ("remind me to move the car", [action("reminder.create", title="move the car")], ""),
        ("every day at seven", [action("reminder.create", title="rise", due="2027-08-12 09:00")], NO_TIME),
        ("tomorrow at nine", [action("reminder.create", title="rise", due="2027-08-12 09:00")], ""),
        ("tomorrow", [action("reminder.create", title="rise", due="2027-08-12 09:00")], ""),
    ],
)
def test_what_leaves_out_a_thing_a_time_or_the_end_of_a_text_is_not_done(
    said: str, found: list[RequestedAction], doubt: str
):
    assert doubt_about(found, said) == doubt


def test_the_same_action_is_proposed_once():
    switch, close = action("tab.switch", index=9), action("tab.close", indices=[2])

    assert without_repeats([switch, close, switch]) == (switch, close)
