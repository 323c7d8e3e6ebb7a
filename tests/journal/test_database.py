"""Each migration is a file beside the schema, and the newest version counts them."""

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

import sayso.journal
from sayso.core.errors import SetupError
from sayso.core.ports import InsertRecord
from sayso.core.record import State, run_id
from sayso.journal.database import APPLICATION, NEWEST, as_setup, connect_to_look, migrations, open_journal
from sayso.testing.journal import a_record
from tests.another_user import as_nobody
from tests.journal.given import a_journal, make_older, rows, tamper
from tests.patience import patience


async def test_a_new_journal_is_of_the_newest_version(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db"):
        pass

    assert rows(tmp_path / "sayso.db", "PRAGMA user_version") == [(NEWEST,)]


def test_every_file_of_sql_is_the_schema_the_index_or_one_migration():
    beside = {
        file.read_text("utf-8")
        for file in Path(sayso.journal.__file__).parent.glob("*.sql")
        if file.name not in {"schema.sql", "words.sql"}
    }

    assert set(migrations()) == beside
    assert len(migrations()) == NEWEST - 1


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the test under this umask."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """Return the permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.req("X-15")
@pytest.mark.usefixtures("umask")
async def test_only_the_person_can_read_it(tmp_path: Path):
    path = tmp_path / "state" / "sayso" / "sayso.db"
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(a_record(1)), event="asked")

        files = {file.name: mode(file) for file in path.parent.iterdir()}

    assert files == {"sayso.db": 0o600, "sayso.db-wal": 0o600, "sayso.db-shm": 0o600}
    assert (mode(path.parent), mode(path.parent.parent)) == (0o700, 0o700)


@pytest.mark.req("X-15")
async def test_a_file_that_others_could_read_is_made_private(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path):
        pass
    path.chmod(0o644)

    async with a_journal(path):
        pass

    assert mode(path) == 0o600


@pytest.mark.req("CR-06")
async def test_a_newer_journal_is_refused_in_one_sentence(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path):
        pass
    tamper(path, "PRAGMA user_version = 99")
    before = hashlib.sha256(path.read_bytes()).digest()

    with pytest.raises(SetupError, match=r"^the journal “.*” was written by a newer sayso .*; update sayso") as refused:
        async with a_journal(path):
            pass

    assert refused.value.code == "journal.newer"
    assert hashlib.sha256(path.read_bytes()).digest() == before


async def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "other.db"
    tamper(path, "CREATE TABLE theirs (a)")
    before = path.read_bytes()

    with pytest.raises(SetupError) as refused:
        async with a_journal(path):
            pass

    assert refused.value.code == "journal.not_ours"
    assert rows(path, "SELECT name FROM sqlite_master") == [("theirs",)]
    assert len(path.read_bytes()) == len(before)


@pytest.mark.req("CR-08")
@pytest.mark.parametrize(
    "content", [b"no database at all" * 300, b"SQLite format 3\0" + b"\xff" * 5000], ids=["text", "torn"]
)
async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes):
    path = tmp_path / "sayso.db"
    path.write_bytes(content)

    with pytest.raises(SetupError, match="put back a copy made with `sayso backup`") as refused:
        async with a_journal(path):
            pass

    assert refused.value.code == "journal.damaged"
    assert path.read_bytes() == content


async def test_a_place_where_no_file_can_be_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")

    for path in (tmp_path / "file" / "sayso.db", tmp_path):
        with pytest.raises(SetupError, match=str(path)) as refused:
            async with a_journal(path):
                pass
        assert refused.value.code == "journal.unopenable"


MIGRATIONS = ("CREATE TABLE second (a);\nINSERT INTO second VALUES (1);", "ALTER TABLE second ADD COLUMN b DEFAULT 3;")


def test_an_older_journal_is_brought_up_to_date_after_a_copy_was_made(tmp_path: Path):
    path = tmp_path / "sayso.db"
    open_journal(str(path), 0).close()
    tamper(path, "INSERT INTO shared VALUES (1, 'kept')")

    open_journal(str(path), 0, migrations=MIGRATIONS).close()

    assert rows(path, "PRAGMA user_version") == [(3,)]
    assert rows(path, "SELECT a, b FROM second") == [(1, 3)]
    copy = tmp_path / "sayso.db.before-3"
    assert mode(copy) == 0o600
    assert rows(copy, "PRAGMA user_version") == [(1,)]
    assert rows(copy, "SELECT text FROM shared") == [("kept",)]


async def test_a_new_journal_has_all_migrations_at_once_and_needs_no_copy(tmp_path: Path):
    open_journal(str(tmp_path / "sayso.db"), 0, migrations=MIGRATIONS).close()

    assert rows(tmp_path / "sayso.db", "PRAGMA user_version") == [(3,)]
    assert [file.name for file in tmp_path.iterdir()] == ["sayso.db"]


