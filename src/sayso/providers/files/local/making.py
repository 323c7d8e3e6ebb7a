"""The steps that make something new in sayso's own place and then rename it into place: write, copy, make folders."""

import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from sayso.core.errors import ProviderError, Refused, SaysoError, Uncertain
from sayso.core.plan import Facts, Left
from sayso.core.ports import KillPoint
from sayso.core.values import dataclass
from sayso.policy.paths import denied_name
from sayso.providers.disk.syscalls import FOLDER, sync
from sayso.providers.disk.wrong import changed
from sayso.providers.files import trouble
from sayso.providers.files.facts import SameFolder, Unchanged
from sayso.providers.files.local.bench import Bench, carry, there_by_fact
from sayso.providers.files.local.copying import copy as copy_thing
from sayso.providers.files.local.kept import ITEM, Kept
from sayso.providers.files.local.measure import Seen
from sayso.providers.files.local.spot import Spot, same
from sayso.providers.files.steps import Copy, MakeFolders, Write

NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SETGID = 0o2000


@dataclass(frozen=True, slots=True)
class _Job:
    """One thing that is being made: for which step, in which place, to stand where."""

    bench: Bench
    step: Write | Copy | MakeFolders
    kept: Kept
    target: Spot
    kill: KillPoint
    stack: ExitStack


def write(bench: Bench, step: Write, expects: Facts) -> Left:
    """Make a new file with this text at a free path."""
    kill = bench.kills("write")
    with ExitStack() as stack:
        target = bench.spot(step.path, stack)
        bench.expecting(expects, stack, target)
        kill("begun")
        kept = bench.kept.make(step.kept, target, stack, kill)
        job = _Job(bench, step, kept, target, kill, stack)
        with building(kept, target.said):
            descriptor = os.open(ITEM, NEW_FILE, 0o600, dir_fd=kept.folder)
            stack.callback(os.close, descriptor)
            kill("created")
            write_all(descriptor, step.content.encode())
            kill("filled")
            _as_new_in(target, descriptor, bench.modes.file)
            sync(descriptor)
            kill("built")
            seen = seen_built(bench, kept, target, stack)
        return _put_into_place(job, seen)


def copy(bench: Bench, step: Copy, expects: Facts) -> Left:
    """Copy a file, link or whole tree to a free path."""
    kill = bench.kills("copy")
    with ExitStack() as stack:
        source = bench.spot(step.source, stack)
        target = bench.spot(step.destination, stack)
        if target.path.startswith(source.path + "/"):
            raise trouble.inside_itself(source.said, target.said)
        seen = bench.expecting(expects, stack, source, target).seen(source)
        kill("begun")
        kept = bench.kept.make(step.kept, target, stack, kill)
        job = _Job(bench, step, kept, target, kill, stack)
        with building(kept, target.said):
            copy_thing(source, seen, kept.item(target.said), kill)
            kill("built")
            built = seen_built(bench, kept, target, stack)
            _must_be_alike(seen, built, target)
            _must_be_as_before(bench, seen, source, stack)
        return _put_into_place(job, built)


def make_folders(bench: Bench, step: MakeFolders, expects: Facts) -> Left:
    """Make the free folder `path` and those below it, all or none."""
    kill = bench.kills("make_folders")
    with ExitStack() as stack:
        target = bench.spot(step.path, stack)
        _must_be_names(step, target)
        bench.expecting(expects, stack, target)
        kill("begun")
        kept = bench.kept.make(step.kept, target, stack, kill)
        job = _Job(bench, step, kept, target, kill, stack)
        with building(kept, target.said):
            folders = _chain(job, step.below)
            kill("built")
            seen = seen_built(bench, kept, target, stack)
        left = _put_into_place(job, seen, folders)
        return Left((*left.facts, *folders))


