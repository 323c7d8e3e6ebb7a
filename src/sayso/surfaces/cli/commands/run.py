"""`sayso run`: carry out every proposal in a text."""

import argparse
import re
from typing import cast, get_args

from sayso.assembly import Home
from sayso.assembly.parts import dialect, providers_with
from sayso.config import Settings
from sayso.config.load import ADMINISTRATOR, read_administrator_settings
from sayso.core.encoding import Json
from sayso.core.lazy import load
from sayso.core.ports import Approver
from sayso.core.quotes import quoted
from sayso.dialects.base import Reading, note_json
from sayso.policy.settings import Mode
from sayso.runtime.registry import catalogue
from sayso.runtime.results import Report
from sayso.surfaces.cli.app import Command, UsageProblem
from sayso.surfaces.cli.context import CommandContext, read_text
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.run_loop import AllowlistApprover, RunOptions, carry, show, with_flag
from sayso.surfaces.cli.terminal import NoTerminal, find_terminal

_STRICT = ("never", "destructive", "always")
_MARKER = re.compile(r"(?im)^[ \t]*#[ \t]*no action needed\b")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="the text; - is standard input")
    parser.add_argument(
        "--dialect", metavar="D", help="how the text is written, such as lines; needed where the text does not show it"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--yes", action="store_true", help="say yes wherever only policy.mode asks, in this one run")
    parser.add_argument("--mode", choices=get_args(Mode), help="ask more often or less often in this one run")
    parser.add_argument("--now", action="store_true", help="do at once what would be held back for a while")
    parser.add_argument("--results", action="store_true", help="with --json, add the results as the model gets them")
    parser.add_argument("--session", default="", metavar="S", help="which conversation the text belongs to")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Carry out the proposals and print their results."""
    if arguments.dialect is not None:
        dialect(arguments.dialect)
    settings = settings_of(here)
    terminal = NoTerminal("with --json nothing is asked") if here.json else find_terminal()
    mode = _mode(arguments.mode, here)
    told: dict[str, Json] = {}
    text = read_text(arguments.file, here, settings.policy.limits.reply_bytes)
    written_in = arguments.dialect or _find_dialect(text, settings)

    async def work(home: Home, approver: Approver) -> Report:
        report = await home.run(
            text,
            written_in,
            approver=with_flag(AllowlistApprover(approver, home, here), yes=arguments.yes),
            dry_run=arguments.dry_run,
            session=arguments.session,
            entry="cli",
        )
        if arguments.results:
            told.update(_model_result(home, home.read(text, written_in), report))
        return report

    report = carry(here, work, terminal, RunOptions(mode, at_once=arguments.now))
    why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
    nothing = "No action needed." if _MARKER.search(text) else "Nothing to do: there is no command in this text."
    return show(here, report, why_waiting=why, nothing=nothing, more=told)


def _find_dialect(text: str, now: Settings) -> str:
    """Return the dialect in which a text is written. Raises `UsageProblem` if that is not certain."""
    found = cast("str | None", load("sayso.dialects.detect:find_dialect")(text, catalogue(providers_with(now))))
    if found is None:
        raise UsageProblem("the text does not show which dialect it is written in; name it, as with --dialect lines")
    return found


def _model_result(home: Home, reading: Reading, report: Report) -> dict[str, Json]:
    """Return the results for the model, and the notes for its next turn."""
    noted = home.notes_for(reading, report)
    return {
        "given_back": [*home.results_for(report)],
        "notes": [note_json(note) for note in noted],
    }


def mode_of_run(wanted: Mode | None, administrators: Mode | None) -> Mode | None:
    """Return the mode of this run: `wanted`, or the administrator's mode if that is stricter."""
    if wanted is None or administrators is None or _STRICT.index(wanted) >= _STRICT.index(administrators):
        return wanted
    return administrators


def _mode(wanted: Mode | None, here: CommandContext) -> Mode | None:
    administrators = cast("Mode | None", read_administrator_settings(ADMINISTRATOR).get("policy.mode"))
    mode = mode_of_run(wanted, administrators)
    if mode != wanted:
        here.tell(
            "sayso: the administrator of this computer wants mode "
            f"{quoted(mode)}; it holds in place of {quoted(wanted)}"
        )
    return mode


COMMAND = Command(
    configure,
    act,
    "sayso run reply.txt --dialect lines --dry-run",
    "What policy asks about is asked on your terminal; where there is none, it waits for “sayso approve”.",
)
