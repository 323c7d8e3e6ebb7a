"""The lists open privately and durably, or one sentence says why not, and are searched by the rule."""

import json
import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.core.plan import CannotTell
from sayso.core.ports import BackendContext
from sayso.providers.tasks import TASKS
from sayso.providers.tasks.sqlite import search
from sayso.providers.tasks.sqlite.backend import SqliteBackend, build
from sayso.providers.tasks.sqlite.database import copy, empty_copy, lay_out, open_lists
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.tasks import plant_tasks
from tests.providers.tasks.rule import by_the_rule


def test_the_file_is_the_persons_alone_whatever_the_umask_says(tmp_path: Path):
    before = os.umask(0)
    try:
        open_lists(str(tmp_path / "own" / "tasks.db")).close()
    finally:
        os.umask(before)

    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "own" / "tasks.db").stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_open_to_others_is_closed(tmp_path: Path):
    open_lists(str(tmp_path / "tasks.db")).close()
    (tmp_path / "tasks.db").chmod(0o644)

    open_lists(str(tmp_path / "tasks.db")).close()

    assert (tmp_path / "tasks.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.req("X-17")
def test_a_commit_is_on_the_disk_before_it_is_told(tmp_path: Path):
    open_lists(str(tmp_path / "tasks.db")).close()

    with closing(open_lists(str(tmp_path / "tasks.db"))) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def wrong(path: Path) -> SaysoError:
    with pytest.raises(SaysoError) as told:
        open_lists(str(path))
    return told.value


def test_a_newer_one_is_left_alone(tmp_path: Path):
    path = tmp_path / "tasks.db"
    open_lists(str(path)).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")

    error = wrong(path)

    assert isinstance(error, SetupError)
    assert "written by a newer sayso (version 9, this one knows 1); update sayso" in str(error)


def test_another_programs_database_is_left_alone(tmp_path: Path):
    path = tmp_path / "tasks.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")

    assert "but not of sayso's lists" in str(wrong(path))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_what_is_no_database_is_said_to_be_damaged(tmp_path: Path):
    path = tmp_path / "tasks.db"
    path.write_text("not a database, and long enough to be looked at as one" * 20)

    error = wrong(path)

    assert isinstance(error, ProviderError)
    assert error.code == "lists.damaged"
    assert path.read_text().startswith("not a database")


def test_a_folder_that_is_a_file_is_named(tmp_path: Path):
    (tmp_path / "own").write_text("")

    assert str(tmp_path / "own") in str(wrong(tmp_path / "own" / "tasks.db"))


def copied(tmp_path: Path, target: str) -> Path:
    path = str(tmp_path / "tasks.db")
    with closing(open_lists(path)) as connection:
        connection.execute("INSERT INTO tasks VALUES ('a', 'Wine', NULL, 1, NULL, 't')")
        copy(connection, path, str(tmp_path / target))
    return tmp_path / target


def test_it_holds_what_the_lists_hold(tmp_path: Path):
    target = copied(tmp_path, "copy.db")

    with closing(sqlite3.connect(target)) as made:
        assert made.execute("SELECT text FROM tasks").fetchall() == [("Wine",)]
    assert target.stat().st_mode & 0o777 == 0o600


def test_nothing_is_overwritten(tmp_path: Path):
    (tmp_path / "mine").write_text("mine")

    with pytest.raises(SetupError, match="is not overwritten"):
        copied(tmp_path, "mine")

    assert (tmp_path / "mine").read_text() == "mine"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(SetupError, match="no copy can be made"):
        copied(tmp_path, "none/copy.db")


def lists(own: Path, clock: FakeClock) -> SqliteBackend:
    return build(BackendContext({}, "/home/ana", str(own), (), clock, RandomIds(), options={"undo_keep_seconds": 3600}))


@pytest.mark.req("T-61", "S2-41")
async def test_of_what_was_deleted_only_completed_tasks_stay_for_good(tmp_path: Path):
    clock = FakeClock()
    backend = lists(tmp_path, clock)
    trial = await plant_tasks(Trial(TASKS, backend))
    await trial.do(await trial.plan("habit.add", text="Walk", interval_hours=24))
    await trial.do(await trial.plan("habit.log", target="Walk"))
    party, walk = await trial.plan("task.delete", target="Party"), await trial.plan("habit.delete", target="Walk")
    lefts = await trial.do(party)
    await trial.do(walk)

    clock.advance(minutes=59)
    early = backend.prune()
    clock.advance(minutes=2)
    late = backend.prune()

    assert early == 0
    assert late > 0
    with closing(sqlite3.connect(tmp_path / "tasks.db")) as connection:
        assert connection.execute("SELECT text FROM deleted_tasks").fetchall() == [("Cake",)]
        assert connection.execute("SELECT count(*) FROM tasks").fetchall() == [(2,)]
        assert connection.execute("SELECT count(*) FROM habit_times").fetchall() == [(0,)]
        assert connection.execute("SELECT count(*) FROM steps WHERE left IS NOT NULL").fetchall() == [(0,)]
    assert "no longer kept" in str(await refusal_of(trial.take_back(party, lefts)))
    assert isinstance(await trial.backend.settle(party.changes[0].do, ()), CannotTell)
    assert "done before" in str(await refusal_of(trial.do(party)))


