"""The steps that give a thing another place: rename, trash and restore, keep and unkeep, remove folders."""

from collections.abc import Callable
from contextlib import ExitStack, suppress

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.plan import Facts, Left
from sayso.core.ports import no_kill_point
from sayso.providers.disk.wrong import changed
from sayso.providers.files import trouble
from sayso.providers.files.local.bench import Bench, back, carry, gone, there
from sayso.providers.files.local.measure import Seen
from sayso.providers.files.local.spot import Spot, same
from sayso.providers.files.steps import Keep, RemoveFolders, Rename, Restore, Trash, Unkeep


def rename(bench: Bench, step: Rename, expects: Facts) -> Left:
    """Give what is at `source` the free path `destination`."""
    kill = bench.kills("rename")
    with ExitStack() as stack:
        source = bench.movable(step.source, stack)
        target = bench.spot(step.destination, stack)
        if target.path.startswith(source.path + "/"):
            raise trouble.inside_itself(source.said, target.said)
        seen = bench.expecting(expects, stack, source, target).seen(source)
        kill("begun")
        _carry_or_say(lambda: carry(seen, source, target, kill), target)
        return Left((gone(source), *there(seen, target)))


def trash(bench: Bench, step: Trash, expects: Facts) -> Left:
    """Put what is at `path` into the Trash: first the note about it, then the thing."""
    kill = bench.kills("trash")
    with ExitStack() as stack:
        source = bench.movable(step.path, stack)
        seen = bench.expecting(expects, stack, source).seen(source)
        kill("begun")
        opened = bench.trashes.open(step.entry, source, stack, create=True)
        if opened is None:
            raise ProviderError(f"there is no Trash for “{source.said}”", "disk.no_place")
        can, target = opened
        kill("place")
        bench.trashes.write_info(can, target.name, source.path, source.said)
        kill("noted")
        try:
            _carry_or_say(lambda: carry(seen, source, target, kill), source, "its place in the Trash is taken")
        except Uncertain:
            raise
        except (SaysoError, OSError):
            with suppress(OSError):
                if not same(target.stat(), seen.found):
                    bench.trashes.remove_info(can, target.name)
            raise
        return Left((gone(source), *there(seen, target)))


def restore(bench: Bench, step: Restore, expects: Facts) -> Left:
    """Bring the Trash entry back, then remove the note about it."""
    kill = bench.kills("restore")
    with ExitStack() as stack:
        target = bench.spot(step.path, stack)
        opened = bench.trashes.open(step.entry, target, stack, create=False)
        if opened is None:
            raise changed(target.said, "it is no longer in the Trash")
        can, source = opened
        seen = bench.expecting(expects, stack, source, target).seen(source)
        kill("begun")

        def tidy() -> None:
            bench.trashes.remove_info(can, source.name)

        _carry_or_say(lambda: carry(seen, source, target, kill, tidy), target)
        return Left((*back(seen, target), gone(source)))


def keep(bench: Bench, step: Keep, expects: Facts) -> Left:
    """Take what is at `path` away into the kept place."""
    with ExitStack() as stack:
        source, item, seen = _take_away(bench, step, expects, stack)
        return Left((gone(source), *there(seen, item)))


def unkeep(bench: Bench, step: Unkeep, expects: Facts) -> Left:
    """Bring what is kept back to the free path."""
    kill = bench.kills("unkeep")
    with ExitStack() as stack:
        target = bench.spot(step.path, stack)
        source = kept_item(bench, step.kept, target, stack)
        seen = bench.expecting(expects, stack, source, target).seen(source)
        kill("begun")
        _carry_or_say(lambda: carry(seen, source, target, kill), target)
        return Left((*back(seen, target), gone(source)))


def remove_folders(bench: Bench, step: RemoveFolders, expects: Facts) -> Left:
    """Take a tree of nothing but folders away into the kept place."""
    with ExitStack() as stack:
        source, item, seen = _take_away(bench, step, expects, stack)
        try:
            # Something may have been put in between the count and the taking away; nobody can reach it now.
            _must_be_folders(bench.measure.see(item, stack), source)
        except (SaysoError, OSError):
            _bring_back(seen, item, source)
            raise
        return Left((gone(source),))


def _bring_back(seen: Seen, item: Spot, source: Spot) -> None:
    try:
        carry(seen, item, source, no_kill_point)
    except OSError as wrong:
        raise Uncertain(
            f"“{source.said}” was taken away and could not be brought back; it now lies at “{item.path}”",
            "world.changed",
        ) from wrong


def kept_item(bench: Bench, token: str, near: Spot, stack: ExitStack) -> Spot:
    """Return where something is kept. Raises `ProviderError` when its time is over."""
    kept = bench.kept.find(token, near, stack)
    note = kept.note() if kept is not None else None
    item = kept.item(near.said) if kept is not None else None
    if item is not None and item.stat() is not None and not (note and note.pruned):
        return item
    raise expired(bench, near.said, note.time if note is not None else "")


def expired(bench: Bench, said: str, since: str) -> ProviderError:
    """Return the error for a way back that sayso no longer has."""
    days = bench.keep_seconds // 86400
    when = f" since {since[:10]}" if since else ""
    return ProviderError(
        f"what was kept of “{said}”{when} is no longer there: it was kept until its {days} days, or the room for kept"
        " things, were used up; that time is over",
        "undo.expired",
    )


def _take_away(bench: Bench, step: Keep | RemoveFolders, expects: Facts, stack: ExitStack) -> tuple[Spot, Spot, Seen]:
    kill = bench.kills("keep" if isinstance(step, Keep) else "remove_folders")
    source = bench.movable(step.path, stack)
    seen = bench.expecting(expects, stack, source).seen(source)
    if isinstance(step, RemoveFolders):
        _must_be_folders(seen, source)
    kill("begun")
    kept = bench.kept.make(step.kept, source, stack, kill)
    item = kept.item(source.said)
    try:
        kept.put_note(bench.note(step.step, source, was=seen.fact))
        kill("noted")
        carry(seen, source, item, kill)
    except Uncertain:
        raise
    except (SaysoError, OSError):
        kept.clear_notes()
        raise
    return source, item, seen


def _must_be_folders(seen: Seen | None, source: Spot) -> None:
    if seen is None or seen.tree is None or seen.tree.others:
        raise changed(source.said, "it holds more than folders")


def _carry_or_say(carried: Callable[[], None], target: Spot, how: str = "something stands there now") -> None:
    try:
        carried()
    except FileExistsError as taken:
        raise changed(target.said, how) from taken
