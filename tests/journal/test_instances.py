"""Offers of own actions are kept with the journal: found in their session, moved by one process, gone after an hour."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.errors import SetupError
from sayso.core.instances import ChatMessage, Instance
from sayso.core.record import Owner
from sayso.runtime.services import stamp
from sayso.testing.fakes import FakeClock
from tests.journal.given import a_journal, make_older, rows, tamper

MADE = Instance("act_aaaaaaaaaaaa", "s1", "brief", "Brief \u202e me", {"who": "Ana", "n": [1.5, None]}, "")


def an_instance(clock: FakeClock, **members: Any) -> Instance:
    return replace(MADE, **{"created": stamp(clock.now()), **members})


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.mark.req("S3-24", "S3-61", "T-74")
async def test_what_is_registered_comes_back_equal_in_its_session_alone(tmp_path: Path, clock: FakeClock):
    made = an_instance(clock, description="All of it", style="danger", entry="chat", principal="mcp:a")
    async with a_journal(tmp_path / "sayso.db", clock) as journal:
        first, again = await journal.instances.register(made), await journal.instances.register(made)

    async with a_journal(tmp_path / "sayso.db", clock) as journal:
        assert (first, again) == (True, False)
        assert await journal.instances.find(made.id, "s1") == replace(made, turn=1)
        assert await journal.instances.find(made.id) == replace(made, turn=1)
        assert await journal.instances.find(made.id, "s2") is None
        assert await journal.instances.find("act_bbbbbbbbbbbb") is None
        assert (await journal.verify()).ok


async def test_of_two_that_read_the_same_offer_one_moves_it_on_with_its_message(tmp_path: Path, clock: FakeClock):
    owner = Owner("host", "boot", 7, 8)
    said = ChatMessage("m1", "s1", stamp(clock.now()), "system", "It is done", instance=MADE.id)
    async with a_journal(tmp_path / "sayso.db", clock) as journal:
        store = journal.instances
        await store.register(an_instance(clock))
        read = await store.find(MADE.id)
        assert read is not None
        moved = [
            await store.move(replace(read, state="running", owner=owner, run="run_1", calls=((1, 2), (3,)))),
            await store.move(replace(read, state="failed"), said),
        ]

        now = await store.of_run("run_1")
        assert moved == [True, False]
        assert now is not None
        assert (now.state, now.owner, now.calls, now.turn) == ("running", owner, ((1, 2), (3,)), 2)
        assert await store.said("s1") == []
        assert await store.move(replace(now, state="done", result={"success": True, "message": "ok"}), said)
        assert await store.said("s1") == [replace(said, number=1)]
        assert [one.result for one in await store.all()] == [{"success": True, "message": "ok"}]


@pytest.mark.req("S3-72", "T-75")
async def test_an_offer_of_exactly_one_hour_stays_an_older_one_goes_and_a_running_one_is_kept(
    tmp_path: Path, clock: FakeClock
):
    async with a_journal(tmp_path / "sayso.db", clock) as journal:
        store = journal.instances
        await store.register(an_instance(clock))
        await store.register(an_instance(clock, id="act_running"))
        running = await store.find("act_running")
        assert running is not None
        await store.move(replace(running, state="running"))
        clock.advance(hours=1)
        at_one_hour = await store.prune()
        clock.advance(milliseconds=1)

        assert (at_one_hour, await store.prune()) == (0, 1)
        assert [one.id for one in await store.all()] == ["act_running"]
        assert (await journal.verify()).ok


async def test_registering_another_removes_what_is_too_old(tmp_path: Path, clock: FakeClock):
    async with a_journal(tmp_path / "sayso.db", clock) as journal:
        await journal.instances.register(an_instance(clock))
        clock.advance(seconds=3601)
        await journal.instances.register(an_instance(clock, id="act_new"))

        assert [one.id for one in await journal.instances.all()] == ["act_new"]


async def test_messages_are_told_in_their_order_and_session_once_each_and_log_lines_apart(
    tmp_path: Path, clock: FakeClock
):
    async with a_journal(tmp_path / "sayso.db", clock) as journal:
        store = journal.instances
        given = [
            ChatMessage("a", "s1", stamp(clock.now()), "assistant", "One\u202e"),
            ChatMessage("b", "s2", stamp(clock.now()), "user", "Two"),
            ChatMessage("c", "s1", stamp(clock.now()), "log", "Three", "warn"),
            ChatMessage("d", "s1", stamp(clock.now()), "system", "Four"),
        ]
        stored = [await store.say(one) for one in (*given, given[0])]

        assert stored == [True, True, True, True, False]
        assert [one.content for one in await store.said("s1")] == ["One\u202e", "Four"]
        assert [one.content for one in await store.said("s1", 1)] == ["Four"]
        assert [(one.level, one.content) for one in await store.logged()] == [("warn", "Three")]
        assert [await store.has_said("c"), await store.has_said("x")] == [True, False]


async def test_a_session_takes_its_messages_with_it_and_so_does_old_age(tmp_path: Path, clock: FakeClock):
    async with a_journal(tmp_path / "sayso.db", clock) as journal:
        for id_, session in (("a", "s1"), ("b", "s2")):
            await journal.instances.say(ChatMessage(id_, session, stamp(clock.now()), "system", id_))
        await journal.sessions.delete("s1")
        left = [await journal.instances.has_said(one) for one in "ab"]
        clock.advance(seconds=60)
        await journal.prune(stamp(clock.now()))

        assert left == [False, True]
        assert not await journal.instances.has_said("b")
        assert (await journal.verify()).ok


@pytest.mark.parametrize(
    "change", ["UPDATE instance SET body = json_set(body, '$.template', 'other')", "DELETE FROM message"]
)
async def test_a_row_that_was_changed_behind_our_back_is_noticed(tmp_path: Path, change: str, clock: FakeClock):
    path = tmp_path / "sayso.db"
    async with a_journal(path, clock) as journal:
        await journal.instances.register(an_instance(clock))
        await journal.instances.say(ChatMessage("a", "s1", stamp(clock.now()), "system", "One"))
    tamper(path, change)

    async with a_journal(path, clock) as journal:
        assert not (await journal.verify()).ok


async def test_a_damaged_row_is_an_error_that_says_what_to_do(tmp_path: Path, clock: FakeClock):
    path = tmp_path / "sayso.db"
    async with a_journal(path, clock) as journal:
        await journal.instances.register(an_instance(clock))
    tamper(path, "UPDATE instance SET body = '{}'")

    async with a_journal(path, clock) as journal:
        with pytest.raises(SetupError, match="damaged; put back a copy"):
            await journal.instances.find(MADE.id)


async def test_a_journal_of_before_gets_the_tables(tmp_path: Path, clock: FakeClock):
    path = tmp_path / "sayso.db"
    async with a_journal(path, clock):
        pass
    make_older(path, 4)

    async with a_journal(path, clock) as journal:
        await journal.instances.register(an_instance(clock))
        assert (await journal.verify()).ok
    assert rows(path, "SELECT state, turn FROM instance") == [("pending", 1)]
