"""Load the settings: the person's file, the environment, and the administrator's stricter policy."""

import os
import re
import stat
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from msgspec import Struct, field
from msgspec.structs import fields, replace

from sayso.config.named_tables import Preset, presets_in, shortcuts_in, triggers_in
from sayso.config.paths import Places, Root, also_own, both, desktop_folders, must_stand_apart, places, roots_at
from sayso.config.schema import BY_NAME, SECTIONS, keys_of
from sayso.core.conversation import Trigger
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.lazy import load as load_late
from sayso.core.settings import PATH, NotOfKind, Setting, describe_found
from sayso.policy.paths import normal
from sayso.policy.settings import Limits, Policy

PRESET, TRIGGER, SHORTCUTS = "preset", "trigger", "shortcuts"
_SECRET = re.compile(
    r"(^|[_-])(password|passwd|passphrase|secret|token|api[_-]?key|credentials?)($|[_-])", re.IGNORECASE
)


class SettingsFile(Struct, frozen=True):
    """The contents of a settings file: values by full name, the named tables, and the sections of other packages."""

    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    presets: tuple[Preset, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    shortcuts: Mapping[str, Json] = field(default_factory=dict[str, Json])
    others: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Mapping[str, Json]])


def read_settings_bytes(
    data: bytes, where: str, sections: Collection[str] = SECTIONS, others: Collection[str] = ()
) -> SettingsFile:
    """Parse and check the bytes of a settings file; `where` is its name in messages.

    `sections` are the sections that the file may have. Only if these are all of sayso's sections may it also have
    `[[preset]]`, `[[trigger]]` and `[shortcuts.NAME]`. `others` are sections of other packages, which are not checked.
    Raises `SetupError` with one sentence that names the key.
    """
    document = _parse_toml(data, where)
    values: dict[str, Json] = {}
    foreign: dict[str, Mapping[str, Json]] = {}
    lists = {PRESET, TRIGGER, SHORTCUTS} if set(sections) == set(SECTIONS) else set[str]()
    for section, content in document.items():
        if section in lists:
            continue
        if section in sections:
            values.update(_section(section, _table(section, content, where), where))
        elif section in others:
            foreign[section] = _table(section, content, where)
        else:
            raise _unknown_section(section, content, where, (*sections, *others))
    told = {section: content for section, content in document.items() if section in lists}
    return SettingsFile(
        values,
        presets_in(told.get(PRESET, []), where),
        triggers_in(told.get(TRIGGER, []), where),
        shortcuts_in(_table(SHORTCUTS, told.get(SHORTCUTS, {}), where), where),
        foreign,
    )


def read_value(key: Setting, value: Json, where: str) -> Json:
    """Check one value of a known key. Raises `SetupError` that names the key, what was expected and what was found."""
    try:
        return key.kind.read(value)
    except NotOfKind as odd:
        if str(odd) == "secret":
            raise _secret(key.section, f"“{key.name}” in [{key.section}] holds a password, which", where) from None
        sentence = (
            f"“{key.name}” in [{key.section}] must be {key.kind.expects}; found {describe_found(value)} ({where})"
        )
        raise SetupError(sentence, "config.value") from None


def key_called(name: str) -> Setting:
    """Return the setting of this name: a full name (`policy.mode`), or a short one (`mode`) that only one setting has.

    Raises `SetupError` if there is no such setting, or more than one.
    """
    alone = [key for key in BY_NAME.values() if key.name == name]
    if name in BY_NAME:
        return BY_NAME[name]
    if len(alone) == 1:
        return alone[0]
    section, _, last = name.rpartition(".")
    if _is_secret(last):
        raise _secret(section or "mail", f"“{name}”", "config.toml")
    raise SetupError(
        f"there is no setting “{name}”{_near(name, [*BY_NAME, *(key.name for key in BY_NAME.values())])}",
        "config.unknown",
    )