def test_a_migration_that_fails_leaves_the_journal_as_it_was(tmp_path: Path):
    path = tmp_path / "sayso.db"
    open_journal(str(path), 0).close()

    with pytest.raises(SetupError):
        open_journal(str(path), 0, migrations=(MIGRATIONS[0], "INSERT INTO nowhere VALUES (1);"))

    assert rows(path, "PRAGMA user_version") == [(1,)]
    assert rows(path, "SELECT 1 FROM sqlite_master WHERE name = 'second'") == []


@pytest.mark.req("CR-02")
def test_many_processes_make_the_same_journal_at_once(tmp_path: Path):
    program = (
        "import sys, anyio\nfrom sayso.journal.sqlite import SqliteJournal\n"
        "from sayso.testing.fakes import FakeClock\nfrom sayso.testing.journal import a_record\n"
        "from sayso.core.ports import InsertRecord\n"
        "async def main():\n"
        "    journal = SqliteJournal(sys.argv[1], clock=FakeClock())\n    sys.stdin.readline()\n"
        "    await journal.open()\n    await journal.commit(InsertRecord(a_record(int(sys.argv[2]))), event='asked')\n"
        "    await journal.close()\nanyio.run(main)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "sayso.db")]
    children = [subprocess.Popen([*command, str(key)], stdin=subprocess.PIPE, text=True) for key in range(1, 7)]
    for child in children:
        child.communicate("go\n", timeout=patience())

    assert [child.returncode for child in children] == [0] * 6
    assert rows(tmp_path / "sayso.db", "SELECT key FROM action") == [(key,) for key in range(1, 7)]
    assert rows(tmp_path / "sayso.db", "SELECT seq FROM audit") == [(seq,) for seq in range(1, 7)]


async def test_it_is_a_write_ahead_journal_that_says_whose_it_is(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db"):
        assert rows(tmp_path / "sayso.db", "PRAGMA journal_mode") == [("wal",)]
        assert rows(tmp_path / "sayso.db", "PRAGMA application_id") == [(APPLICATION,)]


@pytest.mark.req("CR-04")
def test_a_full_disk_is_called_so(tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError) as full:
            connection.execute("INSERT INTO t VALUES (zeroblob(9999))")

    said = as_setup(full.value, "x.db")

    assert said.code == "journal.full"
    assert str(said) == "the disk with the journal “x.db” is full, so nothing was done; make room and try again"


def test_a_read_only_journal_is_called_so(tmp_path: Path):
    sqlite3.connect(tmp_path / "x.db").close()
    opened = closing(sqlite3.connect(f"file:{tmp_path / 'x.db'}?mode=ro", uri=True))
    with opened as connection, pytest.raises(sqlite3.OperationalError) as refused:
        connection.execute("CREATE TABLE t (a)")

    assert as_setup(refused.value, "x.db").code == "journal.read_only"


@pytest.mark.req("CR-06")
async def test_what_was_read_before_there_were_principals_counts_for_them_and_is_under_the_chain(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        for key, entry, session in ((1, "chat", "ask_1"), (2, "cli", run_id(2)), (3, "mcp", "mcp_1"), (4, "cli", "")):
            read = a_record(
                key, run=run_id(key), entry=entry, session=session, operation="mail.inbox", state=State.DONE
            )
            await journal.commit(InsertRecord(read), event="ended")
    make_older(path, 3)

    async with a_journal(path) as journal:
        assert [(one.principal, one.session, one.source) for one in await journal.exposures()] == [
            ("mcp", "mcp_1", "mail.inbox"),
            ("terminal", "", "mail.inbox"),
            ("terminal", "ask_1", "mail.inbox"),
        ]
        assert (await journal.verify()).ok
    tamper(path, "DELETE FROM exposure WHERE principal = 'mcp'")
    async with a_journal(path) as journal:
        assert "“exposure” is missing" in str((await journal.verify()).problem)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("log", [False, True])
def test_in_a_home_that_another_user_cannot_write_to_the_journal_is_named_and_read(*, log: bool):
    with tempfile.TemporaryDirectory() as made:
        home = Path(made)
        path = str(home / "sayso.db")
        written = open_journal(path, 0, migrations=migrations())
        written.execute("PRAGMA wal_autocheckpoint = 0")
        written.execute("INSERT INTO meta VALUES ('mark', 'here')")
        if not log:
            written.close()
        (home / "sayso.db-shm").unlink(missing_ok=True)
        for file in (*home.iterdir(), home):
            file.chmod(0o555 if file.is_dir() else 0o444)

        assert (home / "sayso.db-wal").exists() is log
        known = migrations()  # another user may not be let into the folder where sayso is
        assert as_nobody(lambda: _refused(path, known) == "journal.read_only")
        assert as_nobody(lambda: _mark(path) == "here")
        written.close()


def _refused(path: str, known: Sequence[str]) -> str:
    try:
        open_journal(path, 0, migrations=known)
    except SetupError as error:
        return error.code
    return ""


def _mark(path: str) -> str:
    with closing(connect_to_look(path)) as connection:
        (value,) = connection.execute("SELECT value FROM meta WHERE name = 'mark'").fetchone()
    return value
