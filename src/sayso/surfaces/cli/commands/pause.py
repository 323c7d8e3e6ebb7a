"""`sayso pause` and `sayso resume`: the brake; pausing needs no terminal, since it only says no."""

import argparse

from sayso.config.write import set_key
from sayso.core.errors import Refused
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext, foreign_sections, settings_of
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.terminal import only_on_terminal


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act_pause(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Put the brake on."""
    set_key(settings_of(here).places, "policy.paused", "true", foreign_sections())
    if here.json:
        here.document({"paused": True})
    else:
        here.print("✓ paused: nothing runs, whatever is proposed or approved, until “sayso resume”")
    return Exit.FINE


PAUSE = Command(configure, act_pause, "sayso pause")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Take the brake off."""
    only_on_terminal("sayso resume")
    set_key(settings_of(here).places, "policy.paused", "false", foreign_sections())
    if settings_of(here).policy.paused:
        raise Refused("the administrator of this computer has paused everything; only they can resume", "policy.paused")
    if here.json:
        here.document({"paused": False})
    else:
        here.print("✓ actions run again")
    return Exit.FINE


RESUME = Command(configure, act, "sayso resume")
