"""What was said and could not be read is asked about, so that nothing is done without it."""

import pytest

from sayso.core.encoding import Json
from sayso.models.builtin.outcomes import RequestedAction
from sayso.models.builtin.unread import unread
from tests.models.builtin.scenes import NOW, utterance


def reminder(**arguments: Json) -> RequestedAction:
    return RequestedAction("reminder.create", {"title": "rise", **arguments})


def event(**arguments: Json) -> RequestedAction:
    return RequestedAction(
        "calendar.create_event", {"title": "tea", "start": "2026-03-06 12:00", "end": "2026-03-06 13:00", **arguments}
    )


def listed(start: str, end: str) -> RequestedAction:
    return RequestedAction("calendar.list", {"start": start, "end": end})


def searched(**criteria: Json) -> RequestedAction:
    return RequestedAction("mail.search", {"criteria": criteria})


def mail(body: str) -> RequestedAction:
    return RequestedAction("mail.send", {"to": "a@b.example", "subject": "x", "body": body})


@pytest.mark.parametrize(
    ("said", "action", "word"),
    [
        ("remind me at 25 o'clock to rise", reminder(), "25"),
        ("remind me at 13pm to rise", reminder(), "13pm"),
        ("remind me at quarter past 30 to rise", reminder(), "30"),
        ("remind me at 9:75 to rise", reminder(), "9:75"),
        ("remind me to rise at 9:15", reminder(due="2026-03-05 09:15"), ""),
        ("remind me to buy 30 eggs", reminder(title="buy 30 eggs"), ""),
        ("tea on 28.10. from 12 to 13", event(), "28.10"),
        ("tea on friday from 12 to 13", event(), ""),
        ("remind me on the 32nd at 18:00 to rise", reminder(due="2026-03-04 18:00"), "32nd"),
        ("remind me at 18:00 to send the 32nd letter", reminder(title="send the 32nd letter"), ""),
        ("what is on on 2026-02-30", listed("2026-03-04", "2026-03-05"), "2026-02-30"),
        ("cancel the dentist on 31 april", RequestedAction("calendar.delete_event", {"id": "e-1"}), "april"),
        ("mails since february 30", RequestedAction("mail.inbox", {}), "february"),
        ("remind me every flibberday to rise", reminder(title="rise every flibberday"), "every"),
        ("remind me in 40 to rise", reminder(), "40"),
        ("remind me in 40 minutes to rise", reminder(in_minutes=40), ""),
        ("from 12 until 15 of march, what is on", listed("2026-03-15", "2026-03-16"), "march"),
        ("what is on tomorrow", listed("2026-03-05", "2026-03-06"), ""),
        ("what is on tomorrow", listed("2026-03-06", "2026-03-07"), "on"),
        ("tea friday 12 to 13, loft", event(), "loft"),
        ("tea friday 12 to 13, loft", event(location="loft"), ""),
        ("tea friday 12 to 13, please", event(), ""),
        ("tea friday 12 to 13, the venue is room 5", event(), "venue"),
        ("remember me on 8 in the morning to rise", reminder(due="2026-03-05 09:00"), "8"),
        ("send a mail to a@b.example saying i can start if it suits you", mail("i can start"), "if"),
        ("send a mail to a@b.example saying i can start", mail("i can start"), ""),
        ("mails from Callum swears blind", searched(**{"from": "Callum swears blind"}), "blind"),
        ("mails from the tax office", searched(**{"from": "the tax office"}), ""),
        ("mails since the first of november", searched(text="x"), "since"),
        ("mails that i haven't read", searched(text="haven't read"), "haven't"),
        ("a mail to a@b.example, subject tea", RequestedAction("mail.send", {"to": "a@b.example"}), "subject"),
        ("open the greenhouse folder", RequestedAction("file.open", {"path": "/home/mo/Documents/greenhouse"}), ""),
        (
            "open the greenhouse invoicelet",
            RequestedAction("file.open", {"path": "/home/mo/Documents/greenhouse"}),
            "invoicelet",
        ),
    ],
)
def test_a_word_that_an_action_needs_and_that_was_not_read_is_found(said: str, action: RequestedAction, word: str):
    assert unread([action], utterance(said)) == word


@pytest.mark.parametrize(("month", "word"), [(1, ""), (2, "31st"), (3, ""), (4, "31st")])
def test_the_31st_is_not_read_in_a_month_that_has_none(month: int, word: str):
    said = utterance("remind me on the 31st at 18:00 to rise", now=NOW.replace(month=month))

    assert unread([reminder(due=f"2026-{month:02}-04 18:00")], said) == word
