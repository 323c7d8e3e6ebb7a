"""Bugs that violate what kills must not violate; each weakens sayso in this process and its forks only."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sayso.core.plan import Applied, Change, Facts, NotDone, Settlement, facts_json
from sayso.core.ports import JournalChange
from sayso.core.record import Record, State, StepOutcome, StepRecord
from sayso.journal import writer
from sayso.journal.sqlite import SqliteJournal
from sayso.journal.writer import CachedContent, ContentCache, RecordWrite
from sayso.providers.files.local import creation, settle, transaction
from sayso.providers.files.local.backend import LocalBackend
from sayso.providers.files.local.sandbox import Spot
from sayso.providers.files.local.transaction import Workspace, there
from sayso.providers.files.local.undo_store import Stash, StashNote
from sayso.providers.files.model import FileStep, Steps, Write
from sayso.runtime.apply import JournalWriter, StepRunner
from tests.harness.long_run import Planted


def replaced(owner: object, name: str, new: object) -> Any:
    """Put `new` where a part of sayso is; return what was there."""
    old = getattr(owner, name)
    setattr(owner, name, new)
    return old


BEGINNINGS = {"begun", "approved", "undo begun"}
"""The commits after which something is done."""


def acts_before_the_journal() -> None:
    """Write *begun* only together with what comes after it."""
    commit = SqliteJournal.commit
    held: list[JournalChange] = []

    async def late(self: SqliteJournal, *changes: JournalChange, event: str) -> None:
        held.extend(changes)
        if event not in BEGINNINGS:
            await commit(self, *held, event=event)
            held.clear()

    SqliteJournal.commit = late


def claims_without_its_condition() -> None:
    """Move a row on from whatever turn it is at."""
    for name in ("_ADVANCE", "_REWRITE"):
        statement: str = getattr(writer, name)
        replaced(writer, name, statement.replace("AND turn = ?", "AND ? IS NOT NULL"))

    def at_any_turn(self: ContentCache, line: RecordWrite) -> CachedContent:
        found = self.connection.execute("SELECT turn FROM action WHERE key = ?", (line.record.key,)).fetchone()
        return read(self, replace(line, before=found[0]))

    read = replaced(ContentCache, "_read", at_any_turn)


def is_done_before_acting() -> None:
    """Write *done* and then act."""

    async def too_soon(self: StepRunner, record: Record, change: Change) -> object:
        done = StepRecord(StepOutcome.DONE, facts_json(change.expects))
        early = record.marked(changes=(*record.marks.changes, done), begun=None, state=State.DONE, owner=None)
        pen: JournalWriter = vars(self)["_pen"]
        await pen.now(early, event="done")
        return await do(self, record, change)

    do = replaced(StepRunner, "_do", too_soon)


def recovery_assumes_done() -> None:
    """Take for done whatever had begun."""

    async def surely(self: LocalBackend, step: Steps, expects: Facts) -> Settlement:
        return Applied(expects)

    LocalBackend.settle = surely


def recovery_goes_on() -> None:
    """Do what had begun and was not done."""
    ask = LocalBackend.settle

    async def again(self: LocalBackend, step: Steps, expects: Facts) -> Settlement:
        found = await ask(self, step, expects)
        return await self.apply(step, expects) if isinstance(found, NotDone) else found

    LocalBackend.settle = again


def settles_by_name() -> None:
    """Take whatever stands at a path for what was put there, without looking whose it is."""

    def by_name(workspace: Workspace, step: FileStep, stack: ExitStack) -> Settlement:
        path = step.effect.puts
        spot = workspace.spot(path, stack)
        seen = workspace.measure.see(spot, stack)
        return Applied(there(seen, spot)) if seen is not None else by_token(workspace, step, stack)

    def stands(what: object, spot: Spot | None) -> bool:
        return what is not None and spot is not None and spot.stat() is not None

    by_token = replaced(settle, "_settle_make", by_name)
    replaced(settle, "_is", stands)


def leaves_no_token() -> None:
    """Do not write down beside what was built that it is sayso's own."""

    def forgotten(self: Stash, note: StashNote, *, durable: bool = True) -> None:
        pass

    Stash.put_note = forgotten


def leaves_litter() -> None:
    """Leave half-built things where they are."""

    def nothing(self: Stash) -> None:
        pass

    Stash.clear = nothing


def writes_in_place() -> None:
    """Write a new file where it is to stand, piece by piece."""

    def write(workspace: Workspace, step: Write, expects: Facts) -> Applied:
        with Path(workspace.confine.admit_planned(step.path)).open("x", encoding="utf-8") as file:
            workspace.kill("files.write.begun")
            file.write(step.content[:3])
            file.flush()
            workspace.kill("files.write.filled")
            file.write(step.content[3:])
        return Applied(expects)

    replaced(creation, "write", write)


def takes_back_unclaimed() -> None:
    """Take back first, and write that down when all of it is done."""

    async def not_now(self: JournalWriter, *records: Record, event: str) -> None:
        if event != "undo begun":
            await new(self, *records, event=event)
            return
        held: dict[str, Record] = vars(self)["_held"]
        end = self.end

        async def at_the_end(event: str = "done") -> None:
            await new(self, *(held.pop(record.id, record) for record in records), event=event)
            await end(event)

        vars(self)["end"] = at_the_end

    new = replaced(JournalWriter, "new", not_now)


def renames_over_others() -> None:
    """Put a thing in its place, whatever stands there."""

    def over(source: int, name: str, target: int, to: str) -> None:
        os.replace(name, to, src_dir_fd=source, dst_dir_fd=target)

    replaced(transaction, "rename_to_free", over)


PLANTED: Planted = {
    "act-before-journal": acts_before_the_journal,
    "claim-without-condition": claims_without_its_condition,
    "done-before-acting": is_done_before_acting,
    "recovery-assumes-done": recovery_assumes_done,
    "recovery-goes-on": recovery_goes_on,
    "settle-by-name": settles_by_name,
    "no-token": leaves_no_token,
    "litter": leaves_litter,
    "write-in-place": writes_in_place,
    "undo-unclaimed": takes_back_unclaimed,
    "rename-over": renames_over_others,
}
