"""The operations on files and folders: each looks at the store and returns a plan or an answer."""

import posixpath
import re
import sys
from datetime import UTC, datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, Refused
from sayso.core.lazy import load
from sayso.core.normal_forms import normal_form
from sayso.core.operation import operation
from sayso.core.plan import Answer, CannotUndo, Change, Facts, OpenFile, Plan, RevealFile
from sayso.core.quotes import quoted
from sayso.core.schema import Line, Text, UserPath
from sayso.policy.denylist import DENIED
from sayso.policy.paths import find_denied_name, fold_name, names_denied_in
from sayso.policy.programs import HEAD, MARKED, RUN, ending_of, is_passive, why_program
from sayso.providers.files import errors
from sayso.providers.files.model import Copy, FileStep, Keep, MakeFolders, Rename, Replace, Trash, Unchanged, Write
from sayso.providers.files.store import Files, FolderEntry, FreePlace, Gap, Item, Listing

DIFF = "sayso.providers.files.diff"
"""Module that is imported only for operations that write text, because `difflib` takes long to import."""
WHOLE = 100_000
"""Maximum number of names in a tree that are checked for protection."""
_HEADS = frozenset(name for entry in DENIED for name in entry.split("/")[:-1])
"""Names that are protected only together with a name below them, as in `.github/workflows`."""
Most = Annotated[int, Meta(ge=1, le=1000, description="The most entries to return.")]
Characters = Annotated[int, Meta(ge=1, le=100_000, description="The most characters to return.")]
_LONGEST_CHARACTER = 4  # bytes in UTF-8
_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


@operation("file.move", kind="destructive", asks="mode")
async def move(files: Files, source: UserPath, destination: UserPath) -> Plan:
    """Move or rename a file or folder.

    `destination` is the whole new path, with the new name; it must be free, and its folder must exist.
    """
    source, destination = said_path(files, source), said_path(files, destination)
    found = await files.look(source)
    place = await place_beside(files, found, source, destination)
    data = {"path": found.path, "destination": destination}
    if place is None:
        return Plan(f"{quoted(source)} is already at {quoted(destination)}", data=data)
    await must_stay_allowed(files, found, place, destination)
    asks = about_denied(found, source, "are moved along")
    same_disk = found.device == place.device
    changes = _plan_rename(files, found, place) if same_disk else await _to_another_disk(files, found, place)
    how = "" if same_disk else _other_disk(changes)
    return Plan(
        f"Move {name_item(found, source)} to {quoted(destination)}{how}",
        changes,
        said_when_done="Moved file",
        asks=bool(asks),
        warns=(*asks, *about_links(files, source, found.path), *about_links(files, destination, place.path)),
        data={**data, "destination": place.path},
    )


def _plan_rename(files: Files, found: Item, place: FreePlace) -> tuple[Change, ...]:
    free = (place.free,) if place.free.about == place.path else ()
    expects: Facts = (found.fact, *free, place.parent)
    return (_change(files, Rename(found.path, place.path), expects),)


def _change(files: Files, step: FileStep, expects: Facts) -> Change:
    """Return the change that does this step, with its undo."""
    return Change(step, step.way_back(files.token), expects)


def _plan_copy(files: Files, found: Item, place: FreePlace) -> Change:
    step = Copy(found.path, place.path, files.token())
    return _change(files, step, (found.fact, place.free, place.parent))


async def _to_another_disk(files: Files, found: Item, place: FreePlace) -> tuple[Change, ...]:
    copied = _plan_copy(files, found, place)
    return (copied, await _put_away(files, found))


def _other_disk(changes: tuple[Change, ...]) -> str:
    into = "put in the Trash" if isinstance(changes[-1].do, Trash) else "kept aside by sayso"
    return f": it is copied to another disk, and the original is {into}"


@operation("file.copy", kind="write", asks="mode")
async def copy(files: Files, source: UserPath, destination: UserPath) -> Plan:
    """Copy a file or a whole folder.

    `destination` is the whole new path, with the new name; it must be free, and its folder must exist.
    """
    source, destination = said_path(files, source), said_path(files, destination)
    found = await files.look(source)
    place = await place_for(files, destination)
    if place.path.startswith(found.path + "/"):
        raise errors.inside_itself(source, destination)
    await must_stay_allowed(files, found, place, destination)
    asks = about_denied(found, source, "are copied along")
    copied = _plan_copy(files, found, place)
    return Plan(
        f"Copy {name_item(found, source)} to {quoted(destination)}",
        (copied,),
        said_when_done="Copied file",
        asks=bool(asks),
        warns=(*asks, *about_links(files, source, found.path), *about_links(files, destination, place.path)),
        data={"path": found.path, "destination": place.path},
    )


