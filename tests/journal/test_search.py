"""A search finds the same with the index of words and without it, and what was forgotten is in no byte of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.ports import InsertRecord, RecordQuery, UpdateRecord
from sayso.core.record import Record, State
from sayso.journal.search import Found, Wanted, search
from sayso.journal.sqlite import SqliteJournal
from sayso.journal.words import have, plain, tokens
from sayso.testing.fakes import FakeClock
from sayso.testing.journal import a_record, as_done
from tests.journal.given import a_journal, rows, tamper

WORDS = (
    "Bericht",
    "bericht2024.pdf",
    "Größe",
    "会議の資料",
    "o'neill",
    "~/Documents/a",
    "🎂",
    "re",
    "b",
    "eri",
    "cht2024.p",
    "uments/",
    "t20",
    "neill",
    "--",
    "20",
    "\0",
)
RARE = "zanzibar"
ANY = RecordQuery()


def saying(key: int, text: str, **given: object) -> Record:
    """Return a record that says something."""
    return replace(a_record(key, state=State.DONE), said=text, arguments={"text": text}, plan=None, **given)


def found(journal: SqliteJournal, *words: str, query: RecordQuery = ANY, **wanted: frozenset[str]) -> Found:
    """Search for words."""
    what = Wanted(words, **wanted)
    return journal.read(lambda reader: search(reader, query, what, lambda: False, journal.path))


def in_state(state: State) -> RecordQuery:
    return RecordQuery(states=frozenset({state}))


def keys(found: Found) -> list[int]:
    return [record.key for record in found.records]


async def read_all(journal: SqliteJournal) -> None:
    """Read all of the journal into the index."""
    while await journal.read_words():
        pass


def bytes_of(index: Path) -> bytes:
    """Return all that the files of an index hold."""
    return b"".join(file.read_bytes() for file in sorted(index.parent.glob("words.db*")))


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("rep", "a report", True),
        ("port", "a report", True),
        ("epo", "a report", True),
        ("po", "a report", False),
        ("re", "a report", True),
        ("ort.p", "report.pdf", True),
        ("ort-p", "report.pdf", False),
        ("24", "report2024", False),
        ("report.pdf", "old-report.pdf", True),
        ("2024", "report2024", True),
        ("GRÖSSE", "die Größe", True),
        ("e\u0301te\u0301", "Été", True),
        ("資料", "会議の資料", True),
        ("🎂", "happy🎂day", True),
        ("a/b", "a/c b", False),
    ],
)
def test_a_word_is_found_inside_another_one_and_two_characters_only_where_a_word_begins(
    word: str, text: str, expected: bool
):
    assert have(plain(text), tokens(plain(text)), word) is expected


async def test_the_same_is_found_with_the_index_without_it_and_while_it_is_behind(tmp_path: Path):
    turns = iter(range(1000))

    def some(count: int) -> list[str]:
        return [WORDS[(next(turns) * 7 + n * n) % len(WORDS)] for n in range(count)]

    async with a_journal(tmp_path / "sayso.db") as journal:

        async def said(first: int, last: int) -> None:
            made = [saying(key, "\ud800 " + " ".join(some(3))) for key in range(first, last)]
            await journal.commit(*map(InsertRecord, made), event="done")

        searches = [tuple(some(count)) for count in (1, 1, 2, 2) for _ in range(4)]
        await said(1, 60)
        before = [keys(found(journal, *words)) for words in searches]
        await read_all(journal)
        assert [keys(found(journal, *words)) for words in searches] == before
        assert found(journal, "nothing").indexed

        await said(60, 90)
        behind = [keys(found(journal, *words)) for words in searches]
        await read_all(journal)
        assert [keys(found(journal, *words)) for words in searches] == behind
        assert behind != before
        page = found(journal, "b", query=RecordQuery(limit=7))
        rest = found(journal, "b", query=RecordQuery(before=page.further))
        assert keys(page) + keys(rest) == keys(found(journal, "b", query=RecordQuery(limit=90)))


async def test_an_index_that_was_made_of_an_empty_journal_finds_what_came_since(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        await read_all(journal)
        nothing = keys(found(journal, "milk"))
        await journal.commit(InsertRecord(saying(1, "milk")), event="done")

        behind = keys(found(journal, "milk"))
        await read_all(journal)

        assert (nothing, behind, keys(found(journal, "milk"))) == ([], [1], [1])


async def test_a_state_a_surface_and_an_answer_narrow_a_search_in_the_index(tmp_path: Path):
    async with a_journal(tmp_path / "sayso.db") as journal:
        one, two = saying(1, "milk", entry="mcp"), saying(2, "milk")
        three = a_record(3, state=State.WAITING)
        by = replace(saying(4, "milk"), marks=replace(one.marks, approved_by="grant:g1"))
        await journal.commit(*map(InsertRecord, (one, two, three, by)), event="done")
        await read_all(journal)

        assert keys(found(journal, "milk", entries=frozenset({"mcp"}))) == [1]
        assert keys(found(journal, "milk", approved_by=frozenset({"grant"}))) == [4]
        assert keys(found(journal, approved_by=frozenset({"grant:g1"}))) == [4]
        assert keys(found(journal, "milk", query=in_state(State.WAITING))) == []
        assert keys(found(journal, query=in_state(State.WAITING), entries=frozenset({three.entry}))) == [3]
        await journal.commit(UpdateRecord(two.moved(state=State.UNDONE)), event="undone")
        assert keys(found(journal, "milk", query=in_state(State.UNDONE))) == [2]
        assert keys(found(journal, "milk", query=in_state(State.DONE))) == [4, 1]
        await read_all(journal)
        assert keys(found(journal, "milk", query=in_state(State.UNDONE))) == [2]
        assert keys(found(journal, one.id)) == [1]
        assert keys(found(journal, one.run, "milk")) == [4, 2, 1]
        assert keys(found(journal, three.id[:-1])) == [4, 3, 2, 1]


@pytest.mark.parametrize("more", [False, True])
async def test_nothing_that_was_removed_stays_in_the_index_in_any_byte(tmp_path: Path, more: bool):
    clock = FakeClock()
    async with a_journal(tmp_path / "sayso.db", clock=clock) as journal:
        await journal.commit(InsertRecord(saying(1, RARE)), event="done")
        await journal.commit(InsertRecord(a_record(2, state=State.WAITING)), event="asked")
        await read_all(journal)
        assert RARE.encode() in bytes_of(tmp_path / "words.db")
        clock.advance(days=100)
        if more:
            await journal.commit(InsertRecord(saying(3, "kept")), event="done")
            await read_all(journal)

        await journal.prune("2026-04-01")

        assert RARE.encode() not in bytes_of(tmp_path / "words.db")
        await read_all(journal)
        assert RARE.encode() not in bytes_of(tmp_path / "words.db")
        assert keys(found(journal, "kept")) == ([3] if more else [])


async def test_what_is_redacted_later_leaves_the_index_before_the_journal_says_so(tmp_path: Path):
    one = replace(as_done(a_record(1)), said="", arguments={"source": RARE}, plan=None)
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(one), InsertRecord(saying(2, "other")), event="done")
        await read_all(journal)
        assert keys(found(journal, RARE)) == [1]

    async with a_journal(tmp_path / "sayso.db", redact=("source",)) as journal:
        await journal.commit(UpdateRecord(one.moved(state=State.UNDONE)), event="undone")

        assert RARE.encode() not in bytes_of(tmp_path / "words.db")
        assert keys(found(journal, RARE)) == []
        await read_all(journal)
        assert RARE.encode() not in bytes_of(tmp_path / "words.db")
        assert keys(found(journal, "redacted")) == [1]
        assert keys(found(journal, "other")) == [2]


async def test_a_removal_that_did_not_happen_leaves_everything_to_be_found(tmp_path: Path):
    clock = FakeClock()

    def fails(point: str) -> None:
        if point == "journal.before_commit" and clock.now().year == 2027:
            raise ZeroDivisionError

    async with a_journal(tmp_path / "sayso.db", clock=clock, kill=fails) as journal:
        await journal.commit(InsertRecord(saying(1, RARE)), event="done")
        await read_all(journal)
        clock.advance(days=500)
        with pytest.raises(ZeroDivisionError):
            await journal.prune("2027-01-01")

        assert keys(found(journal, RARE)) == [1]
        clock.advance(days=-400)
        await journal.commit(InsertRecord(saying(2, "later")), event="done")
        await read_all(journal)
        assert keys(found(journal, RARE)) == [1]
        assert found(journal, RARE).indexed


@pytest.mark.parametrize("spoiled", ["another", "damaged"])
async def test_an_index_of_another_journal_or_a_damaged_one_is_made_anew(tmp_path: Path, spoiled: str):
    index = tmp_path / "words.db"
    async with a_journal(tmp_path / "sayso.db") as journal:
        await journal.commit(InsertRecord(saying(1, "milk")), event="done")
        await read_all(journal)
        if spoiled == "another":
            tamper(index, "UPDATE mark SET origin = 'sayso/other'", "DELETE FROM word")
        else:
            with closing(sqlite3.connect(index)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            index.write_bytes(b"no database" * 1000)

        assert keys(found(journal, "milk")) == [1]
        await read_all(journal)
        assert keys(found(journal, "milk")) == [1]
        assert rows(index, "SELECT count(*) FROM part") == [(1,)]
        assert index.stat().st_mode & 0o777 == 0o600
        assert (await journal.verify()).ok


async def test_a_journal_that_was_put_back_is_read_anew(tmp_path: Path):
    path = tmp_path / "sayso.db"
    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(saying(1, "first")), event="done")
        await journal.backup(str(tmp_path / "copy.db"))
        await journal.commit(InsertRecord(saying(2, "second")), event="done")
        await read_all(journal)
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    (tmp_path / "copy.db").rename(path)

    async with a_journal(path) as journal:
        await journal.commit(InsertRecord(saying(2, "third")), event="done")
        assert keys(found(journal, "second")) == []
        assert keys(found(journal, "third")) == [2]
        await read_all(journal)
        assert keys(found(journal, "third")) == [2]
        assert b"second" not in bytes_of(tmp_path / "words.db")
