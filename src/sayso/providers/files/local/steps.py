"""The steps on the disk: each checks the facts that it expects, acts, and returns the facts that are true then."""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace as but

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.plan import Applied, Facts
from sayso.core.ports import KillPoint, no_kill_point
from sayso.core.quotes import quoted
from sayso.providers.disk.syscalls import exchange as exchange_names
from sayso.providers.disk.syscalls import in_words, sync, thing_changed_error
from sayso.providers.files import errors
from sayso.providers.files.local.creation import (
    NEW_FILE,
    building,
    clear_built,
    copy_attributes,
    copy_content,
    inspect_built,
    make,
    write_all,
)
from sayso.providers.files.local.measure import FileSnapshot, difference, without_writers
from sayso.providers.files.local.sandbox import Spot, open_file, same
from sayso.providers.files.local.transaction import Workspace, back, carry, free_fact, there
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Restore,
    Steps,
    Trash,
    Unchanged,
    Unkeep,
    Write,
)


def rename(workspace: Workspace, step: Rename, expects: Facts) -> Applied:
    """Rename what is at `source` to the free path `destination`."""
    kill = workspace.kill_point("rename")
    with ExitStack() as stack:
        source = workspace.movable_spot(step.source, stack)
        target = workspace.spot(step.destination, stack)
        if target.path.startswith(source.path + "/"):
            raise errors.inside_itself(source.said, target.said)
        seen = workspace.check_expected(expects, stack, source, target).seen(source)
        kill("begun")
        _carry_or_say(lambda: carry(seen, source, target, kill), target)
        return Applied((free_fact(source), *there(seen, target)))


def trash(workspace: Workspace, step: Trash, expects: Facts) -> Applied:
    """Move what is at `path` to the Trash, after writing its `.trashinfo`."""
    kill = workspace.kill_point("trash")
    with ExitStack() as stack:
        source = workspace.movable_spot(step.path, stack)
        seen = workspace.check_expected(expects, stack, source).seen(source)
        kill("begun")
        opened = workspace.trashes.open(step.entry, source, stack, create=True)
        if opened is None:
            raise ProviderError(f"there is no Trash for {quoted(source.said)}", "disk.no_place")
        opened_trash, target = opened
        kill("place")
        workspace.trashes.write_info(opened_trash, target.name, source.path, source.said)
        kill("noted")
        try:
            _carry_or_say(
                lambda: workspace.into_trash(seen, source, target, kill), source, "its place in the Trash is taken"
            )
        except Uncertain:
            raise
        except (SaysoError, OSError):
            with suppress(OSError):
                if not same(target.stat(), seen.found):
                    workspace.trashes.remove_info(opened_trash, target.name)
            raise
        return Applied((free_fact(source), *there(seen, target)))


def restore(workspace: Workspace, step: Restore, expects: Facts) -> Applied:
    """Move the Trash entry back, then remove its `.trashinfo`."""
    kill = workspace.kill_point("restore")
    with ExitStack() as stack:
        target = workspace.spot(step.path, stack)
        opened = workspace.trashes.open(step.entry, target, stack, create=False)
        if opened is None:
            raise thing_changed_error(target.said, "it is no longer in the Trash")
        opened_trash, source = opened
        seen = workspace.check_expected(expects, stack, source, target).seen(source)
        kill("begun")

        def tidy() -> None:
            workspace.trashes.remove_info(opened_trash, source.name)

        _carry_or_say(lambda: carry(seen, source, target, kill, tidy), target)
        return Applied((*back(seen, target), free_fact(source)))


def keep(workspace: Workspace, step: Keep, expects: Facts) -> Applied:
    """Move what is at `path` into the undo store."""
    with ExitStack() as stack:
        source, item, seen = _take_away(workspace, step, expects, stack)
        return Applied((free_fact(source), *there(seen, item)))


def unkeep(workspace: Workspace, step: Unkeep, expects: Facts) -> Applied:
    """Move a kept thing back to the free path `path`."""
    kill = workspace.kill_point("unkeep")
    with ExitStack() as stack:
        target = workspace.spot(step.path, stack)
        source = find_kept(workspace, step.kept, target, stack)
        seen = workspace.check_expected(expects, stack, source, target).seen(source)
        kill("begun")
        _carry_or_say(lambda: carry(seen, source, target, kill), target)
        return Applied((*back(seen, target), free_fact(source)))


def remove_folders(workspace: Workspace, step: RemoveFolders, expects: Facts) -> Applied:
    """Move a tree that holds nothing but folders into the undo store."""
    with ExitStack() as stack:
        source, item, seen = _take_away(workspace, step, expects, stack)
        try:
            # A file may have been added after the count. Now that the tree is in the undo store, no other program can
            # add one.
            _must_be_folders(workspace.measure.see(item, stack), source)
        except (SaysoError, OSError):
            _bring_back(seen, item, source)
            raise
        return Applied((free_fact(source),))


def _bring_back(seen: FileSnapshot, item: Spot, source: Spot) -> None:
    try:
        carry(seen, item, source, no_kill_point)
    except OSError as wrong:
        raise Uncertain(
            f"{quoted(source.said)} was taken away and could not be brought back; it is now at {quoted(item.path)}",
            "world.changed",
        ) from wrong


