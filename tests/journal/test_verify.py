"""Whatever is changed behind sayso's back, verifying names the first thing that is wrong."""

import hashlib
import json
import shutil
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
import rfc8785

from sayso.core.errors import SetupError
from sayso.core.ports import InsertRecord, NoteExposure, UpdateRecord
from sayso.core.record import State, action_id
from sayso.journal.hash_chain import Checkpoint, SealStore, VerificationResult
from sayso.journal.verify import anchors_seal, first_anchor_problem, fixed_problem, tables_problem, verify
from sayso.testing.journal import a_grant, a_record, as_done
from tests.journal.given import a_journal, rows, tamper


async def test_a_journal_just_made_is_as_it_should_be(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db"):
        pass

    with closing(sqlite3.connect(tmp_path / "sayso.db")) as journal, closing(SealStore()) as seals:
        assert tables_problem(journal, seals) is None
        assert first_anchor_problem(journal) is None
        assert fixed_problem(journal) is None
        seals.put_other("exposure", "[]", "00", 3)
        assert "audit row 3 mentioned it last" in str(tables_problem(journal, seals))


async def test_only_the_anchors_before_are_in_their_hash(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db"):
        pass
    with closing(sqlite3.connect(tmp_path / "sayso.db")) as journal:
        alone = anchors_seal(journal, 7)

    tamper(tmp_path / "sayso.db", "INSERT INTO anchor VALUES (7, x'07', 1, 2)")

    with closing(sqlite3.connect(tmp_path / "sayso.db")) as journal:
        assert anchors_seal(journal, 7) == alone
        assert anchors_seal(journal, 8) != alone


async def filled(path: Path, count: int = 6) -> list[str]:
    """Make a journal with three commits, a permission and then one commit per action; return its export."""
    lines: list[str] = []
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(1)), InsertRecord(a_record(2)), event="asked")
        await journal.commit(UpdateRecord(as_done(a_record(1))), NoteExposure("mcp", "", ("mail",)), event="done")
        await journal.put_grant(a_grant())
        for key in range(3, count + 1):
            await journal.commit(InsertRecord(a_record(key)), event="asked")
        await journal.export(lines.append)
    return lines


async def checked(path: Path, checkpoint: Checkpoint | None = None) -> VerificationResult:
    """Verify after opening anew."""
    async with a_journal(path) as journal:
        return await journal.verify(checkpoint)


@pytest.mark.req("S0-82")
async def test_an_untouched_journal_holds(tmp_path: Path):
    lines = await filled(tmp_path / "sayso.db")

    found = await checked(tmp_path / "sayso.db", Checkpoint.read("".join(lines)))

    assert found.ok
    assert (found.rows, found.actions, found.checkpoint.size) == (7, 6, 7)


async def test_the_chain_can_be_checked_with_nothing_but_sqlite_and_hashes(tmp_path: Path):
    await filled(tmp_path / "sayso.db")

    ((origin,),) = rows(tmp_path / "sayso.db", "SELECT value FROM meta WHERE name = 'origin'")
    head = hashlib.sha256(origin.encode()).digest()
    for seq, time, event, members, digest in rows(tmp_path / "sayso.db", "SELECT * FROM trail"):
        text = rfc8785.dumps({**json.loads(members), "seq": seq, "time": time, "event": event})
        head = hashlib.sha256(b"\0" + head + text).digest()
        assert head.hex() == digest


