"""The operations on reminders: list, create, complete and delete."""

from datetime import timedelta
from typing import Annotated, Literal

from msgspec import UNSET, Meta

from sayso.core.datetimes import read_when
from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError
from sayso.core.normal_forms import normal_form
from sayso.core.operation import operation
from sayso.core.plan import Answer, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.sanitize import fence_data
from sayso.core.schema import AnyLine, Line, Text, When
from sayso.providers.calendar.event_texts import (
    at,
    describe_due,
    instant,
    name_of_zone,
    place_moment,
    read_due,
    write_moment,
)
from sayso.providers.calendar.model import CompleteReminder, CreateReminder, DeleteEntry
from sayso.providers.calendar.operations.events import SPAN, plan_step, title_of
from sayso.providers.calendar.repeats import MORNING, Every, Repeat, after_completion, describe_rule, first_due
from sayso.providers.calendar.store import Calendar, Reminder

MOST_NAMED = 10
InMinutes = Annotated[int, Meta(ge=1, le=525_600, description="A timer: due so many minutes from now.")]
Interval = Annotated[int, Meta(ge=1, le=999, description="2 with “weekly” is every two weeks.")]
Count = Annotated[int, Meta(ge=1, le=9999, description="How often it is due in all.")]
Limit = Annotated[int, Meta(ge=1, le=1000, description="How many reminders at most.")]
Named = Annotated[Line, Meta(description="The reminder's id, or its whole title.")]


@operation("reminder.list", kind="read", asks="none", outside=True, ordered=SPAN)
async def list_reminders(
    calendar: Calendar,
    state: Literal["open", "done"] = "open",
    start: When | None = None,
    end: When | None = None,
    limit: Limit = 200,
) -> Answer:
    """List the open reminders, or those done; with `start` or `end` only what is due then, `end` not included."""
    found = await calendar.reminders(done=state == "done")
    kept = [one for one in found.reminders if one.done == (state == "done") and _is_within(calendar, one, start, end)]
    rows: list[Json] = [reminder_json(calendar, one) for one in kept[:limit]]
    data: dict[str, Json] = {"reminders": rows}
    unread = ""
    if found.left_out:
        data["left_out"] = list(found.left_out)
        unread = f"\nWhat could not be read:\n{fence_data('left_out', [*found.left_out])}"
    which = f"{state} reminder" if not (start or end) else f"{state} reminder due then"
    if not kept:
        return Answer(f"No {which}", data, f"There is no {which}.{unread}")
    left = len(kept) - len(rows)
    count = f"{len(rows)} {which.replace('reminder', 'reminders') if len(rows) > 1 else which}"
    count += f" ({left} more {'is' if left == 1 else 'are'} not shown)" if left else ""
    told = fence_data("reminders", "\n".join(_line(calendar, one) for one in kept[:limit]))
    return Answer(count, data, f"{count}:\n{told}{unread}")


@operation("reminder.create", kind="write", asks="mode", version=2)
async def create_reminder(
    calendar: Calendar,
    title: Line,
    notes: Text = "",
    due: When | None = None,
    calendar_name: AnyLine = "",
    in_minutes: InMinutes | None = None,
    repeat: Every | None = None,
    interval: Interval = 1,
    count: Count | None = None,
    until: When | None = None,
) -> Plan:
    """Create a reminder, due at a time, on a day, in so many minutes (a timer), or whenever; it may repeat."""
    words, uid = title_of(title), calendar.new_uid()
    where = await calendar.place(uid, calendar_name.strip(), reminder=True)
    at_time, late = _due(calendar, due, in_minutes)
    rule = zone = UNSET
    if repeat or count is not None or until or interval != 1:
        at_time, rule, zone = _repeats(
            calendar, at_time, repeat, Repeat(repeat or "daily", interval, count, until or "")
        )
    rings = UNSET if not at_time else 0 if "T" in at_time else int(MORNING.total_seconds())
    said = f"{quoted(words)}{_when(at_time, rule or '')}"
    stamp = write_moment(calendar.now())
    step = CreateReminder(uid, words, notes, at_time, where, stamp, rule, zone or UNSET, rings)
    return Plan(
        f"Create the reminder {said}",
        (Change(step, step.undo(calendar.new_uid()), (calendar.free_fact(uid),)),),
        said_when_done=f"Created the reminder {said}{_whether_it_rings(calendar, at_time)}",
        warns=(f"{describe_due(at_time)} is in the past",) if late else (),
        preview=notes,
        data={"id": uid},
    )


@operation("reminder.complete", kind="write", asks="mode")
async def complete_reminder(calendar: Calendar, reminder: Named) -> Plan:
    """Complete a reminder; one that repeats is then due at its next time."""
    found = await _named(calendar, reminder)
    title = quoted(found.title)
    if found.done:
        return Plan(f"The reminder {title} is completed already")
    mark, stamp = calendar.new_uid(), write_moment(calendar.now())
    due, rule = after_completion(found, calendar.now(), calendar.zone())
    step = CompleteReminder(found.uid, mark, due, rule, found.place, stamp, found.participants)
    then = f"; it is due again {describe_due(due)}" if due else ""
    about, sends = f"the reminder {title}{then}", f"the completion of {title}"
    return plan_step(calendar, found, step, f"Complete {about}", f"Completed {about}", sends)


