"""Put a backup back into a home: unpacked and checked beside it, then moved into place, and finished after a crash."""

import difflib
import errno
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from msgspec import Struct

from sayso.assembly.archive import ACTIONS, CALENDARS, JOURNAL, LISTS, NOTES, PARTS, SETTINGS, Manifest, forget, unpack
from sayso.config.paths import Places
from sayso.core.errors import SetupError
from sayso.core.ports import KillPoint, no_kill_point
from sayso.core.quotes import quoted
from sayso.journal.database import connect, connect_to_look, is_busy

READY, UNPACKED, KEPT = "restore", "restore.part", "before-restore"
"""The folders in sayso's own: what is being moved into place, what is only unpacked yet, what was there before."""
MOST_LINES = 40


class StagedRestore(Struct, frozen=True):
    """A backup that is unpacked and checked, and what it would replace, in sentences for the person."""

    manifest: Manifest
    replaces: tuple[str, ...]
    settings: tuple[str, ...]
    """The lines of the settings that would change, as a difference."""


def stage(places: Places, file: Path) -> StagedRestore:
    """Unpack and check a backup beside the home; nothing of the home changes. Raises `SetupError`."""
    folder = places.home / UNPACKED
    if (places.home / READY).exists():
        finish(places)
    try:
        places.home.mkdir(0o700, parents=True, exist_ok=True)
        forget(folder)
        folder.mkdir(0o700)
    except OSError as error:
        raise SetupError(
            f"{quoted(folder)} cannot be written: {error.strerror}; nothing was changed", "restore.unwritable"
        ) from error
    with ExitStack() as failed:
        failed.callback(forget, folder)
        manifest = unpack(file, folder / "new")
        staged = StagedRestore(manifest, tuple(_replaces(places, manifest)), tuple(_difference(places)))
        failed.pop_all()
        return staged


def give_up(places: Places) -> None:
    """Remove what was unpacked."""
    forget(places.home / UNPACKED)


def carry_out(places: Places, kill: KillPoint = no_kill_point) -> Path:
    """Move what was unpacked into place, and return the folder with what was there before. Raises `SetupError`.

    From the moment on at which the folder is renamed, every opening of the home finishes the move first.
    """
    with _alone(places.database):
        kill("restore.alone")
        (places.home / UNPACKED).rename(places.home / READY)
        _sync(places.home)
        kill("restore.ready")
        kept = finish(places, kill)
    if kept is None:
        raise SetupError("another sayso has put the backup back meanwhile", "restore.meanwhile")
    return kept


def finish(places: Places, kill: KillPoint = no_kill_point) -> Path | None:
    """Finish a restore that has begun, and return where the things of before are kept; None if none has begun."""
    folder = places.home / READY
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        meanwhile = not folder.exists() or os.fstat(handle).st_ino != folder.stat().st_ino
        return None if meanwhile else _finish(places, folder, kill)
    except OSError as error:
        raise SetupError(
            f"a backup is being put back, and {quoted(error.filename or folder)} cannot be moved: {error.strerror}; "
            "mend that, and any command of sayso's goes on with it",
            "restore.stuck",
        ) from error
    finally:
        os.close(handle)


def _finish(places: Places, folder: Path, kill: KillPoint) -> Path:
    old = folder / "old"
    old.mkdir(0o700, exist_ok=True)
    for part in PARTS:
        new = folder / "new" / part
        if not new.exists():
            continue  # it is not in the backup, or is in its place already
        target = _target(places, part)
        kill(f"restore.{part}.before")
        for beside in ("", "-wal", "-shm", "-journal") if part in {JOURNAL, LISTS} else ("",):
            was, aside = target.with_name(f"{target.name}{beside}"), old / f"{part}{beside}"
            if was.exists() and not aside.exists():
                _move(was, aside)
        kill(f"restore.{part}.aside")
        target.parent.mkdir(0o700, parents=True, exist_ok=True)
        _move(new, target)
        _sync(target.parent)
        kill(f"restore.{part}.put")
    number, kept = 1, places.home / KEPT
    while kept.exists():
        number += 1
        kept = places.home / f"{KEPT}-{number}"
    folder.rename(kept)
    forget(kept / "new")
    _sync(places.home)
    return kept


