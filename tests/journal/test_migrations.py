"""Each migration is a file beside the schema, and the newest version counts them."""

from pathlib import Path

import sayso.journal
from sayso.journal.migrations import NEWEST, migrations
from tests.journal.given import a_journal, rows


async def test_a_new_journal_is_of_the_newest_version(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db"):
        pass

    assert rows(tmp_path / "sayso.db", "PRAGMA user_version") == [(NEWEST,)]


def test_every_file_of_sql_is_the_schema_or_one_migration():
    beside = {
        file.read_text("utf-8")
        for file in Path(sayso.journal.__file__).parent.glob("*.sql")
        if file.name != "schema.sql"
    }

    assert set(migrations()) == beside
    assert len(migrations()) == NEWEST - 1
