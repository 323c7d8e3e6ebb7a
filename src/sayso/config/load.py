"""Load the settings into one value: the person's file, the administrator's, the folders that are really there."""

import os
from collections.abc import Collection, Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any, cast

from sayso.config.administrator import ADMINISTRATOR, administered, restricted
from sayso.config.document import Given, given, key_called
from sayso.config.keys import KEYS, SECTIONS
from sayso.config.kinds import PATH
from sayso.config.own import also_own, must_stand_apart
from sayso.config.places import Places, named_by_the_desktop, places
from sayso.config.presets import Preset
from sayso.config.roots import Root, both, roots_at
from sayso.core.canonical import Json
from sayso.core.errors import SetupError
from sayso.core.triggers import Trigger
from sayso.core.values import dataclass
from sayso.policy.paths import normal
from sayso.policy.settings import Limits, Policy

ROOTS = "policy.roots"


@dataclass(frozen=True)
class Settings:
    """Everything the person, and an administrator, set; what they left out has its default."""

    policy: Policy
    sections: Mapping[str, Mapping[str, Json]]
    """What stands in `[mail]`, `[calendar]`, … with paths made absolute; keys without a value are left out."""
    presets: tuple[Preset, ...]
    places: Places
    triggers: tuple[Trigger, ...] = ()
    missing_roots: tuple[str, ...] = ()
    """Roots that are no folder on this disk, for `doctor` to name; they are left out and never made."""
    administered: tuple[str, ...] = ()
    """Names of the settings that an administrator's file restricts."""
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    shortcuts: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What stands under `[shortcuts.NAME]`, as plain data."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    """The environment that the home was named in; it leads to the person's session."""

    def get(self, name: str) -> Json:
        """Return a setting in effect as it would stand in the file; None where none is set."""
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
    """Return the settings of the home that `environ` names; a file that is not there sets nothing.

    `owner` is who must own the administrator's file, `others` are sections of other packages. Raises
    `SetupError` with one sentence that names file and key.
    """
    at = places(environ)
    return settings(read_file(at.config), at, environ, administered(administrator, owner), others)


def read_file(file: Path) -> bytes:
    """Return a file's bytes, none when it is not there."""
    try:
        return file.read_bytes()
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
    """Return what these bytes of a file of settings mean at these places."""
    said = given(data, str(at.config), others=others)
    own = {key.full: said.values.get(key.full, key.default) for key in KEYS}
    values = restricted(own, administrator)
    roots = roots_at(_said_roots(said, at, environ))
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


def _said_roots(said: Given, at: Places, environ: Mapping[str, str]) -> tuple[str, ...]:
    if ROOTS in said.values:
        return _absolute(said.values[ROOTS], at)
    return named_by_the_desktop(environ, at.person)


def _absolute(paths: Json, at: Places) -> tuple[str, ...]:
    return tuple(normal(path, str(at.person)) for path in cast("tuple[str, ...]", paths))


def _policy(values: Mapping[str, Json], roots: list[Root], at: Places) -> Policy:
    words: dict[str, Any] = {
        key.name: values[key.full] for key in KEYS if key.section == "policy" and key.full != ROOTS
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


def _sections(values: Mapping[str, Json], said: Given, at: Places) -> Mapping[str, Mapping[str, Json]]:
    out: dict[str, dict[str, Json]] = {name: {} for name in SECTIONS if name not in {"policy", "limits"}}
    for key in KEYS:
        value = values[key.full]
        if key.section in out and value is not None:
            out[key.section][key.name] = normal(cast("str", value), str(at.person)) if key.kind is PATH else value
    return {**out, **said.others}
