"""Desktop entries: the installed applications, their names, and the commands that start them."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from sayso.core.errors import ProviderError
from sayso.core.schema import text_problem
from sayso.providers.programs.run import find_program

_ESCAPABLE = '"`$\\'
_FILES = frozenset("fFuUdDnNvm")
"""Codes for files, including obsolete ones; they are left out, because no file is passed to the application."""


class InvalidCommand(ValueError):
    """A command that breaks the rules of desktop entries; its message says how."""


def parse_command(command: str, codes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the arguments of an `Exec` line. Raises `InvalidCommand`.

    `codes` holds the arguments for `%i`, `%c` and `%k`; codes of files are left out.
    """
    found: list[str] = []
    for word, quoted in _words(command):
        # The specification does not define codes inside quotes. They are kept as they are, except that a doubled
        # percent sign becomes a single one.
        found += [word.replace("%%", "%")] if quoted else _fill_codes(word, codes)
    if not found or not found[0]:
        raise InvalidCommand("it names no program")
    return tuple(found)


def _words(command: str) -> list[tuple[str, bool]]:
    """Split at spaces outside double quotes; return each word, and whether it was quoted."""
    words: list[tuple[str, bool]] = []
    word, began, quoted, inside = "", False, False, False
    signs = iter(command)
    for sign in signs:
        if sign == '"':
            inside, began, quoted = not inside, True, True
        elif sign == "\\":
            following = next(signs, None)
            if following is None:
                raise InvalidCommand("it ends in a backslash")
            # Inside quotes, a backslash escapes only four characters, and is literal before any other.
            word, began = word + (sign if inside and following not in _ESCAPABLE else "") + following, True
        elif sign in " \t" and not inside:
            words += [(word, quoted)] if began else []
            word, began, quoted = "", False, False
        else:
            word, began = word + sign, True
    if inside:
        raise InvalidCommand("a quote is not closed")
    return [*words, (word, quoted)] if began else words


def _fill_codes(word: str, codes: Mapping[str, tuple[str, ...]]) -> list[str]:
    if len(word) == len("%x") and word.startswith("%") and word != "%%":
        return list(_meaning(word[1], codes))
    filled, signs = "", iter(word)
    for sign in signs:
        if sign != "%":
            filled += sign
            continue
        code = next(signs, "")
        filled += "%" if code == "%" else " ".join(_meaning(code, codes))
    return [filled]