def _target(places: Places, part: str) -> Path:
    return places.config if part == SETTINGS else places.home / part


def _move(source: Path, target: Path) -> None:
    """Move a file or folder in one step; to another file system, a file is copied before it is replaced."""
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = target.with_name(f".{target.name}.restore")
        shutil.copy2(source, beside)
        beside.replace(target)
        source.unlink()


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _alone(database: Path) -> Generator[None]:
    """Keep every other process from the journal of now. Raises `SetupError` if one has it open."""
    busy = SetupError(
        "another sayso has this home open (a chat, the service, an agent), so nothing was changed; end it and try "
        "again",
        "restore.busy",
    )
    if not database.exists():
        yield
        return
    with closing(connect(str(database))) as connection:
        try:
            # It can be changed only where no other process has the file open; the copy of now is one file then.
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            if mode != "delete":
                raise busy
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if is_busy(error):
                raise busy from error
            # A journal that is damaged is what a backup is there for.
        yield


def _replaces(places: Places, manifest: Manifest) -> Iterator[str]:
    new = places.home / UNPACKED / "new"
    coming, there = _count(new / JOURNAL), _count(places.database)
    yield f"the journal: {coming}, {f'in place of {there}' if there else 'where there is none now'}"
    if allowed := _permissions(new / JOURNAL):
        again = len(allowed - _permissions(places.database))
        ended = f", of which {again} {'is' if again == 1 else 'are'} not in force now" if again else ""
        yield f"standing permissions, which let actions run without asking: {len(allowed)}{ended}"
    if LISTS in manifest.files:
        yield f"tasks and habits{', in place of those of now' if places.lists.exists() else ''}"
    if SETTINGS in manifest.files:
        yield f"the settings, {'in place of those of now' if places.config.exists() else 'where there are none now'}"
    own = (ACTIONS, "own actions"), (NOTES, "notes in sayso's own folder"), (CALENDARS, "events and reminders there")
    for part, what in own:
        if names := manifest.of(part):
            yield from _of_folder(what, set(names), places.home / part, new / part)


def _of_folder(what: str, names: set[str], now: Path, new: Path) -> Iterator[str]:
    here = {str(file.relative_to(now)) for file in now.rglob("*") if file.is_file()}
    changed = sorted(name for name in names & here if (now / name).read_bytes() != (new / name).read_bytes())
    yield f"{what}: {len(names)}"
    for word, some in (("new", sorted(names - here)), ("changed", changed), ("put aside", sorted(here - names))):
        if some:
            more = f" and {len(some) - MOST_LINES} more" if len(some) > MOST_LINES else ""
            yield f"  {word}: {', '.join(some[:MOST_LINES])}{more}"


def _count(database: Path) -> str:
    """Return how many actions a journal has, in words; empty if there is none."""
    if not database.exists():
        return ""
    try:
        with closing(connect_to_look(str(database))) as connection:
            (count,) = connection.execute("SELECT count(*) FROM action").fetchone()
    except (sqlite3.Error, SetupError):
        return "one that cannot be read"
    return f"{count:,} action{'' if count == 1 else 's'}"


def _permissions(database: Path) -> set[str]:
    """Return the ids of the standing permissions that were not taken back."""
    if not database.exists():
        return set()
    try:
        with closing(connect_to_look(str(database))) as connection:
            return {id_ for (id_,) in connection.execute("SELECT id FROM permission WHERE NOT revoked")}
    except (sqlite3.Error, SetupError):
        return set()


def _difference(places: Places) -> Iterator[str]:
    new = places.home / UNPACKED / "new" / SETTINGS
    if not new.exists():
        return
    now, then = (
        file.read_text("utf-8", "replace").splitlines() if file.exists() else list[str]()
        for file in (places.config, new)
    )
    for line in difflib.unified_diff(now, then, n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            yield line