def _parse_toml(data: bytes, where: str) -> Mapping[str, Json]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as odd:
        raise SetupError(f"{where} is not UTF-8 text (byte {odd.start})", "config.syntax") from None
    try:
        return load_late("tomllib:loads")(text) if text else {}
    except (ValueError, RecursionError) as odd:  # `TOMLDecodeError` is a ValueError
        place = re.search(r"\(at [^()]*\)$", str(odd))
        raise SetupError(f"{where} is not TOML {place.group() if place else ''}".rstrip(), "config.syntax") from None


def _table(section: str, content: Json, where: str) -> Mapping[str, Json]:
    if isinstance(content, Mapping):
        return cast("Mapping[str, Json]", content)
    raise SetupError(
        f"“{section}” must be a section [{section}]; found {describe_found(content)} ({where})", "config.value"
    )


def _section(section: str, table: Mapping[str, Json], where: str) -> dict[str, Json]:
    known = keys_of(section)
    out: dict[str, Json] = {}
    for name, value in table.items():
        if name not in known:
            raise _unknown_key(section, name, where)
        out[f"{section}.{name}"] = read_value(known[name], value, where)
    return out


def _unknown_key(section: str, name: str, where: str) -> SetupError:
    if _is_secret(name):
        return _secret(section, f"“{name}” in [{section}]", where)
    near = _near(name, list(keys_of(section)))
    elsewhere = [key.section for key in BY_NAME.values() if key.name == name]
    hint = near or (f"; it belongs in [{elsewhere[0]}]" if len(elsewhere) == 1 else "")
    return SetupError(f"[{section}] has no setting “{name}”{hint} ({where})", "config.unknown")


def _unknown_section(name: str, content: Json, where: str, sections: Collection[str]) -> SetupError:
    if _is_secret(name):
        return _secret("mail", f"“{name}”", where)
    if isinstance(content, Mapping | list):
        return SetupError(f"there is no section [{name}] here{_near(name, list(sections))} ({where})", "config.unknown")
    owners = [key.section for key in BY_NAME.values() if key.name == name and key.section in sections]
    hint = f"; it belongs in [{owners[0]}]" if owners else _near(name, [key.name for key in BY_NAME.values()])
    return SetupError(f"“{name}” is in no section{hint} ({where})", "config.unknown")


def _is_secret(name: str) -> bool:
    return _SECRET.search(name) is not None


def _secret(section: str, what: str, where: str) -> SetupError:
    return SetupError(
        f"{what} does not belong in {where}: put it into the system keyring or into "
        f"SAYSO_{section.upper()}_PASSWORD, or let password_command in [{section}] print it",
        "config.secret",
    )


def _near(name: str, names: list[str]) -> str:
    near: list[str] = load_late("difflib:get_close_matches")(name, names, n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(f'“{other}”' for other in near)}?" if near else ""


ADMINISTRATOR = Path("/etc/sayso/policy.toml")

ADMINISTRATOR_SECTIONS = ("policy", "limits", "actions")


