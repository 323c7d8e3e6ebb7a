"""`sayso reminder` and `sayso calendar`: typed words make, complete and delete reminders, and list what is on."""

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from sayso.config import load
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.runtime.system import SystemClock
from tests.surfaces.cli.person import sayso

Settings = Callable[[str], None]
SOON = "They ring only while “sayso service” runs; “sayso service install” sets it up."


def test_a_reminder_is_added_listed_completed_and_taken_back(person: Path):
    added = sayso("reminder", "add", "Call", "Ana", "--due", "2031-05-02 09:00")
    listed = sayso("reminder")
    done = sayso("reminder", "done", "call ana")
    after, finished = sayso("reminder", "list"), sayso("reminder", "list", "--finished")
    sayso("undo", "--yes")

    assert "done: Created the reminder “Call Ana”, due 2031-05-02 09:00; it rings only while" in added.out
    assert listed.out == f"2031-05-02 09:00  Call Ana\n\n{SOON}\n"
    assert "done: Completed the reminder “Call Ana”" in done.out
    assert after.out == "Nothing is to be remembered.\n"
    assert finished.out.startswith("done today ")
    assert sayso("reminder").out == listed.out


def test_a_timer_and_what_repeats_are_added(person: Path):
    sayso("reminder", "add", "Tea", "--in", "20")
    sayso("reminder", "add", "Pill", "--due", "2031-05-02", "--repeat", "weekly", "--interval", "2", "--count", "3")

    tea, pill = sayso("reminder", "--json").document["reminders"]

    left = datetime.fromisoformat(tea["due"]) - SystemClock().now()
    assert timedelta(minutes=15) < left <= timedelta(minutes=20)
    assert (pill["due"], pill["repeats"]) == ("2031-05-02", "every 2 weeks, 3 more times")
    assert [row["title"] for row in sayso("reminder", "list", "--today", "--json").document["reminders"]] in (
        ["Tea"],
        [],
    )


def test_a_time_that_is_past_is_said_to_be_past(person: Path):
    past = sayso("reminder", "add", "call", "Ana", "--due", "2020-01-01")

    assert "note: 2020-01-01 is in the past" in past.out


def test_what_is_not_there_is_not_completed_and_a_dry_run_changes_nothing(person: Path):
    sayso("reminder", "add", "Tea")

    wrong = sayso("reminder", "done", "Coffee")
    dry = sayso("reminder", "done", "Tea", "--dry-run")
    nothing = sayso("reminder", "add")

    assert "No reminder is called “Coffee”" in wrong.out
    assert "planned" in dry.out
    assert "which reminder? write its title" in nothing.err
    assert sayso("reminder").out == "whenever  Tea\n"


def test_where_something_rings_them_nothing_is_said_about_it(person: Path):
    with FileLocks(load(os.environ).places.locks).present(HOSTING):
        added = sayso("reminder", "add", "Tea", "--in", "20")
        listed = sayso("reminder")

    assert "; sayso rings it" in added.out
    assert SOON not in listed.out


def test_the_events_of_any_days_are_listed(person: Path):
    reply = (
        'CREATE_EVENT "Trip" "2031-05-02" "2031-05-04"\nCREATE_EVENT "Lunch" "2031-05-02 12:00" "2031-05-02 13:00"\n'
    )
    file = person / "reply.txt"
    file.write_text(reply)
    sayso("run", str(file), "--dialect", "lines", "--yes")

    both = sayso("calendar", "2031-05-01", "2031-06-01")
    one = sayso("calendar", "2031-05-03", "--json").document["events"]

    assert both.out == "2031-05-02 to 2031-05-03   Trip\n2031-05-02 12:00 to 13:00  Lunch\n"
    assert [event["title"] for event in one] == ["Trip"]
    assert sayso("calendar").out == "Nothing is on in the next 7 days.\n"
    assert sayso("calendar", "2031-05-12").out == "Nothing is on then.\n"
    assert "is not a date" in sayso("calendar", "soon").err


def test_without_a_mailbox_it_does_not_say_that_there_are_no_messages(person: Path, settings: Settings):
    settings('[mail]\nkind = "maildir"\npath = "~/none"\n')
    file = person / "reply.txt"
    file.write_text("MAIL_INBOX\n")

    run = sayso("run", str(file), "--dialect", "lines")

    assert "no mailbox is set up" in run.out
    assert "No messages" not in run.out
