"""What file operations share: both ends of a move, differences, sizes, warnings, and what the system would run."""

import difflib
import hashlib
import posixpath
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from types import MappingProxyType

from msgspec.structs import replace

from sayso.core.errors import ProviderError
from sayso.policy.denylist import DENIED
from sayso.policy.paths import find_denied_name, fold_name, names_denied_in
from sayso.providers.files import errors
from sayso.providers.files.model import Unchanged
from sayso.providers.files.store import Files, Gap, Item, Place


def size_in_words(size: int) -> str:
    """Write a size exactly: `1 byte`, `12,345 bytes`."""
    return "1 byte" if size == 1 else f"{size:,} bytes"


def things(count: int) -> str:
    """Write how many things there are: `1 thing`, `12 things`."""
    return "1 thing" if count == 1 else f"{count:,} things"


def name_item(item: Item, said: str) -> str:
    """Name an item with its kind unless it is a plain file, and of a folder how much it holds."""
    if item.kind == "folder":
        return f"the folder “{said}” with {things(item.entries)} in it ({size_in_words(item.size)})"
    return f"the link “{said}”" if item.kind == "link" else f"“{said}”"


def about_denied(item: Item, said: str, becomes: str) -> tuple[str, ...]:
    """Warn of protected names within a tree, such as those of a git checkout; nothing when there are none."""
    if not item.denied:
        return ()
    names = ", ".join(f"“{name}”" for name in item.denied)
    return (f"“{said}” holds protected names, which {becomes}: {names}",)


def about_other_names(item: Item, said: str, new: str) -> tuple[str, ...]:
    """Warn that a file has another name, which will keep the old content (a hard link)."""
    if item.links <= 1:
        return ()
    names = f"“{said}” has another name elsewhere ({item.links} names in all)"
    return (f"{names}: {new} goes under this name only, the other keeps what it has",)


def about_links(said: str, path: str) -> tuple[str, ...]:
    """Say where a path leads when a link on the way takes it elsewhere than it reads."""
    plain = posixpath.normpath(said)
    as_it_reads = path.endswith(plain[1:]) if plain.startswith("~") else path == plain
    return () if as_it_reads else (f"“{said}” leads to “{path}”",)


WHOLE = 100_000
"""Names in a tree that are looked at."""
_HEADS = frozenset(name for entry in DENIED for name in entry.split("/")[:-1])
"""Names that, with one below them, make a protected name."""


async def place_for(files: Files, path: str) -> Place:
    """Return the free place `path`; without a folder to stand in, the error says how to make it."""
    try:
        return await files.free(path)
    except ProviderError:
        folder = posixpath.dirname(path.rstrip("/"))
        if folder in {"", "/"} or not isinstance(await files.gap(folder), Gap):
            raise
        raise errors.no_folder(path, folder) from None


async def place_beside(files: Files, source: Item, said: str, path: str) -> Place | None:
    """Return the place to move `source` to; None when that is where it is already.

    Where letters of either case are one, a name that differs only in case is taken by the thing itself:
    that place is given, expecting nothing but the thing.
    """
    try:
        place = await place_for(files, path)
    except ProviderError:
        if not await files.exists(path):
            raise
        there = await files.look(path)
        if there.path == source.path:
            return None
        if _is_same(source, there):
            return replace(await _folder_of(files, path), path=there.path)
        raise
    if place.path.startswith(source.path + "/"):
        raise errors.inside_itself(said, path)
    return place


async def must_stay_allowed(files: Files, source: Item, place: Place, said: str) -> None:
    """Refuse a new place that would make a protected name of one inside: `hooks` in a folder renamed to `.git`."""
    if source.kind != "folder" or fold_name(posixpath.basename(place.path)) not in _HEADS:
        return
    if source.entries > WHOLE:
        raise errors.too_many_names(said, WHOLE)
    inside = await files.find(source.path, "*", WHOLE)
    if len(inside.entries) + inside.omitted > WHOLE:
        raise errors.too_many_names(said, WHOLE)
    names = [entry.path.removeprefix(source.path + "/") for entry in inside.entries]
    for name in names_denied_in(names, at=place.path):
        raise errors.name_denied_error(said, find_denied_name(f"{place.path}/{name}") or name)


async def _folder_of(files: Files, path: str) -> Place:
    # Asked with a name that nothing has, for the fact about the folder; only that fact is used.
    return await files.free(posixpath.join(posixpath.dirname(path.rstrip("/")), files.token()))


def _is_same(one: Item, other: Item) -> bool:
    if not isinstance(one.fact, Unchanged) or not isinstance(other.fact, Unchanged) or one.links != 1:
        return False
    same_thing = (one.fact.device, one.fact.inode) == (other.fact.device, other.fact.inode)
    return same_thing and _fold_path(one.path) == _fold_path(other.path)