@operation("file.delete", kind="destructive", asks="floor")
async def delete(files: Files, path: UserPath) -> Plan:
    """Delete a file or folder: it goes to the Trash and can be brought back."""
    path = said_path(files, path)
    found = await files.look(path)
    change = await _put_away(files, found)
    where = "it goes to the Trash" if isinstance(change.do, Trash) else "it is kept aside by sayso for a while"
    asks = about_denied(found, path, "go with it")
    return Plan(
        f"Delete {name_item(found, path)}; {where}",
        (change,),
        said_when_done="Deleted file",
        asks=bool(asks),
        warns=(*asks, *about_links(files, path, found.path)),
        data={"path": found.path},
    )


async def _put_away(files: Files, found: Item) -> Change:
    entry = await files.trash_entry(found)
    step = Keep(found.path, files.token()) if entry is None else Trash(found.path, entry)
    return _change(files, step, (found.fact,))


@operation("file.mkdir", kind="write", asks="mode")
async def mkdir(files: Files, path: UserPath) -> Plan:
    """Create a folder and all folders missing on the way to it; one that is there already is fine."""
    path = said_path(files, path)
    gap = await files.gap(path)
    if not isinstance(gap, Gap):
        there = f"the folder {quoted(path)} is already there"
        return Plan(there, said_when_done="Created folder", data={"path": gap.path})
    place, above = gap.place, len(gap.below)
    more = f" and the {'folder' if above == 1 else f'{above} folders'} above it" if above else ""
    whole = posixpath.join(place.path, *gap.below)
    make = MakeFolders(place.path, gap.below, files.token())
    return Plan(
        f"Create folder {quoted(path)}{more}",
        (_change(files, make, (place.free, place.parent)),),
        said_when_done="Created folder",
        warns=about_links(files, path, whole),
        data={"path": whole},
    )


@operation("file.write", kind="write", asks="mode")
async def write(files: Files, path: UserPath, content: Text) -> Plan:
    """Write a text file: a new one, or new content for the one that is there, which is kept for undo."""
    path = said_path(files, path)
    if not await files.exists(path):
        return await _new(files, path, content, "Wrote file", {})
    found = await _file(files, path)
    if await _holds_already(files, path, found, content):
        same = f"{quoted(path)} already holds exactly this text"
        return Plan(same, said_when_done="Wrote file", data={"path": found.path})
    asks, runs = about_other_names(found, path, "the new content"), await _why_it_runs(files, found, path)
    return Plan(
        f"Replace the content of {quoted(path)} ({size_in_words(found.size)}) with "
        f"{size_in_words(len(content.encode()))} of text",
        (_change(files, Replace(found.path, content, files.token(), runs=runs), (found.fact,)),),
        said_when_done="Wrote file",
        loses=(
            f"the present content of {quoted(path)} ({size_in_words(found.size)}); it is kept and can be brought back",
        ),
        asks=bool(asks),
        warns=(*asks, *about_links(files, path, found.path)),
        preview=await load(f"{DIFF}:difference")(files, path, found, content),
        data={"path": found.path},
    )


@operation("file.append", kind="write", asks="mode")
async def append(files: Files, path: UserPath, content: Text) -> Plan:
    """Add text at the end of a file, with nothing put between; a missing file is made."""
    path = said_path(files, path)
    if not await files.exists(path):
        if await files.append_missing() == "error":
            raise errors.missing(path)
        return await _new(files, path, content, "Appended to file", {"created": True})
    found = await _file(files, path)
    data = {"path": found.path, "created": False}
    if not content:
        return Plan(f"there is nothing to add to {quoted(path)}", said_when_done="Appended to file", data=data)
    asks, runs = about_other_names(found, path, "the longer content"), await _why_it_runs(files, found, path, content)
    add = Replace(found.path, content, files.token(), append=True, runs=runs)
    return Plan(
        f"Add {size_in_words(len(content.encode()))} of text at the end of {quoted(path)}",
        (_change(files, add, (found.fact,)),),
        said_when_done="Appended to file",
        asks=bool(asks),
        warns=(*asks, *about_links(files, path, found.path)),
        preview=load(f"{DIFF}:added_lines")(content),
        data=data,
    )


async def _new(files: Files, path: str, content: str, said: str, data: dict[str, object]) -> Plan:
    place = await place_for(files, path)
    make = Write(place.path, content, files.token())
    return Plan(
        f"Write the new file {quoted(path)} with {size_in_words(len(content.encode()))} of text",
        (_change(files, make, (place.free, place.parent)),),
        said_when_done=said,
        warns=about_links(files, path, place.path),
        preview=load(f"{DIFF}:added_lines")(content),
        data={"path": place.path, **data},
    )


async def _file(files: Files, path: str) -> Item:
    found = await files.opened(path)
    if found.kind != "file":
        raise errors.not_a_file(path)
    return found


