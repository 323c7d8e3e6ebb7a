"""What the path works with: digests, references to what earlier steps left, and honest gaps."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import AsLeft
from sayso.core.verdict import run_digest
from sayso.runtime.tools import Lefts, digest_of, moment, resolved, stamp
from sayso.testing.fakes import NOON
from tests.runtime.given import given
from tests.runtime.shelf import Empty, Holds, World


def test_a_reference_is_replaced_by_what_the_step_really_left() -> None:
    lefts: Lefts = {(0, 1): (Empty("b"), Holds("a", "x", 3)), (None, 0): (Empty("c"),)}

    expects = (AsLeft("a", "holds", 1, 0), AsLeft("c", "empty", 0), Empty("d"))

    assert resolved(expects, lefts) == (Holds("a", "x", 3), Empty("c"), Empty("d"))


def test_a_reference_to_what_no_step_left_is_an_honest_failure() -> None:
    with pytest.raises(ProviderError, match="did not leave “a” as this one needs it"):
        resolved((AsLeft("a", "holds", 0, 7),), {})


def test_moments_are_written_in_utc_and_read_back() -> None:
    assert stamp(NOON) == "2026-03-14T12:00:00.000Z"
    assert moment(stamp(NOON)) == NOON


def test_a_runs_digest_depends_on_the_order_of_its_actions() -> None:
    assert run_digest(["a", "b"]) != run_digest(["b", "a"])


@pytest.mark.req("X-05")
async def test_a_store_that_nothing_serves_says_so(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        tools = replace(it.tools, backends={}, unavailable={"shelf": "no shelf is set up"})
        with pytest.raises(ProviderError, match="not available on this system: no shelf is set up"):
            tools.backend("shelf")


async def test_the_handlers_code_is_in_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (outcome,) = (await it.run(("shelf.take", {"name": "old"}))).outcomes

    assert digest_of(outcome.record) == outcome.record.digest
    assert digest_of(replace(outcome.record, code_hash="another")) != outcome.record.digest
