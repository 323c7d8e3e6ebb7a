"""Every proposal goes down the one path, and ends in exactly one honest state."""

import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from sayso.core.decision import Question, Verdict
from sayso.core.errors import ProviderError, SetupError
from sayso.core.grant import Grant
from sayso.core.plan import ChangeRef
from sayso.core.ports import KillPoint
from sayso.core.proposal import Origin
from sayso.core.record import State
from sayso.policy.settings import Policy
from sayso.runtime.engine import Engine
from sayso.runtime.locks import FileLocks
from sayso.runtime.questions import Client, Nobody
from sayso.runtime.results import Report
from sayso.testing.fakes import Edits, Says
from tests.runtime.given import Given, a_policy, events, given, only, permitted, proposed, states, taken
from tests.runtime.shelf import BURN, KEEP, NONE, NOON, PUT, PUT_B, READ, TAKE, Backend, Call, Reads, Steps, World, old

NO = ProviderError("no", "world.no")
AT_THE_CLAIM = 2
"""The settings are asked for as a run begins and at the claim."""


def put(*names: str) -> list[Call]:
    return [("shelf.put", {"name": name}) for name in names]


def ends(report: Report, wanted: list[str]) -> list[str]:
    """Return the state of each action, with its sentence where one is wanted."""
    marks = [outcome.record.marks for outcome in report.outcomes]
    return [
        f"{one.state.value}: {one.error or one.message}" if ": " in want else one.state.value
        for one, want in zip(marks, wanted, strict=True)
    ]


def row(
    calls: list[Call], wanted: list[str], *req: str, how: dict[str, Any] | None = None, **policy: object
) -> pytest.ParameterSet:
    return pytest.param(calls, wanted, how or {}, policy, marks=pytest.mark.req(*req) if req else ())


FAILED, FIRST = "failed: there is no “none”", "skipped: skipped because step 1 failed"
OLD, TAKE_A = ("shelf.put", {"name": "old"}), ("shelf.take", {"name": "a"})
FLY: Call = ("!FLY", {})
WHOLE, DRY = {"whole_or_none": True}, {"dry_run": True}


@pytest.mark.parametrize(
    ("calls", "wanted", "how", "policy"),
    [
        row([PUT], ["done: Put it there"], "S0-82", "X-02"),
        row([TAKE], ["waiting"]),
        row([("shelf.keep", {"name": "old"})], ["unchanged: “old” is kept already"]),
        row([NONE, PUT], [FAILED, "done"]),
        row([PUT, TAKE_A, PUT], ["done"] * 3, "S0-22", mode="never"),
        row([OLD, TAKE, *put("b")], ["failed: “old” is taken", FIRST, "done"], "T-18", "S0-63", mode="never"),
        row([OLD, TAKE], ["failed", "skipped"], "T-18", how=DRY),
        # A text called “bad” is put nowhere.
        row([*put("bad"), KEEP], ["failed: no", "failed: there is no “a”"]),
        row([("shelf.pair", {"one": "a", "other": "bad"})], ["failed: no; the part that had been done was taken back"]),
        row([PUT, NONE, *put("c")], ["done", FAILED, "skipped"], "T-18", stop_on_error=True),
        row([*put("bad", "c")], ["failed: no", FIRST], "T-18", stop_on_error=True),
        row([PUT, PUT_B, NONE, FLY, *put("c")],
            ["done", "done", "failed", "invalid", "skipped: skipped because step 3 failed"],
            "T-18", stop_on_error=True),
        # One batch is asked about as a whole, and what need not be asked waits with the rest.
        row([PUT, BURN], ["waiting", "waiting"], mode="destructive"),
        row([PUT, READ], ["waiting", "waiting"], mode="always"),
        # A whole request runs whole or not at all; what it reads in its turn comes too late for that.
        row([PUT, ("shelf.put", {})], ["skipped", "invalid"], "T-103", how=WHOLE),
        row([NONE, PUT], [FAILED, "skipped"], "T-103", how=WHOLE),
        row([PUT_B, FLY], ["skipped", "invalid: Unknown command: FLY"], "T-103", how=WHOLE),
        row([PUT_B, READ], ["skipped", "refused"], "T-103", how=WHOLE, allowed_operations=("shelf.[!r]*",)),
        row([PUT, ("shelf.read", {"name": "none"})], ["done", FAILED], "T-103", how=WHOLE),
        # A dry run says what would be.
        row([PUT, BURN, NONE], ["planned: Would put “a” on the shelf", "planned: Would burn “old” (you would be asked)",
            FAILED], how=DRY),
        row([READ, PUT], ["planned: Would read a text: “old”", "planned"], how=DRY),
        row([PUT, KEEP], ["planned", "unchanged: “a” is kept already"], how=DRY),
        row([("shelf.some", {"most": 3, "name": "old"}), ("shelf.some", {"most": 3})],
            ["planned: Would read some of a text: “old”", "planned: Would read some of a text"], how=DRY),
    ],
)  # fmt: skip
async def test_each_ends_as_it_must(
    tmp_path: Path, calls: list[Call], wanted: list[str], how: dict[str, Any], policy: dict[str, object]
) -> None:
    world = World(texts={"old": ("o", 0)}, faults={"before:bad": NO})
    async with given(tmp_path, world=world, policy=a_policy(**policy)) as it:
        report = await it.run(*calls, **how)
        rows = await it.again(report)

    assert ends(report, wanted) == wanted
    assert states(rows) == states(report)
    if not set(states(report)) & {"done"}:
        assert world.texts == {"old": ("o", 0)}


