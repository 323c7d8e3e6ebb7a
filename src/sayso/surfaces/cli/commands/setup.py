"""`sayso setup`: begin here, with a few questions; where nobody can be asked, say what they would be."""

import argparse

from sayso.core.encoding import Json
from sayso.surfaces.cli.accounts import at_the_terminal
from sayso.surfaces.cli.context import Here
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.setup import FOLDERS_ASKED, MODE, MODE_ASKED, MODES, ROOTS, FirstRun, Looked, listed, look
from sayso.surfaces.cli.terminal import NoTerminal, find_terminal
from sayso.surfaces.cli.text import visible

NAME = "sayso setup"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act(arguments: argparse.Namespace, here: Here) -> int:
    """Ask, or say what would be asked."""
    terminal = NoTerminal("with --json nothing is asked") if here.json else find_terminal()
    if isinstance(terminal, NoTerminal):
        return _only_told(here, look(here), terminal.why)
    terminal.close()
    return at_the_terminal(here, NAME, lambda interview: FirstRun(interview, here).led())


def _only_told(here: Here, now: Looked, why: str) -> int:
    """Say what would be asked; nothing is changed."""
    if here.json:
        here.document(_document(now))
    else:
        here.print(
            f"{NAME} would ask:",
            *(f"  {asked} [{visible(offered)}]" for asked, offered in _questions(now)),
            f"and it would write {ROOTS} and {MODE} into {visible(str(now.settings.places.config))}.",
        )
    here.tell(f"sayso: {NAME} asks you: type it on your terminal ({why}); nothing was changed")
    return Exit.NOT_DECIDED


def _questions(now: Looked) -> list[tuple[str, str]]:
    return [(FOLDERS_ASKED, listed(now.folders) or "none"), (MODE_ASKED, now.mode)]


def _document(now: Looked) -> dict[str, Json]:
    models: list[Json] = [{"vendor": one.vendor, "says": one.says} for one in now.models]
    asks: list[Json] = [
        _asked(now, ROOTS, FOLDERS_ASKED, list(now.folders), None),
        _asked(now, MODE, MODE_ASKED, now.mode, list(MODES)),
    ]
    return {
        "config": str(now.settings.places.config),
        "asks": asks,
        "models": models,
        "findings": [one.json() for one in now.findings],
    }


def _asked(now: Looked, name: str, question: str, offered: Json, choices: Json) -> dict[str, Json]:
    return {
        "setting": name,
        "question": question,
        "now": now.settings.get(name),
        "set": name in now.said,
        "offered": offered,
        "choices": choices,
    }


COMMAND = Command(
    configure,
    act,
    NAME,
    "It asks on your terminal, shows what it would write, and writes it after your yes; run it again at any time.",
)
