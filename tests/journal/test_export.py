"""An export is the whole journal as lines, and proves itself without the journal."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import InsertRecord, UpdateRecord
from sayso.journal.hash_chain import Checkpoint
from sayso.testing.journal import a_record, as_done
from tests.journal.exported import check_lines
from tests.journal.given import a_journal, rows, tamper


async def test_a_copy_made_while_the_journal_is_in_use_is_a_whole_journal(tmp_path: Path):
    copy = tmp_path / "copy.db"
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")
        await journal.backup(str(copy))
        await journal.commit(UpdateRecord(as_done(a_record(1))), event="done")

    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert rows(copy, "SELECT state FROM action") == [("waiting",)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "sayso.db"]
    async with a_journal(copy) as restored:
        assert (await restored.verify()).ok
        await restored.commit(UpdateRecord(as_done(a_record(1))), event="done")
        assert (await restored.verify()).ok


async def test_nothing_is_overwritten(tmp_path: Path):
    copy = tmp_path / "copy.db"
    copy.write_text("mine")
    async with a_journal(tmp_path / "sayso.db") as journal:
        with pytest.raises(SetupError, match="is there already") as refused:
            await journal.backup(str(copy))

    assert refused.value.code == "backup.exists"
    assert copy.read_text() == "mine"


async def test_no_copy_is_kept_of_a_journal_that_does_not_hold(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")
        tamper(tmp_path / "sayso.db", "UPDATE action SET state = 'done'")

        with pytest.raises(SetupError, match="no copy was kept: do_0000000000001 was changed"):
            await journal.backup(str(tmp_path / "copy.db"))

    assert [file.name for file in tmp_path.iterdir()] == ["sayso.db"]


@pytest.mark.parametrize("folder", ["none", "file", "none/deeper"])
async def test_a_folder_that_is_not_there_is_named(tmp_path: Path, folder: str):
    (tmp_path / "file").write_text("")
    async with a_journal(tmp_path / "sayso.db") as journal:
        with pytest.raises(SetupError, match=f"the folder “{tmp_path / folder}” is not there") as refused:
            await journal.backup(str(tmp_path / folder / "copy.db"))

    assert refused.value.code == "backup.folder"


async def test_a_folder_that_does_not_take_the_file_is_named_with_the_reason(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        with pytest.raises(SetupError, match=f"in the folder “{tmp_path}”: File name too long") as refused:
            await journal.backup(str(tmp_path / ("x" * 300)))

    assert refused.value.code == "backup.folder"


ODD = 'a "quoted"\n}\n{"forged":1}\u2028\0 \ud800 end'


async def lines_of(path: Path) -> list[str]:
    """Export a journal with two actions and an odd text."""
    lines: list[str] = []
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(1, said=ODD)), event="asked")
        await journal.commit(UpdateRecord(as_done(a_record(1, said=ODD))), event="done")
        await journal.commit(InsertRecord(a_record(2)), InsertRecord(a_record(3)), event="asked")
        await journal.export(lines.append)
    return lines


@pytest.mark.req("AU-02")
async def test_every_line_is_one_json_value(tmp_path: Path):
    lines = await lines_of(tmp_path / "sayso.db")

    told = [json.loads(line) for line in "".join(lines).splitlines()]

    assert len(told) == 1 + 3 + 3 + 1
    assert [row["event"] for row in told[1:4]] == ["asked", "done", "asked"]
    first = told[4]["action"]
    assert (first["said"], first["state"], first["policy"]) == (ODD, "done", "sha256:" + "0b" * 32)
    assert told[-1] == {"origin": told[0]["journal"], "size": 3, "head": told[3]["hash"]}


async def test_an_export_proves_itself(tmp_path: Path):
    lines = await lines_of(tmp_path / "sayso.db")

    found = check_lines(lines)

    assert (found.ok, found.rows, found.actions) == (True, 3, 3)
    assert found.checkpoint == Checkpoint.read(lines[-1])


Edit = Callable[[list[str]], list[str]]
EDITS: dict[str, tuple[Edit, str]] = {
    "swapped": (lambda lines: [*lines[:1], lines[2], lines[1], *lines[3:]], "audit row 1 is missing"),
    "deleted": (lambda lines: [*lines[:2], *lines[3:]], "audit row 2 is missing"),
    "changed": (lambda lines: [*lines[:2], lines[2].replace("done", "gone"), *lines[3:]], "audit row 2 was changed"),
    "inserted": (lambda lines: [*lines[:2], '{"forged": 1}\n', *lines[2:]], "audit row 2 cannot be read"),
    "no JSON": (lambda lines: [*lines[:2], "x\n", *lines[2:]], "audit row 2 cannot be read"),
    "no checkpoint": (lambda lines: lines[:-1], "the export was cut off"),
    "no tail": (lambda lines: [*lines[:3], lines[-1]], "does not fit"),
}


@pytest.mark.req("AU-01")
@pytest.mark.parametrize("name", EDITS)
async def test_a_changed_export_is_found(tmp_path: Path, name: str):
    edit, problem = EDITS[name]

    found = check_lines(edit(await lines_of(tmp_path / "sayso.db")))

    assert problem in str(found.problem)


async def test_an_older_export_is_found_by_a_newer_checkpoint(tmp_path: Path):
    older = await lines_of(tmp_path / "sayso.db")
    newer: list[str] = []
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(a_record(9)), event="asked")
        await journal.export(newer.append)

    assert check_lines(newer, Checkpoint.read(older[-1])).ok
    assert check_lines(older, Checkpoint.read(newer[-1])).bad_row == 4
