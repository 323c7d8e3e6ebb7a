"""A backup: one file with the journal, lists, settings, own actions, notes and calendars of one home."""

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
from msgspec import Struct

from sayso.assembly.home import Home
from sayso.config.paths import Places
from sayso.core.errors import SetupError
from sayso.core.ports import Copies
from sayso.core.quotes import quoted
from sayso.core.version import VERSION
from sayso.journal.database import NEWEST, make_private_file
from sayso.journal.verify import verify
from sayso.runtime.services import stamp

FORM = 1
"""The form of the file; a sayso that knows only older ones refuses it."""
MANIFEST = "manifest.json"
JOURNAL, LISTS, SETTINGS = "sayso.db", "tasks.db", "config.toml"
ACTIONS, NOTES, CALENDARS = "actions", "notes", "calendars"
SINGLE = (JOURNAL, LISTS, SETTINGS)
FOLDERS = (ACTIONS, NOTES, CALENDARS)
PARTS = (*SINGLE, *FOLDERS)
MOST_FILES = 20_000
MOST_MANIFEST = 8 * 2**20
SPARED = 64 * 2**20
"""Bytes that stay free where a backup is unpacked, for the journal and for what else is written meanwhile."""
DEEPEST = {ACTIONS: 2, NOTES: 8, CALENDARS: 3}
_BLOCK = 2**20
_LONGEST = 255


class BackedUpFile(Struct, frozen=True):
    """One file of a backup."""

    size: int
    sha256: str
    time: float = 0.0
    """When it was changed last, in seconds since 1970."""


class Manifest(Struct, frozen=True):
    """What a backup says of itself: its form, which sayso made it and when, and each of its files."""

    form: int
    sayso: str
    journal: int
    """The version of the journal."""
    made: str
    files: dict[str, BackedUpFile]

    def of(self, part: str) -> list[str]:
        """Return the names of the files of a part, without its own name."""
        return sorted(name.partition("/")[2] for name in self.files if name.startswith(f"{part}/"))


async def write_backup(home: Home, target: Path) -> Manifest:
    """Write a backup to a new private file. Raises `SetupError`; then there is no file."""
    places = home.settings.places
    make_backup_file(target)
    try:
        with _scratch(places) as scratch:
            copied = Path(scratch)
            await home.journal.backup(str(copied / JOURNAL))
            lists = home.tools.backends.get("tasks")
            if isinstance(lists, Copies):
                lists.copy(str(copied / LISTS))
            return _pack(target, [*_copies(copied), *_kept(places)], stamp(home.clock.now()))
    except BaseException as error:
        _remove(target)
        if isinstance(error, OSError):
            raise SetupError(
                f"the backup {quoted(target)} could not be written: {error.strerror}", "backup.unwritten"
            ) from error
        raise


def _scratch(places: Places) -> "tempfile.TemporaryDirectory[str]":
    places.scratch.mkdir(0o700, parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=places.scratch)


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)


def make_backup_file(target: Path) -> None:
    """Make the empty file. Raises `SetupError`, also if it exists."""
    try:
        make_private_file(str(target))
    except FileExistsError:
        raise SetupError(f"{quoted(target)} is there already, and is not overwritten", "backup.exists") from None
    except OSError as error:
        raise SetupError(
            f"no copy can be made in the folder {quoted(target.parent)}: {error.strerror}; name a file elsewhere",
            "backup.folder",
        ) from None


def _copies(folder: Path) -> Iterator[tuple[str, Path]]:
    yield from ((name, folder / name) for name in (JOURNAL, LISTS) if (folder / name).exists())


def _kept(places: Places) -> Iterator[tuple[str, Path]]:
    """Yield the name and the place of each file that is copied as it is; links are not followed in folders."""
    if places.config.is_file():
        yield SETTINGS, places.config
    for part in FOLDERS:
        root = places.home / part
        for folder, _, names in os.walk(root):
            for name in sorted(names):
                file = Path(folder, name)
                place = f"{part}/{file.relative_to(root)}"
                if file.is_file() and not file.is_symlink() and is_place(place):
                    yield place, file


def _pack(target: Path, files: list[tuple[str, Path]], made: str) -> Manifest:
    written: dict[str, BackedUpFile] = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in files:
            with file.open("rb") as opened, packed.open(name, "w", force_zip64=True) as into:
                size, sha256 = _copy(opened, cast("BinaryIO", into))
            written[name] = BackedUpFile(size, sha256, file.stat().st_mtime)
        manifest = Manifest(FORM, VERSION, NEWEST, made, written)
        packed.writestr(MANIFEST, msgspec.json.encode(manifest))
    with target.open("rb") as opened:
        os.fsync(opened.fileno())
    return manifest


def _copy(source: BinaryIO, into: BinaryIO, most: int | None = None) -> tuple[int, str]:
    """Copy at most `most` bytes and one more; return how many there were, and their SHA-256."""
    size, sha256 = 0, hashlib.sha256()
    while (data := source.read(_BLOCK)) and (most is None or size <= most):
        into.write(data)
        sha256.update(data)
        size += len(data)
    return size, sha256.hexdigest()


