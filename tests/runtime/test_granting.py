"""A standing permission is offered, given by a person's yes to exactly that, used, counted, and taken back for good."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError, Refused, SetupError
from sayso.core.grant import Wish
from sayso.core.record import State
from sayso.core.verdict import Decision
from sayso.runtime.granting import Granting
from sayso.testing.fakes import Says
from tests.runtime.given import given, only
from tests.runtime.granted import TAKE, old, permitted, taken


async def test_an_offer_gives_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)

        offer = await Granting(it.tools).offer(Wish(record.id))
        waits = only(await it.run(TAKE)).record

        assert await Granting(it.tools).all() == []
    assert (offer.grant.id, offer.grant.fixed, offer.grant.learnt_from) == ("", {"name": "old"}, record.id)
    assert waits.state is State.WAITING


@pytest.mark.req("AU-06")
async def test_what_a_person_permits_is_not_asked_again_and_says_what_permitted_it(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it))

        record = only(await it.run(TAKE)).record
        (kept,) = await Granting(it.tools).all()

    assert record.state is State.DONE
    assert record.marks.approved_by == f"grant:{grant.id}"
    assert record.verdict is not None
    assert grant.id in record.verdict.because
    assert (grant.given_by, grant.entry, grant.created) == ("terminal", "test", kept.created)
    assert (kept.uses, kept.last_used) == (1, it.tools.now())


@pytest.mark.req("SE-01")
@pytest.mark.parametrize("by", ["flag", "rule", "grant:grant_1", "model", ""])
async def test_nobody_but_a_person_gives_one(tmp_path: Path, by: str):
    async with given(tmp_path, world=old()) as it:
        granting = Granting(it.tools)
        offer = await granting.offer(Wish((await taken(it)).id))

        with pytest.raises(Refused, match="yours to give"):
            await granting.give(offer, Decision(True, by, offer.digest))

        assert await granting.all(ended=True) == []


async def test_a_no_and_a_yes_to_something_else_give_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        granting = Granting(it.tools)
        offer = await granting.offer(Wish((await taken(it)).id))
        wider = replace(offer, grant=replace(offer.grant, fixed={}))
        longer = replace(offer, wish=replace(offer.wish, seconds=60))

        with pytest.raises(Refused, match="you said no"):
            await granting.give(offer, Decision(False, "terminal", offer.digest))
        with pytest.raises(Refused, match="something else"):
            await granting.give(offer, Decision(True, "terminal", "sha256:0"))
        with pytest.raises(Refused, match="something else"):
            await granting.give(longer, Decision(True, "terminal", longer.digest))
        given_ = await granting.give(wider, Decision(True, "terminal", wider.digest))

        assert given_.fixed == {"name": "old"}


async def test_what_was_taken_back_after_the_offer_is_not_learnt(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        granting = Granting(it.tools)
        report = await it.run(TAKE, approver=Says(True))
        offer = await granting.offer(Wish(only(report).record.id))
        await it.undone(report.run)

        with pytest.raises(Refused, match="taken back"):
            await granting.give(offer, Decision(True, "terminal", offer.digest))


async def test_an_action_that_there_is_not_and_no_use_at_all_are_told(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        granting = Granting(it.tools)
        with pytest.raises(ProposalError, match="there is no action"):
            await granting.offer(Wish("do_0000000000000"))
        with pytest.raises(SetupError, match="one use at least"):
            await granting.offer(Wish((await taken(it)).id, uses=0))


async def test_it_is_taken_back_for_good_and_can_still_be_seen(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        granting = Granting(it.tools)
        grant = await permitted(it, await taken(it))

        await granting.revoke(grant.id, by="terminal")
        waits = only(await it.run(TAKE)).record
        seen = await granting.get(grant.id)

        with pytest.raises(ProposalError, match="revoked already"):
            await granting.revoke(grant.id)
        with pytest.raises(ProposalError, match="there is no standing permission"):
            await granting.revoke("grant_x")
        assert await granting.all() == []
        assert [one.id for one in await granting.all(ended=True)] == [grant.id]
    assert waits.state is State.WAITING
    assert (granting.ended(seen), seen.revoked_by, seen.revoked_at) == ("revoked", "terminal", it.tools.now())


async def test_all_are_taken_back_at_once(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        granting = Granting(it.tools)
        record = await taken(it)
        grants = [await permitted(it, record), await permitted(it, record, uses=2)]

        revoked = await granting.revoke_all(by="terminal")

        assert {grant.id for grant in revoked} == {grant.id for grant in grants}
        assert await granting.all() == []
        assert await granting.revoke_all() == []


async def test_what_has_expired_is_not_listed_and_answers_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), seconds=60)
        it.clock.advance(seconds=61)

        waits = only(await it.run(TAKE)).record

        assert await Granting(it.tools).all() == []
        assert Granting(it.tools).ended(grant) == "expired"
    assert waits.state is State.WAITING
