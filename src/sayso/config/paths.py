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
    state, settings = load("sayso.config.platform_folders:folders")()
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


def desktop_folders(environ: Mapping[str, str], person: Path) -> tuple[str, ...]:
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
        path = _expand_home(found[2], person) if found else None
        if found and path is not None:
            out[found[1]] = path
    return out


def _expand_home(value: str, person: Path) -> str | None:
    """Return the path a line means: `$HOME` at its start is the only thing that is expanded."""
    if value == "$HOME" or value.startswith("$HOME/"):
        return str(_absolute(str(person) + re.sub(r"\\(.)", r"\1", value[len("$HOME") :])))
    return str(_absolute(re.sub(r"\\(.)", r"\1", value))) if value.startswith("/") else None


def _absolute(path: str) -> Path:
    whole = os.path.abspath(path)  # noqa: PTH100 - Path.absolute() leaves `..` in
    return Path("/" + whole.lstrip("/"))


_MOST_LINKS = 40


def also_own(at: Places) -> tuple[str, ...]:
    """Return what is sayso's own and lies in neither form of its folder: files, folders and ways there.

    A link may stand in the middle of a way, so each form that the way takes is named, not only the last.
    """
    own = (str(at.home), os.path.realpath(at.home))
    places = (*at.own_folders, at.config, at.actions, *at.state)
    found = dict.fromkeys(form for place in places for form in ways(str(place)))
    return tuple(form for form in found if not within(form, own))


def must_stand_apart(at: Places, real_roots: Iterable[str]) -> None:
    """Raise `SetupError` where a place that sayso writes to leads into a folder that actions may reach."""
    roots, own = tuple(real_roots), os.path.realpath(at.home)
    for place in at.state:
        real = os.path.realpath(place)
        if within(real, roots) and not within(real, (own,)):
            sentence = (
                f"{place} leads to {real} by a link, where actions may write; "
                "put it back into sayso's own folder, or take that folder out of policy.roots"
            )
            raise SetupError(sentence, "config.home")


def ways(path: str) -> tuple[str, ...]:
    """Return an absolute path in every form it takes while its links are followed, itself first."""
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
    """Return the way as far as it can be said without `..`, which means something only once links are followed."""
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
    """Close the person's folders of sayso to others, and return those that are left open.

    A folder of the default name is sayso's own, so it is made 0700. One that the person `named` in
    `SAYSO_HOME`, or put a link in place of, may be shared on purpose: it stays as it is, for the caller
    to say so. Either way every file that sayso makes in it is 0600. What is not the person's is left to
    `doctor`, and what is not there yet is made private when it is made.
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
    """One folder as it was written, absolute, and with its links resolved."""

    path: str
    real: str
    is_there: bool


def roots_at(paths: Iterable[str]) -> list[Root]:
    """Look where these folders are; nothing is made."""
    return [_root(path) for path in dict.fromkeys(paths)]


def _root(path: str) -> Root:
    real = os.path.realpath(path)
    return Root(path, real, os.path.isdir(real))  # noqa: PTH112 - Path.is_dir() raises where a folder is closed to us


def both(own: Sequence[Root], others: Sequence[Root]) -> list[Root]:
    """Return the folders that lie in one of each: the inner one of every pair that overlaps."""
    inner = [_inner(one, two) for one in own for two in others if one.is_there and two.is_there]
    return list(dict.fromkeys(root for root in inner if root is not None))


def _inner(one: Root, two: Root) -> Root | None:
    if within(one.real, (two.real,)):
        return one
    return two if within(two.real, (one.real,)) else None
