"""`sayso prompt`: what a model is told."""

import argparse

from sayso.assembly.parts import dialect, providers
from sayso.policy.switches import allows
from sayso.runtime.catalogue import catalogue
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.exits import Exit
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import settings_of
from sayso.surfaces.cli.usage import dialect_option


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    dialect_option(parser)


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Print it."""
    chosen = dialect(arguments.dialect)
    policy = settings_of(here).policy
    enabled = [operation for operation in catalogue(providers()).values() if allows(policy, operation.id)]
    text = chosen.describe(enabled)
    if here.json:
        here.document({"dialect": chosen.name, "prompt": text})
    else:
        here.write(text)
    return Exit.FINE


COMMAND = Command(configure, act, "sayso prompt --dialect lines", "Operations that are switched off are left out.")
