"""What the rules say when they do nothing names what was said and what to do."""

import pytest

from sayso.models.builtin import replies
from sayso.models.builtin.replies import LONGEST
from tests.models.builtin.scenes import acts, question, utterance


def test_what_was_not_understood_is_quoted_on_one_line():
    said = replies.explain_not_understood("a\nb “c”")

    assert '“a b "c"”' in said
    assert "\n" not in said
    assert "sayso config model" in said


@pytest.mark.parametrize("words", ["undo", "Undo that", "please undo the last thing", "take it back", "revert!"])
def test_whoever_wants_something_back_is_told_the_command(words: str):
    assert replies.explain_not_understood(words) == replies.HOW_TO_UNDO


@pytest.mark.parametrize("words", ["help", "Help me", "what can you do"])
def test_whoever_asks_for_help_is_told_what_is_known(words: str):
    assert replies.explain_not_understood(words) == f"{replies.WHAT_IT_CAN} {replies.ABOUT_MODELS}"


@pytest.mark.parametrize("words", ["helpers", "take it back to the shop", "what can you do for Ana", "redo"])
def test_what_only_begins_like_that_was_not_understood(words: str):
    assert "was not understood" in replies.explain_not_understood(words)


def test_what_cannot_be_done_is_named():
    assert "“tab.close”" in replies.explain_disabled("tab.close")
    assert replies.is_a_question("close it?")
    assert not replies.is_a_question("could you close it?")


@pytest.mark.parametrize(
    ("answer", "index"),
    [
        ("4", 4), ("tab 3", 3), ("the first one", 3), ("the second", 4), ("last", 4), ("the fern one", 4),
        ("moss please", 3),
    ],
)  # fmt: skip
def test_a_choice_is_named(answer: str, index: int):
    assert "Moss" in question("switch to wikipedia")

    assert acts(answer, ["switch to wikipedia"]) == [("tab.switch", {"index": index})]


def test_the_rest_of_the_wish_is_done_too():
    earlier = ["mute and delete the repair task"]

    assert acts("the lamp", earlier) == [
        ("sound.set_volume", {"level": 0}),
        ("task.delete", {"target": "Repair the kitchen lamp"}),
    ]


def test_a_part_of_a_name_that_only_one_thing_has_is_enough():
    assert acts("move the garden picture to documents") == [
        ("file.move", {"source": "/home/mo/Downloads/garden-2026.png", "destination": "~/Documents/garden-2026.png"})
    ]


def test_what_was_not_there_may_be_named_again():
    assert acts("gimp", ["launch photoshop"]) == [("app.open", {"name": "GIMP"})]


def test_other_words_are_a_wish_of_their_own():
    assert acts("close reddit", ["switch to wikipedia"]) == [("tab.close", {"indices": [1]})]


@pytest.mark.parametrize("answer", ["no", "neither", "9", "wikipedia", "both"])
def test_what_names_none_of_the_choices_does_nothing(answer: str):
    assert question(answer, ["switch to wikipedia"])


@pytest.mark.parametrize("answer", ["yes", "the ladder"])
def test_what_is_like_a_name_that_is_not_there_is_offered_and_a_yes_takes_it(answer: str):
    asked = question("delete the task bladders")

    assert asked.endswith("Is “Buy a new ladder” meant?")
    assert acts(answer, ["delete the task bladders"]) == [("task.delete", {"target": "Buy a new ladder"})]


def test_nothing_is_offered_where_everything_was_said():
    assert "meant?" not in question("delete everything")


def test_every_part_of_a_wish_is_done_or_none():
    assert len(acts("mute and close reddit")) == 2
    question("mute and close twitter")
    question("mute and dance")


@pytest.mark.parametrize(
    "words",
    [
        "don't close reddit", "never quit signal", "close everything", "close all tabs",
        "close all tabs except reddit", "delete everything", "delete all tasks", "quit all apps",
        "complete all my tasks", "delete it", "close them", "should I close reddit",
        "if it rains close reddit", "close reddit if it rains", "what if I quit signal",
        "she said close reddit", '"close reddit"', "the page says close all tabs", "do what tab 5 says",
        "mute and don't close reddit", "I closed reddit", "maybe close reddit", "delete the ferry task",
        "remind me yesterday to go", "remind me later", "close reddit later", "close reddit at six", "3",
        "yes", "", "  ", "?!", "undo", "open the door",
    ],
)  # fmt: skip
def test_nothing_is_done_that_was_not_wished_for(words: str):
    assert question(words)


@pytest.mark.req("X-08")
def test_words_that_a_stranger_wrote_are_names_and_no_wishes():
    assert acts("switch to the say yes tab") == [("tab.switch", {"index": 5})]
    assert "delete all tasks" not in str(acts("close the evil.example tab"))


def test_too_much_at_once_is_asked_about():
    assert "too much at once" in question("mute " * LONGEST)


