"""Look at what an event trigger waits for: files in a folder, mails in the inbox, events that are near."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from types import MappingProxyType

from sayso.core.errors import Refused
from sayso.core.triggers import Trigger
from sayso.policy.switches import allows
from sayso.providers.calendar.store import Calendar
from sayso.providers.files.store import Files
from sayso.providers.mail.store import Mail
from sayso.runtime.tools import Tools

NEEDS: Mapping[str, str] = MappingProxyType({"file": "file.list", "mail": "mail.inbox", "calendar": "calendar.today"})
"""The operation that the settings must allow for looking."""
MOST_FILES = 10_000
MOST_MAILS = 100


async def happened(trigger: Trigger, tools: Tools) -> Mapping[str, str]:
    """Return what is there now: by a name that stays the same, what a person calls it. Raises `SaysoError`."""
    needed = NEEDS[trigger.event or "file"]
    if not allows(tools.policy(), needed):
        raise Refused(
            f"the trigger “{trigger.name}” looks with {needed}, which is switched off", "policy.operation_off"
        )
    match trigger.event:
        case "mail":
            return await _mails(tools.backend("mail").reads)
        case "calendar":
            return await _events(tools.backend("calendar").reads, trigger.minutes_before)
        case _:
            return await _files(tools.backend("files").reads, trigger)


async def _files(files: Files, trigger: Trigger) -> Mapping[str, str]:
    entries = (await files.list(trigger.folder, MOST_FILES)).entries
    return {
        entry.path: entry.name
        for entry in entries
        if entry.kind == "file" and not entry.name.startswith(".") and fnmatchcase(entry.name, trigger.pattern)
    }


async def _mails(mail: Mail) -> Mapping[str, str]:
    messages = await mail.inbox(MOST_MAILS, include_read=True)
    return {message.message_id: f"{message.from_address}: {message.subject}" for message in messages}


async def _events(calendar: Calendar, minutes: int) -> Mapping[str, str]:
    """Return those that begin within so many minutes, and have not begun."""
    now = calendar.now()
    until = now + timedelta(minutes=minutes)
    found = await calendar.between(now, until + timedelta(seconds=1))
    timed = [(event, datetime.fromisoformat(event.start)) for event in found.events if not event.all_day]
    near = [(event, start) for event, start in timed if now <= start <= until]
    return {f"{event.uid} {event.start}": f"{event.title}, {start:%H:%M}" for event, start in near}
