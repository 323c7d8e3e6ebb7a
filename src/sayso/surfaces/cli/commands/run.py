"""`sayso run`: take every proposal in a text down the path."""

import argparse
import re
from typing import get_args

from sayso.assembly import Home
from sayso.assembly.parts import dialect
from sayso.config import Settings
from sayso.core.errors import Refused
from sayso.core.ports import Approver
from sayso.policy.settings import Mode
from sayso.runtime.outcome import Report
from sayso.surfaces.cli.approving import with_flag
from sayso.surfaces.cli.carrying import carry, show
from sayso.surfaces.cli.command import Command
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import settings_of
from sayso.surfaces.cli.inputs import read_text
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal
from sayso.surfaces.cli.usage import dialect_option

_STRICT = ("never", "destructive", "always")
_MARKER = re.compile(r"(?im)^[ \t]*#[ \t]*no action needed\b")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="the text; - is standard input")
    dialect_option(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--yes", action="store_true", help="yes to what only the mode asks about, in this one run")
    parser.add_argument("--mode", choices=get_args(Mode), help="ask more often or less often in this one run")
    parser.add_argument("--session", default="", metavar="S", help="which conversation the text belongs to")


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Run it."""
    dialect(arguments.dialect)
    settings = settings_of(here)
    terminal = NoTerminal("with --json nothing is asked") if here.json else find_terminal()
    mode = allowed_mode(arguments.mode, settings)
    text = read_text(arguments.file, here, settings.policy.limits.reply_bytes)

    async def work(home: Home, approver: Approver) -> Report:
        return await home.run(
            text,
            arguments.dialect,
            approver=with_flag(approver, yes=arguments.yes),
            dry_run=arguments.dry_run,
            session=arguments.session,
            entry="cli",
        )

    report = carry(here, work, terminal, mode)
    why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
    nothing = "No action needed." if _MARKER.search(text) else "Nothing to do: there is no command in this text."
    return show(here, report, why_waiting=why, nothing=nothing)


def allowed_mode(wanted: Mode | None, settings: Settings) -> Mode | None:
    """Return the mode of this run. Raises `Refused` where a looser one was asked for and no person is there."""
    own = settings.policy.mode
    if wanted is None or _STRICT.index(wanted) >= _STRICT.index(own):
        return wanted
    if "policy.mode" in settings.administered:
        raise Refused(f"the administrator of this computer wants mode “{own}” or a stricter one", "mode.administered")
    terminal = find_terminal()
    if not isinstance(terminal, Terminal):
        sentence = f"--mode {wanted} asks less than your settings do ({own}); it counts only on your terminal"
        raise Refused(f"{sentence} ({terminal.why})", "terminal.needed")
    terminal.close()
    return wanted


COMMAND = Command(
    configure,
    act,
    "sayso run reply.txt --dialect lines --dry-run",
    "What policy asks about is asked on your terminal; where there is none, it waits for “sayso approve”.",
)
