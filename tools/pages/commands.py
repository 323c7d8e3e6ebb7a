"""The page of the command line, from the commands themselves."""

import argparse
from collections.abc import Iterator
from typing import Any

from sayso.core.record import State
from sayso.surfaces.cli.app import command_called
from sayso.surfaces.cli.exit_codes import Exit, exit_of_states
from sayso.surfaces.cli.main import TABLE, TableEntry
from tools.pages.markdown import code, fenced, page, prose, table

EXITS = {
    Exit.FINE: "everything else",
    Exit.FAILED: "at least one failed, invalid or skipped",
    Exit.USAGE: "the command or the settings are not right; nothing was done",
    Exit.NOT_DECIDED: "at least one refused, declined, expired or waiting, or a clarification is needed",
    Exit.UNKNOWN: "at least one whose outcome is unknown",
}
FIRST = (Exit.USAGE, Exit.UNKNOWN, Exit.FAILED, Exit.NOT_DECIDED, Exit.FINE)
ENDS = [state for state in State if state is not State.RUNNING]


def written() -> str:
    """Return the page."""
    exits = table(("code", "first that fits"), [(code(int(exit_)), EXITS[exit_]) for exit_ in FIRST])
    states = table(
        ("state", "success", "code when nothing else happened"),
        [(code(state.value), _success(state), int(exit_of_states([state]))) for state in ENDS],
    )
    return page(
        "Commands", prose("commands.md"), "## Exit codes", exits, states,
        *(part for name, entry in TABLE.items() for part in _command(name, entry)),
    )  # fmt: skip


def _success(state: State) -> str:
    return "yes" if exit_of_states([state]) is Exit.FINE else ""


def _command(name: str, entry: TableEntry) -> Iterator[str]:
    command = command_called(name)
    recorded = Recorded()
    command.configure(recorded)
    yield f"## sayso {name}"
    yield f"{entry.does[:1].upper()}{entry.does[1:]}.\n{command.more}"
    if recorded.rows:
        yield table(("argument", "means"), recorded.rows)
    yield fenced(command.example, "sh")


class Recorded(argparse.ArgumentParser):
    """Writes down what a command adds, since what `--help` prints differs between versions of Python."""

    def __init__(self) -> None:
        super().__init__(add_help=False)
        self.rows: list[tuple[str, str]] = []

    def add_argument(self, *names: Any, **how: Any) -> argparse.Action:
        """Add an argument, and write it down."""
        action = super().add_argument(*names, **how)
        choices = "/".join(map(str, action.choices or ()))
        metavar = choices or str(action.metavar or action.dest).upper()
        takes = "" if action.nargs == 0 else f" {metavar}"
        shown = metavar if not action.option_strings else ", ".join(action.option_strings) + takes
        if action.help != argparse.SUPPRESS:
            self.rows.append((code(shown), action.help or ""))
        return action
