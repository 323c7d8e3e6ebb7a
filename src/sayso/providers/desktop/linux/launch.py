"""Open files with an application, and run the person's own named commands."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import msgspec
from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProviderError, SetupError
from sayso.core.plan import Applied, OpenFile, RevealFile
from sayso.core.ports import Ids
from sayso.core.quotes import quoted
from sayso.providers.dbus.session import BusMethod, SessionBus
from sayso.providers.desktop_entries import SUFFIX, ApplicationFolders, DesktopEntry
from sayso.providers.programs.run import ProgramCall, ProgramRunner

INPUT = "{input}"
"""In a list of arguments, this word is replaced with the path of the file that contains the input."""
USUAL_SECONDS = 120


class ShortcutSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shortcut as the settings define it in `[shortcuts.NAME]`."""

    argv: tuple[str, ...]
    input: Literal["stdin", "file"] = "stdin"
    seconds: int | None = None


class Shortcuts(Struct, frozen=True):
    """The person's shortcuts by name, and a folder for private files with their inputs."""

    runner: ProgramRunner
    by_name: Mapping[str, ShortcutSettings]
    folder: str
    home: str
    ids: Ids

    async def run(self, name: str, given: str | None, seconds: int = USUAL_SECONDS) -> Applied:
        """Run a shortcut to its end. Raises `ProviderError` if the shortcut fails or takes too long."""
        shortcut = self.by_name.get(name)
        if shortcut is None:
            raise ProviderError(f"no shortcut is called {quoted(name)}", "shortcut.unknown")
        limit = seconds if shortcut.seconds is None else shortcut.seconds
        data = b"" if given is None else given.encode("utf-8", "replace")
        file = self._file() if given is not None and shortcut.input == "file" else ""
        program, *words = _with_input(shortcut.argv, file)
        call = ProgramCall(
            program,
            tuple(words),
            data=b"" if file else data,
            seconds=limit,
            kept=True,
            file=file,
            filed=data,
            folder=self.home,
            whole=True,
        )
        done = await self.runner.run(call)
        if done.code:
            raise ProviderError(f"the shortcut {quoted(name)} failed: {done.complaint}", "shortcut.failed")
        return Applied()

    def _file(self) -> str:
        Path(self.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(Path(self.folder) / f"shortcut-{self.ids.token()}")


def read_shortcuts(table: Json) -> Mapping[str, ShortcutSettings]:
    """Return the shortcuts of the settings. Raises `SetupError` that names what is wrong."""
    try:
        return msgspec.convert(table or {}, dict[str, ShortcutSettings])
    except msgspec.ValidationError as error:
        raise SetupError(f"[shortcuts] in the settings is wrong: {error}", "config.shortcuts") from error


def _with_input(argv: tuple[str, ...], file: str) -> tuple[str, ...]:
    if not file:
        return tuple(word for word in argv if word != INPUT)
    if INPUT in argv:
        return tuple(file if word == INPUT else word for word in argv)
    return (*argv, file)


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


def require_path(path: str) -> None:
    """Raise `ProviderError` unless something is at the path, and no part of the path is a link."""
    if not os.path.lexists(path):
        raise ProviderError(f"{quoted(path)} is no longer there", "world.changed")
    if os.path.realpath(path) != path:
        raise ProviderError(f"{quoted(path)} leads somewhere else by now; it was not opened", "world.changed")