def find_kept(workspace: Workspace, token: str, near: Spot, stack: ExitStack) -> Spot:
    """Return the `Spot` of a kept thing. Raises `ProviderError` when it is no longer kept."""
    kept = workspace.kept.find(token, near, stack)
    note = kept.note() if kept is not None else None
    item = kept.item(near.said) if kept is not None else None
    if item is not None and item.stat() is not None and not (note and note.pruned):
        return item
    raise expired_error(workspace, near.said, note.time if note is not None else "")


def expired_error(workspace: Workspace, said: str, since: str) -> ProviderError:
    """Return the error for an undo whose content sayso no longer has."""
    days = workspace.keep_seconds // 86400
    when = f" since {since[:10]}" if since else ""
    return ProviderError(
        f"what was kept of {quoted(said)}{when} is gone: it is kept for {days} "
        "days at most, and only while there is room for"
        " kept things",
        "undo.expired",
    )


def _take_away(
    workspace: Workspace, step: Keep | RemoveFolders, expects: Facts, stack: ExitStack
) -> tuple[Spot, Spot, FileSnapshot]:
    kill = workspace.kill_point("keep" if isinstance(step, Keep) else "remove_folders")
    source = workspace.movable_spot(step.path, stack)
    seen = workspace.check_expected(expects, stack, source).seen(source)
    if isinstance(step, RemoveFolders):
        _must_be_folders(seen, source)
    kill("begun")
    kept = workspace.kept.make(step.kept, source, stack, kill)
    item = kept.item(source.said)
    try:
        kept.put_note(workspace.note(step.step, source, was=seen.fact))
        kill("noted")
        carry(seen, source, item, kill)
    except Uncertain:
        raise
    except (SaysoError, OSError):
        kept.clear_notes()
        raise
    return source, item, seen


def _must_be_folders(seen: FileSnapshot | None, source: Spot) -> None:
    if seen is None or seen.tree is None or seen.tree.others:
        raise thing_changed_error(source.said, "it holds more than folders")


def _carry_or_say(carried: Callable[[], None], target: Spot, how: str = "something is there now") -> None:
    try:
        carried()
    except FileExistsError as taken:
        raise thing_changed_error(target.said, how) from taken


_WITHOUT_POWERS = 0o1777


class _Pair(Struct, frozen=True):
    """The file at `target`, and the file at `item` that will replace it."""

    target: Spot
    item: Spot
    old: FileSnapshot
    new: FileSnapshot


def replace(workspace: Workspace, step: Replace, expects: Facts) -> Applied:
    """Replace a file with one that has the step's text; the old file is under `kept` afterwards."""
    kill = workspace.kill_point("replace")
    with ExitStack() as stack:
        target = workspace.spot(step.path, stack)
        old = workspace.check_expected(expects, stack, target).seen(target)
        _must_be_writable(old, target)
        reading = open_file(target, old.found, stack)
        with without_writers(reading, target.said):
            pass
        kill("begun")
        kept = workspace.kept.make(step.kept, target, stack, kill)
        item = kept.item(target.said)
        with building(kept, target.said):
            _build(step, reading, item, kill)
            new = inspect_built(workspace, kept, target, stack)
            made, was = but(new.fact, about=target.about), but(old.fact, about=item.about)
            kept.put_note(workspace.note(step.step, target, made=made, was=was))
            kill("noted")
        try:
            with without_writers(reading, target.said):
                _swap(workspace, _Pair(target, item, old, new), kill)
        except Uncertain:
            raise
        except (SaysoError, OSError):
            # Remove only what this step built, never what was kept.
            clear_built(kept, new)
            raise
        return Applied((made, was))


def exchange(workspace: Workspace, step: ExchangeFiles, expects: Facts) -> Applied:
    """Exchange the file at `path` with the kept one."""
    kill = workspace.kill_point("exchange")
    with ExitStack() as stack:
        target = workspace.spot(step.path, stack)
        item = find_kept(workspace, step.kept, target, stack)
        expecting = workspace.check_expected(expects, stack, target, item)
        now, kept = expecting.seen(target), expecting.seen(item)
        kill("begun")
        _swap(workspace, _Pair(target, item, now, kept), kill)
        return Applied((but(kept.fact, about=target.about), but(now.fact, about=item.about)))


def _swap(workspace: Workspace, pair: _Pair, kill: KillPoint) -> None:
    """Exchange the two files durably, and check that the file that was taken out is the expected old one.

    If it is another file, the exchange is reversed and `ProviderError` is raised, or `Uncertain` if the reversal fails.
    """
    target, item = pair.target, pair.item
    exchange_names(item.folder, item.name, target.folder, target.name)
    kill("exchanged")
    how = _what_came_out(workspace, pair.old, item)
    if how:
        _swap_back(pair)
        raise thing_changed_error(target.said, how)
    try:
        sync(target.folder)
        sync(item.folder)
    except OSError as fault:
        raise Uncertain(
            f"{quoted(target.said)} was replaced, but the disk reported a fault; look at it", "disk.failed"
        ) from fault
    kill("synced")