def test_lists_that_are_not_there_are_not_made_for_it(tmp_path: Path):
    assert lists(tmp_path, FakeClock()).prune() == 0
    assert list(tmp_path.iterdir()) == []


async def test_while_another_process_writes_it_is_left_for_another_day(tmp_path: Path):
    backend = lists(tmp_path, FakeClock())
    await plant_tasks(Trial(TASKS, backend))
    with closing(sqlite3.connect(tmp_path / "tasks.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        assert backend.prune() == 0


CASES = json.loads((Path(__file__).parent.parent / "matching.json").read_text(encoding="utf-8"))
WORDS = st.sampled_from(
    [
        *("wine", "Wine", "wines", "win", "buy", "task", "the", "for", "dinner", "to-do", "7", "!", "“x”", "a_b"),
        *("вино", "ВИНО", "винограда", "купить", "Ünal", "é", "e\u0301", "ß", "SS", "İ", "ﬁn"),
        *("買", "葡萄酒", "買葡萄酒", "酒", "ワイン", "🍷", "👩‍🚀", '"', "*", "AND", "NEAR(", "\x00", "%"),
    ]
)
TEXTS = st.lists(WORDS, max_size=5).flatmap(lambda words: st.sampled_from((" ", "")).map(lambda gap: gap.join(words)))
ANY = TEXTS | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@contextmanager
def listed(texts: Sequence[str], which: str = search.ACTIVE) -> Generator[sqlite3.Connection]:
    """Give lists with these texts, whose ids are their numbers."""
    with closing(empty_copy()) as connection:
        lay_out(connection)
        for number, text in enumerate(texts):
            connection.execute("INSERT INTO tasks VALUES (?, ?, NULL, ?, NULL, '')", (str(number), text, number))
            search.put(connection, which, str(number), text)
        yield connection


def found(query: str, texts: Sequence[str]) -> list[str]:
    with listed(texts) as connection:
        return [texts[int(each)] for each in sorted(search.matching(connection, "a", query, 1000), key=int)]


@pytest.mark.req("S2-22", "S2-23", "S2-24", "T-58")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['query']!r} in {case['items']}")
def test_each_query_finds_what_the_rule_says(case: dict[str, list[str] | str]):
    assert found(str(case["query"]), list(case["items"])) == case["found"]


@pytest.mark.req("T-58")
@given(ANY, st.lists(ANY, max_size=8))
@example("wine task", ["Buy wine for dinner"])
@example("please delete the wine now", ["wine", "the wine", "delete", "lease"])
@example("a", ["a", "b a", "ab"])
def test_it_is_the_rule_for_any_texts(query: str, items: list[str]):
    assert sorted(found(query, items)) == sorted(by_the_rule(query, items))


@given(st.lists(ANY, min_size=1, max_size=6), st.data())
def test_a_text_that_was_changed_or_dropped_is_not_found_any_more(items: list[str], data: st.DataObject):
    changed = data.draw(st.lists(ANY | st.none(), min_size=len(items), max_size=len(items)))
    query = data.draw(ANY | st.sampled_from(items))

    with listed(items) as connection:
        for number, text in enumerate(changed):
            if text is None:
                search.drop(connection, str(number))
            else:
                search.put(connection, search.ACTIVE, str(number), text)
        hits = search.matching(connection, search.ACTIVE, query, 1000)

    left = [text for text in changed if text is not None]
    assert sorted(str(changed[int(each)]) for each in hits) == sorted(by_the_rule(query, left))


def test_no_more_are_returned_than_are_asked_for():
    with listed([f"wine {number}" for number in range(50)]) as connection:
        for query in ("wine", "wi", "e", "task wine 1 2", "wine task"):
            assert len(search.matching(connection, search.ACTIVE, query, 7)) <= 7
        assert len(search.matching(connection, search.ACTIVE, "wine", 7)) == 7


@pytest.mark.req("S2-25")
def test_lists_are_searched_apart():
    with listed(["wine"], search.COMPLETED) as connection:
        assert search.matching(connection, search.ACTIVE, "wine", 9) == []
        assert search.matching(connection, search.HABITS, "wine", 9) == []
        assert search.matching(connection, search.COMPLETED, "wine", 9) == ["0"]


@pytest.mark.req("S2-44")
@pytest.mark.parametrize(
    ("query", "close"),
    [
        ("Buy breda", "Buy bread"),
        ("bread buy", "Buy bread"),
        ("Call Anna", "Call Ana"),
        ("Позвонить Ане", "Позвонить Ани"),
        ("買牛乳を", "牛乳を買う"),
    ],
)
def test_close_names_are_found_by_the_pieces_that_are_right(query: str, close: str):
    with listed(
        ["Call Ana", "Write a letter", "Позвонить Ани", "牛乳を買う", "Buy bread", "Something else"]
    ) as connection:
        assert search.near(connection, search.ACTIVE, query)[0] == close


def test_what_is_like_nothing_has_no_close_names():
    with listed(["Call Ana"]) as connection:
        assert search.near(connection, search.ACTIVE, "zzz") == ()
        assert search.near(connection, search.ACTIVE, "") == ()