def is_place(name: str) -> bool:
    """Return whether a file of this name may be in a backup: nothing else is ever written when it is put back."""
    first, *rest = name.split("/")
    if not rest:
        return name in SINGLE
    return len(rest) < DEEPEST.get(first, 0) and all(map(_is_plain, rest))


def _is_plain(name: str) -> bool:
    """Return whether a name is that of one file or folder, with nothing in it that leads elsewhere or is not seen."""
    try:
        long = len(name.encode()) > _LONGEST
    except UnicodeEncodeError:
        return False
    return name not in {"", ".", ".."} and name.isprintable() and not long


def unpack(file: Path, into: Path, *, spared: int = SPARED) -> Manifest:
    """Write the files of a backup into a new folder, check them and the chain of the journal, and return the manifest.

    As many bytes as `spared` stay free. Raises `SetupError` in one sentence, also if the backup is damaged or of a
    newer sayso.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            manifest = _read_manifest(packed, file)
            _must_fit(packed, manifest, shutil.disk_usage(into.parent).free - spared, file)
            into.mkdir(0o700)
            for name, known in manifest.files.items():
                _unpack_one(packed, name, known, into, file)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise damaged(file, str(error)) from error
    except OSError as error:
        raise SetupError(
            f"the backup {quoted(file)} could not be unpacked: {error.strerror or error}", "restore.unreadable"
        ) from error
    try:
        found = verify(str(into / JOURNAL))
    except SetupError as error:
        raise damaged(file, "its journal cannot be read") from error
    if not found.ok:
        raise damaged(file, f"its journal is not intact: {found.problem}")
    return manifest


def _read_manifest(packed: zipfile.ZipFile, file: Path) -> Manifest:
    try:
        info = packed.getinfo(MANIFEST)
        if info.file_size > MOST_MANIFEST:
            raise damaged(file, "its list of files is too long")
        told = msgspec.json.decode(packed.read(info))
        if isinstance(told, dict) and cast("dict[str, object]", told).get("form", FORM) != FORM:
            raise _newer(file, str(cast("dict[str, object]", told).get("sayso", "")))
        manifest = msgspec.convert(told, Manifest)
    except (KeyError, msgspec.MsgspecError) as error:
        raise damaged(file, "it has no list of its files, so sayso did not make it") from error
    if manifest.journal > NEWEST:
        raise _newer(file, manifest.sayso)
    try:
        datetime.fromisoformat(manifest.made).astimezone()
    except (ValueError, OverflowError) as error:
        raise damaged(file, "it does not say when it was made") from error
    names = packed.namelist()
    if sorted(names) != sorted([*manifest.files, MANIFEST]) or len(names) > MOST_FILES:
        raise damaged(file, "it holds other files than it lists")
    for name in manifest.files:
        if not is_place(name):
            raise damaged(file, f"it names the file {quoted(name[:100])}, which belongs into no home of sayso")
    if JOURNAL not in manifest.files:
        raise damaged(file, "it holds no journal")
    return manifest


def _must_fit(packed: zipfile.ZipFile, manifest: Manifest, room: int, file: Path) -> None:
    """Raise `SetupError` before anything is written, if the files are not as long as listed or there is no room."""
    for name, known in manifest.files.items():
        if packed.getinfo(name).file_size != known.size:
            raise damaged(file, f"its file {quoted(name)} is not as it was when the backup was made")
    size = sum(one.size for one in manifest.files.values())
    if size > room:
        raise SetupError(
            f"the backup {quoted(file)} holds {size:,} bytes, and sayso's own folder has room for {max(room, 0):,} "
            "more; nothing was changed",
            "restore.space",
        )


def _unpack_one(packed: zipfile.ZipFile, name: str, known: BackedUpFile, into: Path, file: Path) -> None:
    place = into / name
    place.parent.mkdir(0o700, parents=True, exist_ok=True)
    make_private_file(str(place))
    with packed.open(name) as opened, place.open("wb") as written:
        found = _copy(cast("BinaryIO", opened), written, known.size)
        written.flush()
        os.fsync(written.fileno())
    if found != (known.size, known.sha256):
        raise damaged(file, f"its file {quoted(name)} is not as it was when the backup was made")
    with suppress(OverflowError, ValueError):  # a time that this system cannot tell is left out
        os.utime(place, (known.time, known.time))


def damaged(file: Path, why: str) -> SetupError:
    """Return the error for a backup that cannot be put back."""
    return SetupError(f"{quoted(file)} is damaged or no backup, and nothing was changed: {why}", "restore.damaged")


def _newer(file: Path, version: str) -> SetupError:
    return SetupError(
        f"the backup {quoted(file)} was made by a newer sayso ({version[:40] or 'unknown'}, this is {VERSION}); update "
        "sayso to put it back; nothing was changed",
        "restore.newer",
    )


def forget(folder: Path) -> None:
    """Remove a folder of unpacked files."""
    shutil.rmtree(folder, ignore_errors=True)