def read_administrator_settings(file: Path, owner: int = 0) -> Mapping[str, Json]:
    """Return what the administrator's file sets, by full name; empty if there is no such file.

    Raises `SetupError` when it is not owned by `owner` (root), when others may write to it, or when it is invalid.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as odd:
        raise SetupError(f"{file} is there but cannot be read: {odd.strerror}", "config.administrator") from None
    with os.fdopen(descriptor, "rb") as opened:
        _must_be_trusted(os.fstat(descriptor), file, owner)
        return read_settings_bytes(opened.read(), str(file), ADMINISTRATOR_SECTIONS).values


def _must_be_trusted(status: os.stat_result, file: Path, owner: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SetupError(f"{file} is not a plain file", "config.administrator")
    if status.st_uid != owner:
        raise SetupError(f"{file} must be owned by root, or anybody could set the rules", "config.administrator")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SetupError(
            f"{file} can be written by people other than its owner; chmod go-w {file}", "config.administrator"
        )


def restrict_values(own: Mapping[str, Json], administrator: Mapping[str, Json]) -> dict[str, Json]:
    """Return the person's values, each made at least as strict as the administrator's value for it, if there is one.

    `policy.roots` is returned as it is: comparing folders needs the disk, so the caller restricts them.
    """
    return {
        name: _STRICTER[name](value, administrator[name]) if name in administrator and name in _STRICTER else value
        for name, value in own.items()
    }


def _stricter_mode(own: Json, other: Json) -> Json:
    order = ("never", "destructive", "always")
    return max((cast("str", own), cast("str", other)), key=order.index)


def _either(own: Json, other: Json) -> Json:
    return own is True or other is True


def _only_both(own: Json, other: Json) -> Json:
    return own is True and other is True


def _smaller(own: Json, other: Json) -> Json:
    return min(cast("int", own), cast("int", other))


def _larger(own: Json, other: Json) -> Json:
    return max(cast("int", own), cast("int", other))


def _both(own: Json, other: Json) -> Json:
    return tuple(name for name in cast("_Names", own) if name in cast("_Names", other))


def _both_in_any_case(own: Json, other: Json) -> Json:
    allowed = {name.casefold() for name in cast("_Names", other)}
    return tuple(name for name in cast("_Names", own) if name.casefold() in allowed)


def _all(own: Json, other: Json) -> Json:
    return tuple(dict.fromkeys((*cast("_Names", own), *cast("_Names", other))))


def _both_globs(own: Json, other: Json) -> Json:
    """For each pair of globs, one from each list, return a glob for what both of them match.

    Equal globs are returned once, `*` gives way to the other glob, and any other two are joined by `&`.
    """
    pairs = [_fitting_both(one, two) for one in cast("_Names", own) for two in cast("_Names", other)]
    return tuple(dict.fromkeys(pairs))


def _fitting_both(one: str, two: str) -> str:
    if two in {"*", one}:
        return one
    return two if one == "*" else f"{one}&{two}"


def _error_over_create(own: Json, other: Json) -> Json:
    return "error" if "error" in {own, other} else own


_Names = tuple[str, ...]
_STRICTER: Mapping[str, Callable[[Json, Json], Json]] = MappingProxyType(
    {
        "policy.mode": _stricter_mode,
        "policy.allowed_apps": _both_in_any_case,
        "policy.allowed_operations": _both_globs,
        "policy.waive_floor": _both,
        "policy.strict_apps": _either,
        "policy.stop_on_error": _either,
        "policy.paused": _either,
        "policy.waiting_expires": _smaller,
        "policy.grant_expires": _smaller,
        "policy.exposure_lasts": _larger,
        # What undo needs is kept no longer than either the person or the administrator wants; the audit trail is kept
        # as long as either of them wants.
        "policy.undo_keep": _smaller,
        "policy.undo_bytes": _smaller,
        "policy.audit_keep": _larger,
        "policy.audit_redact": _all,
        "policy.append_missing": _error_over_create,
        "policy.confirm_sites": _all,
        "policy.confirm_destructive_clicks": _either,
        "limits.actions_per_run": _smaller,
        "limits.reply_bytes": _smaller,
        "limits.argument_bytes": _smaller,
        "limits.waiting": _smaller,
        "actions.allow_uncontained": _only_both,
    }
)

ROOTS = "policy.roots"


class Settings(Struct, frozen=True):
    """All settings in effect: the person's, restricted by the administrator's, with defaults for the rest."""

    policy: Policy
    sections: Mapping[str, Mapping[str, Json]]
    """The settings in `[mail]`, `[calendar]`, … with paths made absolute; keys without a value are left out."""
    presets: tuple[Preset, ...]
    places: Places
    triggers: tuple[Trigger, ...] = ()
    missing_roots: tuple[str, ...] = ()
    """Roots that are not folders on this disk, for `doctor` to name; they are ignored, and never created."""
    administered: tuple[str, ...] = ()
    """Names of the settings that an administrator's file restricts."""
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    shortcuts: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """The settings under `[shortcuts.NAME]`, as plain data."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """The environment variables that the home was opened with; the desktop session is found by them."""

    def get(self, name: str) -> Json:
        """Return the value in effect as it would be written in the file; None if the setting has no value."""
        key = key_called(name)
        value = self.values.get(key.full)
        return None if value is None else key.kind.write(value)


def load(
    environ: Mapping[str, str],
    *,
    administrator: Path = ADMINISTRATOR,
    owner: int = 0,
    others: Collection[str] = (),
) -> Settings:
    """Return the settings of the home that `environ` names; a file that does not exist sets nothing.

    `owner` is the user id that must own the administrator's file; `others` are sections of other packages. Raises
    `SetupError` with one sentence that names the file and the key.
    """
    at = places(environ)
    return settings(read_file(at.config), at, environ, read_administrator_settings(administrator, owner), others)


def read_file(file: Path) -> bytes:
    """Return the bytes of a file; empty if there is no such file. Raises `SetupError` when it cannot be read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SetupError(f"{file} cannot be read: it is not a plain file", "config.unreadable")
            return opened.read()
    except FileNotFoundError:
        return b""
    except OSError as odd:
        raise SetupError(f"{file} cannot be read: {odd.strerror}", "config.unreadable") from None


