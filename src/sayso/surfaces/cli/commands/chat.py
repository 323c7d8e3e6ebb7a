"""`sayso chat`: talk with a language model; what it proposes stands in the conversation, and the person decides."""

import argparse
import os
from importlib.util import find_spec

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.surfaces.cli.app import Command, UsageProblem
from sayso.surfaces.cli.chat.start import ChatOptions, Input
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.text import understands_codes


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--session", default="", metavar="S", help="go on with this conversation; “latest” is the last one"
    )
    parser.add_argument("--model", default="", metavar="NAME", help="use this model, and not the one in the settings")
    parser.add_argument("--plain", action="store_true", help="plain lines only: no colours, bars or cursor movements")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Talk until the person leaves. Raises `UsageProblem` for `--json`."""
    if here.json:
        raise UsageProblem("sayso chat talks with a person; for a program there is “sayso ask --json”")
    plain = bool(arguments.plain) or not understands_codes(here.environ) or _prefers_plain(here)
    options = ChatOptions(arguments.session, arguments.model, _input(here, plain=plain), plain)
    return load("sayso.surfaces.cli.chat.loop:talk")(options, here)


def _prefers_plain(here: CommandContext) -> bool:
    try:
        return bool(settings_of(here).sections["chat"]["plain"])
    except SetupError:
        return False  # opening the home says what is wrong with the settings


def _input(here: CommandContext, *, plain: bool) -> Input:
    """Return how the person's words are read."""
    if here.stdin is None or not here.stdin.isatty():
        return Input.PIPED
    edits = not plain and os.isatty(here.out.fileno()) and find_spec("prompt_toolkit") is not None
    return Input.EDITED if edits else Input.LINES


COMMAND = Command(
    configure,
    act,
    "sayso chat --session latest",
    "What you say is answered at once, and what policy asks about is asked in between. Where standard input is no "
    "terminal, each line of it is one wish, nothing is asked, and what needs your yes waits.",
)
