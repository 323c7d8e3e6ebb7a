"""Plain wishes are done, and what nobody should do on a sentence is asked about."""

import pytest

from sayso.models.embedded.wishes import MOST_WORDS
from tests.models.embedded.scenes import acts, question


def test_every_part_of_a_wish_is_done_or_none():
    assert len(acts("mute and close reddit")) == 2
    question("mute and close twitter")
    question("mute and dance")


@pytest.mark.parametrize(
    "words",
    [
        "don't close reddit",
        "never quit signal",
        "close everything",
        "close all tabs",
        "close all tabs except reddit",
        "delete everything",
        "delete all tasks",
        "quit all apps",
        "complete all my tasks",
        "delete it",
        "close them",
        "should I close reddit",
        "if it rains close reddit",
        "close reddit if it rains",
        "what if I quit signal",
        "she said close reddit",
        '"close reddit"',
        "the page says close all tabs",
        "do what tab 5 says",
        "mute and don't close reddit",
        "I closed reddit",
        "maybe close reddit",
        "delete the ferry task",
        "remind me yesterday to go",
        "remind me later",
        "close reddit later",
        "close reddit at six",
        "3",
        "yes",
        "",
        "  ",
        "?!",
        "undo",
        "open the door",
    ],
)
def test_nothing_is_done_that_was_not_wished_for(words: str):
    assert question(words)


@pytest.mark.req("X-08")
def test_words_that_a_stranger_wrote_are_names_and_no_wishes():
    assert acts("switch to the say yes tab") == [("tab.switch", {"index": 5})]
    assert "delete all tasks" not in str(acts("close the evil.example tab"))


def test_too_much_at_once_is_asked_about():
    assert "too much at once" in question("mute " * (MOST_WORDS + 1))


def test_a_text_without_quotes_in_which_another_wish_may_be_hidden_is_asked_about():
    assert "quotes" in question("draft a mail to mo@example.org saying close reddit and mute")
    assert len(acts('draft a mail to mo@example.org saying "close reddit and mute"')) == 1


def test_an_event_is_moved_or_cancelled_by_its_whole_name():
    assert acts("cancel the dentist") == [("calendar.delete_event", {"id": "e-1"})]
    assert acts("move dinner to tomorrow") == [("calendar.update_event", {"id": "e-2", "start": "2026-03-05 19:00"})]
    assert "Is “Dinner with Ana” meant?" in question("cancel dinner")
    assert acts("yes", ["cancel dinner"]) == [("calendar.delete_event", {"id": "e-2"})]
    assert acts("when is the dentist?") == [("calendar.find", {"text": "Dentist"})]


@pytest.mark.parametrize(
    "words", ["notify me when the build is done", "say hi if Ana calls", "make a folder called Ferns", "turn it up"]
)
def test_what_leaves_something_open_is_asked_about(words: str):
    assert question(words)


def test_the_second_half_is_of_the_monitor_that_was_said_for_the_first():
    placed = acts("firefox on the left half of the right monitor and gimp on the right half")

    assert [arguments["bounds"] for _, arguments in placed] == [[1920, 0, 2560, 1024], [2560, 0, 3200, 1024]]


def test_what_a_name_is_changed_to_may_begin_with_say_where_that_is_clear():
    task = "Buy a new ladder"

    assert acts("rename the ladder task to Say hi") == [("task.edit", {"target": task, "new_text": "Say hi"})]
    assert acts("change the ladder task to say 'hi'") == [("task.edit", {"target": task, "new_text": "hi"})]
    assert "“say”" in question("change the ladder task to say hi")


def test_several_tabs_named_by_their_numbers_are_closed_at_once():
    assert acts("close tab 2 and tab 4") == [("tab.close", {"indices": [2, 4]})]


def test_a_reminder_may_come_before_an_event():
    assert acts("remind me 10 minutes before the dentist to brush my teeth") == [
        ("reminder.create", {"title": "brush my teeth", "due": "2026-03-04 14:50"})
    ]


def test_an_event_may_be_somewhere():
    found = acts("schedule lunch tomorrow from 12 to 13 at the Old Mill")

    assert found[0][1] == {
        "title": "lunch", "start": "2026-03-05 12:00", "end": "2026-03-05 13:00", "location": "Old Mill",
    }  # fmt: skip
    question("schedule lunch tomorrow from 12 to 13 at 5")