def settings(
    data: bytes,
    at: Places,
    environ: Mapping[str, str],
    administrator: Mapping[str, Json],
    others: Collection[str] = (),
) -> Settings:
    """Return the settings of a home from the bytes of its file and the administrator's values."""
    said = read_settings_bytes(data, str(at.config), others=others)
    own = {name: said.values.get(name, key.default) for name, key in BY_NAME.items()}
    values = restrict_values(own, administrator)
    roots = roots_at(_configured_roots(said, at, environ))
    held = [root for root in roots if root.is_there]
    if ROOTS in administrator:
        held = both(held, roots_at(_absolute(administrator[ROOTS], at)))
    if ROOTS in administrator or ROOTS not in said.values:
        values[ROOTS] = tuple(root.path for root in held)
    return Settings(
        policy=_policy(values, held, at),
        sections=_sections(values, said, at),
        presets=said.presets,
        places=at,
        triggers=tuple(_of_person(trigger, at) for trigger in said.triggers),
        missing_roots=tuple(root.path for root in roots if not root.is_there),
        administered=tuple(administrator),
        values=values,
        shortcuts=said.shortcuts,
        environ=dict(environ),
    )


def _configured_roots(said: SettingsFile, at: Places, environ: Mapping[str, str]) -> tuple[str, ...]:
    if ROOTS in said.values:
        return _absolute(said.values[ROOTS], at)
    return desktop_folders(environ, at.person)


def _absolute(paths: Json, at: Places) -> tuple[str, ...]:
    return tuple(normal(path, str(at.person)) for path in cast("tuple[str, ...]", paths))


def _policy(values: Mapping[str, Json], roots: list[Root], at: Places) -> Policy:
    words: dict[str, Any] = {
        key.name: values[name] for name, key in BY_NAME.items() if key.section == "policy" and name != ROOTS
    }
    limits: dict[str, Any] = {limit.name: values[f"limits.{limit.name}"] for limit in fields(Limits)}
    real_roots = tuple(dict.fromkeys(root.real for root in roots))
    must_stand_apart(at, real_roots)
    return Policy(
        home=str(at.person),
        own=str(at.home),
        real_home=os.path.realpath(at.person),
        real_own=os.path.realpath(at.home),
        roots=tuple(root.path for root in roots),
        real_roots=real_roots,
        automation=values["automation.enabled"] is True,
        limits=Limits(**limits),
        also_own=also_own(at),
        **words,
    )


def _of_person(trigger: Trigger, at: Places) -> Trigger:
    """Return the trigger with its folder made absolute."""
    return replace(trigger, folder=normal(trigger.folder, str(at.person))) if trigger.folder else trigger


def _sections(values: Mapping[str, Json], said: SettingsFile, at: Places) -> Mapping[str, Mapping[str, Json]]:
    out: dict[str, dict[str, Json]] = {name: {} for name in SECTIONS if name not in {"policy", "limits"}}
    for called, key in BY_NAME.items():
        value = values[called]
        if key.section in out and value is not None:
            out[key.section][key.name] = normal(cast("str", value), str(at.person)) if key.kind is PATH else value
    return {**out, **said.others}
