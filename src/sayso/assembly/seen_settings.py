"""Notice what was changed in the file of settings with an editor, so that the journal gets a row about it.

How the file was when sayso last saw it is kept in `settings.seen` in sayso's folder. What differs then, and was not
changed by sayso itself, was changed by somebody with an editor.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import DecodeError, Struct, json

from sayso.assembly.home import Home
from sayso.assembly.own_changes import changed_setting, changed_trigger, differences, server_change, wrapped_servers
from sayso.assembly.parts import foreign_sections
from sayso.config import Settings
from sayso.config.load import read_file, read_settings_bytes
from sayso.config.paths import Places
from sayso.config.schema import BY_NAME, SECTIONS
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.runtime.own_changes import OwnChange, note

EDITOR = "editor"
_SERVERS = "mcp.servers"


class SeenTrigger(Struct, frozen=True):
    """A trigger in the file: when it is due, what it says, and a digest of all of it."""

    when: str
    says: str
    digest: str


class SeenSettings(Struct, frozen=True):
    """The file of settings as sayso saw it: its stamp, the values that it sets, its triggers and its servers."""

    stamp: tuple[int, int, int] | None
    values: Mapping[str, Json]
    triggers: Mapping[str, SeenTrigger]
    servers: Mapping[str, str]


async def note_edits(home: Home) -> None:
    """Write down what was changed in the file with an editor since sayso last saw it."""
    changes = take_edits(home.settings)
    if changes:
        await note(home.tools, changes, by=EDITOR, entry=EDITOR)


async def note_own(home: Home, before: Settings, *, by: str) -> None:
    """Write down what the person just changed in the settings with sayso, and what an editor changed before that."""
    own = differences(before, home.settings)
    edited = edits_beside(own, home.settings)
    if edited:
        await note(home.tools, edited, by=EDITOR, entry=EDITOR)
    await note(home.tools, own, by=by)


def edits_beside(own: Sequence[OwnChange], now: Settings) -> list[OwnChange]:
    """Return what was changed with an editor since sayso last saw the file, beside what sayso changed itself."""
    known = {_about(one) for one in own}
    return [one for one in take_edits(now) if _about(one) not in known]


def take_edits(now: Settings) -> list[OwnChange]:
    """Return what differs in the file since sayso last saw it, and keep how it is now.

    Nothing differs if it was never seen before, and an invalid file is looked at again once it is valid.
    """
    at = now.places
    stamp, seen = _stamp(at), _seen(at)
    if seen is not None and seen.stamp == stamp:
        return []
    try:
        found = _look(now, stamp)
    except SaysoError:
        return []
    with suppress(OSError):  # in a home that is read-only, it is seen again the next time
        _keep(at, found)
    return [] if seen is None else [*_changes(seen, found, now)]


def _look(now: Settings, stamp: tuple[int, int, int] | None) -> SeenSettings:
    file = read_settings_bytes(read_file(now.places.config), "config.toml", SECTIONS, foreign_sections())
    values = {name: BY_NAME[name].kind.write(value) for name, value in file.values.items() if name != _SERVERS}
    triggers = {one.name: SeenTrigger(one.when, one.says, _digest(one)) for one in file.triggers}
    servers = {name: _digest(one) for name, one in wrapped_servers(now).items()}
    found = SeenSettings(stamp, values, triggers, servers)
    return json.decode(json.encode(found), type=SeenSettings)  # as it is read again


def _changes(seen: SeenSettings, found: SeenSettings, now: Settings) -> list[OwnChange]:
    changes = [
        changed_setting(name, seen.values.get(name, _default(name)), found.values.get(name, now.get(name)))
        for name in BY_NAME
        if seen.values.get(name) != found.values.get(name)
    ]
    for what, one, other in (("remove", seen, found), ("add", found, seen)):
        names = [name for name in one.triggers if name not in other.triggers]
        changes += [changed_trigger(what, name, one.triggers[name].when, one.triggers[name].says) for name in names]
    for name, one in found.triggers.items():
        if name in seen.triggers and seen.triggers[name] != one:
            changes.append(changed_trigger("change", name, one.when, one.says))
    new = [name for name, one in found.servers.items() if seen.servers.get(name) != one]
    changes += [server_change("unwrap", name) for name in seen.servers if name not in found.servers]
    return changes + [server_change("wrap", name) for name in new]


def _default(name: str) -> Json:
    key = BY_NAME[name]
    return None if key.default is None else key.kind.write(key.default)


def _about(change: OwnChange) -> tuple[str, Json]:
    name = next((change.arguments[word] for word in ("setting", "trigger", "server") if word in change.arguments), None)
    return change.operation.partition(".")[0], name


def _digest(one: Struct) -> str:
    return hashlib.sha256(repr(one).encode()).hexdigest()


def _stamp(at: Places) -> tuple[int, int, int] | None:
    try:
        found = at.config.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _seen(at: Places) -> SeenSettings | None:
    try:
        return json.decode(at.seen_settings.read_bytes(), type=SeenSettings)
    except (OSError, DecodeError):
        return None


def _keep(at: Places, found: SeenSettings) -> None:
    new = at.seen_settings.with_suffix(f".{os.getpid()}")
    new.touch(mode=0o600)
    new.write_bytes(json.encode(found))
    new.replace(at.seen_settings)
