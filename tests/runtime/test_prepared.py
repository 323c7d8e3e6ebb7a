"""How one proposal ends without happening is told by who can do something about it."""

from pathlib import Path

import pytest

from sayso.core.errors import Candidate, ProposalError, ProviderError, Refused, SaysoError
from sayso.core.ids import run_id
from sayso.core.proposal import Origin, Proposal
from sayso.core.verdict import Verdict
from sayso.runtime.planning import Planner
from sayso.runtime.prepared import Prepared, failed, refused
from sayso.runtime.targets import Failures
from tests.runtime.given import Call, Given, given, proposed
from tests.runtime.shelf import World

PUT: Call = ("shelf.put", {"name": "a", "text": "x"})


async def prepared(it: Given, *proposals: Proposal) -> list[Prepared]:
    """Plan these as one batch."""
    planner = Planner(it.tools)
    run = run_id(it.tools.ids.key())
    batch = await planner.first(run, Origin("lines", "test", "s"), Failures("/home/ana"), 1, dry_run=False)
    return [await planner.prepare(proposal, batch) for proposal in proposals]


async def test_what_would_lose_something_destroys(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        refill, put = await prepared(it, *proposed(("shelf.refill", {"name": "old"}), PUT))

    assert (refill.destroys, put.destroys) == (True, False)


NAMED = (Candidate("Bread", "t1"),)
BUG = "a fault in sayso ended this (KeyError); nothing was changed by it"


@pytest.mark.req("S0-62", "X-11")
@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (Refused("it is outside", "path.outside", "roots"), ("refused", "it is outside", "path.outside")),
        (ProposalError("no such day", "arguments.when", NAMED), ("invalid", "no such day", "arguments.when")),
        (ProposalError("several fit", "task.several", NAMED), ("failed", "several fit", "task.several")),
        (ProviderError("it is gone", "arguments.odd", NAMED), ("failed", "it is gone", "arguments.odd")),
        (KeyError("a secret"), ("failed", BUG, "bug")),
    ],
)
async def test_what_goes_wrong_while_looking_is_told_by_who_can_do_something_about_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, problem: Exception, told: tuple[str, str, str]
) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, *proposed(PUT))

        ended = failed(item, problem)

    marks, (_, sentence, code) = ended.record.marks, told
    assert ((marks.state.value, marks.error, marks.code), marks.message) == (told, None)
    assert not ended.alive
    assert ended.candidates == (problem.candidates if isinstance(problem, SaysoError) else ())
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == [problem] * (code == "bug")
    if isinstance(problem, Refused):
        assert ended.record.verdict == Verdict("deny", sentence, "roots", code=code)


async def test_a_refusal_without_a_word_of_its_own_has_one(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, *proposed(PUT))

    assert refused(item, Verdict("deny", "no", "rule")).record.marks.code == "policy.refused"
    assert refused(item, Verdict("deny", "no", "rule", code="own")).record.marks.code == "own"
