"""Change the person's settings: one or more keys, or a profile, checked before anything is written.

The file keeps its comments, its order and its line endings; it is replaced as a whole or not at all.
"""

import fcntl
import json
import os
import shlex
import tomllib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from sayso.config.load import key_called, read_file, read_settings_bytes, read_value
from sayso.config.paths import Places
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.settings import COMMAND, TEXTS, Setting

PROFILES: Mapping[str, tuple[str, ...] | None] = MappingProxyType(
    {"safe": ("notify.show", "url.open", "clipboard.write"), "default": None}
)
"""Which operations each profile allows; None removes the setting, so that its default applies (S0-83)."""

ALLOWED = "policy.allowed_operations"


def set_key(at: Places, name: str, text: str, others: tuple[str, ...] = ()) -> Json:
    """Write one setting, given as text, and return its value as it is now in the file.

    `text` is TOML (`true`, `"24h"`, `["~/Documents"]`), a bare word or phrase or, for a list, its items separated by
    commas. Raises `SetupError` before anything is written when the key or the value is invalid.
    """
    key, value = key_called(name), read_text_value(name, text)
    _change(at, lambda document: _put(document, key, value), others)
    return value


def read_text_value(name: str, text: str) -> Json:
    """Return the value that `set_key` would write. Raises `SetupError` when the key or the value is invalid."""
    key = key_called(name)
    return key.kind.write(read_value(key, _parse_value(key, text), "config.toml"))


def set_keys(at: Places, values: Mapping[str, Json], others: tuple[str, ...] = ()) -> None:
    """Write several settings at once, with their values in the form that they have in the file; None removes a setting.

    Raises `SetupError` before anything is written when one of them is invalid.
    """
    keys = {key_called(name): value for name, value in values.items()}
    said = {key: value if value is None else _as_written(key, value) for key, value in keys.items()}

    def change(document: Any) -> None:
        for key, value in said.items():
            if value is None:
                _take_out(document, key)
            else:
                _put(document, key, value)

    _change(at, change, others)


def _as_written(key: Setting, value: Json) -> Json:
    return key.kind.write(read_value(key, value, "config.toml"))


def add_to_key(at: Places, name: str, more: Sequence[str], others: tuple[str, ...] = ()) -> None:
    """Add names to a setting that is a list of names; a list that is not set starts from its default.

    A name that is already in the list, in upper or lower case, is not added again. Raises `SetupError` before anything
    is written when the key or the names are invalid.
    """
    key = key_called(name)
    _change(at, lambda document: _add(document, key, more), others)


def add_trigger(at: Places, table: Mapping[str, str], others: tuple[str, ...] = ()) -> None:
    """Add a trigger to the settings. Raises `SetupError` before anything is written when it is invalid."""

    def change(document: Any) -> None:
        if "trigger" not in document:
            document["trigger"] = tomlkit.aot()
        one = tomlkit.table()
        for name, value in table.items():
            one.add(name, value)
        document["trigger"].append(one)

    _change(at, change, others)


def remove_trigger(at: Places, name: str, others: tuple[str, ...] = ()) -> None:
    """Remove the trigger of this name from the settings, if it is there."""

    def change(document: Any) -> None:
        kept = [one for one in document.get("trigger", []) if str(one.get("name", "")).casefold() != name.casefold()]
        if len(kept) < len(document.get("trigger", [])):
            del document["trigger"]
            if kept:
                document["trigger"] = tomlkit.aot()
                for one in kept:
                    document["trigger"].append(one)

    _change(at, change, others)


def add_server(at: Places, name: str, table: Mapping[str, Json], others: tuple[str, ...] = ()) -> None:
    """Add `[mcp.servers.NAME]`. Raises `SetupError` before anything is written when it is invalid."""

    def change(document: Any) -> None:
        if "mcp" not in document:
            document["mcp"] = tomlkit.table(is_super_table=True)
        if "servers" not in document["mcp"]:
            document["mcp"]["servers"] = tomlkit.table(is_super_table=True)
        one = tomlkit.table()
        for key, value in table.items():
            one.add(key, value)
        document["mcp"]["servers"][name] = one

    _change(at, change, others)


