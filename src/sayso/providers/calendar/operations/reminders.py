"""The operations on reminders: create."""

from sayso.core.operation import operation
from sayso.core.plan import Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import AnyLine, Line, Text, When
from sayso.providers.calendar.formatting import describe_due, instant, read_due, write_moment
from sayso.providers.calendar.model import CreateReminder
from sayso.providers.calendar.operations.events import title_of
from sayso.providers.calendar.store import Calendar


@operation("reminder.create", kind="write", asks="mode")
async def create_reminder(
    calendar: Calendar, title: Line, notes: Text = "", due: When | None = None, calendar_name: AnyLine = ""
) -> Plan:
    """Create a reminder, due at a time, on a day, or whenever."""
    words, uid = title_of(title), calendar.new_uid()
    where = await calendar.place(uid, calendar_name.strip(), reminder=True)
    at_time, passed = read_due(due, calendar.zone()) if due else ("", None)
    late = passed is not None and instant(passed) <= instant(calendar.now())
    when = f", due {describe_due(at_time)}" if at_time else ""
    step = CreateReminder(uid, words, notes, at_time, where, write_moment(calendar.now()))
    return Plan(
        f"Create the reminder {quoted(words)}{when}",
        (Change(step, step.undo(calendar.new_uid()), (calendar.free_fact(uid),)),),
        said_when_done=f"Created the reminder {quoted(words)}{when}",
        warns=(f"{describe_due(at_time)} is in the past",) if late else (),
        preview=notes,
        data={"id": uid},
    )
