"""Where sayso keeps its settings and state, and where the person's own folders are."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.core.loading import load
from sayso.core.values import dataclass

_FOLDERS = {"XDG_DOCUMENTS_DIR": "Documents", "XDG_DOWNLOAD_DIR": "Downloads", "XDG_DESKTOP_DIR": "Desktop"}
_LINE = re.compile(r'\s*(XDG_[A-Z]+_DIR)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')


@dataclass(frozen=True)
class Places:
    """Every place of one home of sayso, absolute. Nothing is made by naming it."""

    home: Path
    """sayso's own folder, with all state in it."""
    config: Path
    """The file of settings; it may stand in another folder."""
    person: Path
    """The person's home folder."""

    @property
    def database(self) -> Path:
        """Return the journal's file."""
        return self.home / "sayso.db"

    @property
    def lists(self) -> Path:
        """Return the file of the person's tasks and habits."""
        return self.home / "tasks.db"

    @property
    def actions(self) -> Path:
        """Return the folder of the person's own actions."""
        return self.home / "actions"

    @property
    def logs(self) -> Path:
        """Return the folder of the daily JSONL files."""
        return self.home / ".logs" / "actions"

    @property
    def trash(self) -> Path:
        """Return the folder of what is kept for the way back."""
        return self.home / "trash"

    @property
    def scratch(self) -> Path:
        """Return the folder of what lives shortly."""
        return self.home / "tmp"

    @property
    def locks(self) -> Path:
        """Return the folder of the locks that processes hold."""
        return self.home / "locks"

    @property
    def upkeep(self) -> Path:
        """Return the file that says when old things were last removed."""
        return self.home / "upkeep"

    @property
    def state(self) -> tuple[Path, ...]:
        """Return every place that sayso itself writes to; none of them may lead to where actions write."""
        return (self.database, self.lists, self.logs, self.trash, self.scratch, self.locks, self.upkeep)

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Return sayso's folders: the one with the state and, where it is another, the one with the settings."""
        return tuple(dict.fromkeys((self.home, self.config.parent)))


def places(environ: Mapping[str, str]) -> Places:
    """Return where things are: in `SAYSO_HOME`, else in the platform's folders for settings and state."""
    person = person_home(environ)
    named = environ.get("SAYSO_HOME", "")
    if named:
        return in_folder(named, person)
    state, settings = load("sayso.config.usual:folders")()
    return Places(_absolute(state), _absolute(settings) / "config.toml", person)


def in_folder(folder: str | Path, person: Path) -> Places:
    """Return the places of a home of sayso that is one folder."""
    text = str(folder)
    whole = str(person) + text[1:] if text == "~" or text.startswith("~/") else text
    home = _absolute(whole)
    if home in {Path("/"), person}:
        raise SetupError(
            f"sayso cannot have {home} for its own folder; name one of its own in SAYSO_HOME", "config.home"
        )
    return Places(home, home / "config.toml", person)


def person_home(environ: Mapping[str, str]) -> Path:
    """Return what `~` means: the `HOME` of the process."""
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise SetupError("HOME is not set to an absolute path, so that ~ means nothing; set it", "config.home")
    return _absolute(home)


def named_by_the_desktop(environ: Mapping[str, str], person: Path) -> tuple[str, ...]:
    """Return the person's folders for documents, downloads and the desktop, whatever they are called.

    `user-dirs.dirs` names them; what it does not name is `~/Documents` and so on. A folder that it sets
    to the home itself is switched off and left out.
    """
    said = _user_dirs(environ, person)
    folders = [said.get(key, str(person / english)) for key, english in _FOLDERS.items()]
    return tuple(dict.fromkeys(folder for folder in folders if folder not in {str(person), "/"}))


def _user_dirs(environ: Mapping[str, str], person: Path) -> dict[str, str]:
    settings = environ.get("XDG_CONFIG_HOME", "")
    folder = Path(settings) if settings.startswith("/") else person / ".config"
    try:
        text = (folder / "user-dirs.dirs").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return {}
    out: dict[str, str] = {}
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        path = _expanded(found[2], person) if found else None
        if found and path is not None:
            out[found[1]] = path
    return out


def _expanded(value: str, person: Path) -> str | None:
    """Return the path a line means: `$HOME` at its start is the only thing that is expanded."""
    if value == "$HOME" or value.startswith("$HOME/"):
        return str(_absolute(str(person) + re.sub(r"\\(.)", r"\1", value[len("$HOME") :])))
    return str(_absolute(re.sub(r"\\(.)", r"\1", value))) if value.startswith("/") else None


def _absolute(path: str) -> Path:
    whole = os.path.abspath(path)  # noqa: PTH100 - Path.absolute() leaves `..` in
    return Path("/" + whole.lstrip("/"))
