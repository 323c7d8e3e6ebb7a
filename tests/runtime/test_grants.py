"""A permission is learnt only from what was done, verified, not taken back, and approved by a person who looked."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sayso.core.decision import Decision
from sayso.core.errors import ProposalError, Refused, SetupError
from sayso.core.grant import VariableArgument, Wish
from sayso.core.record import State, StepOutcome, StepRecord
from sayso.runtime.grants import GrantBacktest, as_case, lesson
from sayso.testing.fakes import Says
from tests.runtime.given import Given, a_policy, given, only, permitted, states, taken
from tests.runtime.shelf import BURN, READ, TAKE, Call, old


async def test_a_verified_success_that_a_person_approved_teaches(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)

        learnt = lesson(record, it.tools)

    assert learnt.case.operation.id == "shelf.take"
    assert learnt.case.arguments == {"name": "old"}
    assert learnt.standing.backends == {"shelf": "memory"}


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ({"state": State.FAILED}, "it is failed"),
        ({"state": State.UNKNOWN}, "it is unknown"),
        ({"state": State.UNCHANGED}, "it is unchanged"),
        ({"state": State.WAITING}, "it is waiting"),
        ({"state": State.DECLINED}, "it is declined"),
        ({"state": State.UNDONE}, "it was taken back"),
        ({"undone_by": "do_1"}, "it was taken back"),
        ({"approved_by": None}, "nobody was asked"),
        ({"approved_by": "rule"}, "approved by rule"),
        ({"approved_by": "flag"}, "nobody looked"),
        ({"approved_by": "grant:grant_1"}, "approved by grant:grant_1"),
        ({"approved_by": "model"}, "approved by model"),
        ({"changes": ()}, "not everything"),
        ({"changes": (StepRecord(StepOutcome.UNDONE),)}, "not everything"),
        ({"changes": (StepRecord(StepOutcome.UNKNOWN),)}, "not everything"),
        ({"changes": (StepRecord(StepOutcome.NOT_DONE, {"a": 1}),)}, "not everything"),
        ({"changes": (StepRecord(StepOutcome.DONE),)}, "is what you said, and sayso did not see it"),
        ({"changes": (StepRecord(StepOutcome.DONE, {}),)}, "not verified"),
    ],
)
async def test_nothing_else_teaches(tmp_path: Path, marks: dict[str, Any], why: str):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)

        with pytest.raises(Refused, match=why) as raised:
            lesson(record.marked(**marks), it.tools)

    assert raised.value.code == "grant.not_learnt"
    assert record.id in str(raised.value)


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"dry_run": True}, "dry run"),
        ({"undo_of": "do_1"}, "took something back"),
        ({"arguments": {"name": "[redacted]"}}, "left out of the journal"),
        ({"plan": None}, "left out of the journal"),
        ({"operation": "shelf.gone", "digest": None}, "left out of the journal"),
    ],
)
async def test_what_is_not_known_whole_or_was_not_meant_teaches_nothing(
    tmp_path: Path, members: dict[str, Any], why: str
):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)

        with pytest.raises(Refused, match=why):
            lesson(replace(record, **members), it.tools)


async def test_a_real_dry_run_a_real_undo_and_what_it_took_back_teach_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        dry = only(await it.run(TAKE, dry_run=True)).record
        report = await it.run(TAKE, approver=Says(True))
        undo = only(await it.undone(report.run)).record
        (undone,) = await it.again(report)

        for record, why in ((dry, "dry run"), (undo, "took something back"), (undone, "was taken back")):
            with pytest.raises(Refused, match=why):
                lesson(record, it.tools)


@pytest.mark.parametrize("by", ["terminal", "click", "command", "notification", "client"])
async def test_every_way_in_which_a_person_looks_counts(tmp_path: Path, by: str):
    async with given(tmp_path, world=old()) as it:
        assert lesson(await taken(it, by=by), it.tools).record.marks.approved_by == by


async def test_what_was_asked_for_another_reason_than_the_mode_teaches_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        burnt = await taken(it, BURN)
        await it.run(READ, session="s")
        sent = only(await it.run(("shelf.send", {"name": "old", "to": "eve"}), approver=Says(True), session="s")).record

        with pytest.raises(Refused, match="always asks"):
            lesson(burnt, it.tools)
        with pytest.raises(Refused, match="the model had read text by others"):
            lesson(sent, it.tools)


async def test_what_the_rules_allowed_by_themselves_teaches_nothing(tmp_path: Path):
    async with given(tmp_path, world=old(), policy=a_policy(mode="never")) as it:
        with pytest.raises(Refused, match="nobody was asked"):
            lesson(await taken(it), it.tools)


async def test_an_operation_or_a_step_that_nothing_here_knows_is_no_case(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)

        assert as_case(replace(record, operation="shelf.gone"), it.tools) is None
        assert as_case(replace(record, plan=None), it.tools) is None
        assert as_case(replace(record, plan={"changes": [{"do": {"step": "gone"}}]}), it.tools) is None


async def _offered(it: Given, ref: str) -> GrantBacktest:
    offer = await it.grants.offer(Wish(ref))
    return await it.grants.tried(offer.grant)


async def test_what_it_would_have_allowed_and_what_stays_asked_is_told_with_the_reason(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)
        it.world.texts["new"] = ("n", 5)
        other = await taken(it, ("shelf.take", {"name": "new"}))
        await it.run(TAKE, dry_run=True)

        trial = await _offered(it, record.id)

    assert [one.record.id for one in trial.allowed_ones] == [record.id]
    assert [(one.record.id, one.why) for one in trial.asked] == [(other.id, "“name” is not as it was")]
    assert trial.against_you == ()


async def test_what_you_said_no_to_is_named(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        declined = (await it.run(TAKE, approver=Says(False))).outcomes[0].record
        record = await taken(it)

        trial = await _offered(it, record.id)

    assert [one.record.id for one in trial.against_you] == [declined.id]


async def test_one_that_is_given_is_tried_too_whether_it_holds_or_not(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), uses=1)
        await taken(it)
        await it.grants.revoke(grant.id)

        trial = await it.grants.tried(await it.grants.get(grant.id))

    assert len(trial.allowed_ones) == 2
    assert trial.looked_at == 2


async def test_what_a_floor_or_outside_text_asked_stays_asked(tmp_path: Path):
    send = ("shelf.send", {"name": "old", "to": "eve"})
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        record = await taken(it, send)
        await it.run(READ, session="s", approver=Says(True))
        await it.run(send, session="s", approver=Says(False))

        trial = await _offered(it, record.id)

    assert [one.answer for one in trial.tried] == ["asked", "allowed"]
    assert "text by others" in trial.asked[0].why
    assert trial.against_you == ()


async def test_trying_changes_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), uses=1)
        before = (await it.tools.journal.grants(), it.world.done[:])

        await it.grants.tried(grant)

        assert (await it.tools.journal.grants(), it.world.done) == before


async def _thrice(it: Given, *calls: Call) -> None:
    for call in calls:
        await taken(it, call)


async def test_three_times_the_same_yes_is_proposed_and_nothing_is_given(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, TAKE, TAKE)
        twice = await it.grants.suggest_grants()
        await taken(it)
        (found,) = await it.grants.suggest_grants()

        assert await it.grants.all(ended=True) == []
        assert states(await it.run(TAKE)) == ["waiting"]
    assert twice == []
    assert (found.grant.fixed, found.grant.varies, found.wish.vary) == ({"name": "old"}, (), ())
    assert len(found.said_yes) == 3
    assert found.wish.ref == found.said_yes[0]


async def test_only_what_differed_varies(tmp_path: Path):
    puts: list[Call] = [("shelf.put", {"name": "a", "text": text}) for text in ("1", "2", "3")]
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        await _thrice(it, *puts)

        (found,) = await it.grants.suggest_grants()

    assert (found.grant.fixed, found.grant.varies) == ({"name": "a"}, (VariableArgument("text", "any"),))
    assert found.wish.vary == ("text",)


async def test_different_things_are_not_the_same_yes(tmp_path: Path):
    puts: list[Call] = [("shelf.put", {"name": name, "text": ""}) for name in "abc"]
    async with given(tmp_path, policy=a_policy(mode="always")) as it:
        await _thrice(it, *puts)

        assert await it.grants.suggest_grants() == []
        assert len(await it.grants.suggest_grants(1)) == 3


async def test_what_you_once_said_no_to_is_not_proposed(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, TAKE, TAKE, TAKE)
        await it.run(TAKE, approver=Says(False))

        assert await it.grants.suggest_grants() == []


async def test_what_a_permission_answers_already_is_not_proposed_until_that_has_ended(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, TAKE, TAKE)
        grant = await permitted(it, await taken(it))
        during = await it.grants.suggest_grants()
        await it.grants.revoke(grant.id)

        assert during == []
        assert len(await it.grants.suggest_grants()) == 1


async def test_what_always_asks_and_what_a_flag_approved_is_never_proposed(tmp_path: Path):
    burn: Call = BURN
    async with given(tmp_path, world=old()) as it:
        await _thrice(it, burn, burn, burn)
        for _ in range(3):
            await taken(it, by="flag")

        assert await it.grants.suggest_grants() == []


async def test_an_offer_gives_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)

        offer = await it.grants.offer(Wish(record.id))
        waits = only(await it.run(TAKE)).record

        assert await it.grants.all() == []
    assert (offer.grant.id, offer.grant.fixed, offer.grant.learnt_from) == ("", {"name": "old"}, record.id)
    assert waits.state is State.WAITING


@pytest.mark.req("AU-06")
async def test_what_a_person_permits_is_not_asked_again_and_says_what_permitted_it(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it))

        record = only(await it.run(TAKE)).record
        (kept,) = await it.grants.all()

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
        offer = await it.grants.offer(Wish((await taken(it)).id))

        with pytest.raises(Refused, match="yours to give"):
            await it.grants.give(offer, Decision(True, by, offer.digest))

        assert await it.grants.all(ended=True) == []


async def test_a_no_and_a_yes_to_something_else_give_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        offer = await it.grants.offer(Wish((await taken(it)).id))
        wider = replace(offer, grant=replace(offer.grant, fixed={}))
        longer = replace(offer, wish=replace(offer.wish, seconds=60))

        with pytest.raises(Refused, match="you said no"):
            await it.grants.give(offer, Decision(False, "terminal", offer.digest))
        with pytest.raises(Refused, match="something other"):
            await it.grants.give(offer, Decision(True, "terminal", "sha256:0"))
        with pytest.raises(Refused, match="something other"):
            await it.grants.give(longer, Decision(True, "terminal", longer.digest))
        given_ = await it.grants.give(wider, Decision(True, "terminal", wider.digest))

        assert given_.fixed == {"name": "old"}


async def test_what_was_taken_back_after_the_offer_is_not_learnt(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=Says(True))
        offer = await it.grants.offer(Wish(only(report).record.id))
        await it.undone(report.run)

        with pytest.raises(Refused, match="taken back"):
            await it.grants.give(offer, Decision(True, "terminal", offer.digest))


async def test_an_action_that_there_is_not_and_no_use_at_all_are_told(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        with pytest.raises(ProposalError, match="there is no action"):
            await it.grants.offer(Wish("do_0000000000000"))
        with pytest.raises(SetupError, match="one use at least"):
            await it.grants.offer(Wish((await taken(it)).id, uses=0))


async def test_it_is_taken_back_for_good_and_can_still_be_seen(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it))

        await it.grants.revoke(grant.id, by="terminal")
        waits = only(await it.run(TAKE)).record
        seen = await it.grants.get(grant.id)

        with pytest.raises(ProposalError, match="revoked already"):
            await it.grants.revoke(grant.id)
        with pytest.raises(ProposalError, match="there is no standing permission"):
            await it.grants.revoke("grant_x")
        assert await it.grants.all() == []
        assert [one.id for one in await it.grants.all(ended=True)] == [grant.id]
    assert waits.state is State.WAITING
    assert (it.grants.ended(seen), seen.revoked_by, seen.revoked_at) == ("revoked", "terminal", it.tools.now())


async def test_all_are_taken_back_at_once(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        record = await taken(it)
        grants = [await permitted(it, record), await permitted(it, record, uses=2)]

        revoked = await it.grants.revoke_all(by="terminal")

        assert {grant.id for grant in revoked} == {grant.id for grant in grants}
        assert await it.grants.all() == []
        assert await it.grants.revoke_all() == []


async def test_what_has_expired_is_not_listed_and_answers_nothing(tmp_path: Path):
    async with given(tmp_path, world=old()) as it:
        grant = await permitted(it, await taken(it), seconds=60)
        it.clock.advance(seconds=61)

        waits = only(await it.run(TAKE)).record

        assert await it.grants.all() == []
        assert it.grants.ended(grant) == "expired"
    assert waits.state is State.WAITING
