"""Move, copy and delete: what becomes of a thing as a whole."""

from sayso.core.operation import Operation, operation
from sayso.core.plan import Change, Facts, Plan
from sayso.core.schema import UserPath
from sayso.providers.files import errors
from sayso.providers.files.model import Copy, Keep, Rename, Restore, Trash, Unkeep
from sayso.providers.files.operations.support import (
    about_denied,
    about_links,
    must_stay_allowed,
    name_item,
    place_beside,
    place_for,
)
from sayso.providers.files.store import Files, Item, Place


@operation("file.move", kind="destructive", asks="mode")
async def move(files: Files, source: UserPath, destination: UserPath) -> Plan:
    """Move or rename a file or folder.

    `destination` is the whole new path, with the new name; it must be free, and its folder must exist.
    """
    found = await files.look(source)
    place = await place_beside(files, found, source, destination)
    data = {"path": found.path, "destination": destination}
    if place is None:
        return Plan(f"“{source}” is already at “{destination}”", data=data)
    await must_stay_allowed(files, found, place, destination)
    asks = about_denied(found, source, "are moved along")
    same_disk = found.device == place.device
    changes = _plan_rename(found, place) if same_disk else await _to_another_disk(files, found, place)
    how = "" if same_disk else _other_disk(changes)
    return Plan(
        f"Move {name_item(found, source)} to “{destination}”{how}",
        changes,
        said_when_done="Moved file",
        asks=bool(asks),
        warns=(*asks, *about_links(source, found.path), *about_links(destination, place.path)),
        data={**data, "destination": place.path},
    )


def _plan_rename(found: Item, place: Place) -> tuple[Change, ...]:
    free = (place.free,) if place.free.about == place.path else ()
    expects: Facts = (found.fact, *free, place.parent)
    return (Change(Rename(found.path, place.path), Rename(place.path, found.path), expects),)


async def _to_another_disk(files: Files, found: Item, place: Place) -> tuple[Change, ...]:
    copied = Change(
        Copy(found.path, place.path, files.token()),
        Keep(place.path, files.token()),
        (found.fact, place.free, place.parent),
    )
    return (copied, await _put_away(files, found))


def _other_disk(changes: tuple[Change, ...]) -> str:
    into = "put in the Trash" if isinstance(changes[-1].do, Trash) else "kept aside by sayso"
    return f": it is copied to another disk, and the original is {into}"


@operation("file.copy", kind="write", asks="mode")
async def copy(files: Files, source: UserPath, destination: UserPath) -> Plan:
    """Copy a file or a whole folder.

    `destination` is the whole new path, with the new name; it must be free, and its folder must exist.
    """
    found = await files.look(source)
    place = await place_for(files, destination)
    if place.path.startswith(found.path + "/"):
        raise errors.inside_itself(source, destination)
    await must_stay_allowed(files, found, place, destination)
    asks = about_denied(found, source, "are copied along")
    copied = Change(
        Copy(found.path, place.path, files.token()),
        Keep(place.path, files.token()),
        (found.fact, place.free, place.parent),
    )
    return Plan(
        f"Copy {name_item(found, source)} to “{destination}”",
        (copied,),
        said_when_done="Copied file",
        asks=bool(asks),
        warns=(*asks, *about_links(source, found.path), *about_links(destination, place.path)),
        data={"path": found.path, "destination": place.path},
    )


@operation("file.delete", kind="destructive", asks="floor")
async def delete(files: Files, path: UserPath) -> Plan:
    """Delete a file or folder: it goes to the Trash and can be brought back."""
    found = await files.look(path)
    change = await _put_away(files, found)
    where = "it goes to the Trash" if isinstance(change.do, Trash) else "it is kept aside by sayso for a while"
    asks = about_denied(found, path, "go with it")
    return Plan(
        f"Delete {name_item(found, path)}; {where}",
        (change,),
        said_when_done="Deleted file",
        asks=bool(asks),
        warns=(*asks, *about_links(path, found.path)),
        data={"path": found.path},
    )


async def _put_away(files: Files, found: Item) -> Change:
    entry = await files.trash_entry(found)
    if entry is None:
        kept = files.token()
        return Change(Keep(found.path, kept), Unkeep(found.path, kept), (found.fact,))
    return Change(Trash(found.path, entry), Restore(found.path, entry), (found.fact,))


OPERATIONS: tuple[Operation, ...] = (move, copy, delete)
