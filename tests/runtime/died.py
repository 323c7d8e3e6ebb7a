"""What the tests of recovery start from: a process that is gone, and what the next one makes of it."""

from pathlib import Path

import pytest

from sayso.core.ports import RecordQuery
from sayso.core.record import Record
from sayso.testing.fakes import KillAt, Killed, Says
from tests.runtime.given import Call, a_dead_owner, a_policy, given
from tests.runtime.shelf import World


async def died(folder: Path, world: World, label: str, nth: int, *calls: Call) -> str:
    """Run until the kill point comes, as a process that then is gone; return what run it was."""
    policy, kill = a_policy(mode="never"), KillAt(label, nth=nth)
    async with given(folder, world=world, owner=a_dead_owner, policy=policy, kill=kill) as it:
        with pytest.raises(Killed):
            await it.run(*calls, approver=Says(True))
        newest = await it.tools.journal.query(RecordQuery())
        return newest[0].run


async def settled(folder: Path, world: World, run: str) -> list[Record]:
    """Settle as every command does, and return what the journal holds of the run then."""
    async with given(folder, world=world) as later:
        await later.recovered()
        return await later.tools.journal.of_run(run)


def told(records: list[Record]) -> list[tuple[str, str | None, str | None]]:
    """Return state, sentence and code of each."""
    return [(record.state.value, record.marks.error or record.marks.message, record.marks.code) for record in records]
