"""`sayso pause`: stop everything; that needs no terminal, since it only says no."""

import argparse

from sayso.config.write import set_key
from sayso.surfaces.cli.context import Here, foreign_sections, settings_of
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Put the brake on."""
    set_key(settings_of(here).places, "policy.paused", "true", foreign_sections())
    if here.json:
        here.document({"paused": True})
    else:
        here.print("✓ paused: nothing runs, whatever is proposed or approved, until “sayso resume”")
    return Exit.FINE


COMMAND = Command(configure, act, "sayso pause")
