"""`sayso backup` and `sayso restore`: copy what a home holds into one file, and put it back."""

import argparse
from datetime import datetime
from pathlib import Path

from sayso.assembly import Home
from sayso.assembly.archive import ACTIONS, CALENDARS, LISTS, NOTES, SETTINGS, Manifest, write_backup
from sayso.assembly.restore import StagedRestore, carry_out, give_up, stage
from sayso.config.paths import places
from sayso.core.quotes import visible
from sayso.surfaces.cli.app import Command
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home, quiet
from sayso.surfaces.cli.terminal import Interview, InterviewLeft, needs_person, no_questions_in_json
from sayso.surfaces.cli.text import sentence, style_at


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", metavar="FILE", help="a file that does not exist yet")


ELSEWHERE = (("notes", "notes"), ("calendar", "calendars"))
"""The sections of the settings whose `path` names a folder of the person's own, and what is in it."""


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Write the backup. Raises `SetupError` if the file exists already."""
    target = Path(arguments.file).absolute()

    async def write(home: Home) -> tuple[Manifest, list[str]]:
        named = [(what, home.settings.sections.get(part, {}).get("path")) for part, what in ELSEWHERE]
        return await write_backup(home, target), [f"{what} in {path} are" for what, path in named if path]

    manifest, elsewhere = in_home(here, write)
    size, holds = target.stat().st_size, _holds(manifest)
    if here.json:
        here.document({"path": str(target), "bytes": size, "holds": [*holds], "files": len(manifest.files)})
        return Exit.FINE
    width = terminal_width(here)
    here.print(*sentence(visible(f"✓ {target} ({size:,} bytes) holds {', '.join(holds)}"), width, "", "  "))
    for one in elsewhere:
        here.print(*sentence(visible(f"Your {one} not in it: they are files of your own."), width, "  "))
    here.print(*sentence("Passwords are not in it; they are in your keyring.", width, "  "))
    here.print(*sentence(visible(f"To put it back: sayso restore '{target}'"), width, "  "))
    return Exit.FINE


def _holds(manifest: Manifest) -> list[str]:
    counted = (
        (ACTIONS, "own action", "own actions"),
        (NOTES, "note", "notes"),
        (CALENDARS, "event or reminder", "events and reminders"),
    )
    return [
        "the journal",
        *(["your tasks and habits"] if LISTS in manifest.files else []),
        *(["your settings"] if SETTINGS in manifest.files else []),
        *(
            f"{len(found)} {what if len(found) == 1 else more}"
            for part, what, more in counted
            if (found := manifest.of(part))
        ),
    ]


def configure_restore(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", metavar="FILE", help="a file that “sayso backup” wrote")


def act_restore(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Show what would be replaced, ask, and put the backup back. Raises `SetupError`, or `Refused` without a person."""
    no_questions_in_json("sayso restore", here)
    quiet(here)
    there = places(here.environ)
    terminal = needs_person("sayso restore")
    try:
        staged = stage(there, Path(arguments.file).absolute())
        try:
            interview = Interview(terminal, style_at(here.environ))
            if not _agreed(interview, staged, there.home):
                interview.say("No; nothing was changed.")
                return Exit.NOT_DECIDED
            kept = carry_out(there)
        finally:
            give_up(there)
        interview.good(f"The backup is back. What was there before is in {kept}.")
        return Exit.FINE
    finally:
        terminal.close()


def _agreed(interview: Interview, staged: StagedRestore, home: Path) -> bool:
    made = datetime.fromisoformat(staged.manifest.made).astimezone()
    version = staged.manifest.sayso[:40]
    interview.say(
        f"This backup was made on {made:%Y-%m-%d at %H:%M} by sayso {version}. Every file in it is as it was then."
    )
    interview.say(f"What comes back into {home}:")
    interview.show(*staged.replaces)
    if staged.settings:
        interview.say("What changes in the settings:")
        interview.show(*staged.settings)
    interview.say("What is there now is kept in a folder beside it. Passwords are not part of a backup.")
    try:
        return interview.yes("Put it back?", usual=False)
    except InterviewLeft:
        return False


COMMAND = Command(
    configure,
    act,
    "sayso backup ~/Documents/sayso-2024-01-28.zip",
    "The file holds the journal, your tasks and habits, settings, own actions, notes and calendars of sayso's own; "
    "“sayso restore” puts it back. Passwords are not in it.",
)
RESTORE = Command(
    configure_restore,
    act_restore,
    "sayso restore ~/Documents/sayso-2024-01-28.zip",
    "It shows what would be replaced, and changes nothing without a yes at the terminal. What was there before is "
    "kept in a folder beside it.",
)