def _swap_back(pair: _Pair) -> None:
    target, item = pair.target, pair.item
    try:
        exchange_names(item.folder, item.name, target.folder, target.name)
        if same(item.stat(), pair.new.found):
            return
        # Another program put a third file there meanwhile. The third file is the newest and stays; the one before it is
        # kept.
        exchange_names(item.folder, item.name, target.folder, target.name)
    except OSError as wrong:
        raise _kept_aside_error(target, item) from wrong
    raise _kept_aside_error(target, item)


def _kept_aside_error(target: Spot, item: Spot) -> Uncertain:
    return Uncertain(
        (
            f"another program was changing {quoted(target.said)} at that moment; what "
            f"was there before is now at {quoted(item.path)}"
        ),
        "world.changed",
    )


def _what_came_out(workspace: Workspace, expected: FileSnapshot, item: Spot) -> str:
    with ExitStack() as stack:
        try:
            out = workspace.measure.see(item, stack)
        except (SaysoError, OSError):
            return "what was there could not be looked at"
        return difference(but(expected.fact, about=item.about), out.fact if out is not None else None)


def _build(step: Replace, old: int, item: Spot, kill: KillPoint) -> None:
    new = os.open(item.name, NEW_FILE, 0o600, dir_fd=item.folder)
    try:
        kill("created")
        if step.append:
            copy_content(old, new, item.said)
            os.lseek(new, 0, os.SEEK_END)
        write_all(new, step.content.encode())
        kill("filled")
        copy_attributes(old, new, os.fstat(old))
        # New content loses setuid and setgid, as when a program writes to a file.
        os.fchmod(new, stat.S_IMODE(os.fstat(new).st_mode) & _WITHOUT_POWERS)
        sync(new)
        kill("built")
    finally:
        os.close(new)


def _must_be_writable(old: FileSnapshot, target: Spot) -> None:
    fact: Unchanged = old.fact
    if fact.kind == "folder":
        raise errors.not_a_file(target.said)
    if fact.kind == "link":
        raise thing_changed_error(target.said, "a link is there now")
    if not os.access(target.name, os.W_OK, dir_fd=target.folder, effective_ids=True):
        raise ProviderError(f"{quoted(target.said)} is write-protected; nothing was written", "path.not_permitted")


_CARRIED = ("begun", "renamed", "synced")
_BUILT = ("begun", "place", "created", "filled", "built", "noted", "renamed", "synced")
_WHERE = {
    "rename": _CARRIED,
    "copy": ("begun", "place", "entry", "filled", "built", "noted", "renamed", "synced"),
    "trash": ("begun", "place", "noted", "renamed", "synced"),
    "restore": ("begun", "renamed", "cleared", "synced"),
    "keep": ("begun", "place", "noted", "renamed", "synced"),
    "unkeep": _CARRIED,
    "make_folders": ("begun", "place", "created", "built", "noted", "renamed", "synced"),
    "remove_folders": ("begun", "place", "noted", "renamed", "synced"),
    "write": _BUILT,
    "replace": ("begun", "place", "created", "filled", "built", "noted", "exchanged", "synced"),
    "exchange": ("begun", "exchanged", "synced"),
}
KILL_POINTS = tuple(f"files.{step}.{where}" for step, places in _WHERE.items() for where in places)
"""The labels of all kill points of the steps, in order."""

_EITHER_END = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def apply(workspace: Workspace, step: Steps, expects: Facts) -> Applied:
    """Do `step`. Raises `Refused`, `ProviderError` or `Uncertain`."""
    try:
        return _execute_step(workspace, step, expects)
    except OSError as wrong:
        raise in_words(wrong, *_where(workspace, step, wrong)) from wrong


def check(workspace: Workspace, expects: Facts) -> None:
    """Check facts that a step of another store expects. Raises `Refused` or `ProviderError`."""
    try:
        workspace.check_abroad(expects)
    except OSError as wrong:
        raise in_words(wrong, *(workspace.confine.show_path(fact.about) for fact in expects)) from wrong


def _where(workspace: Workspace, step: Steps, wrong: OSError) -> list[str]:
    """Return the path that an error is about, or both paths when permission is missing at either one."""
    paths = [workspace.confine.show_path(getattr(step, field)) for field in step.paths]
    return paths if wrong.errno in _EITHER_END else paths[-1:]


def _execute_step(workspace: Workspace, step: Steps, expects: Facts) -> Applied:
    match step:
        case Rename():
            return rename(workspace, step, expects)
        case Trash():
            return trash(workspace, step, expects)
        case Restore():
            return restore(workspace, step, expects)
        case Keep():
            return keep(workspace, step, expects)
        case Unkeep():
            return unkeep(workspace, step, expects)
        case RemoveFolders():
            return remove_folders(workspace, step, expects)
        case Copy() | Write() | MakeFolders():
            return make(workspace, step, expects)
        case Replace():
            return replace(workspace, step, expects)
        case ExchangeFiles():
            return exchange(workspace, step, expects)
        case _:
            assert_never(step)
