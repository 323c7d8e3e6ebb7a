"""What stands in a row is known without reading it, and nobody else's change to it is taken for ours."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Advance, Put
from sayso.core.record import State
from sayso.testing.journal import PLAN, a_record, done
from tests.journal.given import a_journal, rows, tamper

LATER = {**PLAN, "summary": "planned later"}


async def test_content_written_anew_is_told_in_the_audit(tmp_path: Path):
    record = a_record(1, plan=None)
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(Put(record), event="asked")
        planned = replace(record, plan=LATER, policy="other", backends={"files": "memory"})
        await journal.commit(Advance(done(planned)), event="done")

        assert await journal.get(record.id) == done(planned)
        assert (await journal.verify()).ok
    told = rows(tmp_path / "sayso.db", "SELECT json_extract(members, '$.actions[0].anew') FROM trail")
    assert told == [(None,), (1,)]


async def test_another_process_sees_what_was_planned_later(tmp_path: Path):
    record = a_record(1, plan=None)
    async with a_journal(tmp_path / "sayso.db") as one, a_journal(tmp_path / "sayso.db") as other:
        await one.commit(Put(record), event="asked")
        await other.commit(Advance(replace(record, plan=LATER).moved(state=State.RUNNING)), event="approved")
        seen = await one.get(record.id)
        assert seen
        await one.commit(Advance(done(seen)), event="done")

        assert seen.plan == LATER
        assert (await one.verify()).ok


async def test_a_list_that_was_a_tuple_is_no_other_content(tmp_path: Path):
    record = a_record(1, plan={**PLAN, "loses": ("a", "b")})
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(Put(record), event="asked")
        seen = await journal.get(record.id)
        assert seen
        await journal.commit(Advance(done(seen)), event="done")

    told = rows(tmp_path / "sayso.db", "SELECT json_extract(members, '$.actions[0].anew') FROM trail")
    assert told == [(None,), (None,)]


@pytest.mark.req("AU-01")
async def test_a_row_that_was_changed_while_it_waited_does_not_move_on(tmp_path: Path):
    record = a_record(1)
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(Put(record), event="asked")
        tamper(tmp_path / "sayso.db", "UPDATE action SET body = replace(body, 'moving', 'mowing')")
        seen = await journal.get(record.id)
        assert seen

        with pytest.raises(SetupError, match="was changed in the journal by something other than sayso"):
            await journal.commit(Advance(seen.moved(state=State.RUNNING)), event="approved")

        assert rows(tmp_path / "sayso.db", "SELECT state, turn FROM action") == [("waiting", 0)]


async def test_a_very_long_row_is_not_held_in_memory_and_moves_on_all_the_same(tmp_path: Path):
    record = a_record(1, arguments={"content": "x" * 100_000})
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(Put(record), event="asked")
        await journal.commit(Advance(done(record)), event="done")

        assert await journal.get(record.id) == done(record)
        assert (await journal.verify()).ok
