"""The person's menus: what is installed, and starting it."""

import os
from collections.abc import Mapping
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.core.ports import Ids
from sayso.providers.apps.linux.processes import OPENED
from sayso.providers.entries.entry import Entry
from sayso.providers.entries.installed import Folders, Installed
from sayso.providers.programs.call import Call
from sayso.providers.programs.launching import launch
from sayso.providers.programs.running import Runner

TERMINALS = (("xdg-terminal-exec", ()), ("x-terminal-emulator", ("-e",)), ("foot", ()), ("xterm", ("-e",)))
"""What may show a program that writes on a terminal, each with the words before that program."""


class Menu:
    """The applications that can be started in this environment."""

    def __init__(self, environ: Mapping[str, str], home: str, roots: tuple[str, ...], ids: Ids) -> None:
        self._runner = Runner(environ, ids)
        self._home = home
        self._ids = ids
        self._folders = Folders(environ, home, roots)

    def entries(self) -> Installed:
        """Look at what is installed now."""
        return self._folders.look()

    def token(self) -> str:
        """Return a new name that nobody can guess."""
        return self._ids.token()

    async def start(self, entry: Entry, entries: Installed, token: str = "") -> int:
        """Start an application without any argument of ours or a model's; return its process.

        It carries `token` in its environment, so that it can be known again.

        Raises `ProviderError` when part of it lies where file actions may write: then it could be anything.
        """
        entries.must_be_out_of_reach(entry)
        program, *words = self._in_terminal(entry.command) if entry.terminal else entry.command
        folder = entry.folder if Path(entry.folder).is_absolute() and os.access(entry.folder, os.X_OK) else self._home
        also = {"GIO_LAUNCHED_DESKTOP_FILE": entry.path, **({OPENED: token} if token else {})}
        return await launch(self._runner, Call(program, tuple(words), folder=folder, whole=True, also=also))

    def _in_terminal(self, command: tuple[str, ...]) -> tuple[str, ...]:
        for terminal, words in TERMINALS:
            if self._runner.find(terminal) is not None:
                return (terminal, *words, *command)
        raise SetupError(
            "it runs in a terminal, and no terminal is installed; install one, such as xterm", "app.terminal"
        )
