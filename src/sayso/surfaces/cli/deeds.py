"""The deeds of one command, and the words and options that each of them takes."""

import argparse
from collections.abc import Callable, Mapping

from sayso.core.values import dataclass
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.usage import UsageProblem, near


@dataclass(frozen=True)
class Deed:
    """What a command can do: `takes` are the options that mean something to it, by their names in the namespace."""

    act: Callable[[argparse.Namespace, Here], int]
    takes: tuple[str, ...] = ()
    words: bool = True


def deed_of(command: str, deeds: Mapping[str, Deed], arguments: argparse.Namespace) -> Deed:
    """Return the deed that is named. Raises `UsageProblem` also for what is given and would mean nothing to it."""
    what: str = arguments.what
    if what not in deeds:
        raise UsageProblem(f"sayso {command} does not know “{what}”{near(what, deeds)}")
    deed = deeds[what]
    if arguments.words and not deed.words:
        raise UsageProblem(f"sayso {command} {what} does not take “{arguments.words[0]}”")
    for option in dict.fromkeys(option for each in deeds.values() for option in each.takes):
        if option not in deed.takes and _is_given(getattr(arguments, option)):
            others = ", ".join(name for name, each in deeds.items() if option in each.takes)
            spelt = f"--{option.replace('_', '-')}"
            raise UsageProblem(f"sayso {command} {what} does not take “{spelt}”; it is for sayso {command} {others}")
    return deed


def _is_given(value: object) -> bool:
    return value is not None and value is not False
