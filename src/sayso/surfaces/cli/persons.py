"""Hold what only the person may do to the person's terminal."""

from sayso.core.errors import Refused
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal


def needs_person(what: str) -> Terminal:
    """Return the person's terminal. Raises `Refused` with a sentence that says how where there is none."""
    found = find_terminal()
    if isinstance(found, NoTerminal):
        raise Refused(f"{what} is for you alone: type it on your terminal ({found.why})", "terminal.needed", "terminal")
    return found


def only_on_terminal(what: str) -> None:
    """Raise `Refused` where no person sits at a terminal."""
    needs_person(what).close()


def no_questions_in_json(what: str, here: Here) -> None:
    """Raise `Refused` where a question would be needed and a program reads what is printed."""
    if here.json:
        raise Refused(
            f"{what} asks, and with --json nothing is asked: type it without --json", "terminal.json", "terminal"
        )
