"""What a person edits takes the whole path again: read, judged, planned and asked about as new (AV-10)."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.core.verdict import Decision, Question, Verdict
from sayso.runtime.editing import EDITED, asked_as_new, edit_of
from sayso.testing.fakes import Edits, Only, Says
from tests.runtime.given import Call, a_policy, given, only, proposed, states
from tests.runtime.shelf import World

TAKE = ("shelf.take", {"name": "old"})
BURN = ("shelf.burn", {"name": "other"})
PUT = ("shelf.put", {"name": "a", "text": "x"})
KEEP = ("shelf.take", {"name": "other"})


def full() -> World:
    return World(texts={"old": ("o", 0), "other": ("p", 0)})


def edits(*calls: Call, yes: bool = False) -> Edits:
    return Edits(tuple(proposed(*calls)), yes)


@pytest.mark.req("AV-10", "T-37", "S0-94")
async def test_an_edit_is_asked_about_as_new_and_then_done(tmp_path: Path) -> None:
    says = Says(edits(KEEP), True)
    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, approver=says)

    first, second = says.questions
    assert first.digest != second.digest
    assert (first.edited, second.edited) == (False, True)
    assert states(report) == ["declined"]
    (edit,) = report.edits
    assert states(edit) == ["done"]
    assert it.world.done == ["shelf.take other"]
    assert only(edit).record.edit_of == only(report).record.id
    assert only(report).record.marks.code == EDITED
    assert only(report).record.marks.error == f"you edited this; it goes on in {edit.run}"


@pytest.mark.req("AV-10", "T-37")
@pytest.mark.parametrize("mode", ["destructive", "never"])
async def test_what_policy_would_do_unasked_is_asked_about_once_it_was_edited(tmp_path: Path, mode: str) -> None:
    says = Says(edits(PUT), False)
    async with given(tmp_path, world=full(), policy=a_policy(mode=mode)) as it:
        report = await it.run(BURN, approver=says)

    assert states(report.edits[0]) == ["declined"]
    assert says.questions[1].level == "floor"  # neither --yes nor a standing permission answers it
    assert it.world.done == []


@pytest.mark.req("AV-10")
async def test_a_yes_that_comes_with_the_edit_approves_nothing(tmp_path: Path) -> None:
    says = Says(edits(KEEP, yes=True), None)
    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, approver=says)

    assert states(report) == ["declined"]
    assert states(report.edits[0]) == ["waiting"]
    assert len(says.questions) == 2
    assert it.world.done == []


@pytest.mark.req("AV-10")
async def test_an_edit_to_what_policy_forbids_is_refused(tmp_path: Path) -> None:
    says = Says(edits(BURN), True)
    async with given(tmp_path, world=full(), policy=a_policy(allowed_operations=("shelf.take",))) as it:
        report = await it.run(TAKE, approver=says)

    assert states(report.edits[0]) == ["refused"]
    assert len(says.questions) == 1
    assert it.world.done == []


@pytest.mark.req("AV-10")
async def test_an_edit_that_cannot_be_read_is_invalid_and_the_rest_of_it_is_asked_about(tmp_path: Path) -> None:
    says = Says(edits(("!nonsense", {}), KEEP), True)
    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, approver=says)

    assert states(report.edits[0]) == ["invalid", "done"]
    assert [card.plan.summary for card in says.questions[1].cards] == ["Take “other” from the shelf"]


@pytest.mark.req("AV-10")
async def test_what_expired_is_not_edited_into_life(tmp_path: Path) -> None:
    async with given(tmp_path, world=full()) as it:
        late = Says(edits(KEEP), True, then=lambda: it.clock.advance(hours=25))
        report = await it.run(TAKE, approver=late)
        waiting = await it.run(TAKE)
        it.clock.advance(days=2)
        old = await it.approvals.approve(waiting.run, Says(edits(KEEP), True))

    assert states(report) == states(old) == ["expired"]
    assert report.edits == old.edits == ()
    assert it.world.done == []


@pytest.mark.req("AV-10", "X-10")
async def test_what_was_decided_meanwhile_is_not_edited_into_life(tmp_path: Path) -> None:
    class Slow:
        def __init__(self) -> None:
            self.asked = 0

        async def ask(self, question: Question) -> Decision | None:
            self.asked += 1
            await it.approvals.decline(question.run, "click")
            return question.edit("terminal", proposed(KEEP))

    slow = Slow()
    async with given(tmp_path, world=full()) as it:
        waiting = await it.run(TAKE)
        report = await it.approvals.approve(waiting.run, slow)
        with pytest.raises(ProposalError, match="it is declined already"):
            await it.approvals.approve(waiting.run, Says(edits(KEEP), True))

    assert states(report) == ["declined"]
    assert only(report).record.marks.error == "you said no"
    assert report.edits == ()
    assert slow.asked == 1
    assert it.world.done == []


@pytest.mark.req("TO-03", "AV-10")
async def test_an_edit_made_for_another_question_counts_as_no(tmp_path: Path) -> None:
    class Replays:
        async def ask(self, question: Question) -> Decision | None:
            return Decision(False, "client", "sha256:of something else", edit=tuple(proposed(KEEP)))

    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, approver=Replays())

    assert only(report).record.marks.code == "digest.changed"
    assert report.edits == ()


async def test_an_edit_that_leaves_nothing_is_a_no(tmp_path: Path) -> None:
    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, approver=Says(edits()))

    assert states(report) == ["declined"]
    assert only(report).record.marks.error == "you took everything out"
    assert report.edits == ()


async def test_an_edit_may_be_edited_again_and_answered_in_part(tmp_path: Path) -> None:
    says = Says(edits(TAKE), edits(TAKE, PUT), Only((1,)))
    async with given(tmp_path, world=full()) as it:
        report = await it.run(KEEP, approver=says)

    assert states(report.edits[0].edits[0]) == ["declined", "done"]
    assert it.world.done == ["shelf.put a"]


async def test_what_nobody_answers_after_an_edit_waits_and_is_asked_about_as_edited(tmp_path: Path) -> None:
    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, approver=Says(edits(PUT), None))
        later = Says(True)
        approved = await it.approvals.approve(report.edits[0].run, later)

    assert later.questions[0].edited
    assert states(approved) == ["done"]


@pytest.mark.req("S0-94", "AU-06")
async def test_both_versions_are_journaled_and_tied_together(tmp_path: Path) -> None:
    says = Says(edits(TAKE, KEEP, PUT), True)
    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, BURN, approver=says)
        before, after = await it.again(report), await it.again(report.edits[0])

    assert [(record.operation, record.arguments["name"]) for record in before] == [
        ("shelf.take", "old"),
        ("shelf.burn", "other"),
    ]
    assert [record.edit_of for record in after] == [before[0].id, report.run, report.run]
    assert before[0].marks.error == f"you edited this; it goes on in {report.edits[0].run}"
    assert before[1].marks.error == f"you took this out; the rest goes on in {report.edits[0].run}"
    assert [record.state for record in after] == [State.DONE] * 3


async def test_a_caller_cannot_make_a_proposal_look_like_an_edit(tmp_path: Path) -> None:
    (proposal,) = proposed(PUT)
    async with given(tmp_path, world=full()) as it:
        report = await it.path.take(
            [replace(proposal, edit_of="do_0000000000001")], Origin("lines", "test"), Says(False)
        )

    assert states(report) == ["done"]
    assert only(report).record.edit_of is None


@pytest.mark.parametrize(
    ("was", "now", "asked"),
    [
        (Verdict("allow", "a rule", "default"), ("ask", "click"), True),
        (Verdict("ask", "the mode", "mode", "mode"), ("ask", "click"), True),
        (Verdict("ask", "the floor", "floor", "floor"), ("ask", "floor"), True),
        (Verdict("deny", "no", "roots"), ("deny", "none"), False),
    ],
)
def test_nothing_edited_is_allowed_unasked_or_answered_by_a_flag(was: Verdict, now: tuple[str, str], asked: bool):
    verdict = asked_as_new(was)

    assert (verdict.ruling, verdict.level) == now
    assert (verdict.ruling == "ask") is asked


async def test_what_stayed_is_paired_with_itself_and_what_changed_with_what_stands_in_its_place(tmp_path: Path) -> None:
    async with given(tmp_path, world=full(), policy=a_policy(mode="always")) as it:
        before = await it.again(await it.run(PUT, TAKE, BURN))

    edit = edit_of(before, proposed(KEEP, PUT, ("shelf.take", {"name": "older"}), BURN), "run_1", "run_2")

    first, second, third = (record.id for record in before)
    assert [proposal.edit_of for proposal in edit.proposals] == ["run_1", first, second, third]
    assert set(edit.sentences) == {"you edited this; it goes on in run_2"}