async def _holds_already(files: Files, path: str, found: Item, content: str) -> bool:
    size = len(content.encode())
    if size != found.size:
        return False
    there = await files.read(path, size + 1)
    return there.exact and there.text == content


@operation("file.list", kind="read", asks="none", outside=True)
async def list_folder(files: Files, path: UserPath, limit: Most = 200) -> Answer:
    """List what a folder holds, one level, by name."""
    path = said_path(files, path)
    listing = await files.list(path, limit)
    text = "\n".join(_on_one_line(entry, entry.name) for entry in listing.entries)
    return Answer(f"{quoted(path)} holds {_count_entries(listing)}", _data(listing), text)


@operation("file.find", kind="read", asks="none", outside=True)
async def find(files: Files, path: UserPath, pattern: Line, limit: Most = 200) -> Answer:
    """Find files and folders by name, anywhere below a folder; `*` and `?` stand for anything, case does not matter."""
    path = said_path(files, path)
    glob = pattern if set("*?[") & set(pattern) else f"*{pattern}*"
    listing = await files.find(path, glob, limit)
    summary = f"In {quoted(path)}, {_count_entries(listing)} with a name like {quoted(pattern)}"
    return Answer(summary, _data(listing), "\n".join(_on_one_line(entry, entry.path) for entry in listing.entries))


@operation("file.read", kind="read", asks="none", outside=True)
async def read(files: Files, path: UserPath, limit: Characters = 10_000) -> Answer:
    """Read a text file from its beginning: so many characters, or 10,000."""
    path = said_path(files, path)
    found = await files.opened(path)
    content = await files.read(path, limit * _LONGEST_CHARACTER)
    if "\0" in content.text or (not content.exact and content.total <= limit * _LONGEST_CHARACTER):
        raise ProviderError(f"{quoted(path)} is not a text file ({size_in_words(content.total)})", "file.not_text")
    text = content.text[:limit]
    data: dict[str, Json] = {
        "text": text,
        "path": found.path,
        "truncated": not content.exact or len(text) < len(content.text),
        "total_bytes": content.total,
    }
    part = "the beginning of " if data["truncated"] else ""
    return Answer(f"Read {part}{quoted(path)} ({size_in_words(content.total)})", data, text)


def _count_entries(listing: Listing) -> str:
    left = f", {listing.omitted:,} left out" if listing.omitted else ""
    return things(len(listing.entries)) + left


def _data(listing: Listing) -> dict[str, Json]:
    return {"files": [_entry(entry) for entry in listing.entries], "omitted": listing.omitted}


def _entry(entry: FolderEntry) -> dict[str, Json]:
    modified = datetime.fromtimestamp(entry.mtime_ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"path": entry.path, "name": entry.name, "kind": entry.kind, "size": entry.size, "modified": modified}


def _on_one_line(entry: FolderEntry, name: str) -> str:
    """Return a name or path on one line, so that no name can look like further entries."""
    shown = _LINE_BREAK.sub(lambda found: found[0].encode("unicode_escape").decode(), name)
    return shown + ("/" if entry.kind == "folder" else "")


@operation("file.open", kind="write", asks="mode")
async def open_file(files: Files, path: UserPath, app: Line | None = None) -> Plan:
    """Open a file or folder with its default application, or with the one named; never what the system would run."""
    path = said_path(files, path)
    found = await files.opened(path)
    reason = why_run(found, path)
    if reason is not None:
        raise Refused(f"{quoted(path)} is not opened: {reason}", "open.executable", "open.executable")
    step = OpenFile(found.path, app or "", passive=await _is_passive(files, found, path, app))
    leads = about_links(files, path, found.path)
    named = await files.look(path) if leads else found
    link = (named.fact,) if named.kind == "link" else ()
    return Plan(
        f"Open {quoted(path)} with {app}" if app else f"Open {quoted(path)}",
        (Change(step, CannotUndo("an opened file is closed by you"), (found.fact, *link)),),
        said_when_done="Opened file",
        warns=leads,
        data={"path": found.path},
    )


async def _head(files: Files, path: str) -> bytes | None:
    """Return the first bytes of a file; None if it cannot be read."""
    try:
        return (await files.read(path, HEAD)).head
    except ProviderError:
        return None


async def _is_passive(files: Files, found: Item, path: str, app: str | None) -> bool:
    if found.kind != "file":
        # The file manager only lists a folder; what another application does with it, nobody knows.
        return found.kind == "folder" and not app
    head = await _head(files, path)
    return head is not None and is_passive(path, head) and is_passive(found.path, head)