AUDIT = "SELECT {}, time, event, action, turn, state, row, more, hash FROM audit WHERE seq = {}"
EDITS = [
    ("event", ["UPDATE audit SET event = 'declined' WHERE seq = 3"], 3, None),
    ("time", ["UPDATE audit SET time = time + 1 WHERE seq = 2"], 2, None),
    ("hash", ["UPDATE audit SET hash = zeroblob(32) WHERE seq = 5"], 5, None),
    ("sealed row", ["UPDATE audit SET row = zeroblob(32) WHERE seq = 5"], 5, None),
    ("members", ["UPDATE audit SET more = replace(more, 'waiting', 'running') WHERE seq = 1"], 1, None),
    ("members gone", ["UPDATE audit SET more = 'x' WHERE seq = 1"], 1, None),
    ("deleted", ["DELETE FROM audit WHERE seq = 4"], 4, None),
    ("deleted first", ["DELETE FROM audit WHERE seq = 1"], 1, None),
    ("inserted", ["UPDATE audit SET seq = -seq WHERE seq > 4", "UPDATE audit SET seq = 1 - seq WHERE seq < 0",
                  f"INSERT INTO audit {AUDIT.format(5, 4)}"], 5, None),
    ("swapped", ["UPDATE audit SET seq = -5 WHERE seq = 5", "UPDATE audit SET seq = 5 WHERE seq = 6",
                 "UPDATE audit SET seq = 6 WHERE seq = -5"], 5, None),
    ("tail", ["DELETE FROM audit WHERE seq = 7"], None, 6),
    ("state", ["UPDATE action SET state = 'done' WHERE key = 2"], None, 2),
    ("turn", ["UPDATE action SET turn = 9 WHERE key = 2"], None, 2),
    ("marks", ["UPDATE action SET marks = '{}' WHERE key = 1"], None, 1),
    ("body", ["UPDATE action SET body = replace(body, 'mode', 'none') WHERE key = 3"], None, 3),
    ("own text", ["UPDATE action SET c = '/home/eve' WHERE key = 3"], None, 3),
    ("digest", ["UPDATE action SET digest = zeroblob(32) WHERE key = 3"], None, 3),
    ("session", ["UPDATE action SET session = 'other' WHERE key = 3"], None, 3),
    ("origin", ["UPDATE shared SET text = replace(text, 'lines', 'tools')"], None, 1),
    ("common text", ["UPDATE short SET text = 'x' WHERE code = 5"], None, 1),
    ("action deleted", ["DELETE FROM action WHERE key = 4"], None, 4),
    ("last deleted", ["DELETE FROM action WHERE key = 6"], None, 6),
    ("action added", ["CREATE TEMP TABLE t AS SELECT * FROM action WHERE key = 3", "UPDATE t SET key = 99",
                      "INSERT INTO action SELECT * FROM t"], None, 99),
    ("permission", ["UPDATE permission SET uses = -100"], None, None),
    ("permission deleted", ["DELETE FROM permission"], None, None),
    ("anchor", ["UPDATE anchor SET hash = zeroblob(32)"], 1, None),
    ("way back", ["UPDATE action SET back = 0 WHERE key = 1"], None, 1),
    ("way back added", ["UPDATE action SET back = 1 WHERE key = 3"], None, 3),
]  # fmt: skip


@pytest.mark.req("AU-01")
@pytest.mark.parametrize(("what", "statements", "row", "key"), EDITS, ids=[edit[0] for edit in EDITS])
async def test_what_was_changed_is_named(
    tmp_path: Path, what: str, statements: list[str], row: int | None, key: int | None
):
    await filled(tmp_path / "sayso.db")
    tamper(tmp_path / "sayso.db", *statements)

    found = await checked(tmp_path / "sayso.db")

    assert not found.ok
    assert found.bad_row == row
    assert found.bad_action == (None if key is None else action_id(key))
    assert found.problem
    assert (action_id(key) if key else str(row) if row else "grant_1") in found.problem


BESIDE = [
    ("anchor's count", "UPDATE anchor SET removed = 1", "when the journal was begun"),
    ("anchor's time", "UPDATE anchor SET time = time + 1", "when the journal was begun"),
    ("time of making", "UPDATE meta SET value = value + 1 WHERE name = 'created'", "when the journal was begun"),
    ("exposure deleted", "DELETE FROM exposure", "“exposure” is missing"),
    ("exposure of another", "UPDATE exposure SET principal = 'other'", "“exposure” is not as"),
    ("exposure elsewhere", "UPDATE exposure SET session = 'other'", "“exposure” is not as"),
    ("exposure to something else", "UPDATE exposure SET source = 'file.copy'", "“exposure” is not as"),
    ("exposure long ago", "UPDATE exposure SET time = time - 1", "“exposure” is not as"),
    ("exposure null", "UPDATE exposure SET session = x'00'", "“exposure” is not as"),
    ("exposure added", "INSERT INTO exposure VALUES ('other', '', 'file.read', 0)", "“exposure” is not as"),
]


@pytest.mark.req("AU-01")
@pytest.mark.parametrize(("what", "statement", "said"), BESIDE, ids=[one[0] for one in BESIDE])
async def test_what_was_changed_beside_the_actions_is_said(tmp_path: Path, what: str, statement: str, said: str):
    await filled(tmp_path / "sayso.db")
    tamper(tmp_path / "sayso.db", statement)

    found = await checked(tmp_path / "sayso.db")

    assert said in str(found.problem)


@pytest.mark.req("AU-01")
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM short WHERE code = 31",
        "UPDATE short SET text = 'x' WHERE code = 31",
        "UPDATE short SET code = 32 WHERE code = 31",
    ],
)
async def test_a_common_text_that_no_row_uses_yet_is_held_too(tmp_path: Path, statement: str):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")
        assert (await journal.verify()).ok
    tamper(tmp_path / "sayso.db", statement)

    found = await checked(tmp_path / "sayso.db")

    assert "single characters" in str(found.problem)


async def test_what_was_undone_counts_as_read_still(tmp_path: Path):
    record = a_record(1, outside=True)
    undone = as_done(record).moved(state=State.UNDONE, undone_by=action_id(2))
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(record), event="asked")
        await journal.commit(UpdateRecord(as_done(record)), event="done")
        await journal.commit(UpdateRecord(undone), event="undone")

        assert [one.source for one in await journal.exposures()] == [record.operation]
        assert (await journal.verify()).ok


