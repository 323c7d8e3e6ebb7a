"""What every test of the path starts from: a shelf, a real SQLite journal, a clock that stands still."""

import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sayso.core.decision import Decision
from sayso.core.grant import Grant, Wish
from sayso.core.ports import Approver, KillPoint, no_kill_point
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import Owner, Record
from sayso.journal.sqlite import SqliteJournal
from sayso.policy.settings import Policy
from sayso.runtime.engine import Approvals, Engine
from sayso.runtime.grants import GrantService
from sayso.runtime.locks import FileLocks
from sayso.runtime.questions import Nobody
from sayso.runtime.recovery import Recovery, this_process
from sayso.runtime.registry import catalogue, codec
from sayso.runtime.results import Outcome, Report
from sayso.runtime.services import Services
from sayso.runtime.undo import Undo
from sayso.testing.fakes import FakeClock, NumberedIds, Says
from tests.runtime.shelf import SHELF, TAKE, Backend, Call, World


def a_policy(**changed: object) -> Policy:
    """Return a policy over a home that no test looks into."""
    policy = Policy(home="/home/ana", own="/home/ana/.sayso", real_home="/home/ana", real_own="/home/ana/.sayso")
    return replace(policy, **changed)


@dataclass
class Given:
    """A path on a shelf."""

    tools: Services
    world: World
    clock: FakeClock
    policy: list[Policy]
    path: Engine = field(init=False)
    approvals: Approvals = field(init=False)
    undo: Undo = field(init=False)
    grants: GrantService = field(init=False)

    def __post_init__(self) -> None:
        self.path = Engine(self.tools)
        self.approvals = Approvals(self.tools, self.path)
        self.undo = Undo(self.tools)
        self.grants = GrantService(self.tools)

    async def run(
        self,
        *calls: Call,
        approver: Approver | None = None,
        dry_run: bool = False,
        whole_or_none: bool = False,
        session: str = "",
    ) -> Report:
        """Take calls down the path."""
        return await self.path.take(
            proposed(*calls),
            Origin("lines", "test", session),
            approver or Nobody(),
            dry_run=dry_run,
            whole_or_none=whole_or_none,
        )

    async def undone(self, ref: str | None = None) -> Report:
        """Take back."""
        return await self.undo.take_back(await self.undo.find(ref), Origin("", "undo"), "command")

    async def recovered(self) -> int:
        """Settle what dead owners left, as every command does when it opens the journal."""
        return await Recovery(self.tools).on_opening()

    async def again(self, report: Report) -> list[Record]:
        """Return what the journal holds of a run now."""
        return await self.tools.journal.of_run(report.run)

    def tightened(self, **changed: object) -> None:
        """Change the settings, as a person does while something waits."""
        self.policy[0] = replace(self.policy[0], **changed)


def proposed(*calls: Call) -> list[Proposal]:
    """Return proposals as a dialect would; an operation beginning with ! could not be read."""
    return [
        Proposal(index, f"{name} {arguments}", name, arguments)
        if not name.startswith("!")
        else Proposal(index, name[1:], problem=f"Unknown command: {name[1:]}", code="command.unknown")
        for index, (name, arguments) in enumerate(calls)
    ]


def states(outcomes: Report | Sequence[Record]) -> list[str]:
    """Return where each action stands."""
    records = [outcome.record for outcome in outcomes.outcomes] if isinstance(outcomes, Report) else outcomes
    return [record.state.value for record in records]


def only(report: Report) -> Outcome:
    """Return the one outcome of a run."""
    (outcome,) = report.outcomes
    return outcome


def events(folder: Path) -> list[str]:
    """Return the words of the audit trail, one for each commit."""
    rows = sqlite3.connect(folder / "sayso.db").execute("SELECT event FROM audit ORDER BY seq").fetchall()
    return [event for (event,) in rows]


@asynccontextmanager
async def given(  # noqa: PLR0913 - each is a choice of the test
    folder: Path,
    *,
    world: World | None = None,
    policy: Policy | None = None,
    kill: KillPoint = no_kill_point,
    owner: Callable[[], Owner] = this_process,
    imagines: bool = True,
) -> AsyncGenerator[Given]:
    """Open a journal in `folder` and build the path on it; the world may be one that a killed process left."""
    world, clock, policies = world or World(), FakeClock(), [policy or a_policy()]
    parts = [replace(SHELF)]
    journal = SqliteJournal(str(folder / "sayso.db"), clock=clock, kill=kill)
    start = len(list(folder.glob("opened-*"))) * 1000 + 1
    (folder / f"opened-{start}").touch()
    tools = Services(
        catalogue=catalogue(parts),
        backends={"shelf": Backend(world, kill, imagines=imagines)},
        unavailable={},
        codec=codec(parts),
        policy=lambda: policies[0],
        journal=journal,
        locks=FileLocks(folder / "locks"),
        clock=clock,
        ids=NumberedIds(start),
        owner=owner(),
        kill=kill,
    )
    await journal.open()
    try:
        yield Given(tools, world, clock, policies)
    finally:
        await journal.close()


def a_dead_owner() -> Owner:
    """Return an owner of this host whose process is gone: a boot before this one."""
    return replace(this_process(), boot="a boot before")


async def taken(it: Given, call: Call = TAKE, *, by: str = "terminal") -> Record:
    """Let it be done with a yes, and put the thing back in the world so that it could be done again."""
    before = dict(it.world.texts)
    record = only(await it.run(call, approver=Says(True, by=by))).record
    it.world.texts = before
    return record


async def permitted(it: Given, record: Record, **wish: Any) -> Grant:
    """Let the person permit from now on what was done."""
    offer = await it.grants.offer(Wish(record.id, **wish))
    return await it.grants.give(offer, Decision(True, "terminal", offer.digest), entry="test")
