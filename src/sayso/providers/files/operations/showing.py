"""Open a file, or show where it lies; the desktop carries it out."""

import sys

from sayso.core.errors import Refused
from sayso.core.operation import Operation, operation
from sayso.core.plan import CannotUndo, Change, OpenFile, Plan, RevealFile
from sayso.core.schema import Line, UserPath
from sayso.providers.files.operations.support import about_links, why_run
from sayso.providers.files.store import Files


@operation("file.open", kind="write", asks="mode")
async def open_file(files: Files, path: UserPath, app: Line | None = None) -> Plan:
    """Open a file or folder with its default application, or with the one named; never what the system would run."""
    found = await files.opened(path)
    reason = why_run(found, path)
    if reason is not None:
        raise Refused(f"“{path}” is not opened: {reason}", "open.executable", "open.executable")
    step = OpenFile(found.path, app or "")
    return Plan(
        f"Open “{path}” with {app}" if app else f"Open “{path}”",
        (Change(step, CannotUndo("an opened file is closed by you"), (found.fact,)),),
        said_when_done="Opened file",
        warns=about_links(path, found.path),
        data={"path": found.path},
    )


@operation("file.reveal", kind="read", asks="none", reach="home")
async def reveal(files: Files, path: UserPath) -> Plan:
    """Show a file or folder, selected, in the file manager; anywhere in your home."""
    found = await files.look(path, reach="home")
    why = CannotUndo("showing a file changes nothing that could be taken back")
    return Plan(
        f"Show “{path}” in {_manager()}",
        (Change(RevealFile(found.path), why, (found.fact,)),),
        said_when_done="Revealed in Finder",
        data={"path": found.path},
    )


def _manager() -> str:
    """Return what a person calls the program that files are shown in, on this system."""
    return "Finder" if sys.platform == "darwin" else "the file manager"


OPERATIONS: tuple[Operation, ...] = (open_file, reveal)
