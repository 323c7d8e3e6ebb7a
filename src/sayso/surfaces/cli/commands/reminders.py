"""`sayso reminder` and `sayso calendar`: what is due, and what is on."""

import argparse
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import cast

from sayso.assembly import Home
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.plan import Answer
from sayso.providers.calendar.store import Calendar
from sayso.runtime.system import SystemClock
from sayso.surfaces.cli.app import Command, whole_number
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.direct import Subcommand, act_on, carry_out, require_words
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.rows import rows_of
from sayso.surfaces.cli.text import sentence

REPEATS = ("daily", "weekly", "monthly", "yearly", "weekdays")
_ADD = ("due", "minutes", "notes", "repeat", "interval", "count", "until", "calendar", "dry_run")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; without it, list")
    parser.add_argument("words", nargs="*", metavar="TEXT", help="a reminder by its title or id")
    parser.add_argument("--due", metavar="WHEN", help="with add: YYYY-MM-DD, or “YYYY-MM-DD HH:MM”")
    parser.add_argument("--in", dest="minutes", type=whole_number, metavar="MINUTES", help="with add: a timer")
    parser.add_argument("--notes", metavar="TEXT", help="with add: what is shown below the title")
    parser.add_argument("--repeat", choices=REPEATS, help="with add: how it repeats from --due on")
    parser.add_argument("--interval", type=whole_number, metavar="N", help="with --repeat: every N days, weeks …")
    parser.add_argument("--count", type=whole_number, metavar="N", help="with --repeat: so often in all")
    parser.add_argument("--until", metavar="WHEN", help="with --repeat: the last day")
    parser.add_argument("--calendar", metavar="NAME", help="with add: which of your calendars")
    parser.add_argument("--today", action="store_true", help="with list: only what is due today or overdue")
    parser.add_argument("--finished", action="store_true", help="with list: those that are done")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")


def _title(arguments: argparse.Namespace) -> str:
    return require_words(arguments, "reminder", "title")


def _add(arguments: argparse.Namespace, here: CommandContext) -> int:
    given: dict[str, Json] = {"title": _title(arguments)}
    names = {"minutes": "in_minutes", "calendar": "calendar_name"}
    for option in _ADD[:-1]:
        value = getattr(arguments, option)
        given |= {} if value is None else {names.get(option, option): value}
    return carry_out(here, "reminder.create", given, dry_run=arguments.dry_run)


def _done(arguments: argparse.Namespace, here: CommandContext) -> int:
    return carry_out(here, "reminder.complete", {"reminder": _title(arguments)}, dry_run=arguments.dry_run)


def _delete(arguments: argparse.Namespace, here: CommandContext) -> int:
    return carry_out(here, "reminder.delete", {"reminder": _title(arguments)}, dry_run=arguments.dry_run)


def _list(arguments: argparse.Namespace, here: CommandContext) -> int:
    given: dict[str, Json] = {"state": "done" if arguments.finished else "open"}
    if arguments.today:
        given["end"] = (SystemClock().now().astimezone().date() + timedelta(days=1)).isoformat()
    data, hosted = _look(here, "reminder.list", given)
    if here.json:
        here.document({**data, "ringing": hosted})
        return Exit.FINE
    width = terminal_width(here)
    found = data.get("reminders")
    rows = rows_of("reminder.list", data, width, SystemClock().now().astimezone()) or []
    here.print(*(rows if found or data.get("left_out") else ["Nothing is to be remembered."]))
    timed = any(cast("Mapping[str, Json]", one).get("due") for one in cast("list[Json]", found or []))
    if timed and not hosted and not arguments.finished:
        says = "They ring only while “sayso service” runs; “sayso service install” sets it up."
        here.print("", *sentence(says, width))
    return Exit.FINE


def _look(here: CommandContext, operation: str, given: dict[str, Json]) -> tuple[dict[str, Json], bool]:
    """Return what an operation on the calendar finds, and whether reminders ring now. Raises `SaysoError`."""

    async def look(home: Home) -> tuple[dict[str, Json], bool]:
        asked = home.operations[operation]
        clean, problems = asked.check(given)
        if problems:
            raise ProposalError(problems[0].sentence, problems[0].code)
        calendar: Calendar = home.tools.backend("calendar").reads
        answer = cast("Answer", await asked.function(calendar=calendar, **clean))
        return dict(answer.data), bool(calendar.rings_itself or calendar.ring())

    return in_home(here, look)


DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "add": Subcommand(_add, _ADD),
        "list": Subcommand(_list, ("today", "finished"), words=False),
        "done": Subcommand(_done, ("dry_run",)),
        "delete": Subcommand(_delete, ("dry_run",)),
    }
)

REMINDER = Command(
    configure,
    act_on("reminder", DEEDS),
    'sayso reminder add "Call Ana" --due "2031-05-02 09:00"',
    "What you type here needs no further yes; it is recorded, and “sayso undo” takes it back.",
)


def configure_calendar(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("start", nargs="?", metavar="FROM", help="the first day; today without it")
    parser.add_argument("end", nargs="?", metavar="UNTIL", help="the day after the last; without it, one day or a week")
    parser.add_argument("--calendar", metavar="NAME", help="only the events of this calendar")


def act_calendar(arguments: argparse.Namespace, here: CommandContext) -> int:
    """List events."""
    names = {"start": "start", "end": "end", "calendar": "calendar_name"}
    given: dict[str, Json] = {
        name: getattr(arguments, option) for option, name in names.items() if getattr(arguments, option) is not None
    }
    data, _ = _look(here, "calendar.list", given)
    if here.json:
        here.document(data)
        return Exit.FINE
    rows = rows_of("calendar.list", data, terminal_width(here), SystemClock().now().astimezone()) or []
    here.print(
        *(
            rows
            if data.get("events") or data.get("left_out")
            else ["Nothing is on then." if given else "Nothing is on in the next 7 days."]
        )
    )
    return Exit.FINE


CALENDAR = Command(configure_calendar, act_calendar, "sayso calendar 2031-05-02 2031-05-05")
