"""A hold is waited out to its end, or until there is nothing to wait for."""

from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio
import pytest
import rfc8785
from msgspec.structs import replace

from sayso.core.decision import run_digest
from sayso.core.errors import ProviderError
from sayso.core.plan import ResultRef
from sayso.runtime.services import (
    AppliedFacts,
    DelayedActions,
    NoDelay,
    SilentDelay,
    digest_of,
    log_fault,
    moment,
    resolve_facts,
    stamp,
)
from sayso.runtime.system import RandomIds, SystemClock
from sayso.testing.fakes import NOON, FakeClock
from tests.runtime.given import given, only
from tests.runtime.shelf import BURN, TAKE, Empty, Holds, old

HELD = DelayedActions(("Send",), ("do_1",), 5)


async def looks_while(each: float) -> list[float]:
    """Return when it was looked, where so many seconds go by between two looks."""
    clock = FakeClock()
    looks: list[float] = []

    async def over() -> bool:
        looks.append(clock.monotonic())
        clock.advance(seconds=each)
        return False

    await SilentDelay(clock).wait(HELD, over)
    return looks


async def test_it_ends_when_the_time_is_up():
    assert await looks_while(1) == [0, 1, 2, 3, 4]
    assert await looks_while(0.75) == [0, 0.75, 1.5, 2.25, 3, 3.75, 4.5]


async def test_whoever_was_stopped_meanwhile_still_has_the_rest():
    assert await looks_while(600) == [0, 600, 1200, 1800, 2400]


async def test_it_ends_at_once_when_there_is_nothing_to_wait_for():
    looks: list[int] = []

    async def over() -> bool:
        looks.append(1)
        return True

    await SilentDelay(SystemClock()).wait(HELD, over)
    await NoDelay().wait(HELD, over)

    assert looks == [1]


async def test_before_each_look_it_is_told_how_long_it_still_is_and_others_go_on_meanwhile():
    clock, left, went = FakeClock(), list[float](), list[float]()

    async def over() -> bool:
        clock.advance(seconds=1)
        return False

    async def beside() -> None:
        went.append(left[-1])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(beside)
        await SilentDelay(clock).wait_counting(HELD, over, left.append)

    assert (left, went) == ([5, 4, 3, 2, 1], [5])


async def test_it_is_looked_several_times_a_second(monkeypatch: pytest.MonkeyPatch):
    clock, slept = FakeClock(), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(seconds=max(seconds, 0.01))

    async def over() -> bool:
        return False

    monkeypatch.setattr(anyio, "sleep", sleep)
    await SilentDelay(clock).wait(HELD, over)

    assert max(slept) <= 0.25
    assert sum(slept) == pytest.approx(HELD.seconds, abs=0.1)


def test_a_reference_is_replaced_by_what_the_step_really_left() -> None:
    lefts: AppliedFacts = {(0, 1): (Empty("b"), Holds("a", "x", 3)), (4, 0): (Empty("c"),), (5, 0): ()}

    expects = (ResultRef("a", "holds", 1, 0), ResultRef("c", "empty", 0), Empty("d"))

    assert resolve_facts(expects, lefts, 4) == (Holds("a", "x", 3), Empty("c"), Empty("d"))


def test_a_reference_to_what_no_step_left_is_an_honest_failure() -> None:
    with pytest.raises(ProviderError, match="did not leave “a” as this one needs it") as said:
        resolve_facts((ResultRef("a", "holds", 0, 7),), {}, 0)

    assert said.value.code == "world.changed"


@pytest.mark.parametrize("own", [0, 1])
def test_a_reference_within_a_plan_is_to_that_plan_alone(own: int) -> None:
    lefts: AppliedFacts = {(0, 0): (Holds("a", "x", 0),), (1, 0): (Holds("a", "y", 1),), (2, 0): (Empty("a"),)}

    assert resolve_facts((ResultRef("a", "holds", 0),), lefts, own) == lefts[own, 0]
    with pytest.raises(ProviderError):
        resolve_facts((ResultRef("a", "holds", 0),), lefts, 2)


def test_moments_are_written_in_utc_and_read_back() -> None:
    assert stamp(NOON) == "2026-03-14T12:00:00.000Z"
    assert moment(stamp(NOON)) == NOON


