"""Calendar and reminders, as the rest of the house sees them."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

CALENDAR = Provider(
    store="calendar",
    operations=LazySequence(
        {
            "sayso.providers.calendar.operations:OPERATIONS": (
                "calendar.today calendar.find calendar.create_event calendar.update_event calendar.delete_event "
                "reminder.create"
            ),
        }
    ),
    steps=LazySequence(
        {
            "sayso.providers.calendar.model:STEPS": (
                "calendar.create_event calendar.update_event calendar.create_reminder calendar.delete "
                "calendar.delete_occurrence calendar.put"
            ),
        }
    ),
    facts=LazySequence({"sayso.providers.calendar.model:FACTS": "calendar_entry calendar_free"}),
    backends={
        "vdir": "sayso.providers.calendar.building:vdir",
        "caldav": "sayso.providers.calendar.building:caldav",
        "memory": "sayso.providers.calendar.memory:build",
    },
    default="vdir",
    context={"calendar.today": "sayso.providers.calendar.context:events"},
    kinds={"vdir": "a folder of .ics files on this computer", "caldav": "for a calendar on a server (calendar.url)"},
    elsewhere={"eventkit": "darwin"},
)
