"""`sayso completion`: print the completion script of a shell."""

import argparse

import shtab

from sayso.surfaces.cli.app import Command, whole_parser
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("shell", choices=SHELLS, help="which shell")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Print the script."""
    script = shtab.complete(whole_parser(), arguments.shell)
    if here.json:
        here.document({"shell": arguments.shell, "script": script})
    else:
        here.print(script)
    return Exit.FINE


COMMAND = Command(configure, act, "sayso completion bash > ~/.local/share/bash-completion/completions/sayso")
