"""The calendar provider: events and reminders."""

import sys

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider, Requirement
from sayso.core.settings import ADDRESS, FLAG, LINE, PATH, Setting, memory_world, password_command
from sayso.providers.index import FACTS, OPERATIONS, STEPS


def _requires(*modules: str) -> Requirement:
    says = "the calendar is read with {module}, which is not installed; {install}"
    return Requirement(modules, says, "calendar.extra", "calendar")


RINGS_ITSELF = {"apple": "Reminders"}
"""The kinds of back end whose reminders an application shows by itself when they are due, and that application."""

CALENDAR = Provider(
    store="calendar",
    operations=LazySequence(OPERATIONS["calendar"]),
    steps=LazySequence(STEPS["calendar"]),
    facts=LazySequence(FACTS["calendar"]),
    outside=("calendar",),
    backends={
        "vdir": "sayso.providers.calendar.vdir:build",
        "caldav": "sayso.providers.calendar.caldav.backend:build",
        "apple": "sayso.providers.calendar.apple.backend:build",
        "memory": "sayso.providers.calendar.memory:build",
    },
    requires={
        "vdir": _requires("icalendar", "recurring_ical_events"),
        "caldav": _requires("icalendar", "recurring_ical_events", "httpx2"),
        "apple": _requires("icalendar", "recurring_ical_events"),
    },
    default="apple" if sys.platform == "darwin" else "vdir",
    context={
        "calendar.today": "sayso.providers.calendar.context:events",
        "reminder.list": "sayso.providers.calendar.context:reminders",
    },
    only_on={"apple": "darwin"},
    kinds={
        "vdir": "a folder of .ics files on this computer",
        "caldav": "for a calendar on a server (calendar.url)",
        "apple": "Calendar and Reminders of macOS",
    },
    serves="the calendar",
    settings=(
        Setting("calendar", "path", PATH, "Folder of .ics files."),
        Setting("calendar", "url", ADDRESS, "CalDAV address."),
        Setting("calendar", "user", LINE, "Your user name on the CalDAV server."),
        Setting("calendar", "default", LINE, "Which of your calendars new events and reminders go to."),
        Setting("calendar", "timezone", LINE, "Time zone of new events, such as Europe/Berlin."),
        Setting(
            "calendar",
            "ring",
            FLAG,
            "Whether sayso’s service shows reminders when they are due, where nothing else does.",
            default=True,
        ),
        password_command("calendar"),
        memory_world("calendar"),
    ),
)
