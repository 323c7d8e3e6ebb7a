"""A question shows the plan, and a yes counts for it alone."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.canonical import Json
from sayso.core.plan import Plan
from sayso.core.proposal import Origin
from sayso.core.record import Record
from sayso.core.verdict import Decision, Question, Verdict
from sayso.runtime.asking import Asked, ask, card, is_over, question_about
from sayso.runtime.prepared import Basis, Prepared
from sayso.runtime.targets import Aim
from sayso.runtime.tools import digest_of
from sayso.testing.fakes import Says
from tests.runtime.given import Given, a_policy, given, proposed
from tests.runtime.shelf import World

TAKE = ("shelf.take", {"name": "old"})


async def the_question(it: Given, *, label: str | None = None, dialect: str = "lines") -> Question:
    says = Says(None)
    (proposal,) = proposed(TAKE)
    origin = Origin(dialect, "test", "s1")
    await it.path.take([replace(proposal, label=label, said=f"said {label}")], origin, says)
    return says.questions[0]


@pytest.mark.req("TP-08", "PI-36")
async def test_a_label_changes_neither_the_headline_nor_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        plain = await the_question(it)
        labelled = await the_question(it, label="Rename a harmless file")

    assert plain.cards[0].plan.summary == labelled.cards[0].plan.summary == "Take “old” from the shelf"
    assert labelled.cards[0].label == "Rename a harmless file"
    assert plain.digest == labelled.digest


@pytest.mark.req("T-57", "TP-08")
async def test_a_label_that_the_model_did_not_write_is_not_shown_as_its_own(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        says = Says(None)
        (proposal,) = proposed(TAKE)
        ours = replace(proposal, label="Take 'old'", label_by_us=True, template_id="t")
        report = await it.path.take([ours], Origin("blocks", "test", "s1"), says)

    assert says.questions[0].cards[0].label is None
    assert says.questions[0].cards[0].template_id == "t"
    assert report.outcomes[0].record.label == "Take 'old'"


async def test_a_question_shows_the_plan_that_its_document_was_written_from_and_no_other(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (record,) = await it.again(await it.run(TAKE))
        assert record.plan is not None
        made = replace(it.tools.codec.plan(record.plan), summary="As it was made")

        def shown(document: Mapping[str, Json]) -> Plan:
            basis = Basis(it.policy[0], (), made, document, record.verdict or Verdict("ask", "", ""), "")
            return question_about([Prepared(record, Aim(), plan=made, basis=basis)], it.tools).cards[0].plan

        assert shown(record.plan) is made
        assert shown({**record.plan}).summary == "Take “old” from the shelf"


async def test_a_card_carries_the_digest_that_was_written_down(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (record,) = await it.again(await it.run(TAKE))

    assert card(replace(record, digest="sha256:kept"), it.tools).digest == "sha256:kept"
    assert card(replace(record, digest=None), it.tools).digest == record.digest


async def test_ids_times_dialect_and_session_are_not_in_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        one = await the_question(it)
        it.clock.advance(hours=1)
        other = await the_question(it, dialect="blocks")

    assert one.run != other.run
    assert one.digest == other.digest


@pytest.mark.req("X-10")
async def test_settings_arguments_and_the_world_are_in_the_digest(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        one = await the_question(it)
        it.tightened(strict_apps=True)
        settings = await the_question(it)
        it.world.texts["old"] = ("o", 9)
        world = await the_question(it)

    assert len({one.digest, settings.digest, world.digest}) == 3


async def test_nobody_to_ask_is_no_answer(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        report = await it.run(TAKE)
        records = await it.again(report)
        reply = await ask(Says(None), await it.approvals.question(report.run), records, it.tools)

    assert reply.kind is Asked.NOBODY


PAST = "2026-03-14T11:59:59.000Z"


async def two(it: Given) -> tuple[Question, list[Record]]:
    """Let two actions of one run wait, and return what would be asked about them."""
    report = await it.run(TAKE, ("shelf.put", {"name": "b"}))
    records = await it.again(report)
    return await it.approvals.question(report.run), records


@pytest.mark.req("CR-05")
async def test_when_the_time_of_one_is_over_none_of_them_is_asked_about(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        question, (one, other) = await two(it)
        says = Says(True)
        reply = await ask(says, question, [one, replace(other, expires=PAST)], it.tools)

    assert (reply.kind, reply.by, reply.code) == (Asked.LATE, None, "expired")
    assert reply.sentence == "nobody answered in time; propose it again"
    assert says.questions == []


async def test_a_yes_that_comes_after_the_time_of_one_counts_for_none(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        question, (one, other) = await two(it)
        later = [replace(one, expires="2026-03-14T12:00:10.000Z"), replace(other, expires=None)]
        reply = await ask(Says(True, then=lambda: it.clock.advance(seconds=10)), question, later, it.tools)

    assert reply.kind is Asked.LATE


async def test_a_yes_in_the_last_second_counts_and_says_who_gave_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        question, (one, other) = await two(it)
        later = [replace(record, expires="2026-03-14T12:00:10.000Z") for record in (one, other)]
        yes = await ask(Says(True, then=lambda: it.clock.advance(seconds=9.9)), question, later, it.tools)
        no = await ask(Says(False), question, [replace(one, expires=None)], it.tools)

    assert (yes.kind, yes.by, yes.ticked) == (Asked.YES, "terminal", (one.id, other.id))
    assert (yes.sentence, yes.code, yes.edit) == ("", None, ())
    assert (no.kind, no.by, no.sentence, no.code) == (Asked.NO, "terminal", "you said no", "declined")


@pytest.mark.req("CR-05")
@pytest.mark.parametrize(("back", "over"), [(0, False), (300, False), (300.001, True), (86_400, True)])
async def test_a_clock_set_back_a_little_is_borne_and_no_more(tmp_path: Path, back: float, over: bool) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        _, (one, _) = await two(it)
        it.clock.advance(seconds=-back)

        assert is_over(replace(one, expires=None), it.tools) is over


async def test_a_yes_for_another_digest_is_a_no_that_says_so(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        question, records = await two(it)
        reply = await ask(Other(), question, records, it.tools)

    assert (reply.kind, reply.by, reply.code) == (Asked.NO, "somebody", "digest.changed")
    assert reply.sentence == "the yes was for something else than what waits here"


class Decides:
    """Gives one decision, whatever is asked."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    async def ask(self, question: Question) -> Decision:
        return self._decision


