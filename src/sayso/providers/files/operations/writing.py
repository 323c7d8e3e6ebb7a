"""Make a folder, write a file, append to one: what comes to be under a path."""

import posixpath

from sayso.core.lazy import load
from sayso.core.operation import Operation, operation
from sayso.core.plan import Change, Plan
from sayso.core.schema import Text, UserPath
from sayso.providers.files import errors
from sayso.providers.files.model import Exchange, Keep, MakeFolders, RemoveFolders, Replace, Write
from sayso.providers.files.operations.support import about_links, about_other_names, place_for, size_in_words
from sayso.providers.files.store import Files, Gap, Item

DIFF = "sayso.providers.files.operations.support"
"""What compares texts: it takes long to import, and only what is written needs it."""


@operation("file.mkdir", kind="write", asks="mode")
async def mkdir(files: Files, path: UserPath) -> Plan:
    """Create a folder and all folders missing on the way to it; one that is there already is fine."""
    gap = await files.gap(path)
    if not isinstance(gap, Gap):
        return Plan(f"the folder “{path}” is already there", said_when_done="Created folder", data={"path": gap.path})
    place, above = gap.place, len(gap.below)
    more = f" and the {'folder' if above == 1 else f'{above} folders'} above it" if above else ""
    whole = posixpath.join(place.path, *gap.below)
    make = MakeFolders(place.path, gap.below, files.token())
    return Plan(
        f"Create folder “{path}”{more}",
        (Change(make, RemoveFolders(place.path, files.token()), (place.free, place.parent)),),
        said_when_done="Created folder",
        warns=about_links(path, whole),
        data={"path": whole},
    )


@operation("file.write", kind="write", asks="mode")
async def write(files: Files, path: UserPath, content: Text) -> Plan:
    """Write a text file: a new one, or new content for the one that is there, which is kept for undo."""
    if not await files.exists(path):
        return await _new(files, path, content, "Wrote file", {})
    found = await _file(files, path)
    if await _holds_already(files, path, found, content):
        return Plan(f"“{path}” already holds exactly this text", said_when_done="Wrote file", data={"path": found.path})
    kept = files.token()
    asks = about_other_names(found, path, "the new content")
    return Plan(
        f"Replace the content of “{path}” ({size_in_words(found.size)}) with "
        f"{size_in_words(len(content.encode()))} of text",
        (Change(Replace(found.path, content, kept), Exchange(found.path, kept), (found.fact,)),),
        said_when_done="Wrote file",
        loses=(f"the present content of “{path}” ({size_in_words(found.size)}); it is kept and can be brought back",),
        asks=bool(asks),
        warns=(*asks, *about_links(path, found.path)),
        preview=await load(f"{DIFF}:difference")(files, path, found, content),
        data={"path": found.path},
    )


@operation("file.append", kind="write", asks="mode")
async def append(files: Files, path: UserPath, content: Text) -> Plan:
    """Add text at the end of a file, with nothing put between; a missing file is made."""
    if not await files.exists(path):
        if await files.append_missing() == "error":
            raise errors.missing(path)
        return await _new(files, path, content, "Appended to file", {"created": True})
    found = await _file(files, path)
    data = {"path": found.path, "created": False}
    if not content:
        return Plan(f"there is nothing to add to “{path}”", said_when_done="Appended to file", data=data)
    kept = files.token()
    asks = about_other_names(found, path, "the longer content")
    add = Replace(found.path, content, kept, append=True)
    return Plan(
        f"Add {size_in_words(len(content.encode()))} of text at the end of “{path}”",
        (Change(add, Exchange(found.path, kept), (found.fact,)),),
        said_when_done="Appended to file",
        asks=bool(asks),
        warns=(*asks, *about_links(path, found.path)),
        preview=load(f"{DIFF}:added_lines")(content),
        data=data,
    )


async def _new(files: Files, path: str, content: str, said: str, data: dict[str, object]) -> Plan:
    place = await place_for(files, path)
    make = Write(place.path, content, files.token())
    return Plan(
        f"Write the new file “{path}” with {size_in_words(len(content.encode()))} of text",
        (Change(make, Keep(place.path, files.token()), (place.free, place.parent)),),
        said_when_done=said,
        warns=about_links(path, place.path),
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


OPERATIONS: tuple[Operation, ...] = (mkdir, write, append)
