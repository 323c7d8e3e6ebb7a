"""`sayso setup`, `doctor` and `try`: set up sayso, check what works, and show a demonstration."""

import argparse
from collections.abc import Iterable, Iterator
from importlib import import_module

import anyio
from msgspec import to_builtins

from sayso.assembly.doctor_document import DoctorDocument
from sayso.core.encoding import Json
from sayso.core.provider import Alternative
from sayso.core.quotes import quoted, visible
from sayso.surfaces.cli.accounts import at_the_terminal
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.doctor import A_SIMULATION, ONLY_ON, SIMULATED, findings
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.findings import Finding
from sayso.surfaces.cli.setup import FOLDERS_ASKED, MODE, MODE_ASKED, MODES, ROOTS, FirstRun, Looked, list_folders, look
from sayso.surfaces.cli.terminal import NoTerminal, find_terminal
from sayso.surfaces.cli.text import sentence

NAME = "sayso setup"


def configure_setup(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act_setup(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Ask the questions of the setup; without a terminal, print them."""
    terminal = NoTerminal("with --json nothing is asked") if here.json else find_terminal()
    if isinstance(terminal, NoTerminal):
        return _only_told(here, look(here), terminal.why)
    terminal.close()
    return at_the_terminal(here, NAME, lambda interview: FirstRun(interview, here).lead())


def _only_told(here: CommandContext, now: Looked, why: str) -> int:
    """Print the questions without asking them; nothing is changed."""
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
    return [(FOLDERS_ASKED, list_folders(now.folders) or "none"), (MODE_ASKED, now.mode)]


def _document(now: Looked) -> dict[str, Json]:
    models: list[Json] = [{"vendor": one.vendor, "says": one.says} for one in now.models]
    asks: list[Json] = [
        _ask_choice(now, ROOTS, FOLDERS_ASKED, list(now.folders), None),
        _ask_choice(now, MODE, MODE_ASKED, now.mode, list(MODES)),
    ]
    return {
        "config": str(now.settings.places.config),
        "asks": asks,
        "models": models,
        "findings": [one.json() for one in now.findings],
    }


def _ask_choice(now: Looked, name: str, question: str, offered: Json, choices: Json) -> dict[str, Json]:
    return {
        "setting": name,
        "question": question,
        "now": now.settings.get(name),
        "set": name in now.said,
        "offered": offered,
        "choices": choices,
    }


SETUP = Command(
    configure_setup,
    act_setup,
    NAME,
    "It asks on your terminal, shows what it would write, and writes it after your yes; run it again at any time.",
)

SIGNS = {"good": "✓", "note": "·", "broken": "✗"}
ABOUT = 14
"""Width of the column that names what was checked."""
INDENT = " " * (ABOUT + 3)


def configure_doctor(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    says = "after your yes, try every backend on things of its own, take them back, and write a report for an issue"
    parser.add_argument("--self-test", action="store_true", help=says)


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Run all checks and print their findings, or run the self-test."""
    if arguments.self_test:
        return import_module(SELF_TEST).act(arguments, here)
    found = anyio.run(findings, here.environ)
    broken = sum(one.how == "broken" for one in found)
    if here.json:
        here.document(to_builtins(DoctorDocument(broken == 0, [one.document() for one in found])))
    else:
        width = terminal_width(here)
        here.print(*(line for one in found for line in _lines(one, width, here)))
        here.print(*_elsewhere(found, width, here), *_simulations(found, width, here))
        here.print("", "All that was asked for works." if not broken else f"{broken} of these need mending.")
    return Exit.FAILED if broken else Exit.FINE


def _lines(one: Finding, width: int, here: CommandContext) -> Iterator[str]:
    paint = {"good": here.style.good, "note": str, "broken": here.style.bad}[one.how]
    first, *more = sentence(visible(_from_home(one.says, here)), width, f"{SIGNS[one.how]} {one.about:<{ABOUT}} ")
    yield paint(first[:1]) + first[1:]
    yield from more
    if one.fix:
        yield from sentence(visible(one.fix), width, f"{INDENT}→ ")
    for says in _list_passed_over(other for other in one.others if other.why != one.why):
        for line in sentence(visible(says), width, INDENT, f"{INDENT}  "):
            yield here.style.faint(line)


def _from_home(says: str, here: CommandContext) -> str:
    """Return a sentence with paths below the person's home as all sentences write them."""
    home = here.environ.get("HOME", "").rstrip("/")
    starts = tuple(f"{opening}{home}/" for opening in ("", "“", "(")) if home else ()
    return " ".join(word.replace(home, "~", 1) if word.startswith(starts) else word for word in says.split(" "))


def _list_passed_over(others: Iterable[Alternative]) -> Iterator[str]:
    """Yield why the other backends are not used; those with the same reason share one sentence."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for other in others:
        if other.name != SIMULATED and not other.why.startswith(ONLY_ON):
            reasons.setdefault((other.why, other.fix), []).append(other.name)
    for (why, fix), names in reasons.items():
        yield f"not {', '.join(names)}: {why}" + (f" → {fix}" if fix else "")


def _elsewhere(found: Iterable[Finding], width: int, here: CommandContext) -> Iterator[str]:
    """Yield one line for each other system about what works only there, instead of one below each finding."""
    systems: dict[str, list[str]] = {}
    for one in found:
        only = [other.why for other in one.others if other.why.startswith(ONLY_ON)]
        for why in dict.fromkeys(only):
            systems.setdefault(why.removeprefix(ONLY_ON), []).append(one.about)
    for system, names in systems.items():
        says = f"{', '.join(names)} have backends, too, that work only there"
        for line in sentence(visible(says), width, f"{SIGNS['note']} {system:<{ABOUT}} "):
            yield here.style.faint(line)


def _simulations(found: Iterable[Finding], width: int, here: CommandContext) -> Iterator[str]:
    """Yield one line about all available simulations, instead of one below each finding."""
    names = [one.about for one in found if any(other.name == SIMULATED for other in one.others)]
    if names:
        says = (
            f"{', '.join(names)} could each be {quoted(SIMULATED)} too, {A_SIMULATION}; only where the settings name it"
        )
        for line in sentence(visible(says), width, f"{SIGNS['note']} {'simulations':<{ABOUT}} "):
            yield here.style.faint(line)


DOCTOR = Command(configure_doctor, act, "sayso doctor")

SELF_TEST = "sayso.surfaces.cli.self_test"
DEMO = "sayso.surfaces.cli.demo"


def configure_try(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--part", choices=("plant", "ask", "do", "edit", "undo"), help=argparse.SUPPRESS)
    parser.add_argument("--keep", metavar="DIR", help="keep the scratch home in this new folder, to look at")


def act_try(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Show the demonstration."""
    return int(import_module(DEMO).main(arguments.keep, here, arguments.part))


TRY = Command(configure_try, act_try, "sayso try --keep /tmp/sayso-try", "It needs no key, no network and no answers.")
