"""The command line: parse the arguments, run one command, and turn errors into exit codes."""

import argparse
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

from msgspec import Struct

from sayso.core.errors import SaysoError, SetupError
from sayso.core.lazy import load
from sayso.core.quotes import quoted
from sayso.surfaces.cli.context import OUT, CommandContext, Unprintable, discard, this_process
from sayso.surfaces.cli.exit_codes import Exit, exit_of_error
from sayso.surfaces.cli.main import TABLE, answer_at_once

STANDARD_OUTPUT, USUAL = 1, 80
"""The descriptor of standard output, and the number of columns if it reports none."""


class UsageProblem(SetupError):
    """The words after `sayso` cannot be understood; the message says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, "usage")


class Help(argparse.RawDescriptionHelpFormatter):
    """Help text as wide as the terminal; to find the width, argparse itself would import libraries for archives."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        wrapped = load("sayso.surfaces.cli.text:sentence")
        return "\n".join(line for one in text.split("\n") for line in wrapped(one, width, indent))


def _columns() -> int:
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(STANDARD_OUTPUT).columns or USUAL
    except OSError:
        return USUAL


class Parser(argparse.ArgumentParser):
    """An argument parser that raises one sentence instead of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageProblem` with the sentence."""
        said = _CHOICE.fullmatch(message)
        if said is not None:
            wrong, known = said["wrong"], _WORD.findall(said["known"])
            raise UsageProblem(f"{self.prog}: there is no {said['what']} {quoted(wrong)}{near(wrong, known)}")
        lacks = message.removeprefix("the following arguments are required: ")
        sentence = f"needs {lacks}" if lacks != message else f": {message}"
        raise UsageProblem(f"{self.prog}{' ' * (lacks != message)}{sentence}; `{self.prog} --help` shows how")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse the words after the command's name. Raises `UsageProblem`."""
        arguments, unknown = self.parse_known_intermixed_args(list(words))
        if unknown:
            options = [word for word in unknown if word.startswith("-") and word != "-"]
            wrong = (options or unknown)[0].partition("=")[0]
            if not options:
                raise UsageProblem(f"{self.prog} does not take {quoted(wrong)}; `{self.prog} --help` shows how")
            known = re.findall(r"--[a-z][a-z-]*", self.format_help())
            raise UsageProblem(f"{self.prog} has no option {quoted(wrong)}{near(wrong, known)}")
        return arguments


_CHOICE = re.compile(
    r"argument (?P<what>[^:]+): invalid choice: (?P<q>['\"])(?P<wrong>.*)(?P=q) \(choose from (?P<known>[^()]*)\)",
    re.DOTALL,
)
_WORD = re.compile(r"[\w-]+")


def near(wrong: str, known: Iterable[str]) -> str:
    """Return “; did you mean …?”, or the list of known names."""
    names = list(dict.fromkeys(known))
    matches = load("difflib:get_close_matches")(wrong, names, n=2)
    if matches:
        return f"; did you mean {' or '.join(quoted(match) for match in matches)}?"
    return f"; there are: {', '.join(names)}" if names else ""


def whole_number(text: str) -> int:
    """Parse a whole number of at least 1."""
    if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number of at least 1")
    return int(text)


def number(text: str) -> float:
    """Parse a finite number, because JSON has no others."""
    try:
        said = float(text)
    except ValueError:
        said = math.nan
    if not math.isfinite(said):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number such as 24 or 0.5")
    return said


def dialect_option(parser: argparse.ArgumentParser) -> None:
    """Add the required option `--dialect`."""
    parser.add_argument("--dialect", metavar="D", required=True, help="how the text is written, such as lines")


class Command(Struct, frozen=True):
    """One command. `act` returns the exit code; a `SaysoError` that it raises is printed as one sentence."""

    configure: Callable[[argparse.ArgumentParser], None]
    act: Callable[[argparse.Namespace, CommandContext], int]
    example: str
    more: str = ""
    """Further sentences for `--help`, after the description in `TABLE`."""


def command_called(name: str) -> Command:
    """Import and return the command with this name."""
    return load(TABLE[name].place)


def parser_for(name: str, command: Command) -> Parser:
    """Return the argument parser of one command."""
    parser = Parser(prog=f"sayso {name}", allow_abbrev=False, formatter_class=Help)
    _configure(parser, name, command)
    return parser


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser that contains every command; this imports all of them."""
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
    except KeyboardInterrupt as left:
        print(file=here.err)
        here.tell(f"sayso: {str(left) or 'interrupted'}")
        return INTERRUPTED
    return code


def _run(words: list[str], here: CommandContext) -> int:
    try:
        return _run_command(words, here)
    except SaysoError as problem:
        return _report_problem(here, str(problem), problem.code, exit_of_error(problem))
    except (BrokenPipeError, Unprintable):
        raise
    except OSError as problem:
        where = f"{quoted(problem.filename)}: " if problem.filename else ""
        return _report_problem(here, f"{where}{problem.strerror or problem}", "system", Exit.USAGE)


def _run_command(words: list[str], here: CommandContext) -> int:
    said = answer_at_once(words)
    if said is not None:
        here.print(said)
        return Exit.FINE if words else Exit.USAGE
    name = words[0]
    if name not in TABLE:
        raise UsageProblem(_no_such(name))
    command = command_called(name)
    return command.act(parser_for(name, command).read(words[1:]), here)


def _no_such(name: str) -> str:
    if name.startswith("-"):
        return f"sayso has no option {quoted(name)} before the command; `sayso --help` lists the commands"
    hint = near(name, TABLE)
    shown = hint if "did you mean" in hint else "; `sayso --help` lists the commands"
    return f"there is no command {quoted(name)}{shown}"


def _report_problem(here: CommandContext, sentence: str, code: str, exit_: Exit) -> int:
    here.tell(f"sayso: {sentence}")
    if here.json:
        here.document({"error": sentence, "code": code})
    return exit_


_LONGEST = 5


def port(text: str) -> int:
    """Return the port that a text names. Raises `ArgumentTypeError`."""
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST and int(text) < 1 << 16):
        raise argparse.ArgumentTypeError(f"{quoted(text[:60])} is no port; use a number from 0 to 65535")
    return int(text)