@pytest.mark.req("S0-60", "S0-61", "S0-62", "C-07")
async def test_each_proposal_has_one_result_in_order_and_no_fault_is_told_whole(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(FLY, PUT, ("shelf.put", {"nam": "b"}), NONE, ("shelf.fault", {}))

    assert states(report) == ["invalid", "done", "invalid", "failed", "failed"]
    assert [outcome.record.index for outcome in report.outcomes] == [0, 1, 2, 3, 4]
    assert "a secret" not in str(report)


@pytest.mark.req("X-14")
async def test_every_attempt_is_in_the_journal(tmp_path: Path) -> None:
    policy = a_policy(allowed_operations=("shelf.[!k]*",))
    async with given(tmp_path, world=old(), policy=policy) as it:
        await it.run(PUT, dry_run=True)
        for call in (FLY, ("shelf.keep", {"name": "old"})):
            await it.run(call)
        await it.run(BURN, approver=Says(False))
        await it.run(PUT)
        await it.undone()

    rows = sqlite3.connect(tmp_path / "sayso.db").execute("SELECT state FROM action ORDER BY key").fetchall()
    assert [state for (state,) in rows] == ["planned", "invalid", "refused", "declined", "undone", "done"]
    assert events(tmp_path)[0] == "dry run"


async def test_a_read_answers_and_its_answer_is_not_journaled(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("canary-1", 0)})) as it:
        report = await it.run(READ)

    assert (only(report).data, only(report).record.marks.message) == ({"text": "canary-1"}, "Read “old”")
    assert b"canary-1" not in b"".join(file.read_bytes() for file in tmp_path.glob("sayso.db*"))