def _fold_path(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


MOST_LINES = 200
MOST_BYTES = 20_000
COMPARED = 100_000
"""Bytes of a text up to which lines are compared; the time for it grows with the square."""
COMPARED_LINES = 2_000
BUDGET = 100_000
"""Pairs of alike lines that are looked at for one preview; a batch has many, and lines can repeat."""

_LONG = 200


class _Spent(Exception):
    """The comparison takes more steps than a preview may."""


class _Matcher(difflib.SequenceMatcher[str]):
    """Compares lines and gives up, rather than taking minutes, when they repeat without end."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        super().__init__(None, before, after)
        count = Counter(after)
        # difflib passes over lines that a long text repeats again and again.
        most = len(after) // 100 + 1 if len(after) >= _LONG else len(after)
        alike = [1 + (count[line] if count[line] <= most else 0) for line in before]
        self._pairs = list(accumulate(alike, initial=0))
        self._left = BUDGET

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        """Return the longest block that both have. Raises `_Spent`."""
        self._left -= self._pairs[len(self._pairs) - 1 if ahi is None else ahi] - self._pairs[alo]
        if self._left < 0:
            raise _Spent
        return super().find_longest_match(alo, ahi, blo, bhi)


async def difference(files: Files, path: str, found: Item, content: str) -> str:
    """Return the unified diff from what stands at `path` to `content`, bounded."""
    new = content.encode()
    if max(found.size, len(new)) > COMPARED:
        return _by_hash(found, new, "too long to compare line by line")
    old = await files.read(path, COMPARED)
    if not old.exact or "\0" in old.text:
        return _by_hash(found, new, "not a text file")
    before, after = _lines(old.text), _lines(content)
    if max(len(before), len(after)) > COMPARED_LINES:
        return _by_hash(found, new, "too long to compare line by line")
    try:
        return bound_lines(list(_unified_diff(before, after)))
    except _Spent:
        return _by_hash(found, new, "too different to compare line by line")


def added_lines(content: str) -> str:
    """Return a text that is only added as the lines of a diff, bounded."""
    return bound_lines(f"+{line}" for line in _lines(content))


def bound_lines(lines: Iterable[str]) -> str:
    """Join lines up to 200 and 20 kB, and say how many more there are."""
    kept: list[str] = []
    size = more = 0
    for line in lines:
        for part in line.split("\n"):
            size += len(part.encode()) + 1
            if more or len(kept) == MOST_LINES or size > MOST_BYTES:
                more += 1
            else:
                kept.append(part)
    return "\n".join([*kept, *([f"… {more:,} more {'line' if more == 1 else 'lines'}"] if more else [])])


def _unified_diff(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff, as `difflib.unified_diff` would."""
    for number, group in enumerate(_Matcher(before, after).get_grouped_opcodes(3)):
        if not number:
            yield from ("--- before", "+++ after")
        yield f"@@ -{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])} @@"
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[start:end])
                continue
            yield from (f"-{line}" for line in before[start:end])
            yield from (f"+{line}" for line in after[new_start:new_end])


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _lines(text: str) -> list[str]:
    # Only \n ends a line: what splitlines takes for line ends besides is content.
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1]:
        return [*lines[:-1], lines[-1] + "\n\\ no newline at the end"]
    return lines[:-1]


def _by_hash(found: Item, new: bytes, why: str) -> str:
    old = found.fact.sha256 if isinstance(found.fact, Unchanged) else ""
    before = f"before: {size_in_words(found.size)}" + (f", SHA-256 {old}" if old else "")
    after = f"after: {size_in_words(len(new))}, SHA-256 {hashlib.sha256(new).hexdigest()}"
    return f"{why}\n{before}\n{after}"


_SHELL = "a shell would run it"
_SCRIPT = "an interpreter would run it"
_MAC = "macOS would run it"
_WINDOWS = "Windows, or what stands in for it, would run it"
_INSTALL = "it installs software"
_STARTER = "it starts a program named in it"
_ELSEWHERE = "it leads to an address named in it"

RUN: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (".sh", ".bash", ".zsh", ".csh", ".tcsh", ".ksh", ".fish", ".dash", ".command", ".tool"), _SHELL
        ),
        **dict.fromkeys(
            (".py", ".pyw", ".pyc", ".pyz", ".pl", ".rb", ".php", ".lua", ".tcl", ".jar", ".jnlp"), _SCRIPT
        ),
        **dict.fromkeys((".scpt", ".scptd", ".applescript", ".app", ".workflow", ".action", ".terminal"), _MAC),
        **dict.fromkeys((".osax", ".prefpane", ".saver", ".kext", ".qlgenerator", ".mobileconfig", ".shortcut"), _MAC),
        **dict.fromkeys((".pkg", ".mpkg", ".deb", ".rpm", ".flatpakref", ".flatpakrepo", ".snap", ".msi"), _INSTALL),
        **dict.fromkeys((".appimage", ".run", ".bin", ".out", ".so", ".dylib"), "it is a program"),
        **dict.fromkeys((".desktop", ".service", ".lnk", ".pif", ".kdelnk"), _STARTER),
        **dict.fromkeys((".exe", ".bat", ".cmd", ".com", ".ps1", ".vbs", ".vbe", ".wsf", ".hta", ".scr"), _WINDOWS),
        **dict.fromkeys((".inetloc", ".fileloc", ".webloc", ".url", ".afploc", ".vncloc"), _ELSEWHERE),
    }
)
"""Endings of names, in small letters, of what is run or leads on when it is opened, each with the reason."""


def why_run(item: Item, said: str) -> str | None:
    """Return why opening `item`, asked for as `said`, would run something; None when it is only shown."""
    for path in (said, item.path):
        reason = RUN.get(_ending(path))
        if reason is not None:
            return reason
    if item.kind == "file" and item.mode & 0o111:
        return "it is marked as a program (an execute bit)"
    return None


def _ending(path: str) -> str:
    # As the most generous system would read it: no case, no dots or spaces at the end.
    return posixpath.splitext(fold_name(posixpath.basename(path.rstrip("/"))))[1]
