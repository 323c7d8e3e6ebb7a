"""Where sayso keeps its settings and state, and where the person's own folders are."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from sayso.core.errors import SetupError
from sayso.core.lazy import load
from sayso.policy.paths import within

_FOLDERS = {"XDG_DOCUMENTS_DIR": "Documents", "XDG_DOWNLOAD_DIR": "Downloads", "XDG_DESKTOP_DIR": "Desktop"}
_LINE = re.compile(r'\s*(XDG_[A-Z]+_DIR)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')


class Places(Struct, frozen=True):
    """The absolute paths of one home of sayso. Asking for a path does not create it."""

    home: Path
    """sayso's own folder, which contains all state."""
    config: Path
    """The file of settings; it may be in another folder."""
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
        """Return the folder with the data that undo needs."""
        return self.home / "trash"

    @property
    def scratch(self) -> Path:
        """Return the folder of short-lived files."""
        return self.home / "tmp"

    @property
    def locks(self) -> Path:
        """Return the folder of the locks that processes hold."""
        return self.home / "locks"

    @property
    def agents(self) -> Path:
        """Return the folder of what agents have begun and not ended yet, as their hooks told it."""
        return self.home / "agents"

    @property
    def upkeep(self) -> Path:
        """Return the file with the time of the last daily clean-up."""
        return self.home / "upkeep"

    @property
    def state(self) -> tuple[Path, ...]:
        """Return every path that sayso itself writes to; none may lead, by a link, to where actions may write."""
        return (self.database, self.lists, self.logs, self.trash, self.scratch, self.locks, self.agents, self.upkeep)

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Return sayso's folders: the one with its state and, if the settings are in another, that one too."""
        return tuple(dict.fromkeys((self.home, self.config.parent)))


def places(environ: Mapping[str, str]) -> Places:
    """Return the paths in `SAYSO_HOME`, or else in the platform's folders for settings and state."""
    person = person_home(environ)
    named = environ.get("SAYSO_HOME", "")
    if named:
        return in_folder(named, person)
    platform = load("platformdirs:PlatformDirs")("sayso", appauthor=False)
    return Places(_absolute(platform.user_data_dir), _absolute(platform.user_config_dir) / "config.toml", person)


def in_folder(folder: str | Path, person: Path) -> Places:
    """Return the paths of a home whose settings and state are in this one folder.

    Raises `SetupError` for `/` and for the person's home folder.
    """
    text = str(folder)
    whole = str(person) + text[1:] if text == "~" or text.startswith("~/") else text
    home = _absolute(whole)
    if home in {Path("/"), person}:
        raise SetupError(
            f"sayso cannot use {home} as its own folder; set SAYSO_HOME to a folder for sayso alone", "config.home"
        )
    return Places(home, home / "config.toml", person)


def person_home(environ: Mapping[str, str]) -> Path:
    """Return the folder that `~` means: the `HOME` of the process. Raises `SetupError` when it is not set."""
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise SetupError("HOME is not set to an absolute path, so ~ has no meaning; set it", "config.home")
    return _absolute(home)


