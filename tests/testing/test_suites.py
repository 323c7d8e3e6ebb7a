"""The suites for stores find a backend that does not keep the rules."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.datetimes import LocalZone
from sayso.core.errors import ProviderError
from sayso.core.memory_backend import MemoryBackend, MemoryRules
from sayso.core.plan import Facts
from sayso.core.ports import Backend
from sayso.providers.apps import memory as apps
from sayso.providers.apps.model import AppRunning, AppsState
from sayso.providers.browser import memory as browser
from sayso.providers.calendar import memory as calendar
from sayso.providers.desktop import memory as desktop
from sayso.providers.desktop.model import DesktopState
from sayso.providers.mail import memory as mail
from sayso.providers.mail.model import SetLabel
from sayso.providers.mail.store import MailContext, Message
from sayso.providers.notes import memory as notes
from sayso.providers.tasks import memory as tasks
from sayso.providers.tasks.model import DeleteTasks
from sayso.testing.apps import AppsSuite
from sayso.testing.browser import BrowserSuite
from sayso.testing.calendar import CalendarSuite
from sayso.testing.desktop import DesktopSuite
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.mail import MailSuite
from sayso.testing.notes import NotesSuite
from sayso.testing.tasks import TasksSuite

CLOCK, IDS, NOW = FakeClock(), NumberedIds(), "2026-03-14T12:00:00Z"


Does = Callable[[Any, Any, Facts], tuple[Any, Facts]]


def over(
    state: Any, does: Does, holds: Callable[[Any, Any], bool], reads: Callable[[Any], Any]
) -> Callable[..., Backend]:
    """Return what makes a backend over this state, with rules of a test's own."""
    rules = MemoryRules(does=does, holds=holds, reads=reads)
    return lambda: MemoryBackend(state, rules, lasting=True)


def anything_holds(state: Any, fact: Any) -> bool:
    """Look at nothing before a step."""
    return True


def one_tab() -> Backend:
    return browser.backend(browser.parse_world({"windows": [{"tabs": [{"url": "https://a.example/"}]}]}), IDS)


def quits_in_words(state: AppsState, step: object, expects: object) -> tuple[AppsState, Facts]:
    return state, (AppRunning("Finder", ()),)


def forgets(state: tasks.TasksWorld, step: Any, expects: Facts) -> tuple[tasks.TasksWorld, Facts]:
    then, facts = tasks.do_step(state, step, expects, NOW)
    return (replace(then, deleted_tasks={}), ()) if isinstance(step, DeleteTasks) else (then, facts)


def labels_in_words(messages: Sequence[Message]) -> Backend:
    """Only say that messages are labelled, and do not look where they are."""

    def does(state: mail.MailWorld, step: Any, expects: Facts) -> tuple[mail.MailWorld, Facts]:
        then, facts = mail.after(state, step, NOW)
        return (replace(state), facts) if isinstance(step, SetLabel) else (then, facts)

    def holds(state: mail.MailWorld, fact: Any) -> bool:
        return "mail_at" in fact.fact or mail.holds(state, fact)

    context = MailContext("you@x.test", IDS, CLOCK)
    return over(mail.deliver_all(tuple(messages)), does, holds, lambda seen: mail.MemoryMail(seen, context))()


APPS_RULES = replace(apps.RULES, does=quits_in_words)
CALENDAR = over(
    calendar.CalendarWorld(),
    calendar.do_step,
    anything_holds,
    lambda seen: calendar.MemoryCalendar(seen, CLOCK, IDS, LocalZone()),
)
DESKTOP = over(DesktopState(), desktop.execute, anything_holds, lambda seen: desktop.MemoryDesktop(seen, IDS))
NOTES = over(
    notes.NotesWorld(("Notes", "Work")), notes.do_step, anything_holds, lambda seen: notes.MemoryNotes(seen, IDS)
)
CARELESS_TASKS = over(
    tasks.TasksWorld(),
    lambda state, step, expects: tasks.do_step(state, step, expects, NOW),
    anything_holds,
    lambda seen: tasks.MemoryTasks(CLOCK, IDS, seen),
)
FORGETFUL_TASKS = over(tasks.TasksWorld(), forgets, tasks.holds, lambda seen: tasks.MemoryTasks(CLOCK, IDS, seen))
REFUSED = "should have been refused"


@pytest.mark.parametrize(
    ("suite", "make", "test", "said"),
    [
        (
            AppsSuite,
            lambda: MemoryBackend(apps.parse_world({}), APPS_RULES),
            "an_application_is_quit_and_then_was_not_running",
            "does not run",
        ),
        (BrowserSuite, one_tab, "tabs_are_numbered_over_all_windows", "numbers and places"),
        (CalendarSuite, CALENDAR, "an_event_changed_since_is_not_touched", REFUSED),
        (CalendarSuite, CALENDAR, "a_uid_that_is_taken_is_never_written_over", REFUSED),
        (DesktopSuite, DESKTOP, "a_volume_that_was_set_since_is_left_alone", REFUSED),
        (MailSuite, labels_in_words, "each_change_is_done_and_taken_back", "changed something"),
        (MailSuite, labels_in_words, "a_message_moved_since_is_not_touched", REFUSED),
        (NotesSuite, NOTES, "a_note_changed_since_is_not_touched", REFUSED),
        (TasksSuite, FORGETFUL_TASKS, "a_deleted_tree_comes_back_with_ids_order_and_states", "no longer kept"),
        (TasksSuite, CARELESS_TASKS, "a_delete_is_refused_when_the_tree_has_changed", REFUSED),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
async def test_a_backend_that_does_not_keep_a_rule_is_found(
    suite: type, make: Callable[..., Backend], test: str, said: str
):
    members = {"make": staticmethod(make), "running": "Finder", "idle": "Notes"}
    broken: Any = type("Broken", (suite,), members)

    with pytest.raises((AssertionError, ProviderError), match=said):
        await getattr(broken(), f"test_{test}")()
