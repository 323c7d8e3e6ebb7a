"""Find what differs between the settings before and after a change, and write it down in the journal."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import cast

import anyio

from sayso.assembly.parts import read_settings
from sayso.config import Settings
from sayso.config.schema import BY_NAME
from sayso.core.conversation import Trigger
from sayso.core.encoding import Json, canonical
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.ports import Clock
from sayso.core.quotes import quoted, visible
from sayso.providers.mcp.servers import WrappedServer
from sayso.runtime.own_changes import SERVER, SETTING, TRIGGER, OwnChange, own_rows, write_down
from sayso.runtime.services import stamp
from sayso.runtime.system import RandomIds, SystemClock

_MOST_SHOWN = 200
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_SERVERS = "mcp.servers"
_REPAIRED = OwnChange(f"{SETTING}.set", "Change settings that could not be read before", {})


def differences(before: Settings, after: Settings) -> list[OwnChange]:
    """Return what was changed, in words; the settings themselves hold no secrets (`config.load`)."""
    values = {name: (before.get(name), after.get(name)) for name in BY_NAME if name != _SERVERS}
    changes = [_set(name, was, now) for name, (was, now) in values.items() if was != now]
    changes += _triggers({one.name: one for one in before.triggers}, {one.name: one for one in after.triggers})
    return changes + _servers(_wrapped(before), _wrapped(after))


@contextmanager
def written_down(environ: Mapping[str, str], told: Callable[[str], None]) -> Generator[None]:
    """Write down what the block changes in the settings, as the person did it in the terminal.

    `told` gets a sentence if the journal cannot be written; the change counts all the same.
    """
    before = _settings_or_none(environ)
    yield
    after = read_settings(environ)
    changes = [_REPAIRED] if before is None else differences(before, after)
    if changes:
        try:
            anyio.run(_write, after, changes)
        except (SaysoError, OSError) as wrong:
            told(f"sayso: this is changed, but it could not be written down in the journal: {wrong}")


def _settings_or_none(environ: Mapping[str, str]) -> Settings | None:
    try:
        return read_settings(environ)
    except SaysoError:
        return None


async def _write(now: Settings, changes: list[OwnChange]) -> None:
    clock: Clock = SystemClock()
    make = load("sayso.journal.sqlite:SqliteJournal")
    journal = make(str(now.places.database), clock=clock, redact=now.policy.audit_redact)
    await journal.open()
    try:
        ids = RandomIds(journal.newest_key)
        await write_down(journal, own_rows(ids, stamp(clock.now()), changes, by="terminal"))
    finally:
        await journal.close()


def _set(name: str, before: Json, after: Json) -> OwnChange:
    summary = f"Set {name} to {_shown(after)}; it was {_shown(before)}"
    if name == "policy.paused":
        summary = "Paused everything" if after else "Resumed"
    return OwnChange(f"{SETTING}.set", summary, {"setting": name, "from": before, "to": after})


def _triggers(before: Mapping[str, Trigger], after: Mapping[str, Trigger]) -> list[OwnChange]:
    gone = [_trigger("remove", one) for name, one in before.items() if name not in after]
    new = [_trigger("add", one) for name, one in after.items() if name not in before]
    changed = [_trigger("change", one) for name, one in after.items() if name in before and before[name] != one]
    return gone + new + changed


def _trigger(what: str, one: Trigger) -> OwnChange:
    when = one.when or "when you fire it"
    often = visible(_often(when))
    summary = f"{what.capitalize()} the trigger {quoted(visible(one.name))} ({often}): {visible(one.says)}"
    return OwnChange(f"{TRIGGER}.{what}", summary, {"trigger": one.name, "when": when, "what": one.says})


def _often(when: str) -> str:
    """Return when a trigger starts, in words where it is at one time of every day, or of some days of the week."""
    match when.split():
        case [minute, hour, "*", "*", days] if all(_is_number(one) for one in (minute, hour, *days.split(","))):
            named = ", ".join(_DAYS[int(one) % len(_DAYS)] for one in days.split(","))
        case [minute, hour, "*", "*", "*"] if _is_number(minute) and _is_number(hour):
            named = "day"
        case _:
            return when
    return f"every {named} at {hour}:{minute:0>2}"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def switched(name: str, *, off: bool) -> OwnChange:
    """Return the change that a trigger was switched off, or on."""
    word = "off" if off else "on"
    summary = f"Switch the trigger {quoted(visible(name))} {word}"
    return OwnChange(f"{TRIGGER}.switch", summary, {"trigger": name, "to": word})


def _wrapped(settings: Settings) -> Mapping[str, WrappedServer]:
    return cast("Mapping[str, WrappedServer]", settings.sections.get("mcp", {}).get("servers") or {})


def _servers(before: Mapping[str, WrappedServer], after: Mapping[str, WrappedServer]) -> list[OwnChange]:
    gone = [_server("unwrap", one) for name, one in before.items() if name not in after]
    return gone + [_server("wrap", one) for name, one in after.items() if before.get(name) != one]


def _server(what: str, one: WrappedServer) -> OwnChange:
    summary = f"{what.capitalize()} the MCP server {quoted(visible(one.name))}"  # its command may name a secret
    return OwnChange(f"{SERVER}.{what}", summary, {"server": one.name})


def _shown(value: Json) -> str:
    if value is None:
        return "nothing"
    text = quoted(visible(value)) if isinstance(value, str) else canonical(value).decode("utf-8")
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