@pytest.mark.req("AV-10")
async def test_an_edit_is_for_the_whole_that_was_shown_whatever_is_ticked_beside_it(tmp_path: Path) -> None:
    (proposal,) = proposed(TAKE)
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        question, records = await two(it)

        async def said(**changed: object) -> tuple[Asked, str | None, str, str | None]:
            edit = replace(question.edit("terminal", [proposal]), **changed)
            reply = await ask(Decides(edit), question, records, it.tools)
            return reply.kind, reply.by, reply.sentence, reply.code

        ticked = await said(ticked=(records[0].id,))
        other = await said(digest="sha256:0")
        nothing = await said(edit=())

    assert ticked == (Asked.EDITED, "terminal", "", None)
    assert other == (
        Asked.NO,
        "terminal",
        "the edit was for something else than what waits here",
        "digest.changed",
    )
    assert nothing == (Asked.NO, "terminal", "you took everything out", "declined")


class Other:
    """Says yes to something that was never shown."""

    async def ask(self, question: Question) -> Decision:
        return Decision(True, "somebody", "sha256:0")


async def test_a_card_of_what_nothing_is_known_about_says_so_and_asks_on_every_floor(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
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
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        report = await it.run(TAKE)
        (record,) = await it.again(report)
        shown = card(record, it.tools)

    assert (shown.id, shown.operation, shown.digest) == (record.id, "shelf.take", record.digest)
    assert shown.plan.changes[0].do.step == "shelf.take"


@pytest.mark.parametrize("twice", [True, False])
async def test_what_destroys_is_to_be_confirmed_twice_where_the_person_wants_that(tmp_path: Path, twice: bool) -> None:
    policy = a_policy(mode="always", confirm_destructive_clicks=twice)
    says = Says(None)
    async with given(tmp_path, world=World(texts={"old": ("o", 0)}), policy=policy) as it:
        report = await it.run(TAKE, ("shelf.put", {"name": "new"}), approver=says)
        records = await it.again(report)
        unknown = question_about([Prepared(record, Aim()) for record in records], it.tools)

    assert says.questions[0].twice == ({records[0].id} if twice else frozenset())
    assert unknown.twice == frozenset()


async def test_a_question_says_whether_it_is_about_what_the_person_edited(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        (record,) = await it.again(await it.run(TAKE))
        edited = replace(record, edit_of="do_1")
        questions = [question_about([Prepared(one, Aim())], it.tools) for one in (record, edited)]

    assert [question.edited for question in questions] == [False, True]