async def _why_it_runs(files: Files, found: Item, path: str, added: str = "") -> str | UnsetType:
    """Return why a file is a program, by its mode, its name or its content; `UNSET` if it is none.

    Its content is the present one, with `added` at its end.
    """
    if found.mode & 0o111:
        return MARKED
    head = await _head(files, path) or b""
    if len(head) < HEAD:
        head += added[:HEAD].encode("utf-8", "replace")
    return why_program(found.path, head) or UNSET


@operation("file.reveal", kind="read", asks="none", reach="home")
async def reveal(files: Files, path: UserPath) -> Plan:
    """Show a file or folder, selected, in the file manager; anywhere in your home."""
    path = said_path(files, path)
    found = await files.look(path, reach="home")
    why = CannotUndo("showing a file changes nothing that could be taken back")
    return Plan(
        f"Show {quoted(path)} in {_manager()}",
        (Change(RevealFile(found.path), why, (found.fact,)),),
        said_when_done="Revealed in Finder",
        data={"path": found.path},
    )


def _manager() -> str:
    """Return the usual name of the file manager on this system."""
    return "Finder" if sys.platform == "darwin" else "the file manager"


async def place_for(files: Files, path: str) -> FreePlace:
    """Return the free place `path`. When its folder is missing, the error says how to make the folder."""
    try:
        return await files.free(path)
    except ProviderError:
        folder = posixpath.dirname(path.rstrip("/"))
        if folder in {"", "/"} or not isinstance(await files.gap(folder), Gap):
            raise
        raise errors.no_folder(path, folder) from None


async def place_beside(files: Files, source: Item, said: str, path: str) -> FreePlace | None:
    """Return the place to move `source` to; None when `source` is already there.

    On a disk that ignores case, a new name that differs only in case leads to the source itself. The place is then
    returned as well, but the plan does not expect it to be free.
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


async def must_stay_allowed(files: Files, source: Item, place: FreePlace, said: str) -> None:
    """Raise `Refused` if the new name protects something inside: `workflows` in a folder renamed to `.github`."""
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


async def _folder_of(files: Files, path: str) -> FreePlace:
    # The fact about the folder comes with any free place in it. No file has the token as its name, so this place is
    # free.
    return await files.free(posixpath.join(posixpath.dirname(path.rstrip("/")), files.token()))


def _is_same(one: Item, other: Item) -> bool:
    if not isinstance(one.fact, Unchanged) or not isinstance(other.fact, Unchanged) or one.links != 1:
        return False
    same_thing = (one.fact.device, one.fact.inode) == (other.fact.device, other.fact.inode)
    return same_thing and _fold_path(one.path) == _fold_path(other.path)


def _fold_path(path: str) -> str:
    return normal_form(path).casefold()


def size_in_words(size: int) -> str:
    """Return an exact size as text: `1 byte`, `12,345 bytes`."""
    return "1 byte" if size == 1 else f"{size:,} bytes"


def said_path(files: Files, path: str) -> str:
    """Return a path as every sentence about it shows it: with `~` for the person's home, however it was written."""
    home = files.literal_path("~")
    return f"~{path[len(home) :]}" if home != "/" and path.startswith(f"{home}/") else path


def things(count: int) -> str:
    """Return a count as text: `1 thing`, `12 things`."""
    return "1 thing" if count == 1 else f"{count:,} things"


def name_item(item: Item, said: str) -> str:
    """Return a phrase that names an item: its path, its kind unless it is a file, and the size of a folder."""
    if item.kind == "folder":
        return f"the folder {quoted(said)} with {things(item.entries)} in it ({size_in_words(item.size)})"
    return f"the link {quoted(said)}" if item.kind == "link" else quoted(said)


def about_denied(item: Item, said: str, becomes: str) -> tuple[str, ...]:
    """Return a warning about protected names within a tree, such as those of a git checkout."""
    if not item.denied:
        return ()
    names = ", ".join(quoted(name) for name in item.denied)
    return (f"{quoted(said)} holds protected names, which {becomes}: {names}",)


def about_other_names(item: Item, said: str, new: str) -> tuple[str, ...]:
    """Return a warning when a file has another name (a hard link), which keeps the old content."""
    if item.links <= 1:
        return ()
    names = f"{quoted(said)} has another name elsewhere ({item.links} names in all)"
    return (f"{names}: {new} goes under this name only, the other keeps what it has",)


def about_links(files: Files, said: str, path: str) -> tuple[str, ...]:
    """Return a warning when any part of the real path differs from what was written."""
    return () if files.literal_path(said) == path else (f"{quoted(said)} leads to {quoted(path)}",)


def why_run(item: Item, said: str) -> str | None:
    """Return why opening `item` would run something, or None; `said` is the path as the model wrote it."""
    for path in (said, item.path):
        reason = RUN.get(ending_of(path))
        if reason is not None:
            return reason
    if item.kind == "file" and item.mode & 0o111:
        return MARKED
    return None