def test_a_text_without_quotes_in_which_another_wish_may_be_hidden_is_asked_about():
    assert question("draft a mail to mo@example.org saying close reddit and mute")
    assert len(acts('draft a mail to mo@example.org saying "close reddit and mute"')) == 1


def test_an_event_is_moved_or_cancelled_by_what_only_it_is_called():
    assert acts("cancel the dentist") == [("calendar.delete_event", {"id": "e-1"})]
    assert acts("move dinner to tomorrow") == [("calendar.update_event", {"id": "e-2", "start": "2026-03-05 19:00"})]
    assert acts("cancel dinner") == [("calendar.delete_event", {"id": "e-2"})]
    assert acts("when is the dentist?") == [("calendar.find", {"text": "dentist"})]


@pytest.mark.parametrize(
    "words", ["notify me when the build is done", "say hi if Ana calls", "make a folder called Ferns", "turn it up"]
)
def test_what_leaves_something_open_is_asked_about(words: str):
    assert question(words)


def test_the_second_half_is_of_the_monitor_that_was_said_for_the_first():
    placed = acts("firefox on the left half of the right monitor and gimp on the right half")

    assert [arguments["bounds"] for _, arguments in placed] == [[1920, 0, 2560, 1024], [2560, 0, 3200, 1024]]


def test_what_a_name_is_changed_to_may_begin_with_say():
    task = "Buy a new ladder"

    assert acts("rename the ladder task to Say hi") == [("task.edit", {"target": task, "new_text": "Say hi"})]
    assert acts("change the ladder task to say 'hi'") == [("task.edit", {"target": task, "new_text": "hi"})]
    assert acts("change the ladder task to 'say hi'") == [("task.edit", {"target": task, "new_text": "say hi"})]


def test_several_tabs_named_by_their_numbers_are_closed_at_once():
    assert acts("close tab 2 and tab 4") == [("tab.close", {"indices": [2, 4]})]


def test_a_reminder_may_come_before_an_event():
    asked = question("remind me 10 minutes before the dentist to brush my teeth")

    assert "“brush my teeth” “2026-03-04 14:50”" in asked


def test_an_event_may_be_somewhere():
    found = acts("schedule lunch tomorrow from 12 to 13 at the Old Mill")

    assert found[0][1] == {
        "title": "lunch", "start": "2026-03-05 12:00", "end": "2026-03-05 13:00", "location": "Old Mill",
    }  # fmt: skip
    question("schedule lunch tomorrow from 12 to 13 at 5")


def test_a_wish_that_is_done_is_explained_by_what_it_was_read_as():
    lines = replies.explain(utterance("volume 30"))

    assert "sound.set_volume" in lines[1]
    assert lines[-1].startswith("read as set volume sound 30")


def test_a_wish_that_is_not_done_is_explained_by_what_keeps_it_from_being_done():
    lines = replies.explain(utterance("close everything"))

    assert "tab.close" in lines[1]
    assert lines[-1] == "nothing is done by that alone: something in it speaks against it"


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("hello", replies.GREETING), ("Hi there!", replies.GREETING), ("how are you?", replies.GREETING),
        ("thanks", replies.WELCOME), ("Thank you very much.", replies.WELCOME), ("bye", replies.LEAVING),
        ("y", replies.NOTHING_OPEN), ("1", replies.NOTHING_OPEN), ("ok", replies.NOTHING_OPEN),
    ],
)  # fmt: skip
def test_small_talk_gets_a_short_reply_and_does_nothing(words: str, reply: str):
    said = question(words)

    assert said == reply
    assert "not understood" not in said
    assert len(said) < 130


@pytest.mark.parametrize("words", ["hello kitty poster", "thanks to Ana", "12345", "ok google"])
def test_what_only_begins_like_small_talk_is_none(words: str):
    assert "was not understood" in replies.explain_not_understood(words)


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("close reddit and mute", ["tab.close", "sound.set_volume"]),
        ("close all wikipedia tabs and open reddit.com", ["tab.close", "url.open"]),
        ("close moss and open fern.example", ["tab.close", "url.open"]),
        ("mute, open gimp; then list my tabs", ["sound.set_volume", "app.open", "tab.list"]),
        ("remind me to buy bread and close signal", ["reminder.create", "app.quit"]),
        ("remind me at 6pm to call Ana and at 7pm to feed the cat", ["reminder.create", "reminder.create"]),
        ("delete the ladder task and the stretch habit", ["task.delete", "habit.delete"]),
    ],
)
def test_a_text_is_cut_where_another_wish_begins(text: str, operations: list[str]):
    assert [operation for operation, _ in acts(text)] == operations


def test_what_was_begun_with_goes_on():
    assert acts("remind me at 6pm to call Ana and at 7pm to feed the cat") == [
        ("reminder.create", {"title": "call Ana", "due": "2026-03-04 18:00"}),
        ("reminder.create", {"title": "feed the cat", "due": "2026-03-04 19:00"}),
    ]
