"""What is to happen, and when, is read from plain words; what can be meant in two ways is asked about."""

import pytest

from sayso.assistant.triggers.schedule import schedule
from sayso.assistant.triggers.spoken import read_spoken
from sayso.core.errors import SetupError
from tests.fails import fails


@pytest.mark.parametrize(
    ("text", "when", "wish"),
    [
        ("every weekday at 8:30 tell me what is on today", "weekdays 8:30", "tell me what is on today"),
        ("Every day at 18:00, tidy up Downloads", "daily 18:00", "tidy up Downloads"),
        ("remind me of the bins every Tuesday at 7pm", "0 19 * * 2", "remind me of the bins"),
        ("on Mondays and Fridays at 9 open the report", "0 9 * * 1,5", "open the report"),
        ("each Mon, Wed and Fri at 07:15 play something", "15 7 * * 1,3,5", "play something"),
        ("every weekend at noon say lunch", "weekends 12:00", "say lunch"),
        ("every morning at 6 read my mail", "daily 6:00", "read my mail"),
        ("every evening at half past eight, please show my tasks", "daily 20:30", "show my tasks"),
        ("daily at a quarter to nine stretch", "daily 8:45", "stretch"),
        ("daily 8:45 stretch", "daily 8:45", "stretch"),
        ("call about the 9:00 train every day at 8:30", "daily 8:30", "call about the 9:00 train"),
        ("move items 5 to 9 every day at 8:30", "daily 8:30", "move items 5 to 9"),
        ("every day at 5 in the afternoon call home", "daily 17:00", "call home"),
        ("every day at 9 and 17 check the oven", "0 9,17 * * *", "check the oven"),
        ("every 1st of the month at 9:00 remind me of the rent", "0 9 1 * *", "remind me of the rent"),
        ("on the 15th of every month at 10 am pay the cleaner", "0 10 15 * *", "pay the cleaner"),
        ("every hour show the time", "0 * * * *", "show the time"),
        ("hourly: show the time", "0 * * * *", "show the time"),
        ("every 2 hours drink water", "0 */2 * * *", "drink water"),
        ("every 15 minutes look at the mail", "*/15 * * * *", "look at the mail"),
        ("every half hour stand up", "*/30 * * * *", "stand up"),
        ("every working day at 12 o'clock say lunch", "weekdays 12:00", "say lunch"),
        ("every day at midnight empty the basket", "daily 0:00", "empty the basket"),
        ("move the report of Monday to Archive every weekday at 17:05",
         "weekdays 17:05", "move the report of Monday to Archive"),
    ],
)  # fmt: skip
def test_words_are_a_schedule_and_a_wish(text: str, when: str, wish: str):
    found = read_spoken(text)

    assert (found.schedule, found.wish) == (when, wish)
    schedule(found.schedule)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tell me what is on today", "how often"),
        ("every weekday tell me what is on", "at what time"),
        ("every day at 5 call home", "05:00 or 17:00"),
        ("every weekday at 8:30", "what is to be done"),
        ("every day at 8:30 and 17:00 look", "their minutes are the same"),
        ("every 7 hours drink water", "how often"),
        ("every morning at 19:00 look", "is not in the morning"),
        ("every 2 hours at 8:30 look", "both how often within a day and at what time"),
        ("every 31st of the month at 9:00 pay", "how often"),
        ("at 8:30 tomorrow look", "how often"),
        ("when a file arrives in Downloads tell me", "with event = “file”"),
        ("Whenever Ana writes, say so", "in words, a trigger starts only at times"),
        ("", "how often"),
        ("every", "how often"),
        ("every day at 25:00 look", "at what time"),
        ("every day at 8:5 look", "at what time"),
        ("every " * 2000, "how often"),
    ],
)
def test_what_is_unclear_says_what_to_write(text: str, why: str):
    with fails(SetupError, "trigger.unclear", why):
        read_spoken(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("every minute look", "every minute"), ("every hour look", "every hour"),
        ("every 15 minutes look", "every 15 minutes, counted from the full hour"),
        ("every 2 hours look", "every 2 hours, counted from the full day"),
    ],
)  # fmt: skip
def test_how_often_within_a_day_is_said_in_words(text: str, words: str):
    assert read_spoken(text).words == words
