"""The steps that exchange two files: replace, which keeps the old one whole, and its way back."""

import os
import stat
from contextlib import ExitStack
from dataclasses import replace as but

from sayso.core.errors import ProviderError, SaysoError, Uncertain
from sayso.core.plan import Facts, Left
from sayso.core.ports import KillPoint
from sayso.core.values import dataclass
from sayso.providers.disk.syscalls import exchange as exchange_names
from sayso.providers.disk.syscalls import sync
from sayso.providers.disk.wrong import changed
from sayso.providers.files import trouble
from sayso.providers.files.facts import Unchanged
from sayso.providers.files.local.bench import Bench
from sayso.providers.files.local.copying import copy_attributes, copy_content
from sayso.providers.files.local.making import NEW_FILE, building, clear_built, seen_built, write_all
from sayso.providers.files.local.measure import Seen, difference
from sayso.providers.files.local.moving import kept_item
from sayso.providers.files.local.spot import Spot, open_file, same
from sayso.providers.files.local.writers import without_writers
from sayso.providers.files.steps import Exchange, Replace

_WITHOUT_POWERS = 0o1777


@dataclass(frozen=True, slots=True)
class _Pair:
    """What stands at `target` and what is to stand there, which lies at `item`."""

    target: Spot
    item: Spot
    old: Seen
    new: Seen


def replace(bench: Bench, step: Replace, expects: Facts) -> Left:
    """Put a file with this text where one stands; the old one lies under `kept` afterwards."""
    kill = bench.kills("replace")
    with ExitStack() as stack:
        target = bench.spot(step.path, stack)
        old = bench.expecting(expects, stack, target).seen(target)
        _must_be_writable(old, target)
        reading = open_file(target, old.found, stack)
        with without_writers(reading, target.said):
            pass
        kill("begun")
        kept = bench.kept.make(step.kept, target, stack, kill)
        item = kept.item(target.said)
        with building(kept, target.said):
            _build(step, reading, item, kill)
            new = seen_built(bench, kept, target, stack)
            made, was = but(new.fact, about=target.about), but(old.fact, about=item.about)
            kept.put_note(bench.note(step.step, target, made=made, was=was))
            kill("noted")
        try:
            with without_writers(reading, target.said):
                _swap(bench, _Pair(target, item, old, new), kill)
        except Uncertain:
            raise
        except (SaysoError, OSError):
            # Only what was built here is removed, never what was kept.
            clear_built(kept, new)
            raise
        return Left((made, was))


def exchange(bench: Bench, step: Exchange, expects: Facts) -> Left:
    """Exchange the file at `path` with the kept one."""
    kill = bench.kills("exchange")
    with ExitStack() as stack:
        target = bench.spot(step.path, stack)
        item = kept_item(bench, step.kept, target, stack)
        expecting = bench.expecting(expects, stack, target, item)
        now, kept = expecting.seen(target), expecting.seen(item)
        kill("begun")
        _swap(bench, _Pair(target, item, now, kept), kill)
        return Left((but(kept.fact, about=target.about), but(now.fact, about=item.about)))


def _swap(bench: Bench, pair: _Pair, kill: KillPoint) -> None:
    """Exchange the two, durably, and look at what came out.

    Raises `ProviderError` when that is not the old one, with everything put back, `Uncertain` when it
    cannot be put back.
    """
    target, item = pair.target, pair.item
    exchange_names(item.folder, item.name, target.folder, target.name)
    kill("exchanged")
    how = _what_came_out(bench, pair.old, item)
    if how:
        _swap_back(pair)
        raise changed(target.said, how)
    try:
        sync(target.folder)
        sync(item.folder)
    except OSError as fault:
        raise Uncertain(
            f"“{target.said}” was replaced, but the disk reported a fault; look at it", "disk.failed"
        ) from fault
    kill("synced")


def _swap_back(pair: _Pair) -> None:
    target, item = pair.target, pair.item
    try:
        exchange_names(item.folder, item.name, target.folder, target.name)
        if same(item.stat(), pair.new.found):
            return
        # Yet another file was put there in between: it is the newest and stays, the one before it is kept.
        exchange_names(item.folder, item.name, target.folder, target.name)
    except OSError as wrong:
        raise _kept_aside(target, item) from wrong
    raise _kept_aside(target, item)


def _kept_aside(target: Spot, item: Spot) -> Uncertain:
    return Uncertain(
        f"another program was changing “{target.said}” at that moment; what stood there before lies at “{item.path}”",
        "world.changed",
    )


def _what_came_out(bench: Bench, expected: Seen, item: Spot) -> str:
    with ExitStack() as stack:
        try:
            out = bench.measure.see(item, stack)
        except (SaysoError, OSError):
            return "what stood there could not be looked at"
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
        # As when a file is written to in place: new content does not run with the owner's powers.
        os.fchmod(new, stat.S_IMODE(os.fstat(new).st_mode) & _WITHOUT_POWERS)
        sync(new)
        kill("built")
    finally:
        os.close(new)


def _must_be_writable(old: Seen, target: Spot) -> None:
    fact: Unchanged = old.fact
    if fact.kind == "folder":
        raise trouble.not_a_file(target.said)
    if fact.kind == "link":
        raise changed(target.said, "a link stands there now")
    if not os.access(target.name, os.W_OK, dir_fd=target.folder, effective_ids=True):
        raise ProviderError(f"“{target.said}” is write-protected; nothing was written", "path.not_permitted")
