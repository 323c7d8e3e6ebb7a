"""Hold what a batch of file plans was shown against what is there once it was done."""

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sayso.core.errors import ProviderError, Refused
from sayso.core.operation import Operation
from sayso.core.plan import AsLeft, Change, Fact, Facts, Plan, Ref
from sayso.core.ports import Backend
from sayso.providers.files.facts import Unchanged
from sayso.providers.files.store import Files, Gap, Item

Wish = tuple[str, Mapping[str, str]]
"""The id of an operation, and its arguments."""

WHOLE = 10_000


@dataclass
class Planned:
    """The changes of a batch, each with its number, and the reads that show them as done."""

    seen: Files
    changes: list[tuple[Ref, Change]] = field(default_factory=list[tuple[Ref, Change]])


async def planned(backend: Backend, operations: Mapping[str, Operation], wishes: Sequence[Wish]) -> Planned:
    """Plan wishes one after another, each on the world as the earlier ones would leave it."""
    batch = Planned(backend.reads)
    for number, (name, arguments) in enumerate(wishes):
        operation = operations[name]
        try:
            plan = await operation.function(batch.seen, **arguments)
        except (ProviderError, Refused):
            continue
        if not isinstance(plan, Plan):
            continue
        for place, change in enumerate(plan.changes):
            ref = Ref(number, place)
            batch.seen = backend.imagine(batch.seen, change.do, ref)
            batch.changes.append((ref, change))
    return batch


async def done(backend: Backend, batch: Planned) -> Mapping[tuple[int, int], Facts]:
    """Do all changes, and return what each left; one that cannot be done is a fault of what was shown."""
    lefts: dict[tuple[int, int], Facts] = {}
    for ref, change in batch.changes:
        expects = tuple(resolved(fact, lefts) for fact in change.expects)
        left = await backend.apply(change.do, expects)
        lefts[ref.action, ref.change] = left.facts
    return lefts


async def undone(backend: Backend, batch: Planned, lefts: Mapping[tuple[int, int], Facts]) -> None:
    """Take all changes back, the last first."""
    for ref, change in reversed(batch.changes):
        await backend.apply(change.undo, lefts[ref.action, ref.change])


def resolved(fact: Fact, lefts: Mapping[tuple[int, int], Facts]) -> Fact:
    """Return what an earlier step left in place of the reference to it."""
    if not isinstance(fact, AsLeft):
        return fact
    for left in lefts[fact.action or 0, fact.change]:
        if left.key == fact.key:
            return left
    raise AssertionError(f"{fact} is not among what that step left: {lefts[fact.action or 0, fact.change]}")


async def shown(files: Files, paths: Iterable[str]) -> dict[str, object]:
    """Return everything the reads say of these paths, without what nobody can know before it is done."""
    found: dict[str, object] = {}
    for path in paths:
        found[f"look {path}"] = await _said(_look(files, path))
        found[f"opened {path}"] = await _said(_opened(files, path))
        found[f"exists {path}"] = await _said(files.exists(path))
        found[f"free {path}"] = await _said(_free(files, path))
        found[f"gap {path}"] = await _said(_gap(files, path))
        found[f"read {path}"] = await _said(files.read(path, WHOLE))
        found[f"list {path}"] = await _said(_list(files, path))
        found[f"find {path}"] = await _said(_find(files, path))
    return found


async def facts(files: Files, paths: Iterable[str]) -> dict[str, Fact]:
    """Return the fact about each thing that is there, and about each folder."""
    found: dict[str, Fact] = {}
    for path in paths:
        try:
            found[path] = (await files.look(path)).fact
            item = await files.gap(path)
        except (ProviderError, Refused):
            continue
        if isinstance(item, Item):
            found[f"folder {path}"] = item.fact
    return found


def must_agree(before: Fact, after: Fact, lefts: Mapping[tuple[int, int], Facts]) -> None:
    """Hold the fact that was expected against the one that came true; what stands for it must be its folder's."""
    expected = resolved(before, lefts)
    if expected.about != after.about:
        if not after.about.startswith(expected.about + "/"):
            raise AssertionError(f"{before} stands for {after}")
        return
    if expected.key == after.key and expected != after and not _only_time(expected, after):
        raise AssertionError(f"expected {expected}\nfound    {after}")


def _only_time(one: Fact, other: Fact) -> bool:
    return isinstance(one, Unchanged) and one.kind == "folder" and isinstance(other, Unchanged) and one == other


async def _said(read: Awaitable[object]) -> object:
    try:
        return await read
    except Refused:
        return "refused"
    except ProviderError:
        return "not possible"


async def _look(files: Files, path: str) -> object:
    return _item(await files.look(path))


async def _opened(files: Files, path: str) -> object:
    return _item(await files.opened(path))


async def _gap(files: Files, path: str) -> object:
    found = await files.gap(path)
    return (found.place.path, found.below, found.place.device) if isinstance(found, Gap) else _item(found)


async def _free(files: Files, path: str) -> object:
    place = await files.free(path)
    return place.path, place.device


async def _list(files: Files, path: str) -> object:
    listing = await files.list(path, WHOLE)
    return [(entry.path, entry.kind, entry.size) for entry in listing.entries], listing.omitted


async def _find(files: Files, path: str) -> object:
    listing = await files.find(path, "*", WHOLE)
    return [(entry.path, entry.kind, entry.size) for entry in listing.entries], listing.omitted


def _item(item: Item) -> object:
    # A made thing's time, mode and number are the world's to give.
    return item.path, item.kind, item.device, item.size, item.entries, item.target, sorted(item.denied)
