"""Add sayso's hooks to the settings of a coding agent, and take them out again without a trace."""

import argparse
import json
import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.quotes import quoted, visible
from sayso.policy.paths import within
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import Texts, etag_of
from sayso.providers.programs.own_python import module_command
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.hooks.events import AGENTS, Dialect
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.terminal import only_on_terminal

KEPT = "settings"
"""The folder, in that of what agents have begun, with what their settings held before."""
SECONDS, MILLISECONDS = 60, 60_000
_CALLS = {"before", "after", "failed"}
FOLDERS = {"claude-code": ("CLAUDE_CONFIG_DIR", ".claude"), "gemini-cli": ("", ".gemini")}
"""For each agent, the variable that may name the folder of its settings, and its usual folder in the home."""


class Before(Struct, frozen=True):
    """The settings before the hooks were added (None if there were none), and the hash of what was written then."""

    file: str
    text: str | None
    written: str


class _Place(Struct, frozen=True):
    """The settings of one agent, and where sayso keeps what they held before."""

    agent: str
    texts: Texts
    name: str
    kept: Texts

    @property
    def file(self) -> str:
        return f"{self.texts.path}/{self.name}"

    @property
    def note(self) -> str:
        return f"{KEPT}/{self.agent}"


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Add the hooks of one agent, or take them out; only the person may, on a terminal."""
    agent: str = arguments.agent
    only_on_terminal(f"sayso hook {arguments.what}")
    place = _place(agent, here)
    ids = RandomIds()
    done = (_install if arguments.what == "install" else _uninstall)(place, ids.token)
    if here.json:
        here.document({"agent": agent, "file": place.file, "installed": arguments.what == "install", "changed": done})
        return Exit.FINE
    here.print(*map(visible, _told(place, arguments.what, changed=done)))
    project = Path.cwd()
    if arguments.what == "install" and not within(os.path.realpath(project), settings_of(here).policy.real_roots):
        here.tell(
            f"sayso: {quoted(project)} is outside the folders that actions may reach, so nothing is kept there for an "
            "undo; “sayso config set policy.roots” names these folders"
        )
    return Exit.FINE


def _told(place: _Place, what: str, *, changed: bool) -> list[str]:
    file = quoted(place.file)
    if what == "install":
        if not changed:
            return [f"The hooks of sayso are in {file} already."]
        return [
            f"✓ {place.agent} tells sayso what it does from its next start on ({file})",
            f"  sayso log shows it, sayso undo takes it back; sayso hook uninstall {place.agent} ends it.",
        ]
    return [f"✓ the hooks of sayso are out of {file}" if changed else f"No hooks of sayso are in {file}."]


def _place(agent: str, here: CommandContext) -> _Place:
    now = settings_of(here)
    variable, usual = FOLDERS[agent]
    folder = Path(here.environ.get(variable) or now.places.person / usual)
    if not folder.is_dir():
        raise SetupError(f"{quoted(folder)} is not there; start {agent} once, then install its hooks", "hook.no_agent")
    file = (folder / "settings.json").resolve()
    texts = Texts(os.fspath(file.parent), beneath())
    return _Place(agent, texts, file.name, Texts(os.fspath(now.places.agents), beneath()))


def _install(place: _Place, token: Callable[[], str]) -> bool:
    there = place.texts.read(place.name)
    settings = {} if there is None else _read(place, there.data)
    if _without(settings, place.agent) != settings:
        return False
    data = _write(_with(settings, place.agent))
    before = None if there is None else there.data.decode("utf-8")
    _keep(place, Before(place.file, before, etag_of(data)), token)
    if there is None:
        place.texts.make(place.name, data, token())
    else:
        place.texts.exchange(place.name, there.etag, data, token())
    return True


def _uninstall(place: _Place, token: Callable[[], str]) -> bool:
    there = place.texts.read(place.name)
    if there is None:
        return False
    before = _kept(place)
    if before is not None and before.written == there.etag and before.file == place.file:
        if before.text is None:
            place.texts.take_away(place.name, there.etag, token())
        else:
            place.texts.exchange(place.name, there.etag, before.text.encode(), token())
        _forget(place, token)
        return True
    settings = _read(place, there.data)
    rest = _without(settings, place.agent)
    if rest == settings:
        return False
    place.texts.exchange(place.name, there.etag, _write(rest), token())
    _forget(place, token)
    return True


def _keep(place: _Place, before: Before, token: Callable[[], str]) -> None:
    place.kept.make_folder(KEPT)
    _forget(place, token)
    place.kept.make(place.note, msgspec.json.encode(before), token())


def _kept(place: _Place) -> Before | None:
    found = place.kept.read(place.note) if place.kept.is_there() else None
    try:
        return None if found is None else msgspec.json.decode(found.data, type=Before)
    except msgspec.DecodeError:
        return None


def _forget(place: _Place, token: Callable[[], str]) -> None:
    found = place.kept.read(place.note) if place.kept.is_there() else None
    if found is not None:
        place.kept.take_away(place.note, found.etag, token())


def _read(place: _Place, data: bytes) -> dict[str, Json]:
    try:
        found: Json = json.loads(data.decode("utf-8")) if data.strip() else {}
    except (ValueError, RecursionError):
        found = None
    hooks = cast("dict[str, Json]", found).get("hooks", {}) if isinstance(found, dict) else None
    if not isinstance(hooks, dict):
        raise SetupError(
            f"{quoted(place.file)} is no JSON object that sayso could add to; add to its “hooks” yourself: "
            f"{json.dumps(_hooks(place.agent))}",
            "hook.settings",
        )
    return cast("dict[str, Json]", found)


def _write(settings: Mapping[str, Json]) -> bytes:
    return (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode()


def _command(agent: str) -> str:
    return shlex.join(module_command("sayso", "hook", agent))


def _hooks(agent: str) -> dict[str, list[Json]]:
    """Return what is added: for each event, one group with one command."""
    dialect: Dialect = AGENTS[agent]
    found: dict[str, list[Json]] = {}
    for event, moment in dialect.moments.items():
        seconds = MILLISECONDS if agent == "gemini-cli" else SECONDS
        named = {"name": "sayso"} if agent == "gemini-cli" else {}
        command = {**named, "type": "command", "command": _command(agent), "timeout": seconds}
        matcher = {"matcher": "|".join(dialect.tools)} if moment in _CALLS else {}
        found[event] = [{**matcher, "hooks": [command]}]
    return found


def _with(settings: Mapping[str, Json], agent: str) -> dict[str, Json]:
    hooks = dict(cast("dict[str, list[Json]]", settings.get("hooks", {})))
    for event, groups in _hooks(agent).items():
        hooks[event] = [*hooks.get(event, []), *groups]
    return {**settings, "hooks": hooks}


def _without(settings: Mapping[str, Json], agent: str) -> dict[str, Json]:
    """Return the settings without sayso's hooks, and without what only they had needed."""
    hooks: dict[str, Json] = {}
    for event, groups in cast("dict[str, Json]", settings.get("hooks", {})).items():
        rest = [one for one in cast("list[Json]", groups) if not _is_ours(one, agent)] if _is_list(groups) else groups
        if rest or not groups:
            hooks[event] = rest
    kept = {name: value for name, value in settings.items() if name != "hooks"}
    if "hooks" not in settings:
        return dict(settings)
    if not hooks and settings["hooks"]:
        return kept
    return {name: hooks if name == "hooks" else value for name, value in settings.items()}


def hook_commands(settings: Json, agent: str) -> list[str]:
    """Return the commands of sayso's hooks in the settings of an agent, whatever else is there."""
    hooks = cast("dict[str, Json]", settings).get("hooks") if isinstance(settings, dict) else None
    events = cast("dict[str, Json]", hooks).values() if isinstance(hooks, dict) else ()
    groups = [one for event in events if _is_list(event) for one in cast("list[Json]", event) if _is_ours(one, agent)]
    return [_said(one) for group in groups for one in cast("dict[str, list[Json]]", group)["hooks"]]


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _is_ours(group: Json, agent: str) -> bool:
    commands = cast("dict[str, Json]", group).get("hooks") if isinstance(group, dict) else None
    if not isinstance(commands, list) or not commands:
        return False
    said = [_said(one) for one in cast("list[Json]", commands)]
    return all(one.endswith(f" sayso hook {agent}") for one in said)


def _said(command: Json) -> str:
    said = cast("dict[str, Json]", command).get("command") if isinstance(command, dict) else None
    return said if isinstance(said, str) else ""
