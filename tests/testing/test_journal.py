"""The suite for journals finds what is wrong with one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.conversation import Sessions, TriggerState, TriggerStates
from sayso.core.errors import Stale
from sayso.core.grant import Grant
from sayso.core.ports import CountGrantUse, Journal, JournalChange, RecordQuery
from sayso.core.record import Record
from sayso.journal.sessions import SqliteSessions
from sayso.journal.sqlite import SqliteJournal
from sayso.testing.fakes import FakeClock, MemoryTriggers
from sayso.testing.journal import JournalSuite, SessionsSuite, TriggerStatesSuite


class Forgetful(SqliteSessions):
    """Forgets nothing that it is asked to forget."""

    async def delete(self, session: str) -> bool:
        return session == "s1"


async def test_one_that_forgets_nothing_is_found_out(tmp_path: Path):
    class OfForgetful(SessionsSuite):
        @asynccontextmanager
        async def open(self) -> AsyncGenerator[Sessions]:
            async with opened(SqliteJournal, tmp_path) as journal:
                yield Forgetful(journal)

    with pytest.raises(AssertionError):
        await OfForgetful().test_a_session_can_be_renamed_and_forgotten()


class TestMemoryTriggers(TriggerStatesSuite):
    """The fake passes it."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TriggerStates]:
        yield MemoryTriggers()


class LastOneWins(MemoryTriggers):
    """Lets everybody move it on."""

    async def move(self, to: TriggerState) -> bool:
        return await super().move(replace(to, turn=(await self.of(to.name)).turn))


class OfLastOneWins(TriggerStatesSuite):
    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TriggerStates]:
        yield LastOneWins()


async def test_one_that_lets_everybody_win_is_found_out():
    with pytest.raises(AssertionError):
        await OfLastOneWins().test_of_two_that_read_the_same_one_moves_it_on()


@asynccontextmanager
async def opened(make: type[SqliteJournal], folder: Path) -> AsyncGenerator[SqliteJournal]:
    """Yield an empty journal."""
    journal = make(str(folder / "journal.db"), clock=FakeClock())
    await journal.open()
    try:
        yield journal
    finally:
        await journal.close()


class NoTurns(SqliteJournal):
    """Does not say that a row was moved on by somebody else."""

    async def commit(self, *changes: JournalChange, event: str) -> None:
        with suppress(Stale):
            await super().commit(*changes, event=event)


class OldestFirst(SqliteJournal):
    """Shows the history the wrong way round."""

    async def query(self, query: RecordQuery) -> list[Record]:
        """Return it turned around."""
        return (await super().query(query))[::-1]


class Forgives(SqliteJournal):
    """Takes a permission back up after it was revoked."""

    async def grants(self, *, revoked: bool = False) -> list[Grant]:
        """Return all there were."""
        return await super().grants(revoked=True)


class Uncounted(SqliteJournal):
    """Lets things happen without counting uses."""

    async def commit(self, *changes: JournalChange, event: str) -> None:
        """Write the rows alone."""
        await super().commit(*(change for change in changes if not isinstance(change, CountGrantUse)), event=event)


class OfOneSession(SqliteJournal):
    """Forgets what was read as soon as the session is another one."""

    async def exposed(self, principal: str, session: str, since: str) -> tuple[str, ...]:
        """Look in this session alone."""
        return tuple(
            one.source for one in await self.exposures() if (one.principal, one.session) == (principal, session)
        )


BROKEN: list[tuple[type[SqliteJournal], str]] = [
    (NoTurns, "test_a_row_moves_on_only_from_the_turn_that_was_seen"),
    (OldestFirst, "test_the_history_is_filtered_and_read_page_by_page"),
    (Forgives, "test_a_permission_is_counted_and_revoked_for_good"),
    (Uncounted, "test_a_use_is_counted_with_what_it_lets_happen_or_nothing_is_written"),
    (Uncounted, "test_what_is_revoked_or_was_never_given_has_no_use"),
    (OfOneSession, "test_what_was_read_counts_for_its_principal"),
]


@pytest.mark.parametrize(("make", "test"), BROKEN)
async def test_a_broken_journal_does_not_pass(make: type[SqliteJournal], test: str, tmp_path: Path):
    class Suite(JournalSuite):
        @asynccontextmanager
        async def open(self) -> AsyncGenerator[Journal]:
            async with opened(make, tmp_path) as journal:
                yield journal

    with pytest.raises(AssertionError):
        await getattr(Suite(), test)()
