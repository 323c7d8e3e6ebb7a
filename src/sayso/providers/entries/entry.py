"""Read one desktop entry: what an application is called, what starts it, and how its windows are known."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from sayso.core.arguments import text_problem
from sayso.core.values import dataclass
from sayso.providers.entries.argv import Unreadable, argv

MOST_BYTES = 2**20
_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\", ";": ";"}
_WANTED = frozenset(
    {
        *("Type", "Name", "Exec", "Icon", "StartupWMClass", "Path", "Terminal", "TryExec", "Hidden", "NoDisplay"),
        *("OnlyShowIn", "NotShowIn"),
    }
)
_TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Signs that make the letters after them stand in another order."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An application as its desktop entry describes it."""

    id: str
    """Such as `org.xfce.mousepad.desktop`."""
    path: str
    mark: str
    """What the file held, as a digest: another content is another application."""
    name: str
    """In the person's language."""
    command: tuple[str, ...]
    """Program and arguments; empty when it cannot be started."""
    plain: str = ""
    """The name without any language."""
    icon: str = ""
    wm_class: str = ""
    """What it says its windows are marked with."""
    folder: str = ""
    terminal: bool = False
    try_exec: str = ""
    hidden: bool = False
    """Deleted by the person, or not for the menus of this desktop."""

    @property
    def program(self) -> str:
        """Return the name of the program that runs in the end, without `env` and what that sets."""
        words = self.command
        if words and Path(words[0]).name == "env":
            words = tuple(word for word in words[1:] if "=" not in word and not word.startswith("-"))
        return Path(words[0]).name if words else ""


def read(path: Path, id_: str, languages: Sequence[str], desktops: Sequence[str]) -> Entry | None:
    """Return an entry, None for what is no application or cannot be read."""
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
    return Entry(
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
        hidden=_hidden(keys, desktops),
    )


def _keys(text: str) -> dict[str, str]:
    """Return what stands in the group of the entry itself, not in those of its actions."""
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
    """Take the escapes out that every value may have; another backslash stands for itself."""
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
    """Return the name in the person's language; empty for one that no person could read on one line."""
    said = next((keys[f"Name[{language}]"] for language in languages if f"Name[{language}]" in keys), keys.get("Name"))
    name = " ".join((said or "").split())
    return name if readable(name) else ""


def readable(name: str) -> bool:
    """Say whether a name reads as it is written: on one line, and in the order of its letters."""
    return bool(name) and text_problem(name, "line") is None and not set(name) & _TURNING


def _command(keys: Mapping[str, str], name: str, path: Path) -> tuple[str, ...]:
    icon = keys.get("Icon", "")
    codes = {"i": ("--icon", icon) if icon else (), "c": (name,), "k": (str(path),)}
    try:
        return argv(keys.get("Exec", ""), codes)
    except Unreadable:
        return ()


def _hidden(keys: Mapping[str, str], desktops: Sequence[str]) -> bool:
    only, never = ([name for name in keys.get(key, "").split(";") if name] for key in ("OnlyShowIn", "NotShowIn"))
    if keys.get("Hidden") == "true" or keys.get("NoDisplay") == "true":
        return True
    return bool(only and not set(only) & set(desktops)) or bool(set(never) & set(desktops))


def languages(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the person's languages as desktop entries write them, the most exact first."""
    said = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    locale, _, modifier = said.partition("@")
    locale = locale.partition(".")[0]
    if locale in {"", "C", "POSIX"}:
        return ()
    language = locale.partition("_")[0]
    with_modifier = [f"{part}@{modifier}" for part in (locale, language)] if modifier else []
    ordered = [*with_modifier[:1], locale, *with_modifier[1:], language]
    return tuple(dict.fromkeys(ordered))
