"""Read a file of settings whole and strictly: every key known, every value of its kind, no secret in it."""

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import cast

from sayso.config.keys import BY_NAME, SECTIONS, Key, keys_of
from sayso.config.kinds import NotOfKind, found
from sayso.config.presets import Preset, presets_in
from sayso.config.shortcuts import shortcuts_in
from sayso.config.triggers import triggers_in
from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.loading import load
from sayso.core.triggers import Trigger
from sayso.core.values import dataclass

PRESET, TRIGGER, SHORTCUTS = "preset", "trigger", "shortcuts"
_SECRET = re.compile(
    r"(^|[_-])(password|passwd|passphrase|secret|token|api[_-]?key|credentials?)($|[_-])", re.IGNORECASE
)


@dataclass(frozen=True)
class Given:
    """What a file of settings says: read values by full name, the lists, and the sections of other packages."""

    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    presets: tuple[Preset, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    shortcuts: Mapping[str, Json] = field(default_factory=dict[str, Json])
    others: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Mapping[str, Json]])


def given(data: bytes, where: str, sections: Collection[str] = SECTIONS, others: Collection[str] = ()) -> Given:
    """Read the bytes of a file called `where`.

    `sections` are those it may have (and `[[preset]]`, `[[trigger]]` and `[shortcuts.NAME]` when all are), `others`
    those of other packages, which are taken as they are. Raises `SetupError` with one sentence that names the key.
    """
    document = _parsed(data, where)
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
    return Given(
        values,
        presets_in(told.get(PRESET, []), where),
        triggers_in(told.get(TRIGGER, []), where),
        shortcuts_in(_table(SHORTCUTS, told.get(SHORTCUTS, {}), where), where),
        foreign,
    )


def read_value(key: Key, value: Json, where: str) -> Json:
    """Read one value of a known key. Raises `SetupError` saying key, expected and found."""
    try:
        return key.kind.read(value)
    except NotOfKind as odd:
        if str(odd) == "secret":
            raise _secret(key.section, f"“{key.name}” in [{key.section}] holds a password, which", where) from None
        sentence = f"“{key.name}” in [{key.section}] must be {key.kind.expects}; found {found(value)} ({where})"
        raise SetupError(sentence, "config.value") from None


def key_called(name: str) -> Key:
    """Return the key of this name, `policy.mode` or, where only one has it, `mode`. Raises `SetupError`."""
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


def _parsed(data: bytes, where: str) -> Mapping[str, Json]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as odd:
        raise SetupError(f"{where} is not UTF-8 text (byte {odd.start})", "config.syntax") from None
    except (tomllib.TOMLDecodeError, RecursionError) as odd:
        place = re.search(r"\(at [^)]*\)$", str(odd))
        raise SetupError(f"{where} is not TOML {place.group() if place else ''}".rstrip(), "config.syntax") from None


def _table(section: str, content: Json, where: str) -> Mapping[str, Json]:
    if isinstance(content, Mapping):
        return cast("Mapping[str, Json]", content)
    raise SetupError(f"“{section}” must be a section [{section}]; found {found(content)} ({where})", "config.value")


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
    hint = near or (f"; it belongs into [{elsewhere[0]}]" if len(elsewhere) == 1 else "")
    return SetupError(f"[{section}] has no setting “{name}”{hint} ({where})", "config.unknown")


def _unknown_section(name: str, content: Json, where: str, sections: Collection[str]) -> SetupError:
    if _is_secret(name):
        return _secret("mail", f"“{name}”", where)
    if isinstance(content, Mapping | list):
        return SetupError(f"there is no section [{name}] here{_near(name, list(sections))} ({where})", "config.unknown")
    owners = [key.section for key in BY_NAME.values() if key.name == name and key.section in sections]
    hint = f"; it belongs into [{owners[0]}]" if owners else _near(name, [key.name for key in BY_NAME.values()])
    return SetupError(f"“{name}” stands in no section{hint} ({where})", "config.unknown")


def _is_secret(name: str) -> bool:
    return _SECRET.search(name) is not None


def _secret(section: str, what: str, where: str) -> SetupError:
    return SetupError(
        f"{what} does not belong into {where}: put it into the system keyring or into "
        f"SAYSO_{section.upper()}_PASSWORD, or let password_command in [{section}] print it",
        "config.secret",
    )


def _near(name: str, names: list[str]) -> str:
    near: list[str] = load("difflib:get_close_matches")(name, names, n=2, cutoff=0.7)
    return f"; did you mean {' or '.join(f'“{other}”' for other in near)}?" if near else ""
