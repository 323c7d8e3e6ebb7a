"""Arguments of an operation from the words of a wish."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.datetimes import read_when
from sayso.models.builtin.clause import later, shifted
from sayso.models.builtin.filling import READERS, fill
from sayso.models.builtin.mentions import find_mentions
from sayso.models.builtin.outcomes import Ambiguous, Filled, Unresolved
from sayso.models.builtin.tokens import tokenize
from tests.models.builtin.scenes import DATA, NOW, utterance

BERLIN = ZoneInfo("Europe/Berlin")
DENTIST = "e-1"


def filled(operation: str, text: str, now: datetime = NOW) -> Filled | Ambiguous | Unresolved:
    words, whole = tokenize(text), utterance(text, now=now)
    return fill(operation, words, find_mentions(words, whole), whole)


def arguments(operation: str, text: str) -> list[dict[str, Any]]:
    found = filled(operation, text)
    assert isinstance(found, Filled), found
    return [dict(each) for each in found.arguments]


@pytest.mark.parametrize(
    ("operation", "text", "right"),
    [
        ("tab.switch", "the moss page, bring it up", {"index": 3}),
        ("tab.switch", "the third tab", {"index": 3}),
        ("tab.close", "shut the moss and the linien tab", {"indices": [2, 3]}),
        ("tab.close", "both wikipedia tabs can go", {"indices": [3, 4]}),
        ("tab.close", "tabs 1, 2 to 4 away", {"indices": [1, 2, 3, 4]}),
        ("tab.close", "all the wikipedia tabs except the fern one", {"indices": [3]}),
        ("app.quit", "word is not needed any more", {"name": "Microsoft Word"}),
        ("app.place", "signal, right screen please", {"name": "Signal", "monitor": "right"}),
        ("app.place", "firefox on the left half", {"name": "Firefox", "bounds": [0, 0, 960, 1080]}),
        ("sound.set_volume", "down to thirty five with it", {"level": 35}),
        ("sound.set_volume", "mute", {"level": 0}),
        ("focus.set_dnd", "do not disturb can go off again", {"state": "OFF"}),
        (
            "task.move",
            "the ladder one goes before the ferns",
            {"target": "Buy a new ladder", "where": "before", "other": "Water the ferns"},
        ),
        (
            "task.add_subtask",
            "under the ladder task: measure the wall",
            {"parent": "Buy a new ladder", "text": "measure the wall"},
        ),
        (
            "task.edit",
            "rename the ladder task to Buy two ladders",
            {"target": "Buy a new ladder", "new_text": "Buy two ladders"},
        ),
        ("task.reopen", "the ferry was not booked after all", {"target": "Book the ferry"}),
        (
            "habit.edit",
            "stretching every 4 hours is too much, make it every 8 hours",
            {"target": "Stretch", "interval_hours": 8},
        ),
        ("habit.add", "read ten pages, one time in day", {"text": "read ten pages", "interval_hours": 24}),
        ("note.append", "add 'more yeast' to my note 'Bread'", {"target": "Bread", "text": "more yeast"}),
        ("note.create", "a note called Bread and write in it more yeast", {"title": "Bread", "body": "more yeast"}),
        ("mail.search", "mails from Rui that I did not read", {"criteria": {"from": "Rui", "unread": True}}),
        ("url.open", "google rye bread recipe", {"url": "https://www.google.com/search?q=rye+bread+recipe"}),
        ("reminder.list", "which reminders are due tomorrow", {"start": "2026-03-05", "end": "2026-03-06"}),
        (
            "reminder.create",
            "every weekday at six in the morning remind me to feed the hens",
            {"title": "feed the hens", "due": "2026-03-05 06:00", "repeat": "weekdays"},
        ),
        (
            "reminder.create",
            "every evening at eight remind me to shut the gate",
            {"title": "shut the gate", "due": "2026-03-04 20:00", "repeat": "daily"},
        ),
        ("habit.add", "new habit: read ten pages every day", {"text": "read ten pages", "interval_hours": 24}),
        (
            "reminder.create",
            "in 20 minutes remind me to turn the bread",
            {"title": "turn the bread", "due": "2026-03-04 14:50"},
        ),
        (
            "reminder.create",
            "remind me ten minutes before the dentist to take the card",
            {"title": "take the card", "due": "2026-03-04 14:50"},
        ),
        (
            "calendar.create_event",
            "put haircut in the calendar tomorrow from 9 to 10",
            {"title": "haircut", "start": "2026-03-05 09:00", "end": "2026-03-05 10:00"},
        ),
        (
            "calendar.create_event",
            "lunch with bob friday from 12 to 1 in my calendar",
            {"title": "lunch with bob", "start": "2026-03-06 12:00", "end": "2026-03-06 13:00"},
        ),
        ("calendar.update_event", "push the dentist to 5pm", {"id": DENTIST, "start": "2026-03-04 17:00"}),
        ("calendar.update_event", "dentist half an hour later", {"id": DENTIST, "start": "2026-03-04 15:30"}),
        ("calendar.delete_event", "take the dentist out", {"id": DENTIST}),
        ("calendar.find", "when is the dentist?", {"text": "dentist"}),
        (
            "file.move",
            "plan.odt should be in downloads",
            {"source": "/home/mo/Documents/plan.odt", "destination": "~/Downloads/plan.odt"},
        ),
        (
            "file.move",
            "rename plan.odt to plan-old.odt",
            {"source": "/home/mo/Documents/plan.odt", "destination": "/home/mo/Documents/plan-old.odt"},
        ),
        (
            "file.move",
            "rename plan.odt to letter to mum.odt",
            {"source": "/home/mo/Documents/plan.odt", "destination": "/home/mo/Documents/letter to mum.odt"},
        ),
        ("file.find", "any pdfs in documents?", {"path": "~/Documents", "pattern": "*.pdf"}),
        ("file.open", "the greenhouse folder, open it", {"path": "/home/mo/Documents/greenhouse"}),
        (
            "mail.compose",
            "draft to x@example.org, subject Keys, text: under the mat",
            {"to": "x@example.org", "subject": "Keys", "body": "under the mat"},
        ),
        ("mail.inbox", "only the unread ones", {"include_read": False}),
        ("reminder.create", "remind me friday at 17 to rest", {"title": "rest", "due": "2026-03-06 17:00"}),
        (
            "reminder.create",
            "on the 9th of every month at ten: back up",
            {"title": "back up", "due": "2026-03-09 10:00", "repeat": "monthly"},
        ),
        ("habit.edit", "stretch daily instead of every other day", {"target": "Stretch", "interval_hours": 24}),
        ("sound.set_volume", "sound fully off", {"level": 0}),
        ("url.open", "google best ladders", {"url": "https://www.google.com/search?q=best+ladders"}),
        ("app.place", "signal onto the other screen", {"name": "Signal", "monitor": "left"}),
        ("app.place", "signal, fill the whole main one", {"name": "Signal", "bounds": [0, 0, 1920, 1080]}),
        ("tab.close", "both wikipedia tabs can go, I keep reading them", {"indices": [3, 4]}),
        ("tab.close", "enough wikipedia, close the two of them", {"indices": [3, 4]}),
        ("tab.close", "moss + linien, close", {"indices": [2, 3]}),
        ("habit.edit", "stretching every four hours, make that every two", {"target": "Stretch", "interval_hours": 2}),
        ("mail.inbox", "last 5 mails", {"limit": 5}),
        ("mail.search", "mails from rui since monday", {"criteria": {"from": "rui", "after": "2026-03-02"}}),
        ("mail.search", "mails from rui since friday", {"criteria": {"from": "rui", "after": "2026-02-27"}}),
        ("reminder.create", "kettle timer 8 min", {"title": "kettle", "due": "2026-03-04 14:38"}),
        ("reminder.create", "25 min timer, bread", {"title": "bread", "due": "2026-03-04 14:55"}),
        (
            "reminder.create",
            "weekdays at 7am remind me to feed the hens",
            {"title": "feed the hens", "due": "2026-03-05 07:00", "repeat": "weekdays"},
        ),
        ("calendar.list", "fridays appointments?", {"start": "2026-03-06", "end": "2026-03-07"}),
        ("calendar.list", "this friday's", {"start": "2026-03-06", "end": "2026-03-07"}),
        (
            "calendar.update_event",
            "push the dentist back half an hour, it is a long walk",
            {"id": DENTIST, "start": "2026-03-04 15:30"},
        ),
        ("calendar.update_event", "push the dentist back to 5pm", {"id": DENTIST, "start": "2026-03-04 17:00"}),
        ("calendar.update_event", "dentist: change the place to the annex", {"id": DENTIST, "location": "annex"}),
        (
            "calendar.update_event",
            "the dentist is in the annex after all, so change the place",
            {"id": DENTIST, "location": "annex"},
        ),
        ("note.create", "new note Press log: first run 380 L", {"title": "Press log", "body": "first run 380 L"}),
        ("note.append", "add 'more yeast' to my note Garden log", {"target": "Garden log", "text": "more yeast"}),
        ("file.find", "all the jpgs in downloads", {"path": "~/Downloads", "pattern": "*.jpg"}),
        (
            "file.open",
            "plan.odt, and use word for it",
            {"path": "/home/mo/Documents/plan.odt", "app": "Microsoft Word"},
        ),
    ],
)
def test_arguments_are_read_from_what_is_said(operation: str, text: str, right: dict[str, Any]) -> None:
    assert arguments(operation, text) == [right]


@pytest.mark.parametrize(
    ("minute", "fold", "delay", "due"),
    [
        (45, 0, "in half an hour", "2027-10-31 02:15+01:00"),
        (5, 1, "in half an hour", "2027-10-31 02:35+01:00"),
        (5, 0, "in half an hour", "2027-10-31 02:35"),
        (45, 0, "in two hours", "2027-10-31 03:45"),
        (45, 0, "in two days", "2027-11-02"),
    ],
)
def test_a_time_that_comes_twice_when_clocks_go_back_is_the_one_that_is_still_to_come(
    minute: int, fold: int, delay: str, due: str
):
    now = datetime(2027, 10, 31, 2, minute, tzinfo=BERLIN, fold=fold)

    found = filled("reminder.create", f"remind me {delay} to rise", now)

    assert isinstance(found, Filled)
    assert [one["due"] for one in found.arguments] == [due]
    assert read_when(due).at(BERLIN).astimezone(UTC) > now.astimezone(UTC)


def test_a_timer_is_as_long_as_is_said_when_clocks_change():
    back = datetime(2027, 10, 31, 2, 50, tzinfo=BERLIN)
    forward = datetime(2027, 3, 28, 1, 50, tzinfo=BERLIN)

    assert [later(back, 20), later(back, 80), later(forward, 20)] == [
        "2027-10-31 02:10+01:00", "2027-10-31 03:10", "2027-03-28 03:10",
    ]  # fmt: skip
    assert shifted("2027-10-31 02:10+01:00", 60) == "2027-10-31 03:10+01:00"


def test_a_list_of_things_is_as_many_actions() -> None:
    assert arguments("app.quit", "quit signal and firefox") == [{"name": "Signal"}, {"name": "Firefox"}]


@pytest.mark.parametrize(
    ("operation", "text", "asked"),
    [
        ("tab.switch", "the wikipedia tab", "Which tab is meant?"),
        ("tab.switch", "tab 9", "There is no tab 9; the open tabs are 1 to 5."),
        ("app.quit", "close gimp", "“GIMP” is not running."),
        ("sound.set_volume", "volume 300", "The volume goes from 0 to 100."),
        ("task.delete", "delete the ferry task", "The task “Book the ferry” is completed"),
        (
            "calendar.create_event",
            "put haircut in the calendar tomorrow at 9",
            "Until when is it to be, or for how long?",
        ),
        ("mail.send", "send a mail to ana", "To which mail address? Write it out."),
        ("app.place", "put firefox somewhere", "Where on the screen is it to be?"),
        ("reminder.create", "remind me", "What are you to be reminded of"),
        ("file.copy", "copy plan.odt to documents", "It is there already."),
        ("task.move", "move the ladder task below the moon", "Beside which other task is it to stand?"),
        ("calendar.update_event", "the dentist changed the place", "What is to be changed about it?"),
        ("calendar.update_event", "move the dentist to wednesday at 16:00", "today is a wednesday"),
    ],
)
def test_what_is_missing_or_not_clear_is_asked(operation: str, text: str, asked: str) -> None:
    found = filled(operation, text)

    assert isinstance(found, Ambiguous | Unresolved)
    assert asked in (found.question if isinstance(found, Ambiguous) else found.why)


def test_a_word_beside_a_name_that_nothing_explains_makes_it_doubtful() -> None:
    plain, odd = (
        filled("file.open", "open the garden picture"),
        filled("file.open", "open the xylophone garden picture"),
    )

    assert isinstance(plain, Filled)
    assert isinstance(odd, Filled)
    assert odd.strength < plain.strength


@pytest.mark.parametrize(
    ("operation", "text"),
    [("sound.set_volume", "dim the porch lights to 20 percent"), ("file.open", "open a bottle of garden")],
)
def test_a_thing_of_the_world_is_neither_the_volume_nor_a_file(operation: str, text: str) -> None:
    found = filled(operation, text)

    assert isinstance(found, Filled)
    assert found.strength < 0.5


NAMES = st.sampled_from(["wikipedia", "reddit", "moss", "signal", "gimp", "repair", "garden", "dentist", "two", "both"])
JOINS = st.sampled_from(
    ["and", "of the", "of them", ",", "to", "then", "but not", "back half an hour", "mondays", "keep"]
)


@given(st.sampled_from(sorted(READERS)), st.lists(st.one_of(NAMES, JOINS), max_size=9))
def test_names_and_joins_in_any_order_come_to_what_is_there(operation: str, said: list[str]) -> None:
    found = filled(operation, " ".join(said))

    if isinstance(found, Filled) and operation == "tab.close":
        told = [number for one in found.arguments for number in str(one["indices"])[1:-1].split(", ")]
        assert {*told} <= {*"12345"}
    if isinstance(found, Filled) and operation == "app.quit":
        assert {one["name"] for one in found.arguments} <= {"Firefox", "Signal", "Microsoft Word"}


@given(st.sampled_from(sorted(READERS)), st.text(max_size=120))
def test_any_words_are_filled_or_asked_about(operation: str, text: str) -> None:
    assert isinstance(filled(operation, text), Filled | Ambiguous | Unresolved)


def test_two_that_share_a_name_are_both_meant_where_it_is_said_that_there_are_two():
    assert arguments("task.complete", "the two repair tasks are done") == [
        {"target": "Repair the garden gate"},
        {"target": "Repair the kitchen lamp"},
    ]


FILES = {
    **DATA,
    "recent_files": [
        {"name": name.rpartition("/")[2], "path": f"/home/mo/{name}"}
        for name in (
            "Downloads/soil-a.pdf",
            "Downloads/soil-b.pdf",
            "Documents/rota-2025.ods",
            "Documents/rota-2026.ods",
        )
    ],
    "folders": [{"name": name, "path": f"/home/mo/Documents/{name}"} for name in ("Soil", "shows")],
}


def in_files(operation: str, text: str) -> Filled | Ambiguous | Unresolved:
    words, whole = tokenize(text), utterance(text, data=FILES)
    return fill(operation, words, find_mentions(words, whole), whole)


@pytest.mark.parametrize(
    "text",
    [
        "move both soil files to Soil",
        "both of the soil files in downloads ought to be in the Soil folder",
        "those two soil files out of downloads, into documents/Soil",
    ],
)
def test_as_many_files_are_moved_as_are_said_to_share_a_name(text: str):
    found = in_files("file.move", text)

    assert isinstance(found, Filled)
    assert [str(one["source"])[-10:] for one in found.arguments] == ["soil-a.pdf", "soil-b.pdf"]
    assert all(
        str(one["destination"]).startswith(("/home/mo/Documents/Soil/", "~/Documents/Soil/")) for one in found.arguments
    )


def test_files_are_not_moved_to_where_they_are():
    assert isinstance(in_files("file.move", "the two soil files in downloads"), Unresolved)


@pytest.mark.parametrize(
    ("said", "year"), [("this years rota", 2026), ("last year's rota", 2025), ("last yrs rota", 2025)]
)
def test_a_year_tells_one_file_from_another(said: str, year: int):
    found = in_files("file.open", f"open {said}")

    assert isinstance(found, Filled)
    assert found.arguments[0]["path"] == f"/home/mo/Documents/rota-{year}.ods"


def test_a_folder_is_not_named_by_a_verb_that_is_like_its_name():
    found = in_files("file.reveal", "the 2025 rota, show me")

    assert isinstance(found, Filled)
    assert found.arguments[0]["path"] == "/home/mo/Documents/rota-2025.ods"


@pytest.mark.parametrize(
    "text",
    [
        "two more things for my to-do list: ring Ana and order mats",
        "put two more things on my task list, ring Ana and order mats",
    ],
)
def test_as_many_tasks_are_added_as_are_said(text: str):
    assert arguments("task.add", text) == [{"text": "ring Ana"}, {"text": "order mats"}]


def test_fewer_tasks_than_are_said_are_asked_about():
    assert isinstance(filled("task.add", "three more things for my list: ring Ana and order mats"), Unresolved)


def test_half_of_two_reminders_is_not_read_as_one():
    assert isinstance(filled("reminder.create", "remind me at five to eat and at six to rest"), Unresolved)


def test_a_reminder_without_a_text_or_a_word_for_it_is_not_sure():
    assert isinstance(filled("reminder.create", "remind me of something later"), Unresolved)

    doubtful = filled("reminder.create", "the gate must be shut")

    assert not isinstance(doubtful, Filled) or doubtful.strength < 0.4