def test_a_runs_digest_depends_on_the_order_of_its_actions() -> None:
    assert run_digest(["a", "b"]) != run_digest(["b", "a"])


@pytest.mark.req("X-05")
async def test_a_store_that_nothing_serves_says_so(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        tools = replace(it.tools, backends={}, unavailable={"shelf": "no shelf is set up"})
        with pytest.raises(ProviderError, match="not available on this system: no shelf is set up") as said:
            tools.backend("shelf")

    assert said.value.code == "unavailable"


def test_faults_are_logged_under_the_name_of_the_product(caplog: pytest.LogCaptureFixture) -> None:
    log_fault(ValueError("odd"))

    assert [record.name for record in caplog.records] == ["sayso"]


def test_a_moment_elsewhere_is_written_in_utc() -> None:
    there = datetime(2026, 3, 14, 14, 0, tzinfo=timezone(timedelta(hours=2)))

    assert stamp(there) == "2026-03-14T12:00:00.000Z"


@pytest.mark.req("TO-01")
async def test_an_approval_is_bound_to_all_that_would_be_done_and_how_it_was_judged(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        record = only(await it.run(BURN)).record
        known = it.tools.catalogue
    plan = dict(record.plan or {})

    bound = {name: plan[name] for name in ("summary", "changes", "loses", "sends", "on_failure")}
    whole: dict[str, Any] = {"operation": "shelf.burn", "arguments": {"name": "old"}, **bound}
    judged = {"policy": it.policy[0].hash, "handler": None}
    others = [
        replace(record, operation="shelf.take"),
        replace(record, arguments={"name": "new"}),
        replace(record, policy="another"),
        *(replace(record, plan=plan | {name: "another"}) for name in bound),
    ]
    same = [
        replace(record, plan=plan | {"said_when_done": "another", "data": {}}),
        replace(record, id="do_another", run="run_another", time="", dialect="", label="x", session="s"),
    ]

    assert digest_of(record, known) == "sha256:" + sha256(rfc8785.dumps(whole | judged)).hexdigest()
    assert digest_of(record, known) not in {digest_of(other, known) for other in others}
    assert {digest_of(one, known) for one in same} == {digest_of(record, known)}


@pytest.mark.req("TO-01")
async def test_what_is_left_out_and_its_default_said_aloud_are_approved_as_the_same(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        left_out, said = [
            only(await it.run(("shelf.put", {"name": "a", **more}), dry_run=True)).record for more in ({}, {"text": ""})
        ]

    assert left_out.digest == said.digest
    assert digest_of(left_out, it.tools.catalogue) == digest_of(said, it.tools.catalogue) == said.digest
    assert digest_of(left_out, {}) != digest_of(said, {})


async def test_the_handlers_code_is_in_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        (outcome,) = (await it.run(TAKE)).outcomes
        known = it.tools.catalogue

    assert digest_of(outcome.record, known) == outcome.record.digest
    assert digest_of(replace(outcome.record, code_hash="another"), known) != outcome.record.digest


def test_the_time_has_its_zone():
    clock = SystemClock()

    first, second = clock.now(), clock.now()

    assert first.tzinfo is UTC
    assert timedelta(0) <= second - first < timedelta(minutes=1)
    assert clock.monotonic() <= clock.monotonic()


def test_keys_keep_the_order_of_the_journal_when_the_clock_is_set_back():
    ahead = RandomIds().key() + 2**50
    ids = RandomIds(lambda: ahead)

    assert ahead < ids.key() < ids.key() < ahead + 10


def test_keys_grow_and_fit_the_journal():
    ids = RandomIds()

    keys = [ids.key() for _ in range(5000)]

    assert keys == sorted(set(keys))
    assert 0 < keys[-1] < 2**63


def test_keys_of_different_processes_are_in_the_order_of_time_and_differ():
    keys = [RandomIds().key() for _ in range(100)]

    assert len(set(keys)) == 100
    assert abs(keys[-1] - keys[0]) >> 22 < 60_000


def test_tokens_are_long_and_plain():
    tokens = {RandomIds().token() for _ in range(1000)}

    assert len(tokens) == 1000
    assert all(len(token) == 20 and token.isalnum() and token.islower() | token.isdigit() for token in tokens)
