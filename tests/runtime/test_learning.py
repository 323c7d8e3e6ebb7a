"""A permission is learnt only from what was done, verified, not taken back, and approved by a person who looked."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import Refused
from sayso.core.record import How, Marked, State
from sayso.runtime.learning import as_case, lesson
from sayso.testing.fakes import Says
from tests.runtime.given import a_policy, given, only
from tests.runtime.granted import TAKE, old, taken


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
        ({"changes": (Marked(How.UNDONE),)}, "not everything"),
        ({"changes": (Marked(How.UNKNOWN),)}, "not everything"),
        ({"changes": (Marked(How.NOT_DONE, {"a": 1}),)}, "not everything"),
        ({"changes": (Marked(How.DONE),)}, "your word"),
        ({"changes": (Marked(How.DONE, {}),)}, "not verified"),
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
        burnt = await taken(it, ("shelf.burn", {"name": "old"}))
        await it.run(("shelf.read", {"name": "old"}), session="s")
        sent = only(await it.run(("shelf.send", {"name": "old", "to": "eve"}), approver=Says(True), session="s")).record

        with pytest.raises(Refused, match="always asks"):
            lesson(burnt, it.tools)
        with pytest.raises(Refused, match="the model had words of others before it"):
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