@contextmanager
def building(kept: Kept, said: str) -> Generator[None]:
    """Leave nothing in the place when what is built in it does not come to be. Raises what is raised within.

    Only building belongs within, while nothing but sayso's own can be in the place.
    """
    try:
        yield
    except FileExistsError as taken:
        kept.clear()
        raise changed(said, "something stands there now") from taken
    except (SaysoError, OSError):
        kept.clear()
        raise


def clear_built(kept: Kept, built: Seen) -> None:
    """Remove what was built in the place, if it is still that very thing that lies there."""
    if same(kept.item("").stat(), built.found):
        kept.clear()


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of it; a disk takes it in pieces when it is getting full."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def seen_built(bench: Bench, kept: Kept, target: Spot, stack: ExitStack) -> Seen:
    """Return what was built in the place."""
    seen = bench.measure.see(kept.item(target.said), stack)
    if seen is None:
        raise ProviderError(f"what was made for “{target.said}” is gone again", "world.changed")
    return seen


def _put_into_place(job: _Job, seen: Seen, folders: tuple[SameFolder, ...] = ()) -> Left:
    target = job.target
    made = replace(seen.whole, about=target.about)
    try:
        job.kept.put_note(job.bench.note(job.step.step, target, made=made, folders=folders))
        job.kill("noted")
        carry(seen, job.kept.item(target.said), target, job.kill)
    except Uncertain:
        raise
    except FileExistsError as taken:
        clear_built(job.kept, seen)
        raise changed(target.said, "something stands there now") from taken
    except (SaysoError, OSError):
        clear_built(job.kept, seen)
        raise
    return Left(there_by_fact(made, target.about))


def _as_new_in(target: Spot, descriptor: int, mode: int) -> None:
    """Give a new file or folder the mode of new ones, and the group of a folder that hands its group on."""
    above = os.fstat(target.folder)
    if above.st_mode & _SETGID:
        try:
            os.fchown(descriptor, -1, above.st_gid)
        except PermissionError:
            pass
        else:
            mode |= _SETGID if mode & 0o111 else 0
    os.fchmod(descriptor, mode)


def _chain(job: _Job, below: tuple[str, ...]) -> tuple[SameFolder, ...]:
    """Make the folders one in the other, and return those below the first."""
    here, path = job.kept.folder, job.target.path
    folders: list[SameFolder] = []
    for name in (ITEM, *below):
        os.mkdir(name, 0o700, dir_fd=here)
        made = os.open(name, FOLDER, dir_fd=here)
        job.stack.callback(os.close, made)
        job.kill("created")
        _as_new_in(job.target, made, job.bench.modes.folder)
        sync(here)
        if here != job.kept.folder:
            path = f"{path}/{name}"
            found = os.fstat(made)
            folders.append(SameFolder(path, found.st_dev, found.st_ino))
        here = made
    sync(here)
    return tuple(folders)


def _must_be_names(step: MakeFolders, target: Spot) -> None:
    path = target.path
    for name in step.below:
        if name in {"", ".", ".."} or "/" in name or "\0" in name:
            raise Refused(f"“{name}” is no name for a folder", "path.form")
        path = f"{path}/{name}"
        denied = denied_name(path)
        if denied is not None:
            raise trouble.denied(path, denied)


def _must_be_alike(source: Seen, built: Seen, target: Spot) -> None:
    one, other = source.fact, built.fact
    if (one.kind, one.size, one.entries, one.sha256) != (other.kind, other.size, other.entries, other.sha256):
        raise ProviderError(
            f"“{target.said}” did not become what was to be copied; nothing was left there", "disk.failed"
        )


def _must_be_as_before(bench: Bench, before: Seen, source: Spot, stack: ExitStack) -> None:
    now = bench.measure.see(source, stack)
    same_tree = now is not None and (before.tree is None or before.tree == now.tree)
    fact: Unchanged | None = now.fact if now is not None else None
    if fact != before.fact or not same_tree:
        raise changed(source.said, "it changed while it was being copied")
