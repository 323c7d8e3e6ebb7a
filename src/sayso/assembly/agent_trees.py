"""What changed in the tree of a folder while another program ran, as steps that describe it and steps that undo it."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from sayso.core.plan import CannotUndo, Change, Step
from sayso.core.ports import TreeEntry, TreeSurvey
from sayso.core.quotes import quoted
from sayso.providers.files.model import ExchangeFiles, Keep, MakeFolders, RemoveFolders, Rename, Unkeep

NO_COPY = CannotUndo("sayso had kept no copy of it")
MOST_CHANGES = 500
"""If more has changed, only their number is written down."""


class TreeChange(Struct, frozen=True):
    """One change, how it is told in a list, and the file that is kept for it: its path and the name of the copy."""

    change: Change
    told: str
    kept: tuple[str, str] | None = None


Entries = Mapping[str, TreeEntry]


def changes_between(before: TreeSurvey, after: TreeSurvey, token: Callable[[], str]) -> list[TreeChange]:
    """Return the changes in an order in which they can be undone, last first.

    If a survey is not whole, only what both of them saw is compared.
    """
    whole = before.whole and after.whole
    gone = {path: entry for path, entry in before.entries.items() if whole and path not in after.entries}
    new = {path: entry for path, entry in after.entries.items() if whole and path not in before.entries}
    both = [(path, entry, after.entries[path]) for path, entry in before.entries.items() if path in after.entries]
    moves = list(_moves(gone, new))
    return [
        *[_made_folder(path, token) for path, entry in new.items() if entry.kind == "folder"],
        *[_moved(old, now) for old, now in moves],
        *[_made(path, token) for path, entry in new.items() if entry.kind != "folder"],
        *[_written(path, was) for path, was, now in both if _differs(was, now)],
        *[_removed(path, entry, token) for path, entry in gone.items() if entry.kind != "folder"],
        *[_removed_folder(path, token) for path, entry in reversed(gone.items()) if entry.kind == "folder"],
    ]


def _differs(was: TreeEntry, now: TreeEntry) -> bool:
    return not (was.kind == now.kind == "folder") and _content(was) != _content(now)


def _content(entry: TreeEntry) -> tuple[object, ...]:
    return (entry.kind, entry.device, entry.inode, entry.size, entry.mtime_ns)


def _moves(gone: dict[str, TreeEntry], new: dict[str, TreeEntry]) -> Iterator[tuple[str, str]]:
    """Take what was only moved out of both mappings, and yield where it was and where it is."""
    by_number = {_content(entry): path for path, entry in gone.items()}
    for path in sorted(new):
        entry = new.get(path)
        old = by_number.get(_content(entry)) if entry is not None else None
        if old is None or old not in gone or not _same_below(gone, old, new, path):
            continue
        for entries, top in ((gone, old), (new, path)):
            for inner in [one for one in entries if _is_below(one, top)]:
                del entries[inner]
        yield old, path


def _same_below(gone: Entries, old: str, new: Entries, path: str) -> bool:
    was = {one[len(old) :]: _content(entry) for one, entry in gone.items() if _is_below(one, old)}
    now = {one[len(path) :]: _content(entry) for one, entry in new.items() if _is_below(one, path)}
    return was == now


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top + "/")


def _moved(old: str, now: str) -> TreeChange:
    return TreeChange(Change(Rename(old, now), Rename(now, old)), f"moved {quoted(old)} to {quoted(now)}")


def _made_folder(path: str, token: Callable[[], str]) -> TreeChange:
    return TreeChange(
        Change(MakeFolders(path, (), token()), RemoveFolders(path, token())), f"made the folder {quoted(path)}"
    )


def _made(path: str, token: Callable[[], str]) -> TreeChange:
    kept = token()
    return TreeChange(Change(Unkeep(path, kept), Keep(path, kept)), f"made {quoted(path)}")


def _written(path: str, was: TreeEntry) -> TreeChange:
    step = ExchangeFiles(path, was.kept or "none")
    undo: Step | CannotUndo = step if was.kept else NO_COPY
    return TreeChange(Change(step, undo), f"changed {quoted(path)}", (path, was.kept) if was.kept else None)


def _removed(path: str, was: TreeEntry, token: Callable[[], str]) -> TreeChange:
    undo: Step | CannotUndo = Unkeep(path, was.kept) if was.kept else NO_COPY
    step = Keep(path, was.kept or token())
    return TreeChange(Change(step, undo), f"removed {quoted(path)}", (path, was.kept) if was.kept else None)


def _removed_folder(path: str, token: Callable[[], str]) -> TreeChange:
    step = RemoveFolders(path, token())
    return TreeChange(Change(step, MakeFolders(path, (), token())), f"removed the folder {quoted(path)}")


def counted(found: list[TreeChange]) -> str:
    """Return how many things were made, changed, moved and removed, in words."""
    counts: dict[str, int] = {}
    for one in found:
        word = one.told.partition(" ")[0]
        counts[word] = counts.get(word, 0) + 1
    parts = [f"{number} {'thing' if number == 1 else 'things'} {word}" for word, number in counts.items()]
    return ", ".join(parts) or "nothing changed"
