"""Build the argument parser of one command, or of all for completion."""

import argparse

from sayso.core.loading import load
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.table import TABLE
from sayso.surfaces.cli.usage import Help, Parser


def command_called(name: str) -> Command:
    """Import the command of this name."""
    return load(f"{TABLE[name].module}:COMMAND")


def parser_for(name: str, command: Command) -> Parser:
    """Return the parser of one command."""
    parser = Parser(prog=f"sayso {name}", allow_abbrev=False, formatter_class=Help)
    _configure(parser, name, command)
    return parser


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with every command in it; this imports them all."""
    whole = Parser(prog="sayso", allow_abbrev=False)
    whole.add_argument("--version", action="store_true", help="print the version")
    commands = whole.add_subparsers(title="commands")
    for name, entry in TABLE.items():
        command = command_called(name)
        _configure(commands.add_parser(name, help=entry.does), name, command)
    return whole


def _configure(parser: argparse.ArgumentParser, name: str, command: Command) -> None:
    does = TABLE[name].does
    parser.description = f"{does[:1].upper()}{does[1:]}. {command.more}".rstrip()
    parser.epilog = f"example:\n  {command.example}"
    parser.formatter_class = Help
    command.configure(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document, and nothing else")
