"""`sayso prompt`: what a model is told."""

import argparse

from sayso.assembly import Home
from sayso.assembly.parts import dialect, providers
from sayso.core.conversation import Context
from sayso.policy.rules import allows
from sayso.runtime.registry import catalogue
from sayso.surfaces.cli.app import dialect_option
from sayso.surfaces.cli.context import Here, in_home, settings_of
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    dialect_option(parser)
    parser.add_argument("--context", action="store_true", help="look at this computer, and add what a model is shown")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Print it."""
    chosen = dialect(arguments.dialect)
    policy = settings_of(here).policy
    enabled = [operation for operation in catalogue(providers()).values() if allows(policy, operation.id)]
    text = chosen.describe(enabled)
    context = in_home(here, _context).text if arguments.context else ""
    if here.json:
        here.document({"dialect": chosen.name, "prompt": text} | ({"context": context} if context else {}))
    else:
        here.write(f"{text}\n{context}" if context else text)
    return Exit.FINE


async def _context(home: Home) -> Context:
    return await home.context()


COMMAND = Command(configure, act, "sayso prompt --dialect lines", "Operations that are switched off are left out.")
