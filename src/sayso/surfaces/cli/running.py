"""Find the command, let it act, and end with its exit code; what is foreseen ends in one sentence."""

import os
import sys
from collections.abc import Mapping, Sequence

from sayso.core.errors import SaysoError
from sayso.core.loading import load
from sayso.surfaces.cli.building import command_called, parser_for
from sayso.surfaces.cli.exits import Exit, exit_of_error
from sayso.surfaces.cli.here import OUT, Here, Unprintable, discard, this_process
from sayso.surfaces.cli.overview import said_at_once
from sayso.surfaces.cli.table import TABLE
from sayso.surfaces.cli.usage import UsageProblem, near

INTERRUPTED = 130


def run(words: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(words)
    here = this_process(os.environ if environ is None else environ, as_json="--json" in words)
    try:
        code = _run(words, here)
        here.out.flush()
    except BrokenPipeError:
        discard(OUT)
        return Exit.FINE
    except OSError as full:
        discard(OUT)
        here.tell(f"sayso: what it printed could not be written: {full.strerror}")
        return Exit.FAILED
    except KeyboardInterrupt:
        print(file=here.err)
        return INTERRUPTED
    return code


def _run(words: list[str], here: Here) -> int:
    try:
        return _chosen(words, here)
    except SaysoError as problem:
        return _told(here, str(problem), problem.code, exit_of_error(problem))
    except (BrokenPipeError, Unprintable):
        raise
    except OSError as problem:
        where = f"“{problem.filename}”: " if problem.filename else ""
        return _told(here, f"{where}{problem.strerror or problem}", "system", Exit.USAGE)


def _chosen(words: list[str], here: Here) -> int:
    said = said_at_once(words)
    if said is not None:
        here.print(said)
        return Exit.FINE if words else Exit.USAGE
    name = words[0]
    if name not in TABLE:
        raise UsageProblem(_no_such(name))
    command = command_called(name)
    if "logging" in sys.modules:  # what a command imports says whether it could tell of a fault
        load("sayso.surfaces.cli.faults:quiet")(here)
    return command.act(parser_for(name, command).read(words[1:]), here)


def _no_such(name: str) -> str:
    if name.startswith("-"):
        return f"sayso has no option “{name}” before the command; `sayso --help` lists the commands"
    hint = near(name, TABLE)
    shown = hint if "did you mean" in hint else "; `sayso --help` lists the commands"
    return f"there is no command “{name}”{shown}"


def _told(here: Here, sentence: str, code: str, exit_: Exit) -> int:
    here.tell(f"sayso: {sentence}")
    if here.json:
        here.document({"error": sentence, "code": code})
    return exit_
