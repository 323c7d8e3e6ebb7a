"""Judge paths as text: what they mean, what they lie within, and whether a name in them is denied.

Nothing here looks at a disk. `normal` is what every room uses to read a path, so that the path that was
judged and the path that is opened are the same text.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from sayso.core.errors import ProposalError
from sayso.core.schema import text_problem
from sayso.policy.denylist import DENIED

Parts = tuple[str, ...]
"""The names of a path, one after the other."""

_REMEMBERED = 1024
"""Paths, and lists of folders, that are remembered: many rules ask about each, and about the same folders again."""

# Code points that show nothing and are not of category Cf (Unicode's Default_Ignorable_Code_Point); two more
# are other forms of 0x1160.
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
    """Return `path` absolute, with a leading `~` as `home` and without `.`, `..`, `//` and a last `/`.

    Raises `ProposalError` for what names no place here: a relative path, `~user`, an address.
    """
    return _normal(path, home)


@lru_cache(_REMEMBERED)
def _normal(path: str, home: str) -> str:
    wrong = text_problem(path, "path") if path else "is empty; write a path that is absolute or starts with ~/"
    if wrong is not None:
        raise ProposalError(f"“{path}” {wrong}", "path.form")
    whole = home + path[1:] if path.startswith("~") else path
    kept: list[str] = []
    for part in whole.split("/"):
        if part == "..":
            del kept[-1:]
        elif part not in {"", "."}:
            kept.append(part)
    return "/" + "/".join(kept)


def within(path: str, folders: Iterable[str]) -> bool:
    """Say whether `path` is one of these folders or lies in one, name by name (`/a/b_evil` is not in `/a/b`)."""
    return _as_folder(path).startswith(_as_folders(tuple(folders)))


def may_be_within(path: str, folders: Iterable[str]) -> bool:
    """Say the same where some file system may take two spellings for one: for what is to be protected."""
    return _as_folded_folder(path).startswith(_as_folded_folders(tuple(folders)))


def may_hold(path: str, folders: Iterable[str]) -> bool:
    """Say whether one of these folders may be `path` or lie in it, in whatever spelling."""
    return path.startswith("/") and _as_folded_folder(path) in _with_folders_above(tuple(folders))


def same(path: str, folders: Iterable[str]) -> bool:
    """Say whether `path` may be one of these folders, in whatever spelling."""
    return _as_folded_folder(path) in map(_as_folded_folder, folders)


# A path is written with a slash after its last name, too: then one lies in another exactly if it begins with it.


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
    """Return the name or names in `path` that no action may touch, as the list has them; None when there are none."""
    return _find_denied_part(_fold_parts(path))


@lru_cache(_REMEMBERED)
def _find_denied_part(parts: Parts) -> str | None:
    for place in range(len(parts)):
        found = _denied_part_at(parts, place)
        if found is not None:
            return found
    return None


def why_denied(name: str) -> str:
    """Return the reason that stands beside a name `denied_name` returned."""
    return DENIED[name]


def names_denied_in(names: Iterable[str], at: str) -> list[str]:
    """Return those of these paths, relative to one folder, that are denied; `at` is where the folder will stand.

    A harmless `fish` becomes denied by being moved to a place called `.config`.
    """
    return [name for name in names if find_denied_name(f"{at}/{name}") is not None]


def fold_name(name: str) -> str:
    """Return one name as the most generous file system would compare it.

    Case, compatibility forms, code points that show nothing, and dots and spaces at the end make no
    difference; what follows a colon names a stream of the same file.
    """
    if name.isascii() and name.isprintable():
        shown = name.lower()
    else:
        shown = _without_invisible(name)
        for _ in range(3):
            shown = _without_invisible(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", shown).casefold()))
        # The capital dotted I of Turkish falls apart into an i and a dot above.
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
    # A compatibility form of the slash falls apart into two names here: stricter, and never looser.
    return tuple(part for raw in path.split("/") for part in fold_name(raw).split("/") if part)


def _is_plain(path: str) -> bool:
    """Say whether only the case of letters can differ; a batch has thousands of such paths."""
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


# One name holds no slash, so that of the entries of several names none fits it.
_STARTS = tuple(entry[:-1] for entry in DENIED if entry.endswith("*"))
_ENDS = tuple(entry[1:] for entry in DENIED if entry.startswith("*"))
_BY_FIRST = _by_first(DENIED)
