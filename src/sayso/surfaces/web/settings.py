"""The routes of the settings: what is set, changing it, and pausing; what lets sayso do more is asked about first."""

import json
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import cast

import anyio
from msgspec import Struct
from starlette.requests import Request
from starlette.routing import BaseRoute

from sayso.assembly.own_changes import differences
from sayso.assembly.parts import foreign_sections
from sayso.config import Settings
from sayso.config.load import key_called
from sayso.config.schema import BY_NAME
from sayso.config.write import read_text_value, set_keys
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError, Refused
from sayso.core.quotes import quoted
from sayso.policy.grants import ALWAYS_ASKS
from sayso.policy.rules import allows
from sayso.runtime.own_changes import note
from sayso.surfaces.web.answers import Allowed, Paused, Setting, SettingSet, SettingsShown
from sayso.surfaces.web.requests import Confirmed, Confirming, Page, read

EVERY = 0.3
"""Seconds between two looks whether the settings have changed."""
SETTINGS_CHANGED = '{"type": "settings"}'
"""The message to open pages that settings, or what is switched on, have changed."""
MODES = ("always", "destructive", "never")
HERE: Mapping[str, bool | None] = MappingProxyType(
    {
        "policy.mode": None,
        "policy.allowed_operations": None,
        "policy.allowed_apps": None,
        "policy.roots": None,
        "policy.paused": True,
        "policy.strict_apps": True,
        "policy.stop_on_error": True,
        "policy.confirm_destructive_clicks": True,
        "automation.enabled": False,
        "waiting.announce": True,
        "model.name": None,
    }
)
"""What can be set on the page; of a yes or no, the answer that asks nothing. Everything else needs the terminal."""


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends to change a setting; `nonce` came with what the person was asked."""

    name: str
    value: Json
    nonce: str = ""


def routes(page: Page) -> list[BaseRoute]:
    """Return the routes of the settings."""
    confirming = Confirming(page.home.ids)
    return [
        page.get("/api/settings", _settings),
        page.post("/api/settings", partial(_change, confirming)),
        page.post("/api/pause", _pause),
        page.post("/api/resume", partial(_resume, confirming)),
    ]


async def watch(page: Page) -> None:
    """Tell open pages whenever the settings have changed, until this is cancelled."""
    last = page.home.settings
    while True:
        await anyio.sleep(EVERY)
        if page.home.settings is not last:
            last = page.home.settings
            page.changes.tell(SETTINGS_CHANGED)


async def _settings(page: Page, _: Request) -> SettingsShown:
    """Return all settings, which of them can be changed here, and all operations with whether they may run."""
    now = page.home.settings
    operations = [
        Allowed(id_, allows(now.policy, id_), one.asks in ALWAYS_ASKS)
        for id_, one in sorted(page.home.operations.items())
    ]
    return SettingsShown(
        file=str(now.places.config),
        settings=[_setting(now, name) for name in BY_NAME],
        operations=operations,
        missing_roots=list(now.missing_roots),
    )


def _setting(now: Settings, name: str) -> Setting:
    key = BY_NAME[name]
    return Setting(
        name=name,
        says=key.says,
        value=now.get(name),
        expects=key.kind.expects,
        here=name in HERE,
        administered=name in now.administered,
    )


async def _change(confirming: Confirming, page: Page, request: Request) -> SettingSet:
    """Change one setting; what lets sayso do more is asked about first."""
    change = await read(request, Change)
    name = key_called(change.name).full
    if name not in HERE:
        raise ProposalError(f"this is changed in the terminal only: sayso config set {name} …", "page.terminal")
    return await _set(confirming, page, request, name, change)


async def _set(confirming: Confirming, page: Page, request: Request, name: str, change: Change) -> SettingSet:
    now = page.home.settings
    before, after = now.get(name), read_text_value(name, _as_text(change.value))
    shown: dict[str, Json] = {"name": name, "before": before, "after": after}
    if _allows_more(name, before, after):
        confirming.ask(request.scope["visitor"], change.nonce, _says(name, before, after), shown)
    set_keys(now.places, {name: after}, foreign_sections())
    await note(page.home.tools, differences(now, page.home.settings), by="click")
    value = page.home.settings.get(name)
    if value != after:
        raise Refused(
            f"the administrator of this computer restricts {name}; it is {_shown(value)}", "page.administered"
        )
    return SettingSet(name, value, before)


def _as_text(value: Json) -> str:
    return json.dumps(value) if isinstance(value, list | bool | int | float) else str(value)


async def _pause(page: Page, request: Request) -> Paused:
    """Stop everything, at once."""
    await read(request, Confirmed)
    before = page.home.settings
    set_keys(before.places, {"policy.paused": True}, foreign_sections())
    await note(page.home.tools, differences(before, page.home.settings), by="click")
    return Paused(page.home.settings.policy.paused)


async def _resume(confirming: Confirming, page: Page, request: Request) -> SettingSet:
    """Let everything go on, after the person was asked."""
    change = Change(name="policy.paused", value=False, nonce=(await read(request, Confirmed)).nonce)
    return await _set(confirming, page, request, "policy.paused", change)


def _allows_more(name: str, before: Json, after: Json) -> bool:
    """Return whether a change may let sayso do more than before, or ask less."""
    if before == after:
        return False
    if name == "policy.mode":
        return MODES.index(str(after)) > MODES.index(str(before))
    if HERE[name] is None and name != "model.name":
        return "*" not in _texts(before) and not {*_texts(after)} <= {*_texts(before)}
    quiet = HERE[name]
    return quiet is None or after is not quiet


def _says(name: str, before: Json, after: Json) -> str:
    """Return in one sentence what a change means, which the person has to confirm."""
    match name, after:
        case "policy.mode", "never":
            return "mode “never” is dangerous: nothing asks but what always asks; moves and overwrites run unasked"
        case "policy.mode", _:
            return (
                f"mode {quoted(str(after))} asks less than {quoted(str(before))}: only before things are moved or lost"
            )
        case "policy.paused", _:
            return "from now on, sayso does what you approve, and at once what needs no yes"
        case "automation.enabled", _:
            return "triggers start by themselves again, while you are away too"
        case "policy.allowed_operations" | "policy.allowed_apps" | "policy.roots", list():
            old = set(map(str, cast("list[Json]", before) or ()))
            more = ", ".join(quoted(str(one)) for one in cast("list[Json]", after) if str(one) not in old)
            what = {
                "policy.roots": "file actions may reach",
                "policy.allowed_apps": "opens and quits without a question:",
            }
            return f"{what.get(name, 'may run:')} {more}"
        case _:
            return f"{BY_NAME[name].says} It is {_shown(before)} now, and becomes {_shown(after)}"


def _texts(value: object) -> list[str]:
    return [str(one) for one in cast("list[Json]", value)] if isinstance(value, list) else []


def _shown(value: Json) -> str:
    return quoted(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
