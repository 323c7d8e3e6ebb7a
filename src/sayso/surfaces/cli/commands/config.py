"""`sayso config`, `sayso pause` and `sayso resume`: read and change settings, and pause or resume all actions."""

import argparse
import json
from contextlib import AbstractContextManager

from sayso.assembly.parts import foreign_sections
from sayso.config import Settings
from sayso.config.load import key_called
from sayso.config.paths import places
from sayso.config.schema import BY_NAME
from sayso.config.write import PROFILES, read_text_value, set_key, set_profile, unset_key
from sayso.core.encoding import Json
from sayso.core.errors import Refused, SetupError
from sayso.core.lazy import load
from sayso.core.provider import add_extra
from sayso.core.quotes import quoted, visible
from sayso.surfaces.cli.app import Command, UsageProblem, near, whole_number
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.terminal import only_on_terminal

DEEDS = ("get", "set", "unset", "path", "profile", "mail", "calendar", "model")
ACCOUNTS = frozenset({"mail", "calendar", "model"})
SECONDS = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "what",
        nargs="?",
        default="get",
        metavar="get|set|unset|path|profile|mail|calendar|model",
        help="what to do; without it, read all settings; mail, calendar and model set those up",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="KEY",
        help="a setting such as policy.mode, a place such as actions, or a profile's name",
    )
    parser.add_argument("value", nargs="*", metavar="VALUE", help="the new value; several make a list")
    parser.add_argument("--remove", action="store_true", help="take mail, calendar or model out of the settings again")
    parser.add_argument(
        "--seconds", type=whole_number, default=SECONDS, metavar="N", help="how long its servers may take to answer"
    )


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Carry out the subcommand."""
    what, name, value = arguments.what, arguments.name, arguments.value
    if what not in DEEDS:
        raise UsageProblem(f"sayso config does not know {quoted(what)}{near(what, DEEDS)}")
    _check_word_count(what, name, value)
    if what in ACCOUNTS:
        return _account(what, arguments, here)
    if arguments.remove:
        raise UsageProblem("--remove is for accounts: sayso config mail --remove; for a setting: sayso config unset …")
    if what == "path":
        return _path(name, here)
    if what == "get":
        return _get(name, here)
    only_on_terminal(f"sayso config {what}")
    if what == "profile":
        return _profile(name, here)
    return _change(what, name, value, here)


def _check_word_count(what: str, name: str | None, value: list[str]) -> None:
    if what == "set" and (name is None or not value):
        raise UsageProblem("sayso config set needs a setting and its value: sayso config set policy.mode always")
    if what == "unset" and name is None:
        raise UsageProblem("sayso config unset needs the name of a setting: sayso config unset policy.roots")
    if what == "profile" and name is None:
        raise UsageProblem(f"sayso config profile needs one of: {', '.join(PROFILES)}")
    if what != "set" and (value or (what in ACCOUNTS and name is not None)):
        raise UsageProblem(f"sayso config {what} does not take {quoted((value or [name])[0])}")


def _account(what: str, arguments: argparse.Namespace, here: CommandContext) -> int:
    try:
        setup = load(f"sayso.surfaces.cli.{what}_account:{what.capitalize()}AccountSetup")
    except ImportError as missing:
        adds = add_extra("models" if what == "model" else what)
        raise SetupError(
            f"setting up {what} needs {missing.name}, which is not installed: {adds}",
            f"{what}.extra",
        ) from None
    if arguments.remove:
        return load("sayso.surfaces.cli.accounts:take_out")(setup.kind, here)
    return load("sayso.surfaces.cli.accounts:connect")(setup, here, float(arguments.seconds))


def _path(name: str | None, here: CommandContext) -> int:
    at = settings_of(here).places
    found = {
        "config": at.config,
        "home": at.home,
        "database": at.database,
        "actions": at.actions,
        "logs": at.logs,
        "trash": at.trash,
        "tmp": at.scratch,
    }
    if name is not None and name not in found:
        raise UsageProblem(f"sayso config path does not know {quoted(name)}{near(name, found)}")
    if here.json:
        here.document({known: str(path) for known, path in found.items() if name in {None, known}})
    elif name is not None:
        here.print(visible(str(found[name])))
    else:
        here.print(*(f"{known:<9} {visible(str(path))}" for known, path in found.items()))
    return Exit.FINE


def _get(name: str | None, here: CommandContext) -> int:
    settings = settings_of(here)
    if name is not None:
        value = settings.get(name)
        if here.json:
            here.document({"name": name, "value": value})
        else:
            here.print(_show_value(value))
        return Exit.FINE
    values = {name: settings.get(name) for name in BY_NAME}
    if here.json:
        here.document(values)
    else:
        here.print(*_list_settings(settings, values))
    return Exit.FINE


def _list_settings(settings: Settings, values: dict[str, Json]) -> list[str]:
    wide = max(len(name) for name in values)
    return [
        f"{name:<{wide}}  {_show_value(value)}"
        + ("   (an administrator restricts it)" if name in settings.administered else "")
        for name, value in values.items()
        if value is not None
    ]


def _show_value(value: Json) -> str:
    if value is None:
        return "(not set)"
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _change(what: str, name: str, value: list[str], here: CommandContext) -> int:
    at = places(here.environ)
    text = value[0] if len(value) == 1 else json.dumps(value)
    if what == "set" and key_called(name).full == "policy.audit_redact":
        _must_be_arguments(read_text_value(name, text), here)
    with _written_down(here):
        if what == "unset":
            unset_key(at, name, foreign_sections())
        else:
            set_key(at, name, text, foreign_sections())
    settings = settings_of(here)
    if here.json:
        here.document({"name": name, "value": settings.get(name)})
    else:
        here.print(f"✓ {visible(name)} = {_show_value(settings.get(name))}")
    return Exit.FINE


def _written_down(here: CommandContext) -> AbstractContextManager[None]:
    """Write down in the journal what the block changes."""
    return load("sayso.assembly.own_changes:written_down")(here.environ, here.tell)


def _must_be_arguments(names: Json, here: CommandContext) -> None:
    """Raise `SetupError` if one of the names is not that of an argument; nothing is written then."""
    explain = load("sayso.assembly.redaction_names:explain_unknown_names")
    operations = load("sayso.runtime.registry:catalogue")(load("sayso.assembly.parts:providers")())
    unknown: list[str] = explain(names, operations, settings_of(here).places.actions)
    if unknown:
        raise SetupError(f"{unknown[0]} (nothing was changed)", "config.redact")


def _profile(name: str, here: CommandContext) -> int:
    with _written_down(here):
        allowed = set_profile(settings_of(here).places, name, foreign_sections())
    if here.json:
        here.document({"profile": name, "allowed_operations": list(allowed) or ["*"]})
    else:
        here.print(
            f"✓ profile {visible(name)}: " + (f"only {', '.join(allowed)} may run" if allowed else "all may run")
        )
    return Exit.FINE


COMMAND = Command(
    configure,
    act,
    "sayso config set policy.mode always",
    "Changing a setting needs your terminal; “sayso config mail”, “sayso config calendar” and “sayso config model” "
    "ask there for what they need, try it, and save it; “sayso config profile safe” allows only the three "
    "mildest operations.",
)


def configure_pause(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act_pause(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Pause all actions."""
    with _written_down(here):
        set_key(settings_of(here).places, "policy.paused", "true", foreign_sections())
    if here.json:
        here.document({"paused": True})
    else:
        here.print("✓ paused: nothing runs, whatever is proposed or approved, until “sayso resume”")
    return Exit.FINE


PAUSE = Command(configure_pause, act_pause, "sayso pause")


def act_resume(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Resume actions. Raises `Refused`."""
    only_on_terminal("sayso resume")
    with _written_down(here):
        set_key(settings_of(here).places, "policy.paused", "false", foreign_sections())
    if settings_of(here).policy.paused:
        raise Refused("the administrator of this computer has paused everything; only they can resume", "policy.paused")
    if here.json:
        here.document({"paused": False})
    else:
        here.print("✓ actions run again")
    return Exit.FINE


RESUME = Command(configure_pause, act_resume, "sayso resume")
