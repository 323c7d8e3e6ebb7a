"""`sayso log verify` and `sayso log export`: prove that the journal was not altered, and export all of it."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.core.quotes import quoted, visible
from sayso.journal.database import connect_to_look, explain_errors
from sayso.journal.export import export_lines
from sayso.journal.hash_chain import Checkpoint, VerificationResult
from sayso.journal.verify import UNSEALED, verify
from sayso.surfaces.cli.context import CommandContext, new_file, read_text, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.text import sentence


def _database(here: CommandContext) -> str:
    """Return the path of the journal, which is verified and exported without opening the home. Raises `SetupError`."""
    database = settings_of(here).places.database
    if not database.exists():
        raise SetupError(f"there is no journal yet at {database}; it begins with the first “sayso run”", "journal.none")
    return str(database)


def prove(file: str | None, here: CommandContext) -> int:
    """Verify the whole journal, and that it still contains everything that the checkpoint in `file` covers."""
    checkpoint = None if file is None else Checkpoint.read(read_text(file, here))
    found = verify(_database(here), checkpoint)
    if here.json:
        here.document(
            {
                "ok": found.ok,
                "rows": found.rows,
                "actions": found.actions,
                "problem": found.problem,
                "bad_row": found.bad_row,
                "bad_action": found.bad_action,
                "checkpoint": found.checkpoint.json(),
                "unsealed": list(UNSEALED),
            }
        )
    elif found.ok:
        here.print(_well(found, compared=checkpoint is not None), *sentence(_BESIDE, terminal_width(here), "  "))
    if not found.ok:
        here.tell(f"sayso: the journal is not intact: {found.problem}")
    return Exit.FINE if found.ok else Exit.FAILED


_BESIDE = f"Not covered are the files beside it: {', '.join(UNSEALED)}."


def _well(found: VerificationResult, *, compared: bool) -> str:
    with_ = ", and nothing is missing that the checkpoint recorded" if compared else ""
    return f"✓ the journal is intact: {_count(found.rows, 'audit row')}, {_count(found.actions, 'action')}{with_}"


def copy_out(file: str | None, here: CommandContext) -> int:
    """Export the whole journal as JSON lines, into a new file or to standard output."""
    database = _database(here)
    if file is None or file == "-":
        return _print_export(database, here)
    with new_file(file) as opened:
        _export(database, opened.write)
    lines = len(re.findall(b"\n", Path(file).read_bytes()))
    if here.json:
        here.document({"path": str(Path(file).absolute()), "lines": lines})
    else:
        checking = f"sayso log verify --checkpoint {visible(file)}"
        here.print(f"✓ exported {lines:,} lines; the last one is a checkpoint for {quoted(checking)}")
    return Exit.FINE


def _print_export(database: str, here: CommandContext) -> int:
    if not here.json:
        _export(database, _on_screen(here) if here.out.isatty() else here.write)
        return Exit.FINE
    lines: list[str] = []
    _export(database, lines.append)
    here.document({"lines": [json.loads(line) for line in lines]})
    return Exit.FINE


def _on_screen(here: CommandContext) -> Callable[[str], object]:
    """Return a function that prints the lines in ASCII only, so that nothing in them can control the terminal."""
    return lambda text: print(json.dumps(json.loads(text), separators=(",", ":")), file=here.out)


def _count(number: int, of: str) -> str:
    return f"{number:,} {of}" + ("" if number == 1 else "s")


def _export(database: str, write: Callable[[str], object]) -> None:
    for text in _lines_of(database):
        write(text + "\n")


def _lines_of(database: str) -> Iterator[str]:
    """Yield the lines of the export. Raises `SetupError` if the journal cannot be read."""
    with explain_errors(database), closing(connect_to_look(database)) as connection:
        yield from export_lines(connection, database)
