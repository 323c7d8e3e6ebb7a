"""A program that embeds sayso answers for its person."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.decision import Card, Decision, Question, Verdict, run_digest
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.plan import Plan
from sayso.core.proposal import Origin
from sayso.core.record import Record, State
from sayso.runtime.proposal_state import CandidateAction, JudgementBasis, Targets
from sayso.runtime.questions import (
    AnswerKind,
    Client,
    Nobody,
    ask,
    card,
    edit_of,
    edited_into,
    is_over,
    question_about,
    raise_to_question,
)
from sayso.runtime.results import EDITED
from sayso.runtime.services import digest_of
from sayso.testing.fakes import Edits, Only, Says
from tests.runtime.given import Given, a_policy, given, only, proposed, states
from tests.runtime.shelf import PUT, PUT_B, SEND, TAKE, Call, World, old

QUESTION = Question("run_1", (), "sha256:x")


@pytest.mark.req("X-09")
async def test_without_a_channel_there_is_no_answer() -> None:
    assert await Nobody().ask(QUESTION) is None


@pytest.mark.parametrize("answer", [True, False])
async def test_an_answer_is_bound_to_what_was_shown(answer: bool) -> None:
    decision = await Client(lambda question: answer, by="click").ask(QUESTION)

    assert decision is not None
    assert (decision.yes, decision.by, decision.digest) == (answer, "click", "sha256:x")


async def test_a_program_may_have_nobody_to_ask_either() -> None:
    assert await Client(lambda question: None).ask(QUESTION) is None


TAKE_A: Call = ("shelf.take", {"name": "a"})
KEEP: Call = ("shelf.take", {"name": "other"})
BURN: Call = ("shelf.burn", {"name": "other"})
PAST = "2026-03-14T11:59:59.000Z"
SOON = "2026-03-14T12:00:10.000Z"


def full() -> World:
    return World(texts={"old": ("o", 0), "other": ("p", 0)})


def edits(*calls: Call, yes: bool = False) -> Edits:
    return Edits(tuple(proposed(*calls)), yes)


class Decides:
    """Gives one decision, whatever is asked."""

    def __init__(self, decision: Decision | Callable[[Question], Decision]) -> None:
        self._decision = decision

    async def ask(self, question: Question) -> Decision:
        return self._decision if isinstance(self._decision, Decision) else self._decision(question)


@pytest.mark.req("S0-94", "X-09", "T-18")
@pytest.mark.parametrize(
    ("calls", "ticked", "ends", "needs"),
    [
        ((PUT, TAKE, BURN), (0, 2), ["done", "declined", "done"], [(), (), ()]),
        ((PUT, TAKE_A, TAKE), (1, 2), ["declined", "skipped", "done"], [(), (0,), ()]),
        ((SEND, TAKE), (1,), ["declined", "skipped"], [(), (0,)]),
        ((TAKE, BURN), (1,), ["declined", "done"], [(), ()]),
        ((PUT, TAKE), (), ["declined", "declined"], [(), ()]),
    ],
)
async def test_only_what_is_ticked_is_done_but_for_what_needs_what_was_left_out(
    tmp_path: Path, calls: tuple[Call, ...], ticked: tuple[int, ...], ends: list[str], needs: list[tuple[int, ...]]
) -> None:
    """What was left out is no failure that stops the rest, where the person wants an error to stop it."""
    says, stops = Says(Only(ticked)), calls == (TAKE, BURN)
    async with given(tmp_path, world=full(), policy=a_policy(mode="always", stop_on_error=stops)) as it:
        report = await it.run(*calls, approver=says)

    assert (states(report), [card.needs for card in says.questions[0].cards]) == (ends, needs)
    assert says.questions[0].stops is stops
    assert len(it.world.done) == ends.count("done")
    told = {
        "declined": ("you left this out", "step.left_out", "terminal"),
        "skipped": ("skipped because it needs step 1, which you left out", "step.needs_left_out"),
    }
    for state, marks in zip(ends, (outcome.record.marks for outcome in report.outcomes), strict=True):
        if ticked and state != "done":
            assert (marks.error, marks.code, marks.approved_by)[: len(told[state])] == told[state]


@pytest.mark.req("X-10", "TO-03")
async def test_a_yes_to_a_part_does_not_count_for_another_part(tmp_path: Path) -> None:
    def swap(question: Question) -> Decision:
        first, second = question.cards
        return Decision(True, "client", question.only([first.id]).digest, ticked=(second.id,))

    def widen(question: Question) -> Decision:
        return Decision(True, "client", question.only([question.cards[0].id]).digest)

    async with given(tmp_path, world=full()) as it:
        reports = [await it.run(TAKE, BURN, approver=Decides(decide)) for decide in (swap, widen)]

    for report in reports:
        assert states(report) == ["declined", "declined"]
        assert {outcome.record.marks.code for outcome in report.outcomes} == {"digest.changed"}
    assert it.world.done == []


async def test_all_that_was_shown_is_decided_in_one_commit(tmp_path: Path) -> None:
    async with given(tmp_path, world=full(), policy=a_policy(mode="always")) as it:
        waiting = await it.run(PUT, TAKE_A, TAKE)
        await it.approvals.approve(waiting.run, Says(Only((1, 2))))
        records = await it.again(waiting)

    database = sqlite3.connect(tmp_path / "sayso.db")
    (members,) = database.execute("SELECT members FROM trail WHERE event = 'approved'").fetchone()
    database.close()
    assert [record.state for record in records] == [State.DECLINED, State.SKIPPED, State.DONE]
    assert {action["id"]: action["state"] for action in json.loads(members)["actions"]} == {
        records[0].id: "declined",
        records[1].id: "skipped",
        records[2].id: "running",
    }


@st.composite
def questions(draw: st.DrawFn) -> tuple[Question, set[int]]:
    count = draw(st.integers(1, 12))
    verdict = Verdict("ask", "it asks", "mode", "mode")
    cards = tuple(
        Card(
            f"do_{index}",
            index,
            "x.y",
            {},
            Plan("x"),
            verdict,
            f"sha256:{index}",
            needs=tuple(sorted(draw(st.sets(st.integers(0, index - 1), max_size=3)))) if index else (),
        )
        for index in range(count)
    )
    question = Question("run_1", cards, run_digest(card.digest for card in cards))
    return question, draw(st.sets(st.integers(0, count - 1)))


@examples(questions())
def test_what_is_left_has_everything_it_needs(drawn: tuple[Question, set[int]]) -> None:
    question, left_out = drawn

    lacking = question.lacking(left_out)

    going = {card.index for card in question.cards} - left_out - lacking.keys()
    assert all(set(question.cards[index].needs) <= going for index in going)
    assert not left_out & lacking.keys()
    assert all(missing in left_out or missing in lacking for missing in lacking.values())
    # Nothing is kept back that could happen: walking back from it one comes to what was left out.
    assert all(reaches(question, index, left_out) for index in lacking)


def reaches(question: Question, index: int, left_out: set[int]) -> bool:
    needs = question.cards[index].needs
    return any(need in left_out or reaches(question, need, left_out) for need in needs)


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
    assert edited_into([only(report).record]) == edit.run


@pytest.mark.req("AV-10", "T-37")
@pytest.mark.parametrize("mode", ["destructive", "never"])
async def test_what_policy_would_do_unasked_is_asked_about_once_it_was_edited(tmp_path: Path, mode: str) -> None:
    says = Says(edits(PUT), False)
    async with given(tmp_path, world=full(), policy=a_policy(mode=mode)) as it:
        report = await it.run(BURN, approver=says)

    assert states(report.edits[0]) == ["declined"]
    assert says.questions[1].level == "floor"  # neither --yes nor a standing permission answers it
    assert it.world.done == []


@pytest.mark.req("AV-10", "S0-94")
@pytest.mark.parametrize(
    ("edit", "answer", "ends", "asked"),
    [
        pytest.param(edits(KEEP), True, ["done"], 2, id="asked about as new and then done"),
        pytest.param(edits(KEEP, yes=True), None, ["waiting"], 2, id="a yes that comes with the edit approves nothing"),
        pytest.param(edits(BURN), True, ["refused"], 1, id="what policy forbids is refused"),
        pytest.param(edits(("!nonsense", {}), KEEP), True, ["invalid", "done"], 2, id="the rest is asked about"),
        pytest.param(edits(), True, [], 1, id="an edit that leaves nothing is a no"),
    ],
)
async def test_an_edit_is_judged_and_asked_about_as_any_proposal(
    tmp_path: Path, edit: Edits, answer: bool | None, ends: list[str], asked: int
) -> None:
    says = Says(edit, answer)
    async with given(tmp_path, world=full(), policy=a_policy(allowed_operations=("shelf.take",))) as it:
        report = await it.run(TAKE, approver=says)

    assert (states(report), len(says.questions)) == (["declined"], asked)
    assert [state for made in report.edits for state in states(made)] == ends
    assert [(len(question.cards), question.edited) for question in says.questions] == [(1, False), (1, True)][:asked]
    assert len({question.digest for question in says.questions}) == asked
    assert only(report).record.marks.code == (EDITED if ends else "declined")
    assert it.world.done == (["shelf.take other"] if "done" in ends else [])
    assert ends or only(report).record.marks.error == "you took everything out"


@pytest.mark.req("AV-10")
async def test_what_expired_is_not_edited_into_life(tmp_path: Path) -> None:
    async with given(tmp_path, world=full()) as it:
        late = Says(edits(KEEP), True, then=lambda: it.clock.advance(hours=25))
        report = await it.run(TAKE, approver=late)
        waiting = await it.run(TAKE)
        it.clock.advance(days=2)
        approved = await it.approvals.approve(waiting.run, Says(edits(KEEP), True))

    assert states(report) == states(approved) == ["expired"]
    assert report.edits == approved.edits == ()
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
    elsewhere = Decision(False, "client", "sha256:of something else", edit=tuple(proposed(KEEP)))
    async with given(tmp_path, world=full()) as it:
        report = await it.run(TAKE, approver=Decides(elsewhere))

    assert (only(report).record.marks.code, report.edits) == ("digest.changed", ())


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
    verdict = raise_to_question(was)

    assert (verdict.ruling, verdict.level) == now
    assert (verdict.ruling == "ask") is asked


async def test_what_stayed_is_paired_with_itself_and_what_changed_with_what_stands_in_its_place(tmp_path: Path) -> None:
    async with given(tmp_path, world=full(), policy=a_policy(mode="always")) as it:
        before = await it.again(await it.run(PUT, TAKE, BURN))

    edit = edit_of(before, proposed(KEEP, PUT, ("shelf.take", {"name": "older"}), BURN), "run_1", "run_2")

    first, second, third = (record.id for record in before)
    assert [proposal.edit_of for proposal in edit.proposals] == ["run_1", first, second, third]
    assert set(edit.sentences) == {"you edited this; it goes on in run_2"}


async def the_question(it: Given, *, label: str | None = None, dialect: str = "lines") -> Question:
    says = Says(None)
    (proposal,) = proposed(TAKE)
    origin = Origin(dialect, "test", "s1")
    await it.path.take([replace(proposal, label=label, said=f"said {label}")], origin, says)
    return says.questions[0]


@pytest.mark.req("TP-08", "PI-36")
async def test_a_label_changes_neither_the_headline_nor_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        plain = await the_question(it)
        labelled = await the_question(it, label="Rename a harmless file")

    assert plain.cards[0].plan.summary == labelled.cards[0].plan.summary == "Take “old” from the shelf"
    assert labelled.cards[0].label == "Rename a harmless file"
    assert plain.digest == labelled.digest


@pytest.mark.req("T-57", "TP-08")
async def test_a_label_that_the_model_did_not_write_is_not_shown_as_its_own(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        says = Says(None)
        (proposal,) = proposed(TAKE)
        ours = replace(proposal, label="Take 'old'", label_by_us=True, template_id="t")
        report = await it.path.take([ours], Origin("blocks", "test", "s1"), says)

    assert says.questions[0].cards[0].label is None
    assert says.questions[0].cards[0].template_id == "t"
    assert report.outcomes[0].record.label == "Take 'old'"


async def test_a_question_shows_the_plan_that_its_document_was_written_from_and_no_other(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        (record,) = await it.again(await it.run(TAKE))
        assert record.plan is not None
        made = replace(it.tools.codec.plan(record.plan), summary="As it was made")

        def shown(document: Mapping[str, Json]) -> Plan:
            basis = JudgementBasis(it.policy[0], (), made, document, record.verdict or Verdict("ask", "", ""), "")
            return question_about([CandidateAction(record, Targets(), plan=made, basis=basis)], it.tools).cards[0].plan

        assert shown(record.plan) is made
        assert shown({**record.plan}).summary == "Take “old” from the shelf"


async def test_a_card_carries_the_digest_that_was_written_down(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        (record,) = await it.again(await it.run(TAKE))

    assert card(replace(record, digest="sha256:kept"), it.tools).digest == "sha256:kept"
    assert card(replace(record, digest=None), it.tools).digest == record.digest


async def test_ids_times_dialect_and_session_are_not_in_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        one = await the_question(it)
        it.clock.advance(hours=1)
        other = await the_question(it, dialect="blocks")

    assert one.run != other.run
    assert one.digest == other.digest


@pytest.mark.req("X-10")
async def test_settings_arguments_and_the_world_are_in_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        one = await the_question(it)
        it.tightened(strict_apps=True)
        settings = await the_question(it)
        it.world.texts["old"] = ("o", 9)
        world = await the_question(it)

    assert len({one.digest, settings.digest, world.digest}) == 3


async def test_nobody_to_ask_is_no_answer(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE)
        records = await it.again(report)
        reply = await ask(Says(None), await it.approvals.question(report.run), records, it.tools)

    assert reply.kind is AnswerKind.NOBODY


async def two(it: Given) -> tuple[Question, list[Record]]:
    """Let two actions of one run wait, and return what would be asked about them."""
    report = await it.run(TAKE, PUT_B)
    records = await it.again(report)
    return await it.approvals.question(report.run), records


@pytest.mark.req("CR-05")
async def test_when_the_time_of_one_is_over_none_of_them_is_asked_about(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        question, (one, other) = await two(it)
        says = Says(True)
        reply = await ask(says, question, [one, replace(other, expires=PAST)], it.tools)

    assert (reply.kind, reply.by, reply.code) == (AnswerKind.LATE, None, "expired")
    assert reply.sentence == "nobody answered in time; propose it again"
    assert says.questions == []


async def test_a_yes_that_comes_after_the_time_of_one_counts_for_none(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        question, (one, other) = await two(it)
        later = [replace(one, expires=SOON), replace(other, expires=None)]
        reply = await ask(Says(True, then=lambda: it.clock.advance(seconds=10)), question, later, it.tools)

    assert reply.kind is AnswerKind.LATE


async def test_a_yes_in_the_last_second_counts_and_says_who_gave_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        question, (one, other) = await two(it)
        later = [replace(record, expires=SOON) for record in (one, other)]
        yes = await ask(Says(True, then=lambda: it.clock.advance(seconds=9.9)), question, later, it.tools)
        no = await ask(Says(False), question, [replace(one, expires=None)], it.tools)

    assert (yes.kind, yes.by, yes.ticked) == (AnswerKind.YES, "terminal", (one.id, other.id))
    assert (yes.sentence, yes.code, yes.edit) == ("", None, ())
    assert (no.kind, no.by, no.sentence, no.code) == (AnswerKind.NO, "terminal", "you said no", "declined")


@pytest.mark.req("CR-05")
@pytest.mark.parametrize(("back", "over"), [(0, False), (300, False), (300.001, True), (86_400, True)])
async def test_a_clock_set_back_a_little_is_borne_and_no_more(tmp_path: Path, back: float, over: bool) -> None:
    async with given(tmp_path, world=old()) as it:
        _, (one, _) = await two(it)
        it.clock.advance(seconds=-back)

        assert is_over(replace(one, expires=None), it.tools.clock.now()) is over


async def test_a_yes_for_another_digest_is_a_no_that_says_so(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        question, records = await two(it)
        reply = await ask(Decides(Decision(True, "somebody", "sha256:0")), question, records, it.tools)

    assert (reply.kind, reply.by, reply.code) == (AnswerKind.NO, "somebody", "digest.changed")
    assert reply.sentence == "the yes was for something other than what waits here"


@pytest.mark.req("AV-10")
async def test_an_edit_is_for_the_whole_that_was_shown_whatever_is_ticked_beside_it(tmp_path: Path) -> None:
    (proposal,) = proposed(TAKE)
    async with given(tmp_path, world=old()) as it:
        question, records = await two(it)

        async def said(**changed: object) -> tuple[AnswerKind, str | None, str, str | None]:
            edit = replace(question.edit("terminal", [proposal]), **changed)
            reply = await ask(Decides(edit), question, records, it.tools)
            return reply.kind, reply.by, reply.sentence, reply.code

        ticked = await said(ticked=(records[0].id,))
        other = await said(digest="sha256:0")
        nothing = await said(edit=())

    assert ticked == (AnswerKind.EDITED, "terminal", "", None)
    assert other == (
        AnswerKind.NO,
        "terminal",
        "the edit was for something other than what waits here",
        "digest.changed",
    )
    assert nothing == (AnswerKind.NO, "terminal", "you took everything out", "declined")


async def test_a_card_of_what_nothing_is_known_about_says_so_and_asks_on_every_floor(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        _, (record, _) = await two(it)
        bare = card(replace(record, plan=None, verdict=None, digest=None), it.tools)
        unknown = card(replace(record, plan=None, operation="no.such"), it.tools)
        nameless = card(replace(record, plan=None, operation=None), it.tools)

    assert (bare.verdict.ruling, bare.verdict.rule, bare.verdict.level) == ("ask", "unknown", "floor")
    assert bare.plan.summary == "Take a text from the shelf"
    assert bare.digest == digest_of(replace(record, plan=None, verdict=None, digest=None), it.tools.catalogue)
    assert (unknown.plan.summary, unknown.operation) == ("no.such", "no.such")
    assert nameless.operation == ""


async def test_a_card_is_made_from_what_waits_in_the_journal(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE)
        (record,) = await it.again(report)
        shown = card(record, it.tools)

    assert (shown.id, shown.operation, shown.digest) == (record.id, "shelf.take", record.digest)
    assert shown.plan.changes[0].do.step == "shelf.take"


@pytest.mark.parametrize("twice", [True, False])
async def test_what_destroys_is_to_be_confirmed_twice_where_the_person_wants_that(tmp_path: Path, twice: bool) -> None:
    policy = a_policy(mode="always", confirm_destructive_clicks=twice)
    says = Says(None)
    async with given(tmp_path, world=old(), policy=policy) as it:
        report = await it.run(TAKE, ("shelf.put", {"name": "new"}), approver=says)
        records = await it.again(report)
        unknown = question_about([CandidateAction(record, Targets()) for record in records], it.tools)

    assert says.questions[0].twice == ({records[0].id} if twice else frozenset())
    assert unknown.twice == frozenset()


async def test_a_question_says_whether_it_is_about_what_the_person_edited(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        (record,) = await it.again(await it.run(TAKE))
        edited = replace(record, edit_of="do_1")
        questions = [question_about([CandidateAction(one, Targets())], it.tools) for one in (record, edited)]

    assert [question.edited for question in questions] == [False, True]