@pytest.mark.req("AU-01")
async def test_a_tail_cut_off_with_its_actions_is_found_by_a_checkpoint(tmp_path: Path):
    lines = await filled(tmp_path / "sayso.db")
    tamper(tmp_path / "sayso.db", "DELETE FROM audit WHERE seq > 5", "DELETE FROM action WHERE key > 4")

    assert (await checked(tmp_path / "sayso.db")).ok  # the chain alone cannot know
    found = await checked(tmp_path / "sayso.db", Checkpoint.read(lines[-1]))

    assert found.bad_row == 6
    assert "the checkpoint counted 7 rows" in str(found.problem)


@pytest.mark.req("AU-01")
async def test_yesterdays_copy_put_back_is_found_by_a_checkpoint(tmp_path: Path):
    path = tmp_path / "sayso.db"
    await filled(path, count=3)
    shutil.copy(path, tmp_path / "yesterday.db")
    lines: list[str] = []
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(9)), event="asked")
        await journal.export(lines.append)
    shutil.copy(tmp_path / "yesterday.db", path)

    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(10)), event="asked")  # as long as before, but another past
        found = await journal.verify(Checkpoint.read(lines[-1]))

    assert (found.bad_row, found.problem) == (5, "audit row 5 is not the one that the checkpoint recorded")


@pytest.mark.req("AU-01")
async def test_another_log_in_its_place_is_found_by_a_checkpoint(tmp_path: Path):
    lines = await filled(tmp_path / "sayso.db")
    await filled(tmp_path / "forged.db")

    found = await checked(tmp_path / "forged.db", Checkpoint.read(lines[-1]))

    assert "another journal" in str(found.problem)


async def test_a_change_before_the_decision_cannot_hide_behind_it(tmp_path: Path):
    record = a_record(1)
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(record), event="asked")
    tamper(tmp_path / "sayso.db", "UPDATE action SET body = replace(body, 'moving', 'mowing')")

    async with a_journal(tmp_path / "sayso.db") as journal:
        seen = await journal.get(record.id)
        assert seen
        await journal.commit(UpdateRecord(as_done(seen)), event="done")
        found = await journal.verify()

    assert (found.bad_row, found.bad_action) == (2, record.id)


@pytest.mark.req("CR-08")
async def test_a_damaged_page_is_said_and_nothing_is_done(tmp_path: Path):
    path = tmp_path / "sayso.db"
    await filled(path, count=60)
    ((page,),) = rows(path, "SELECT rootpage FROM sqlite_master WHERE name = 'audit'")
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)

    async with a_journal(path) as journal:
        with pytest.raises(SetupError, match=r"damaged .*, so sayso does nothing: .*`sayso backup`"):
            await journal.commit(InsertRecord(a_record(61)), event="asked")
        with pytest.raises(SetupError, match="is damaged"):
            await journal.verify()
    assert rows(path, "SELECT count(*) FROM action WHERE key = 61") == [(0,)]


async def test_verifying_a_longer_journal_takes_no_more_memory(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        peaks: list[int] = []
        for start in (1, 101):
            for key in range(start, start + 100):
                await journal.commit(
                    *(InsertRecord(a_record(key * 100 + n)) for n in range(start // 20 or 1)), event="asked"
                )
            tracemalloc.start()
            assert (await journal.verify()).ok
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()

    assert peaks[1] < peaks[0] + 100_000


@pytest.mark.req("AU-01")
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("DELETE FROM meta WHERE name = 'origin'", "own name"),
        ("DELETE FROM meta", "own name"),
        ("DELETE FROM anchor", "where the log begins"),
    ],
)
async def test_a_journal_without_its_beginning_does_not_hold_and_is_not_exported(
    tmp_path: Path, change: str, says: str
):
    await filled(tmp_path / "sayso.db")
    tamper(tmp_path / "sayso.db", change)

    found = await checked(tmp_path / "sayso.db")

    assert says in str(found.problem)
    async with a_journal(tmp_path / "sayso.db") as journal:
        with pytest.raises(SetupError, match=says):
            await journal.export(list[str]().append)


async def test_a_journal_of_a_newer_sayso_is_not_judged(tmp_path: Path):
    await filled(tmp_path / "sayso.db")
    tamper(tmp_path / "sayso.db", "PRAGMA user_version = 7")

    with pytest.raises(SetupError, match="written by a newer sayso") as refused:
        verify(str(tmp_path / "sayso.db"))

    assert refused.value.code == "journal.newer"


@pytest.mark.parametrize(("schema", "code"), [("", "journal.none"), ("CREATE TABLE theirs (x)", "journal.not_ours")])
async def test_what_is_no_journal_is_not_judged(tmp_path: Path, schema: str, code: str):
    (tmp_path / "sayso.db").write_bytes(b"")
    tamper(tmp_path / "sayso.db", schema)

    with pytest.raises(SetupError) as refused:
        verify(str(tmp_path / "sayso.db"))

    assert refused.value.code == code
