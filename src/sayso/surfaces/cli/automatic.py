"""What starts by itself here, and whether anything looks after it: for `doctor`."""

from collections.abc import Iterator, Sequence

from sayso.assistant.triggers.schedule import schedule
from sayso.config import Settings
from sayso.core.errors import SaysoError, SetupError
from sayso.core.triggers import Trigger
from sayso.runtime.locks import FileLocks
from sayso.surfaces.cli.finding import Finding
from sayso.surfaces.cli.services import Service, of_person

HOSTING = "hosting"
"""What `FileLocks` calls looking after triggers."""
_STARTS = "sayso service install; or, for as long as a terminal is open: sayso trigger run"


def of_triggers(now: Settings) -> Iterator[Finding]:
    """Yield how many there are, whether they may start, whether a host runs, and whether the service is installed."""
    triggers = now.triggers
    hosted = FileLocks(now.places.locks).anybody(HOSTING)
    themselves = [one for one in triggers if one.when]
    yield _counted(triggers, themselves, hosted=hosted)
    yield from _wrong(themselves)
    if triggers and now.policy.paused:
        yield Finding("triggers", "note", "none of them starts while everything is paused", "sayso resume")
    if triggers and not now.policy.automation:
        says = "automation is off, so none of them starts"
        yield Finding("triggers", "note", says, "sayso config set automation.enabled true")
    yield from _of_service(now, hosted=hosted)


def _counted(triggers: Sequence[Trigger], themselves: Sequence[Trigger], *, hosted: bool) -> Finding:
    if not triggers:
        return Finding("triggers", "note", "there are none; a [[trigger]] in the settings makes one")
    says = f"{len(triggers)}, of which {len(themselves)} start{'s' * (len(themselves) == 1)} without you"
    if hosted:
        return Finding("triggers", "good", f"{says}; a host looks after them now")
    if not themselves:
        return Finding("triggers", "good", f"{says}; “sayso trigger fire” runs one")
    return Finding("triggers", "note", f"{says}; nothing looks after them now", _STARTS)


def _wrong(triggers: Sequence[Trigger]) -> Iterator[Finding]:
    """Yield why one cannot be looked after; where what they all need is not installed, once."""
    said: set[str] = set()
    for trigger in triggers:
        try:
            if trigger.schedule:
                schedule(trigger.schedule, trigger.zone)
        except SaysoError as no:
            says, _, fix = str(no).partition("; ")
            if says not in said:
                yield Finding("triggers", "broken", f"“{trigger.name}”: {says}", fix)
            said.add(says)


def _of_service(now: Settings, *, hosted: bool) -> Iterator[Finding]:
    try:
        own = of_person(now.environ)
    except SetupError:
        return  # this system has none; `sayso trigger run` is the way
    if not _is_there(own):
        if now.triggers:
            yield Finding("service", "note", "is not installed: triggers start only while “sayso trigger run” runs")
    elif hosted:
        yield Finding("service", "good", f"is installed: {own.file}")
    else:
        says = f"is installed ({own.file}), but nothing hosts the triggers of this home now"
        yield Finding("service", "note", says, "sayso service install starts it again")


def _is_there(own: Service) -> bool:
    try:
        return own.is_ours
    except OSError:
        return False
