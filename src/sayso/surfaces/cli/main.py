"""Begin: find the command, let it act, and end with its exit code; what is foreseen ends in one sentence."""

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from sayso.core.errors import SaysoError
from sayso.surfaces.cli.building import parser_for
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.exits import Exit, exit_of_error
from sayso.surfaces.cli.here import OUT, Here, Unprintable, discard, this_process
from sayso.surfaces.cli.table import TABLE
from sayso.surfaces.cli.usage import UsageProblem, near

INTERRUPTED = 130


def main(words: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(sys.argv[1:] if words is None else words)
    here = this_process(os.environ if environ is None else environ, as_json="--json" in words)
    _quiet_faults(here)
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
    name = words[0] if words else ""
    if name in {"", "-h", "--help", "help"}:
        here.print(overview())
        return Exit.FINE if name else Exit.USAGE
    if name in {"--version", "-V"}:
        here.print(f"sayso {import_module('importlib.metadata').version('sayso')}")
        return Exit.FINE
    if name not in TABLE:
        raise UsageProblem(_no_such(name))
    command = TABLE[name].load()
    return command.act(parser_for(name, command).read(words[1:]), here)


def _no_such(name: str) -> str:
    if name.startswith("-"):
        return f"sayso has no option “{name}” before the command; `sayso --help` lists the commands"
    hint = near(name, TABLE)
    shown = hint if "did you mean" in hint else "; `sayso --help` lists the commands"
    return f"there is no command “{name}”{shown}"


def overview() -> str:
    """Return what `sayso --help` prints."""
    rows = "\n".join(f"  {name:<12} {entry.does}" for name, entry in TABLE.items())
    return (
        "sayso: a model proposes actions on your computer; nothing happens without your say-so,\n"
        "everything is written down, and nearly everything can be taken back.\n\n"
        f"usage: sayso COMMAND …\n\n{rows}\n\n"
        "`sayso COMMAND --help` shows its options and an example; every command takes --json.\n"
        "New here: sayso try"
    )


def _told(here: Here, sentence: str, code: str, exit_: Exit) -> int:
    here.tell(f"sayso: {sentence}")
    if here.json:
        here.document({"error": sentence, "code": code})
    return exit_


def _quiet_faults(here: Here) -> None:
    """Let a fault that ended one action be told in one line, and in full only on demand."""
    handler = logging.StreamHandler(here.err)
    if not here.environ.get("SAYSO_DEBUG"):
        handler.setFormatter(_OneLine("sayso: %(message)s; with SAYSO_DEBUG=1 the details are printed"))
    logger = logging.getLogger("sayso")
    logger.handlers[:] = [handler]
    logger.propagate = False


class _OneLine(logging.Formatter):
    """Leaves the traceback out."""

    def formatException(self, ei: object) -> str:  # noqa: N802 - the name that logging calls
        return ""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record).rstrip())