def desktop_folders(environ: Mapping[str, str], person: Path) -> tuple[str, ...]:
    """Return the person's folders for documents, downloads and the desktop, whatever they are called.

    The file `user-dirs.dirs` names them; for one that it does not name, `~/Documents`, `~/Downloads` or `~/Desktop` is
    used. A folder that the file sets to the home folder itself is switched off, and is left out.
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
        path = _expand_home(found[2], person) if found else None
        if found and path is not None:
            out[found[1]] = path
    return out


def _expand_home(value: str, person: Path) -> str | None:
    """Return the path that a value in `user-dirs.dirs` means; only `$HOME` at its start is expanded."""
    if value == "$HOME" or value.startswith("$HOME/"):
        return str(_absolute(str(person) + re.sub(r"\\(.)", r"\1", value[len("$HOME") :])))
    return str(_absolute(re.sub(r"\\(.)", r"\1", value))) if value.startswith("/") else None


def _absolute(path: str) -> Path:
    whole = os.path.abspath(path)  # noqa: PTH100 - Path.absolute() leaves `..` in
    return Path("/" + whole.lstrip("/"))


_MOST_LINKS = 40


def also_own(at: Places) -> tuple[str, ...]:
    """Return every path of sayso's own that lies outside its home folder, as written and with its links resolved.

    A link may lead to another link, so every form that a path takes while its links are followed is returned, not only
    the last one.
    """
    own = (str(at.home), os.path.realpath(at.home))
    places = (*at.own_folders, at.config, at.actions, *at.state)
    found = dict.fromkeys(form for place in places for form in ways(str(place)))
    return tuple(form for form in found if not within(form, own))


def must_stand_apart(at: Places, real_roots: Iterable[str]) -> None:
    """Raise `SetupError` if a path that sayso writes to leads into a folder that actions may reach."""
    roots, own = tuple(real_roots), os.path.realpath(at.home)
    for place in at.state:
        real = os.path.realpath(place)
        if within(real, roots) and not within(real, (own,)):
            sentence = (
                f"{place} leads by a link to {real}, where actions may write; "
                "put it back into sayso's own folder, or take that folder out of policy.roots"
            )
            raise SetupError(sentence, "config.home")


def ways(path: str) -> tuple[str, ...]:
    """Return every form that an absolute path takes while its links are followed, beginning with the path itself."""
    forms = {path: None}
    here, ahead, links = "", _names(path), 0
    while ahead:
        name = ahead.pop(0)
        if name == "..":
            here = here.rpartition("/")[0]
            continue
        target = _target(f"{here}/{name}")
        if target is None or links == _MOST_LINKS:
            here = f"{here}/{name}"
            continue
        links += 1
        forms[_form(f"{here}/{name}", ahead)] = None
        here = "" if target.startswith("/") else here
        ahead = [*_names(target), *ahead]
    forms[here or "/"] = None
    return tuple(forms)


def _form(here: str, ahead: list[str]) -> str:
    """Return the path up to its first `..`, whose meaning is known only after links are followed."""
    sure = ahead[: ahead.index("..")] if ".." in ahead else ahead
    return "/".join((here, *sure))


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


def _target(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115 - Path.readlink() takes `.` and `//` out of the text
    except OSError:
        return None


OTHERS = 0o077
PRIVATE = 0o700


def open_to_others(at: Places, *, named: bool) -> Iterator[Path]:
    """Close sayso's folders to other users, and yield those that stay open.

    A folder with the default name is sayso's own, so its mode is set to 0700. A folder that the person `named` in
    `SAYSO_HOME`, or replaced by a link, may be shared on purpose: it is not changed, and the caller can say so. In both
    cases, every file that sayso makes in it has mode 0600. A folder of another owner is skipped here, and `doctor`
    reports it. A folder that does not exist yet is made private when it is created.
    """
    for folder in at.own_folders:
        if not _lets_others_in(folder):
            continue
        if named or folder.is_symlink():
            yield folder
        else:
            folder.chmod(PRIVATE)


def _lets_others_in(folder: Path) -> bool:
    try:
        found = folder.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and bool(found.st_mode & OTHERS)


class Root(Struct, frozen=True):
    """One folder: its absolute path as written, and its path with links resolved."""

    path: str
    real: str
    is_there: bool


def roots_at(paths: Iterable[str]) -> list[Root]:
    """Return these folders with links resolved, and whether each exists; nothing is created."""
    return [_root(path) for path in dict.fromkeys(paths)]


def _root(path: str) -> Root:
    real = os.path.realpath(path)
    return Root(path, real, os.path.isdir(real))  # noqa: PTH112 - Path.is_dir() raises where a folder is closed to us


def both(own: Sequence[Root], others: Sequence[Root]) -> list[Root]:
    """Return the folders that are within both lists of roots: of every pair that overlaps, the inner one."""
    inner = [_inner(one, two) for one in own for two in others if one.is_there and two.is_there]
    return list(dict.fromkeys(root for root in inner if root is not None))


def _inner(one: Root, two: Root) -> Root | None:
    if within(one.real, (two.real,)):
        return one
    return two if within(two.real, (one.real,)) else None