async def test_reads_alone_are_one_commit_and_a_read_among_steps_sees_what_they_did(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        alone = await it.run(READ, NONE)
        trail = events(tmp_path)
        among = await it.run(READ, PUT, ("shelf.read", {"name": "a"}))

    assert (states(alone), trail) == (["done", "failed"], ["ended"])
    assert (states(among), [outcome.data for outcome in among.outcomes]) == (
        ["done"] * 3, [{"text": "o"}, {}, {"text": "x"}],
    )  # fmt: skip


async def test_what_may_have_been_meant_is_told_and_not_journaled(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(("shelf.guess", {"name": "a"}), PUT)
        (row, _) = await it.again(report)

    assert states(report) == ["failed", "done"]
    assert [[one.name for one in outcome.candidates] for outcome in report.outcomes] == [["left", "right"], []]
    assert "left" not in str(row)


async def test_a_run_is_its_own_session_where_none_is_named_and_goes_on_under_the_name_of_another(
    tmp_path: Path,
) -> None:
    async with given(tmp_path) as it:
        own = await it.run(PUT)
        named = await it.run(PUT_B, session="s")
        later = it.path.begin(Origin("lines"), Nobody(), "run_before")
        new = it.path.begin(Origin("lines"), Nobody())

    assert (only(own).record.session, only(named).record.session) == (own.run, "s")
    assert (later.id, later.origin.session) == ("run_before", "run_before")
    assert new.id.startswith("run_0")


async def test_only_an_answer_to_a_question_makes_a_proposal_an_edit_of_another(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (claimed,) = proposed(PUT)
        report = await it.path.take([replace(claimed, edit_of="act_1")], Origin("lines"), Nobody())

    assert only(report).record.edit_of is None


@pytest.mark.req("PA-09")
async def test_as_many_as_may_be_go_and_one_more_is_refused_whole_and_named_each(tmp_path: Path) -> None:
    limits = replace(a_policy().limits, actions_per_run=2)
    async with given(tmp_path, policy=a_policy(limits=limits)) as it:
        most = await it.run(PUT, PUT_B)
        more = await it.run(*put("c"), READ, BURN)
        (row,) = await it.again(more)

    assert (states(most), states(more)) == (["done", "done"], ["refused"] * 3)
    records = [outcome.record for outcome in more.outcomes]
    assert [(record.index, record.operation, record.marks.code) for record in records] == [
        (place, f"shelf.{name}", "limit.actions") for place, name in enumerate(("put", "read", "burn"))
    ]
    assert row.verdict == Verdict("deny", row.marks.error or "", "limits", code="limit.actions")
    assert (row.said, row.dry_run, "c" in it.world.texts) == ("", False, False)
    assert events(tmp_path)[-1] == "refused"


async def test_a_text_that_is_refused_before_it_is_read_is_one_row(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.path.refuse(Origin("lines", "test", "s"), "the reply is too long", "limit.reply")
        (row,) = await it.again(report)

    assert (row.state, row.marks.error, row.marks.code) == (State.REFUSED, "the reply is too long", "limit.reply")
    assert (report.dialect, row.session, states(report)) == ("lines", "s", ["refused"])


async def test_the_first_action_has_the_id_of_its_run_and_each_other_one_an_id_of_its_own(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        report = await it.run(PUT, PUT_B, BURN)
        ids = [row.id for row in await it.again(report)]

    assert len(set(ids)) == 3
    assert [id_.endswith(report.run.removeprefix("run_")) for id_ in ids] == [True, False, False]


async def test_what_stands_on_a_step_that_did_not_happen_is_skipped(tmp_path: Path) -> None:
    world = World()

    def somebody_takes_the_place(label: str) -> None:
        if label == "path.claimed":
            world.texts["a"] = ("somebody else's", 99)

    async with given(tmp_path, world=world, policy=a_policy(mode="never")) as it:
        report = await with_kill(it, somebody_takes_the_place, PUT, TAKE_A)

    assert ends(report, ["failed", FIRST]) == ["failed", FIRST]
    assert world.texts["a"] == ("somebody else's", 99)


async def test_a_plan_that_goes_on_keeps_its_way_back_and_one_that_does_not_has_none_left(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults["before:b"] = NO
        whole = only(await it.run(("shelf.pair", {"one": "a", "other": "b"}))).record
        half = only(await it.run(("shelf.spread", {"one": "b", "other": "a"}))).record
        undone = await it.undone(half.id)

    assert [mark.outcome.value for mark in whole.marks.changes] == ["undone", "not_done"]
    assert [mark.outcome.value for mark in half.marks.changes] == ["not_done", "done"]
    assert half.marks.error == "1 of 2 changes were made, then: no"
    assert (states(undone), it.world.texts) == (["done"], {})


async def test_a_fault_after_the_effect_is_told_as_what_the_world_shows(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        it.world.faults |= {"after:a": RuntimeError("boom"), "before:b": RuntimeError("boom")}
        report = await it.run(*put("a", "b"))

    assert (states(report), list(it.world.texts)) == (["done", "failed"], ["a"])


@pytest.mark.req("T-18")
async def test_what_nobody_can_tell_is_unknown_until_the_person_says_and_stops_the_rest(tmp_path: Path) -> None:
    async with given(tmp_path, policy=a_policy(stop_on_error=True)) as it:
        it.world.faults["after:a"] = ValueError("boom")
        it.world.blind.add("a")
        report = await it.run(PUT, PUT_B)
        await it.recovered()
        still = await it.again(report)

    assert states(report) == states(still) == ["unknown", "skipped"]


@pytest.mark.req("S0-64")
async def test_changes_of_two_runs_are_not_interleaved(tmp_path: Path) -> None:
    async with given(tmp_path) as it, anyio.create_task_group() as tasks:
        for name in "abcdefgh":
            tasks.start_soon(it.run, *put(f"{name}1", f"{name}2"))

    order = [entry.removeprefix("shelf.put ") for entry in it.world.done]
    assert len(order) == 16
    assert all(order[place][0] == order[place + 1][0] for place in range(0, 16, 2))


def break_journal(folder: Path) -> None:
    sqlite3.connect(folder / "sayso.db").execute("DROP TABLE audit").connection.commit()


@pytest.mark.req("AU-05", "CR-04")
async def test_nothing_is_done_when_the_journal_cannot_be_written(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        break_journal(tmp_path)
        with pytest.raises(Exception, match="journal"):
            await it.run(PUT)

    assert it.world.texts == {}


async def with_kill(it: Given, kill: KillPoint, *calls: Call) -> Report:
    """Take calls down the path, with something happening at the kill points."""
    return await Engine(replace(it.tools, kill=kill)).take(proposed(*calls), Origin("lines"), Nobody())


async def test_a_journal_that_fails_in_mid_run_says_how_much_was_done(tmp_path: Path) -> None:
    async with given(tmp_path) as it:

        def breaks(label: str) -> None:
            if label == "path.acted" and len(it.world.done) == 2:
                break_journal(tmp_path)

        with pytest.raises(SetupError, match=r"2 of 3 actions of run_\w+ had been done by then"):
            await with_kill(it, breaks, *put("a", "b", "c"))


@pytest.mark.req("T-53", "TO-02")
async def test_the_brake_stops_a_run_after_the_change_it_is_at(tmp_path: Path) -> None:
    async with given(tmp_path) as it:

        def pulls(label: str) -> None:
            if label == "path.acted":
                it.tightened(paused=True)

        report = await with_kill(it, pulls, *put("a", "b", "c"))

    paused = "skipped: skipped because sayso was paused"
    assert ends(report, ["done", paused, paused]) == ["done", paused, paused]
    assert list(it.world.texts) == ["a"]


async def test_only_what_a_later_action_looks_at_is_imagined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imagined: list[ChangeRef] = []
    imagine = Backend.imagine

    def noted(self: Backend, seen: Reads, step: Steps, ref: ChangeRef) -> Reads:
        imagined.append(ref)
        return imagine(self, seen, step, ref)

    monkeypatch.setattr(Backend, "imagine", noted)
    async with given(tmp_path) as it:
        await it.run(PUT)
        alone = list(imagined)
        report = await it.run(PUT_B, ("shelf.take", {"name": "b"}), approver=Says(True))

    assert alone == []
    planned, asked_again_at_the_yes = ChangeRef(0, 0), ChangeRef(0, 0)
    assert (imagined, states(report)) == ([planned, asked_again_at_the_yes], ["done", "done"])


async def test_a_store_that_cannot_imagine_is_planned_when_its_turn_comes(tmp_path: Path) -> None:
    async with given(tmp_path, imagines=False) as it:
        report = await it.run(PUT, *put("a"), TAKE_A, approver=Says(True))

    assert states(report) == ["done", "failed", "skipped"]


async def test_a_dry_run_hands_out_nothing_that_was_read(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("from outside", 0)})) as it:
        report = await it.run(READ, dry_run=True, session="s1")
        after = await it.run(("shelf.send", {"name": "x", "to": "eve@example.org"}), session="s1")

    assert (only(report).data, only(report).text, states(after)) == ({}, "", ["done"])


async def test_a_store_of_this_process_alone_needs_no_lock_and_a_shared_one_does(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        await it.run(PUT)
        (shared,) = (tmp_path / "locks").iterdir()
        it.tools.backends["shelf"].__dict__["private"] = True
        shared.unlink()
        report = await it.run(PUT_B)

    assert states(report) == ["done"]
    assert list((tmp_path / "locks").iterdir()) == []


@pytest.mark.req("X-09", "S1-18")
@pytest.mark.parametrize("by", ["terminal", "flag"])
@pytest.mark.parametrize("yes", [True, False])
async def test_what_is_asked_is_done_on_a_yes_and_not_on_a_no_and_says_who_answered(
    tmp_path: Path, by: str, yes: bool
) -> None:
    says = Says(yes, by=by)
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, ("shelf.put", {"name": "z"}), approver=says)
        rows = await it.again(report)

    wanted = ["done: Took it", "done"] if yes else ["declined: you said no"] * 2
    assert (ends(report, wanted), states(rows)) == (wanted, states(report))
    assert [(row.marks.approved_by, row.marks.ended_at, row.marks.owner) for row in rows] == [
        (by, NOON, None), (None if yes else by, NOON, None),
    ]  # fmt: skip
    assert len(says.questions) == 1
    assert len(it.world.done) == (2 if yes else 0)
    assert yes or events(tmp_path) == ["asked", "declined"]


@pytest.mark.req("S0-94")
async def test_a_batch_is_shown_whole_with_what_of_it_is_asked(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, world=old()) as it:
        await it.path.take(proposed(PUT, FLY, TAKE), Origin("lines"), says)

    (question,) = says.questions
    assert [card.plan.summary for card in question.cards] == ["Put “a” on the shelf", "Take “old” from the shelf"]
    assert [card.index for card in question.asking] == [2]


@pytest.mark.req("T-18")
async def test_where_an_error_stops_the_rest_nobody_is_asked_about_the_rest(tmp_path: Path) -> None:
    says = Says(True)
    async with given(tmp_path, policy=a_policy(mode="always", stop_on_error=True)) as it:
        report = await it.run(PUT, NONE, PUT_B, approver=says)

    assert states(report) == ["done", "failed", "skipped"]
    assert [[card.index for card in question.cards] for question in says.questions] == [[0]]


@pytest.mark.req("T-37")
async def test_a_read_that_came_of_an_edit_is_answered_only_after_a_yes(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        report = await it.run(TAKE, approver=Says(Edits(tuple(proposed(READ))), False))
        (edit,) = report.edits

    assert (states(report), states(edit)) == (["declined"], ["declined"])
    assert (edit.outcomes[0].data, edit.outcomes[0].text) == ({}, "")


async def test_an_edit_is_asked_about_as_one_and_told_with_the_run_that_it_replaces(tmp_path: Path) -> None:
    says = Says(Edits(tuple(proposed(PUT, TAKE_A))), True)
    async with given(tmp_path, world=old()) as it:
        report = await it.run(BURN, approver=says)
        (edit,) = report.edits

    assert (states(report), states(edit)) == (["declined"], ["done", "done"])
    assert [len(question.cards) for question in says.questions] == [1, 2]
    assert len({outcome.record.run for outcome in edit.outcomes}) == 1
    assert "edited" in events(tmp_path)


async def test_to_be_asked_nobody_waits_for_who_acts_on_the_store(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        impatient = Engine(replace(it.tools, locks=FileLocks(tmp_path / "locks", patience=0.01)))
        async with it.tools.locks.hold(["shelf"]):
            report = await impatient.take(proposed(PUT, TAKE), Origin("lines"), Nobody())

    assert states(report) == ["waiting", "waiting"]


@pytest.mark.req("TO-02")
async def test_a_policy_that_became_stricter_while_the_person_looked_voids_their_yes(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:

        def tightens(question: Question) -> bool:
            it.tightened(allowed_operations=("shelf.put",))
            return True

        record = only(await it.run(BURN, approver=Client(tightens))).record

    assert record.state is State.REFUSED
    assert "judged again now, more strictly than before: " in (record.marks.error or "")
    assert it.world.done == []


@pytest.mark.parametrize("answer", [True, False])
async def test_a_yes_while_everything_is_paused_leaves_it_waiting_and_a_no_counts(tmp_path: Path, answer: bool) -> None:
    async with given(tmp_path, world=old()) as it:

        def pauses(question: Question) -> bool:
            it.tightened(paused=True)
            return answer

        report = await it.run(BURN, approver=Client(pauses))
        rows = await it.again(report)

    assert states(report) == states(rows) == ["waiting" if answer else "declined"]
    assert [("still waits: everything is paused" in said) for said in report.warnings] == [True] * answer
    assert it.world.done == []


@pytest.mark.req("TO-02")
async def test_what_is_paused_between_the_yes_and_its_beginning_is_refused(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        looked = it.tools.journal.grants
        run = only(await it.run(BURN)).record.run

        async def pauses(*, revoked: bool = False) -> list[Grant]:
            it.tightened(paused=True)
            return await looked(revoked=revoked)

        it.tightened(mode="always")  # so that it is judged again at the claim
        it.tools.journal.grants = pauses
        record = only(await it.approvals.approve(run, Says(True))).record

    assert (record.state, record.marks.code, it.world.done) == (State.REFUSED, "policy.paused", [])


@pytest.mark.req("TO-02")
async def test_what_was_allowed_and_would_ask_a_moment_later_is_refused_and_written_down(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        asked = 0

        def stricter_at_the_claim() -> Policy:
            nonlocal asked
            asked += 1
            return it.policy[0] if asked < AT_THE_CLAIM else a_policy(mode="always")

        path = Engine(replace(it.tools, policy=stricter_at_the_claim))
        report = await path.take(proposed(PUT, PUT_B), Origin("lines"), Nobody())
        kept = await it.again(report)

    assert states(report) == states(kept) == ["refused", "refused"]
    assert [(record.marks.code, record.marks.ended_at) for record in kept] == [("policy.stricter", NOON)] * 2
    assert it.world.done == []


@pytest.mark.req("TO-02")
async def test_what_is_refused_at_the_claim_does_not_wait_with_what_is_asked_there(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        await permitted(it, await taken(it))
        looked, calls = it.tools.journal.grants, iter(range(9))

        async def expire(*, revoked: bool = False) -> list[Grant]:
            if next(calls) == 0:
                return await looked(revoked=revoked)
            it.tightened(allowed_operations=("shelf.take",))
            return []

        it.tools.journal.grants = expire
        report = await it.run(PUT, TAKE)
        rows = await it.again(report)

    assert states(report) == states(rows) == ["refused", "waiting"]
    assert [row.marks.ended_at for row in rows] == [NOON, None]


SEND: Call = ("shelf.send", {"name": "x", "to": "eve@example.org"})


@pytest.mark.req("X-08", "T-111")
async def test_after_outside_text_was_read_sending_asks_where_it_would_not_have(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        before = await it.run(("shelf.send", {"name": "old", "to": "eve@example.org"}), session="s1")
        await it.run(READ, session="s1")
        after = await it.run(SEND, session="s1")
        elsewhere = await it.run(("shelf.send", {"name": "y", "to": "eve@example.org"}), session="s2")
        origin = Origin("lines", "test", principal="test:another")
        another = await it.path.take(proposed(("shelf.send", {"name": "z", "to": "eve@example.org"})), origin, Nobody())

    assert states(before) == states(another) == ["done"]
    assert states(after) == states(elsewhere) == ["waiting"]


async def test_what_was_read_after_an_action_was_proposed_does_not_void_the_yes_to_it(tmp_path: Path) -> None:
    async with given(tmp_path, world=old(), policy=a_policy(mode="always")) as it:
        waits = await it.run(SEND, session="s1")
        await it.run(READ, approver=Says(True), session="s2")
        report = await it.approvals.approve(waits.run, Says(True))

    assert (states(waits), states(report)) == (["waiting"], ["done"])


@pytest.mark.req("X-08", "T-111")
@pytest.mark.parametrize("imagines", [True, False])
async def test_what_was_asked_for_beside_strangers_words_asks_before_it_sends(tmp_path: Path, imagines: bool) -> None:
    async with given(tmp_path, world=old(), imagines=imagines) as it:
        origin = Origin("lines", "test", exposed=("tabs",))
        report = await it.path.take(proposed(PUT, SEND), origin, Nobody())
        records = await it.again(report)

    assert states(report)[1:] == ["waiting"]
    assert records[1].exposed


@pytest.mark.req("X-08", "T-111")
async def test_what_is_looked_at_in_its_turn_after_a_yes_knows_that_strangers_words_stood_in_the_prompt(
    tmp_path: Path,
) -> None:
    async with given(tmp_path, world=old(), imagines=False, policy=a_policy(mode="always")) as it:
        origin = Origin("lines", "test", exposed=("tabs",))
        run = (await it.path.take(proposed(PUT, SEND), origin, Nobody())).run
        it.tightened(mode="never")
        says = Says(True, None)
        report = await it.approvals.approve(run, says)

    assert states(report) == ["done", "waiting"]
    assert [len(question.cards) for question in says.questions] == [2, 1]