def remove_server(at: Places, name: str, others: tuple[str, ...] = ()) -> None:
    """Remove `[mcp.servers.NAME]`, if it is there."""

    def change(document: Any) -> None:
        servers = document.get("mcp", {}).get("servers", {})
        if name in servers:
            del servers[name]

    _change(at, change, others)


def unset_key(at: Places, name: str, others: tuple[str, ...] = ()) -> None:
    """Remove one setting from the file, so that its default applies."""
    key = key_called(name)
    _change(at, lambda document: _take_out(document, key), others)


def set_profile(at: Places, name: str, others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Set the allowed operations to those of a profile, and return them; empty means that the setting was removed."""
    if name not in PROFILES:
        known = " and ".join(f"“{one}”" for one in PROFILES)
        raise SetupError(f"there is no profile “{name}”; there are {known}", "config.profile")
    allowed = PROFILES[name]
    if allowed is None:
        unset_key(at, ALLOWED, others)
        return ()
    set_key(at, ALLOWED, json.dumps(allowed), others)
    return allowed


def _parse_value(key: Setting, text: str) -> Json:
    try:
        value: Json = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    if key.kind is COMMAND and isinstance(value, str):
        return shlex.split(value)
    if key.kind.write is TEXTS.write and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    # A number stays a number only if the setting accepts one; otherwise it is taken as text. `24h` and `1.5 GiB` are
    # not TOML, and so are text already.
    return value if not isinstance(value, int | float) or isinstance(value, bool) or _reads(key, value) else text


def _reads(key: Setting, value: Json) -> bool:
    try:
        read_value(key, value, "")
    except SetupError:
        return False
    return True


def _put(document: Any, key: Setting, value: Json) -> None:
    if key.section not in document:
        document[key.section] = tomlkit.table()
    document[key.section][key.name] = value


def _add(document: Any, key: Setting, more: Sequence[str]) -> None:
    if key.section not in document or key.name not in document[key.section]:
        _put(document, key, list(cast("Sequence[str]", key.written_default or ())))
    names = document[key.section][key.name]
    known = {str(one).casefold() for one in names}
    for one in more:
        if one.casefold() not in known:
            names.append(one)
            known.add(one.casefold())


def _take_out(document: Any, key: Setting) -> None:
    if key.section in document and key.name in document[key.section]:
        del document[key.section][key.name]


def _change(at: Places, change: Callable[[Any], None], others: tuple[str, ...]) -> None:
    file = Path(os.path.realpath(at.config))
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(file.parent):
        before = read_file(file)
        after = _change_document(before, change, at)
        read_settings_bytes(after, str(at.config), others=others)
        if after != before:
            _replace(file, after)


def _change_document(before: bytes, change: Callable[[Any], None], at: Places) -> bytes:
    try:
        document = tomlkit.parse(before.decode("utf-8"))
        change(document)
        return tomlkit.dumps(cast("Mapping[str, Any]", document)).encode("utf-8")
    except TOMLKitError:
        sentence = f"{at.config} is written in a way that cannot be changed here; change it in an editor"
        raise SetupError(sentence, "config.syntax") from None


@contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Lock the folder while the file is read, changed and replaced, so that no concurrent change is lost."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(file: Path, data: bytes) -> None:
    # Always the same name: who replaces the file is alone, so what stands there was left by a process that was killed.
    temporary = file.with_name(f".{file.name}.new")
    try:
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(descriptor)
        temporary.replace(file)
    except OSError as odd:
        with suppress(OSError):
            temporary.unlink()
        raise SetupError(f"{file} could not be written: {odd.strerror}", "config.unwritable") from None
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
