"""Hold one attempt against what was promised; everything is told by the world, not by sayso."""

from collections.abc import Iterator

from tests.harness.races_acting import Ending
from tests.harness.races_deeds import SAME, A, Deed
from tests.harness.races_ground import BYTES, NAME, Ground, Inside

CANARIES = (BYTES, NAME)


def breaches(ground: Ground, deed: Deed, ending: Ending, before: Inside, *, back: bool) -> Iterator[str]:
    """Yield each promise that was broken, where everything that was swapped is at rest again."""
    after = ground.inside()
    if ending.how == "bug":
        yield f"a bug showed itself: {ending.told[:300]}"
    yield from _leaks(ending, after)
    theirs = {thing.inode for path, thing in before.items() if thing.holds and not path.startswith(ground.notes)}
    lost = theirs - {thing.inode for thing in after.values()}
    if lost:
        yield f"lost: {[path for path, thing in before.items() if thing.inode in lost]}"
    if ending.how == "refused" and after != before:
        yield f"a refusal changed {sorted({*before.items()} ^ {*after.items()})[:4]}: {ending.told[:200]}"
    if ending.how == "acted":
        yield from (_not_back if back else _not_landed)(ground, deed, ending, before, after)


def _leaks(ending: Ending, after: Inside) -> Iterator[str]:
    for canary in CANARIES:
        if canary in ending.told:
            yield f"what lies outside was told: {ending.told[:300]}"
        for path, thing in after.items():
            if canary in thing.holds or canary in path:
                yield f"what lies outside came in at {path}"


def _not_landed(ground: Ground, deed: Deed, ending: Ending, before: Inside, after: Inside) -> Iterator[str]:
    """Yield what is wrong with where things are after a deed that was done."""
    at = [path for path, thing in after.items() if thing.inode == ending.inode]
    folders = [thing.folder for thing in after.values() if thing.inode == ending.inode]
    known = {thing.inode for thing in before.values()}
    wanted = {
        "there": ending.folder in folders,
        "trash": [path for path in at if path.startswith(f"{ground.trash}/files/")] == at != [],
        "own": [path for path in at if path.startswith(ground.own)] == at != [],
    }
    if not wanted.get(deed.lands, True):
        yield f"{deed.name} said done, but what was seen ({ending.inode}) is at {at}"
    fresh = [thing for thing in after.values() if thing.folder == ending.folder and thing.inode not in known]
    if ending.folder and not fresh and deed.lands != "there":
        yield f"{deed.name} said done, but nothing new is in the folder that was seen ({ending.folder})"
    content = _content(deed, ending, before)
    if content and not any(thing.holds == content for path, thing in after.items() if path not in before):
        # What was put over something has its path, but is not the same thing.
        fresh = {thing.inode for thing in after.values()} - {thing.inode for thing in before.values()}
        if not any(thing.holds == content for thing in after.values() if thing.inode in fresh):
            yield f"{deed.name} said done, but nothing new holds {content!r}"


def _content(deed: Deed, ending: Ending, before: Inside) -> str:
    old = next((thing.holds for thing in before.values() if thing.inode == ending.inode), "")
    match deed.operation:
        case "file.write":
            return SAME
        case "file.append":
            return old + SAME
        case "file.copy":
            return old
        case _:
            return ""


def _not_back(ground: Ground, deed: Deed, ending: Ending, before: Inside, after: Inside) -> Iterator[str]:
    """Yield what is wrong after a deed was taken back."""
    if not deed.lands or deed.lands == "stays":
        place = f"{ground.arena}/{deed.makes.partition('/x')[0]}"
        if place in after and after[place] == before.get(place):
            yield f"{deed.name} was taken back, but {place} still stands"
        return
    said = str(deed.arguments.get("source", deed.arguments.get("path"))).removeprefix(A)
    now = after.get(ground.arena + said)
    if now is None or now.inode != ending.inode:
        yield f"{deed.name} was taken back, but {said} is {now} and not {ending.inode}"