def _meaning(code: str, codes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if code in codes:
        return codes[code]
    if code in _FILES and code:
        return ()
    raise InvalidCommand(f"“%{code}” means nothing")


MOST_BYTES = 2**20
_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\", ";": ";"}
_WANTED = frozenset(
    {
        *("Type", "Name", "Exec", "Icon", "StartupWMClass", "Path", "Terminal", "TryExec", "Hidden", "NoDisplay"),
        *("OnlyShowIn", "NotShowIn"),
    }
)
_BIDI_CONTROLS = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Characters that change the order in which letters are displayed."""


class DesktopEntry(Struct, frozen=True):
    """An application as its desktop entry describes it."""

    id: str
    """For example `org.xfce.mousepad.desktop`."""
    path: str
    mark: str
    """A digest of the file, by which a changed entry is recognized."""
    name: str
    """The name in the person's language."""
    command: tuple[str, ...]
    """The program and its arguments; empty if it cannot be started."""
    plain: str = ""
    """The name without a translation."""
    icon: str = ""
    wm_class: str = ""
    """The class of the application's windows, as the entry declares it."""
    folder: str = ""
    terminal: bool = False
    try_exec: str = ""
    hidden: bool = False
    """Whether the entry was deleted by the person, or is not for the menus of this desktop."""

    @property
    def program(self) -> str:
        """Return the name of the program itself; a leading `env` and its variables are skipped."""
        words = self.command
        if words and Path(words[0]).name == "env":
            words = tuple(word for word in words[1:] if "=" not in word and not word.startswith("-"))
        return Path(words[0]).name if words else ""


def read(path: Path, id_: str, languages: Sequence[str], desktops: Sequence[str]) -> DesktopEntry | None:
    """Return the entry in a file; None if the file is no application or cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError:
        return None
    if len(content) > MOST_BYTES:
        return None
    keys = _keys(content.decode("utf-8", "replace"))
    name = _name(keys, languages)
    if keys.get("Type") != "Application" or not name:
        return None
    return DesktopEntry(
        id_,
        str(path),
        hashlib.sha256(content).hexdigest()[:16],
        name,
        _command(keys, name, path),
        _name(keys, ()),
        icon=keys.get("Icon", ""),
        wm_class=keys.get("StartupWMClass", ""),
        folder=keys.get("Path", ""),
        terminal=keys.get("Terminal") == "true",
        try_exec=keys.get("TryExec", ""),
        hidden=_is_hidden(keys, desktops),
    )


def _keys(text: str) -> dict[str, str]:
    """Return the keys of the main section, without those of the entry's actions."""
    keys: dict[str, str] = {}
    inside = False
    for line in map(str.strip, text.split("\n")):
        if line.startswith("["):
            inside = line == "[Desktop Entry]"
        elif inside and "=" in line and not line.startswith("#"):
            key, _, value = (part.strip() for part in line.partition("="))
            if key.partition("[")[0] in _WANTED:
                keys.setdefault(key, _plain(value))
    return keys


def _plain(value: str) -> str:
    """Replace the escapes that every value may contain; other backslashes are kept."""
    if "\\" not in value:
        return value
    plain, signs = "", iter(value)
    for sign in signs:
        if sign != "\\":
            plain += sign
            continue
        following = next(signs, "")
        plain += _ESCAPES.get(following, f"\\{following}")
    return plain


def _name(keys: Mapping[str, str], languages: Sequence[str]) -> str:
    """Return the name in the person's language; empty if it cannot be shown on one line."""
    name = next((keys[f"Name[{language}]"] for language in languages if f"Name[{language}]" in keys), keys.get("Name"))
    name = " ".join((name or "").split())
    return name if is_readable_name(name) else ""


def is_readable_name(name: str) -> bool:
    """Say whether a name can be displayed on one line, with its letters in their written order."""
    return bool(name) and text_problem(name, "line") is None and not set(name) & _BIDI_CONTROLS


def _command(keys: Mapping[str, str], name: str, path: Path) -> tuple[str, ...]:
    icon = keys.get("Icon", "")
    codes = {"i": ("--icon", icon) if icon else (), "c": (name,), "k": (str(path),)}
    try:
        return parse_command(keys.get("Exec", ""), codes)
    except InvalidCommand:
        return ()


def _is_hidden(keys: Mapping[str, str], desktops: Sequence[str]) -> bool:
    only, never = ([name for name in keys.get(key, "").split(";") if name] for key in ("OnlyShowIn", "NotShowIn"))
    if keys.get("Hidden") == "true" or keys.get("NoDisplay") == "true":
        return True
    return bool(only and not set(only) & set(desktops)) or bool(set(never) & set(desktops))


def languages(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the person's languages as desktop entries name them, the most specific one first."""
    setting = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    locale, _, modifier = setting.partition("@")
    locale = locale.partition(".")[0]
    if locale in {"", "C", "POSIX"}:
        return ()
    language = locale.partition("_")[0]
    with_modifier = [f"{part}@{modifier}" for part in (locale, language)] if modifier else []
    ordered = [*with_modifier[:1], locale, *with_modifier[1:], language]
    return tuple(dict.fromkeys(ordered))


SUFFIX = ".desktop"
_PIECES = re.compile(r"[\s=;:,|&<>()'\"]+")
"""Characters that may surround a path in a word of a command."""
_AT_HOME = re.compile(r"\A(~|\$HOME|\$\{HOME\})/")


def folders(environ: Mapping[str, str], home: str) -> tuple[Path, ...]:
    """Return the application folders, in order of precedence; relative ones are ignored."""
    own = environ.get("XDG_DATA_HOME") or f"{home}/.local/share"
    shared = environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    places = dict.fromkeys(Path(place) for place in (own, *shared.split(":")) if place.startswith("/"))
    return tuple(place / "applications" for place in places)


class InstalledEntries(Struct, frozen=True):
    """The desktop entries of this machine, each id once."""

    entries: tuple[DesktopEntry, ...]
    environ: Mapping[str, str]
    roots: tuple[str, ...] = ()
    """The folders in which file actions may write."""

    def menu_entries(self) -> tuple[DesktopEntry, ...]:
        """Return the entries that a person finds in the menus and may launch."""
        return tuple(
            entry for entry in self.entries if not entry.hidden and entry.command and self._is_available(entry)
        )

    def find_by_name(self, name: str) -> tuple[DesktopEntry, ...]:
        """Return the menu entries with exactly this name, translated or untranslated."""
        return tuple(entry for entry in self.menu_entries() if name in {entry.name, entry.plain})

    def _is_available(self, entry: DesktopEntry) -> bool:
        return not entry.try_exec or find_program(entry.try_exec, self.environ) is not None

    def reachable_part(self, entry: DesktopEntry) -> str | None:
        """Return the part of an entry that file actions could have written; None if there is none (AP-01)."""
        for path in (entry.path, *self._command_names(entry.command)):
            if path and any(_beneath(os.path.realpath(path), os.path.realpath(root)) for root in self.roots):
                return path
        return None

    def _command_names(self, command: Sequence[str]) -> Iterator[str]:
        """Yield the program of a command and every path in the command.

        The program may be an interpreter, which runs a file that is named in its arguments.
        """
        if command and (program := find_program(command[0], self.environ)):
            yield program
        home = self.environ.get("HOME", "")
        for word in command:
            for piece in _PIECES.split(word):
                path = _AT_HOME.sub(lambda _: f"{home}/", piece)
                if path.startswith("/"):
                    yield path

    def require_out_of_reach(self, entry: DesktopEntry) -> None:
        """Raise `ProviderError` if file actions may write a part of the entry, which could then run anything."""
        reach = self.reachable_part(entry)
        if reach is not None:
            raise ProviderError(
                f"{entry.name} is started from {reach}, which file actions may change; open it by hand", "app.reachable"
            )


class ApplicationFolders:
    """The application folders of an environment; an entry is read again only when its file has changed."""

    def __init__(self, environ: Mapping[str, str], home: str, roots: tuple[str, ...] = ()) -> None:
        self._environ = environ
        self._folders = folders(environ, home)
        self._roots = roots
        self._languages = languages(environ)
        self._desktops = environ.get("XDG_CURRENT_DESKTOP", "").split(":")
        self._read: dict[Path, tuple[tuple[int, ...], DesktopEntry | None]] = {}

    def look(self) -> InstalledEntries:
        """Return the entries in every folder."""
        entries: dict[str, DesktopEntry | None] = {}
        for folder in self._folders:
            for path, id_ in _files(folder):
                if id_ not in entries:
                    entries[id_] = self._entry(path, id_)
        return InstalledEntries(
            tuple(entry for entry in entries.values() if entry is not None), self._environ, self._roots
        )

    def _entry(self, path: Path, id_: str) -> DesktopEntry | None:
        try:
            at = path.stat()
        except OSError:
            return None
        # Writing to a file or replacing it changes its time of change.
        version = (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns)
        known = self._read.get(path)
        if known is None or known[0] != version:
            known = version, read(path, id_, self._languages, self._desktops)
            self._read[path] = known
        return known[1]


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the entry files below a folder with their ids: their relative paths, joined with dashes."""
    for at, inner, names in os.walk(folder):
        inner.sort()
        for name in sorted(names):
            if name.endswith(SUFFIX):
                path = Path(at) / name
                yield path, "-".join(path.relative_to(folder).parts)


def _beneath(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