@operation("reminder.delete", kind="destructive", asks="mode")
async def delete_reminder(calendar: Calendar, reminder: Named) -> Plan:
    """Delete a reminder, with all times at which it repeats."""
    found = await _named(calendar, reminder)
    what = f"{quoted(found.title)}{_when(found.due, found.repeats)}"
    step = DeleteEntry(found.uid, found.place, calendar.new_uid(), found.participants)
    done, sends = f"Deleted the reminder {quoted(found.title)}", f"the cancellation of {quoted(found.title)}"
    return plan_step(calendar, found, step, f"Delete the reminder {what}", done, sends, (f"the reminder {what}",))


def _whether_it_rings(calendar: Calendar, due: str) -> str:
    if not due:
        return ""
    if calendar.rings_itself or calendar.ring():
        return f"; {calendar.rings_itself or 'sayso'} rings it"
    return "; it rings only while “sayso service” runs (“sayso service install”)"


def _due(calendar: Calendar, due: str | None, in_minutes: int | None) -> tuple[str, bool]:
    """Return when a reminder is due, in the form that steps use, and whether that is in the past."""
    if due and in_minutes is not None:
        raise ProposalError("a reminder is due at “due” or “in_minutes”, not both", "arguments.surplus")
    if in_minutes is not None:
        now = instant(calendar.now()).replace(microsecond=0)
        return write_moment((now + timedelta(minutes=in_minutes)).astimezone(calendar.zone())), False
    if not due:
        return "", False
    at_time, passed = read_due(due, calendar.zone())
    return at_time, instant(passed) <= instant(calendar.now())


def _repeats(calendar: Calendar, due: str, repeat: Every | None, how: Repeat) -> tuple[str, str, str]:
    """Return when a repeating reminder is first due, its rule, and the name of its zone."""
    if repeat is None:
        raise ProposalError("“interval”, “count” and “until” need “repeat”", "arguments.missing")
    if not due:
        raise ProposalError("a reminder that repeats needs “due”, when it is due first", "arguments.missing")
    zone = calendar.zone()
    name = name_of_zone(zone)
    first = first_due(due, repeat, zone)
    if how.until:
        last = read_when(how.until)
        place_moment(last, zone)
        until = last.day.isoformat() if last.all_day else write_moment(last.at(zone))
        how = Repeat(how.every, how.interval, how.count, until)
    return first, how.rule(first, zone, floating=not name), name if "T" in first else ""


def _when(due: str, rule: str) -> str:
    repeats = describe_rule(rule)
    return (f", due {describe_due(due)}" if due else "") + (f", {repeats}" if repeats else "")


def _is_within(calendar: Calendar, one: Reminder, start: str | None, end: str | None) -> bool:
    """Return whether a reminder is due between two times; without a time, it is not, if any is asked for."""
    if not start and not end:
        return True
    if not one.due:
        return False
    zone = calendar.zone()
    due = instant(at(one.due, zone))
    if start and due < instant(place_moment(read_when(start), zone)):
        return False
    return not end or due < instant(place_moment(read_when(end), zone))


async def _named(calendar: Calendar, name: str) -> Reminder:
    """Return the one reminder with this id, or else the one open reminder with this title. Raises `ProposalError`."""
    every = (await calendar.reminders(done=True)).reminders
    words = name.strip()
    same = [one for one in every if one.uid == words]
    same = same or [one for one in every if not one.done and _same(one.title) == _same(words)]
    if len(same) == 1:
        return same[0]
    open_ones = same or [one for one in every if not one.done]
    those = tuple(Candidate(one.title, one.uid, _when(one.due, one.repeats)[2:]) for one in open_ones[:MOST_NAMED])
    if same:
        raise ProposalError(f"{len(same)} reminders are called {quoted(words)}; give the id", "target.ambiguous", those)
    raise ProposalError(f"No reminder is called {quoted(words)}. reminder.list shows them.", "target.not_found", those)


def _same(title: str) -> str:
    return normal_form(" ".join(title.split()).casefold())


def is_overdue(calendar: Calendar, one: Reminder) -> bool:
    """Return whether an open reminder is due and its time, or its day, has passed."""
    return bool(one.due) and not one.done and instant(read_due(one.due, calendar.zone())[1]) <= instant(calendar.now())


def reminder_json(calendar: Calendar, one: Reminder) -> dict[str, Json]:
    """Return a reminder as JSON for results."""
    return {
        "id": one.uid,
        "title": one.title,
        "due": one.due,
        **({"overdue": True} if is_overdue(calendar, one) else {}),
        **({"repeats": describe_rule(one.repeats)} if one.repeats else {}),
        **({"notes": one.notes} if one.notes else {}),
        **({"completed": one.completed} if one.completed else {}),
        **({"calendar": one.calendar} if one.calendar else {}),
    }


def _line(calendar: Calendar, one: Reminder) -> str:
    when = describe_due(one.due) if one.due else "whenever"
    late = " (overdue)" if is_overdue(calendar, one) else ""
    repeats = f", {describe_rule(one.repeats)}" if one.repeats else ""
    return " ".join(f"{when}{late}{repeats}: {one.title} (id {one.uid})".split())
