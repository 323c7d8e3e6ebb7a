"""`sayso try`: the whole path once, in a scratch home."""

import argparse
from importlib import import_module

from sayso.surfaces.cli.context import Here
from sayso.surfaces.cli.registry import Command

DEMO = "sayso.surfaces.cli.demo"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--part", choices=("plant", "ask", "do", "edit", "undo"), help=argparse.SUPPRESS)
    parser.add_argument("--keep", metavar="DIR", help="keep the scratch home in this new folder, to look at")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Show it."""
    return int(import_module(DEMO).main(arguments.keep, here, arguments.part))


COMMAND = Command(configure, act, "sayso try --keep /tmp/sayso-try", "No key, no network, no answer is needed.")
