"""Open files with an application, and show them in the file manager."""

import os
from pathlib import Path
from urllib.parse import quote

from sayso.core.errors import Candidate, ProviderError, SetupError
from sayso.core.plan import Applied, OpenFile, RevealFile
from sayso.core.quotes import quoted
from sayso.providers.dbus.session import BusMethod, SessionBus
from sayso.providers.desktop.backend import require_path
from sayso.providers.desktop_entries import SUFFIX, ApplicationFolders, DesktopEntry
from sayso.providers.programs.run import ProgramCall, ProgramRunner

FILE_MANAGER = "org.freedesktop.FileManager1"
SHOW_ITEMS = BusMethod(FILE_MANAGER, "/org/freedesktop/FileManager1", FILE_MANAGER, "ShowItems", "the file manager")
OPENERS = (("gio", ("open",)), ("xdg-open", ()))
NO_OPENER = "there is nothing to open files with; install gio (libglib2.0-bin) or xdg-open (xdg-utils)"


class FileOpener:
    """Opens files, and shows them in the file manager."""

    def __init__(self, runner: ProgramRunner, bus: SessionBus, folders: ApplicationFolders) -> None:
        self._runner = runner
        self._bus = bus
        self._folders = folders

    async def do(self, step: OpenFile | RevealFile) -> Applied:
        """Open a file with an application, or show it, selected, in the file manager."""
        require_path(step.path)
        match step:
            case OpenFile():
                return await self._open(step)
            case RevealFile():
                return await self._reveal(step)

    async def _open(self, step: OpenFile) -> Applied:
        if step.app:
            entry = self._find_entry(step.app)
            await self._open_with(
                ProgramCall("gio", ("launch",), (entry.path, step.path), silent=True, whole=True), step
            )
            return Applied()
        program, words = self.opener()
        await self._open_with(ProgramCall(program, words, (step.path,), silent=True, whole=True), step)
        return Applied()

    def _find_entry(self, name: str) -> DesktopEntry:
        """Return the only application of this name.

        Raises `ProviderError` when there is none, when there are several, or when file actions could have changed the
        application.
        """
        installed = self._folders.look()
        match installed.find_by_name(name):
            case ():
                raise ProviderError(f"no application is called {quoted(name)}", "app.unknown")
            case (entry,):
                installed.require_out_of_reach(entry)
                return entry
            case several:
                ids = [entry.id.removesuffix(SUFFIX) for entry in several]
                candidates = tuple(Candidate(name, where=ident) for ident in ids)
                raise ProviderError(
                    f"{len(several)} applications are called {quoted(name)} ({', '.join(ids)})",
                    "app.ambiguous",
                    candidates,
                )

    async def _reveal(self, step: RevealFile) -> Applied:
        try:
            await self._bus.call(SHOW_ITEMS, "ass", ["file://" + quote(os.fsencode(step.path))], "")
        except SetupError:
            # If no file manager can select the file in its folder, open the folder.
            folder = str(Path(step.path).parent)
            program, words = self.opener()
            await self._open_with(ProgramCall(program, words, (folder,), silent=True, whole=True), step)
        return Applied()

    def opener(self) -> tuple[str, tuple[str, ...]]:
        """Return the program that opens a file, and its arguments. Raises `SetupError` when there is none."""
        for program, words in OPENERS:
            if self._runner.find(program):
                return program, words
        raise SetupError(NO_OPENER, "open.missing")

    async def _open_with(self, call: ProgramCall, step: OpenFile | RevealFile) -> None:
        done = await self._runner.run(call)
        if done.code:
            missing = "is there an application for this kind of file?"
            raise ProviderError(
                f"{quoted(step.path)} could not be opened: {call.name} ended with {done.code}; {missing}", "open.failed"
            )
