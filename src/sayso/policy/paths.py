"""Judge paths as text: normalize them, compare them with folders, and find denied names in them.

Nothing in this module reads a disk. Every package normalizes paths with `normal`, so that the judged path and the
opened path are the same text.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from sayso.core.errors import ProposalError
from sayso.core.normal_forms import normal_form
from sayso.core.quotes import quoted
from sayso.core.schema import text_problem
from sayso.policy.denylist import DENIED

Parts = tuple[str, ...]
"""The names of a path, in order."""

_REMEMBERED = 1024
"""The size of each cache; many rules check the same paths against the same folders."""

# Invisible code points that are not of category Cf (Unicode's Default_Ignorable_Code_Point). U+3164 and U+FFA0 are not
# listed because NFKC turns them into U+1160.
_IGNORABLE = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0xFE00, 0xFE0F),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)


def normal(path: str, home: str) -> str:
    """Return `path` as absolute, with `home` for a leading `~`, and without `.`, `..`, `//` and a trailing `/`.

    Raises `ProposalError` for a relative path, `~user`, an address, or a text with control characters.
    """
    return _normal(path, home)


@lru_cache(_REMEMBERED)
def _normal(path: str, home: str) -> str:
    wrong = text_problem(path, "path") if path else "is empty; write a path that is absolute or starts with ~/"
    if wrong is not None:
        raise ProposalError(f"{quoted(path)} {wrong}", "path.form")
    whole = home + path[1:] if path.startswith("~") else path
    kept: list[str] = []
    for part in whole.split("/"):
        if part == "..":
            del kept[-1:]
        elif part not in {"", "."}:
            kept.append(part)
    return "/" + "/".join(kept)


def within(path: str, folders: Iterable[str]) -> bool:
    """Return whether `path` is one of these folders or inside one, compared name by name.

    `/a/b_evil` is not inside `/a/b`.
    """
    return _as_folder(path).startswith(_as_folders(tuple(folders)))


def may_be_within(path: str, folders: Iterable[str]) -> bool:
    """Return whether some file system might treat `path` as one of these folders or as inside one."""
    return _as_folded_folder(path).startswith(_as_folded_folders(tuple(folders)))


def may_hold(path: str, folders: Iterable[str]) -> bool:
    """Return whether some file system might treat one of these folders as `path` or as inside it."""
    return path.startswith("/") and _as_folded_folder(path) in _with_folders_above(tuple(folders))


def same(path: str, folders: Iterable[str]) -> bool:
    """Return whether some file system might treat `path` as one of these folders."""
    return _as_folded_folder(path) in map(_as_folded_folder, folders)


# A path is compared with a trailing slash: it is inside a folder exactly if it starts with the folder's text.


@lru_cache(_REMEMBERED)
def _as_folder(path: str) -> str:
    return "/".join(("", *_parts(path), ""))


@lru_cache(_REMEMBERED)
def _as_folded_folder(path: str) -> str:
    return "/".join(("", *_fold_parts(path), ""))


@lru_cache(_REMEMBERED)
def _as_folders(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_as_folder(folder) for folder in folders if folder.startswith("/"))


@lru_cache(_REMEMBERED)
def _as_folded_folders(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_as_folded_folder(folder) for folder in folders if folder.startswith("/"))


def find_denied_name(path: str) -> str | None:
    """Return the entry of the list of denied names that `path` contains; None if it contains none."""
    return _find_denied_part(_fold_parts(path))


@lru_cache(_REMEMBERED)
def _find_denied_part(parts: Parts) -> str | None:
    for place in range(len(parts)):
        found = _denied_part_at(parts, place)
        if found is not None:
            return found
    return None


def why_denied(name: str) -> str:
    """Return the reason for a denied name that `find_denied_name` returned."""
    return DENIED[name]


def names_denied_in(names: Iterable[str], at: str) -> list[str]:
    """Return which of these paths, relative to one folder, are denied once the folder is at `at`.

    A file `fish` is harmless until the folder that contains it is renamed to `.config`.
    """
    return [name for name in names if find_denied_name(f"{at}/{name}") is not None]


def fold_name(name: str) -> str:
    """Return a name folded as the most permissive file system would compare it.

    Case, compatibility forms, invisible code points, and dots and spaces at the end are ignored. A colon and the text
    after it are removed, because they name a stream of the same file.
    """
    if name.isascii() and name.isprintable():
        shown = name.lower()
    else:
        shown = _without_invisible(name)
        for _ in range(3):
            shown = _without_invisible(normal_form(normal_form(shown, "NFKC").casefold(), "NFKC"))
        # Folding turns the Turkish capital dotted I into an i and a combining dot.
        shown = shown.replace("i\u0307", "i")
    return shown.partition(":")[0].rstrip(". \t")


def _without_invisible(text: str) -> str:
    return "".join(char for char in text if not _is_invisible(char))


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in {"Cf", "Cc"} or any(low <= ord(char) <= high for low, high in _IGNORABLE)


@lru_cache(_REMEMBERED)
def _with_folders_above(folders: tuple[str, ...]) -> frozenset[str]:
    parts = [_fold_parts(folder) for folder in folders]
    return frozenset("/".join(("", *one[:count], "")) for one in parts for count in range(len(one) + 1))


def _parts(path: str) -> Parts:
    return tuple(part for part in path.split("/") if part)


@lru_cache(_REMEMBERED)
def _fold_parts(path: str) -> Parts:
    if _is_plain(path):
        return _parts(path.lower())
    # A compatibility form of the slash becomes a separator here, which can only make the check stricter.
    return tuple(part for raw in path.split("/") for part in fold_name(raw).split("/") if part)


def _is_plain(path: str) -> bool:
    """Return whether only the case of letters needs folding, which is fast; most paths in batches are like this."""
    return (
        path.isascii()
        and path.isprintable()
        and not any(mark in path for mark in (":", "./", " /"))
        and (not path.endswith((".", " ")))
    )


def _denied_part_at(parts: Sequence[str], place: int) -> str | None:
    name = parts[place]
    if name.startswith(_STARTS) or name.endswith(_ENDS):
        return next(pattern for pattern in DENIED if _fits(name, pattern))
    for following in _BY_FIRST.get(name, ()):
        if _all_fit(parts[place : place + len(following)], following):
            return "/".join(following)
    return None


def _fits(name: str, pattern: str) -> bool:
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return name.endswith(pattern[1:]) if pattern.startswith("*") else name == pattern


def _all_fit(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(parts) == len(patterns) and all(map(_fits, parts, patterns))


def _by_first(entries: Iterable[str]) -> Mapping[str, list[list[str]]]:
    out: dict[str, list[list[str]]] = {}
    for entry in entries:
        names = entry.split("/")
        out.setdefault(names[0], []).append(names)
    return out


# Entries of several names are included, but never match, because a single name contains no slash.
_STARTS = tuple(entry[:-1] for entry in DENIED if entry.endswith("*"))
_ENDS = tuple(entry[1:] for entry in DENIED if entry.startswith("*"))
_BY_FIRST = _by_first(DENIED)
