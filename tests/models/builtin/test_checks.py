"""What a wish came to is looked at once more, so that half of it, or a slip of the tongue, is not done."""

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.checks import (
    NO_PLACE,
    NO_TEXT,
    NO_TIME,
    NOT_ALL_FOUND,
    TAB_OR_PROGRAM,
    THERE_ALREADY,
    doubt_about,
    tidied,
)
from sayso.models.builtin.outcomes import RequestedAction
from sayso.models.builtin.world import ContextTab, ContextWorld


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

    assert tidied([switch, close, switch]) == (switch, close)


@pytest.mark.parametrize(
    ("said", "found", "doubt"),
    [
        ("notes that contain mint", [action("note.find", text="contain mint")], NO_TEXT),
        ("look for mint", [action("note.find", text="mint")], ""),
        ('notes with "contains mint"', [action("note.find", text="contains mint")], ""),
        ("any file whose name has mint", [action("file.find", pattern="*any file whose name has mint*")], NO_TEXT),
        ("mails about mint, okay?", [action("mail.search", criteria={"text": "mint, okay"})], NO_TEXT),
        ("mails about mint would you", [action("mail.search", criteria={"subject": "mint would you"})], NO_TEXT),
        ("…", [action("mail.compose", body="Tea at six? Just save the draft")], NO_TEXT),
        ("…", [action("mail.compose", body="Tea at six? Bring the cups")], ""),
        ("…", [action("calendar.create_event", title="lamps came! Put tea")], NO_TEXT),
        ("…", [action("calendar.create_event", title="tea with Dr. Low")], ""),
        (
            'note "Pump" and inside: it drips',
            [action("note.create", title="Pump"), action("note.create", title="inside it drips")],
            NO_TEXT,
        ),
    ],
)
def test_a_text_that_holds_words_about_itself_is_not_taken(said: str, found: list[RequestedAction], doubt: str):
    assert doubt_about(found, said) == doubt


@pytest.mark.parametrize(
    ("said", "found", "doubt"),
    [
        ("today at 17", [action("reminder.create", title="rise", due="2027-08-12")], NO_TIME),
        ("on the 17th", [action("reminder.create", title="rise", due="2027-08-17")], ""),
        ("friday at 8", [action("calendar.create_event", title="tea", start="2027-08-12")], NO_TIME),
        ("put a below b", [action("task.move", target="a", where="top")], NO_PLACE),
        ("put a below b", [action("task.move", target="a", where="below", other="b")], ""),
        ("put a at the top", [action("task.move", target="a", where="top")], ""),
        ("copy a here", [action("file.copy", source="/home/una/x/a.md", destination="~/x/a.md")], THERE_ALREADY),
        ("move a here", [action("file.move", source="~/x/a.md", destination="/Users/una/x/a.md")], THERE_ALREADY),
        ("copy a there", [action("file.copy", source="/home/una/x/a.md", destination="~/a.md")], ""),
    ],
)
def test_an_hour_a_place_and_a_folder_that_were_lost_are_asked_for(said: str, found: list[RequestedAction], doubt: str):
    assert doubt_about(found, said) == doubt


@pytest.mark.parametrize(
    ("said", "doubt"),
    [
        ("Scribus is gone, bring it back", TAB_OR_PROGRAM),
        ("Scribus is slow, show the moss tab", ""),
        ("bring the moss back", ""),
    ],
)
def test_a_tab_is_not_shown_for_a_program_that_is_named(said: str, doubt: str):
    world = ContextWorld(tabs=(ContextTab(1, "Moss", "https://moss.example", "moss.example"),), running=("Scribus",))

    assert doubt_about([action("tab.switch", index=1)], said, world) == doubt


def test_a_program_that_another_action_is_about_does_not_stop_a_tab():
    world = ContextWorld(tabs=(ContextTab(1, "Moss", "https://moss.example", "moss.example"),), running=("Scribus",))
    both = [action("tab.switch", index=1), action("app.quit", name="Scribus")]

    assert doubt_about(both, "show the moss, then quit Scribus", world) == ""


@pytest.mark.parametrize(
    ("title", "rest"),
    [
        ("i must wash up", "wash up"), ("that we have to wash up", "wash up"), ("you should go", "go"),
        ("must-have list", "must-have list"), ("I must", "I must"),
    ],
)  # fmt: skip
def test_a_reminder_says_what_is_to_be_done_without_that_it_must_be(title: str, rest: str):
    assert tidied([action("reminder.create", title=title)])[0].arguments["title"] == rest
