"""Arguments of the command line, and one sentence with near names for what cannot be understood."""

import argparse
import math
import os
import re
from collections.abc import Iterable, Sequence
from typing import NoReturn

from sayso.core.errors import SetupError
from sayso.core.loading import load

OUT, USUAL = 1, 80
"""The standard output, and the columns where it does not say how many it has."""


class UsageProblem(SetupError):
    """The words after `sayso` cannot be understood; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, "usage")


class Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal; Python's own looks for its columns in a way that imports what unpacks archives."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        wrapped = load("sayso.surfaces.cli.layout:sentence")
        return "\n".join(line for one in text.split("\n") for line in wrapped(one, width, indent))


def _columns() -> int:
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(OUT).columns or USUAL
    except OSError:
        return USUAL


class Parser(argparse.ArgumentParser):
    """An argument parser that ends in one sentence instead of printing its usage."""

    def error(self, message: str) -> NoReturn:
        """Raise the sentence."""
        said = _CHOICE.fullmatch(message)
        if said is not None:
            wrong, known = said["wrong"], _WORD.findall(said["known"])
            raise UsageProblem(f"{self.prog}: there is no {said['what']} “{wrong}”{near(wrong, known)}")
        lacks = message.removeprefix("the following arguments are required: ")
        sentence = f"needs {lacks}" if lacks != message else f": {message}"
        raise UsageProblem(f"{self.prog}{' ' * (lacks != message)}{sentence}; `{self.prog} --help` shows how")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Read the words after the command's name. Raises `UsageProblem`."""
        arguments, unknown = self.parse_known_intermixed_args(list(words))
        if unknown:
            options = [word for word in unknown if word.startswith("-") and word != "-"]
            wrong = (options or unknown)[0].partition("=")[0]
            if not options:
                raise UsageProblem(f"{self.prog} does not take “{wrong}”; `{self.prog} --help` shows how")
            known = re.findall(r"--[a-z][a-z-]*", self.format_help())
            raise UsageProblem(f"{self.prog} has no option “{wrong}”{near(wrong, known)}")
        return arguments


_CHOICE = re.compile(
    r"argument (?P<what>.+?): invalid choice: (?P<q>['\"])(?P<wrong>.*)(?P=q) \(choose from (?P<known>.*)\)", re.DOTALL
)
_WORD = re.compile(r"[\w-]+")


def near(wrong: str, known: Iterable[str]) -> str:
    """Return “; did you mean …?” or the list of what there is."""
    names = list(dict.fromkeys(known))
    matches = load("difflib:get_close_matches")(wrong, names, n=2)
    if matches:
        return f"; did you mean {' or '.join(f'“{match}”' for match in matches)}?"
    return f"; there are: {', '.join(names)}" if names else ""


def whole_number(text: str) -> int:
    """Read a number of at least 1."""
    if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"“{text}” is not a whole number of at least 1")
    return int(text)


def number(text: str) -> float:
    """Read a number that JSON can write too."""
    try:
        said = float(text)
    except ValueError:
        said = math.nan
    if not math.isfinite(said):
        raise argparse.ArgumentTypeError(f"“{text}” is not a number such as 24 or 0.5")
    return said


def dialect_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a dialect."""
    parser.add_argument("--dialect", metavar="D", required=True, help="how the text is written, such as lines")
