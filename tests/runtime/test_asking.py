"""A question shows the plan, and a yes counts for it alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.proposal import Origin
from sayso.core.verdict import Question
from sayso.runtime.asking import Asked, ask, card
from sayso.testing.fakes import Says
from tests.runtime.given import Given, given, proposed
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


async def test_a_card_is_made_from_what_waits_in_the_journal(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
        report = await it.run(TAKE)
        (record,) = await it.again(report)
        shown = card(record, it.tools)

    assert (shown.id, shown.operation, shown.digest) == (record.id, "shelf.take", record.digest)
    assert shown.plan.changes[0].do.step == "shelf.take"
