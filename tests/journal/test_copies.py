"""A copy is whole, private and checked, and never takes the place of anything."""

import stat
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Advance, Put
from sayso.testing.journal import a_record, done
from tests.journal.given import a_journal, rows, tamper


async def test_a_copy_made_while_the_journal_is_in_use_is_a_whole_journal(tmp_path: Path):
    copy = tmp_path / "copy.db"
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(Put(a_record(1)), event="asked")
        await journal.backup(str(copy))
        await journal.commit(Advance(done(a_record(1))), event="done")

    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert rows(copy, "SELECT state FROM action") == [("waiting",)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "sayso.db"]
    async with a_journal(copy) as restored:
        assert (await restored.verify()).ok
        await restored.commit(Advance(done(a_record(1))), event="done")
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
        await journal.commit(Put(a_record(1)), event="asked")
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
