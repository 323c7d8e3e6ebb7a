"""The conformance suites of journals: records, sessions and triggers."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from anyio.lowlevel import checkpoint
from msgspec.structs import replace

from sayso.core.conversation import Exchange, Sessions, TriggerState, TriggerStates, UserNote
from sayso.core.decision import Verdict
from sayso.core.errors import ProposalError, Spent, Stale
from sayso.core.grant import Grant, GrantPath, Scope, VariableArgument
from sayso.core.ports import CountGrantUse, InsertRecord, Journal, NoteExposure, RecordQuery, UpdateRecord
from sayso.core.record import Owner, Progress, Record, State, StepOutcome, StepRecord, action_id, run_id
from sayso.testing.harness import equal, so, wrong

ODD = 'line\nU+2028 \u2028 quote " back \\ half \ud800 tab \t 🎉 \x01\x1f'


def an_exchange(session: str = "s1", second: int = 0, **members: Any) -> Exchange:
    """Return an exchange of a session, dated `second` seconds after noon."""
    usual = Exchange(session, "commands", f"2026-03-14T12:00:{second:02}.000Z", "switch to reddit", '{"commands": []}')
    return replace(usual, **members)


class SessionsSuite:
    """A test class inherits these tests, and defines how to `open` an empty store of sessions."""

    def open(self) -> AbstractAsyncContextManager[Sessions]:
        """Return a context in which an empty store is open."""
        raise NotImplementedError

    async def test_what_was_said_comes_back_equal_and_in_its_order(self) -> None:
        """Keep exchanges with awkward contents; every member is read back unchanged, in order."""
        trace = {"context": {"tabs": [{"title": ODD}]}, "results": [], "deep": [None, True, 0.5, -1]}
        first = an_exchange(words=ODD, reply=ODD, asked_back=True, runs=("run_a", "run_b"), trace=trace)
        second = an_exchange(second=1)
        async with self.open() as sessions:
            await sessions.keep(first)
            await sessions.keep(second)
            await sessions.keep(an_exchange("s2"))

            equal(await sessions.exchanges("s1"), [first, second], "what was said")
            equal(await sessions.exchanges("s1", 1), [second], "the last of it")
            equal(await sessions.exchanges("s3"), [], "another session")

    async def test_a_run_leads_to_what_it_came_of(self) -> None:
        """Keep exchanges with runs; each run leads to its exchange."""
        said = an_exchange(runs=("run_a", "run_b"))
        async with self.open() as sessions:
            await sessions.keep(said)
            await sessions.keep(an_exchange(second=1, runs=("run_c",)))

            equal([await sessions.of_run(run) for run in ("run_a", "run_b")], [said, said], "of its runs")
            equal(await sessions.of_run("run_x"), None, "of another run")

    async def test_a_session_is_named_after_its_first_words_and_counted(self) -> None:
        """Speak in two sessions; the one last spoken in is listed first."""
        async with self.open() as sessions:
            await sessions.keep(an_exchange("s1", words="first\n  words " + "x" * 100, entry="chat"))
            await sessions.keep(an_exchange("s2", second=1))
            await sessions.keep(an_exchange("s1", second=2, words="others"))

            one, two = await sessions.all()
            equal((one.id, one.exchanges, one.entry), ("s1", 2, "chat"), "the session last spoken in")
            so(one.name.startswith("first words xxx") and one.name.endswith("…"), "its name is one short line")
            equal((one.begun, one.last), ("2026-03-14T12:00:00.000Z", "2026-03-14T12:00:02.000Z"), "its times")
            equal(two.id, "s2", "the other one")
            equal(await sessions.session("s1"), one, "one by its id")
            equal(await sessions.session("s3"), None, "one that there is not")
            equal([session.id for session in await sessions.all(1)], ["s1"], "only so many")

    async def test_a_session_can_be_renamed_and_forgotten(self) -> None:
        """Rename a session and delete it; it is gone with all its exchanges, and no other session is."""
        async with self.open() as sessions:
            await sessions.keep(an_exchange("s1", runs=("run_a",)))
            await sessions.keep(an_exchange("s2", runs=("run_b",)))

            so(await sessions.give_name("s1", "Work"), "it is renamed")
            await sessions.keep(an_exchange("s1", second=1))
            equal([one.name for one in await sessions.all() if one.id == "s1"], ["Work"], "its name stays")
            so(not await sessions.give_name("s3", "Work"), "what there is not is not renamed")
            equal([await sessions.delete("s1"), await sessions.delete("s1")], [True, False], "forgetting")
            equal(await sessions.exchanges("s1"), [], "what was said in it")
            equal(await sessions.of_run("run_a"), None, "what its run came of")
            equal(len(await sessions.exchanges("s2")), 1, "what was said elsewhere")

    async def test_what_is_told_takes_the_place_of_what_was_told(self) -> None:
        """Keep notes under several names; each name has its last value, and the time when it was given."""
        mood, work = (
            UserNote("mood", ODD, "2026-03-14T12:00:00.000Z"),
            UserNote("work_minutes", 95, "2026-03-14T12:00:01.000Z"),
        )
        projects = UserNote("projects", ["A", "B"], "2026-03-14T12:00:02.000Z")
        async with self.open() as sessions:
            for told in (work, replace(mood, value="calm"), projects, mood):
                await sessions.tell(told)

            equal(await sessions.told(), [mood, projects, work], "what is told")
            equal([await sessions.forget("mood"), await sessions.forget("mood")], [True, False], "forgetting")
            equal(await sessions.told(), [projects, work], "what is left")


class TriggerStatesSuite:
    """A test class inherits these tests, and defines how to `open` an empty store of trigger states."""

    def open(self) -> AbstractAsyncContextManager[TriggerStates]:
        """Return a context in which an empty store is open."""
        raise NotImplementedError

    async def test_a_new_trigger_has_no_past(self) -> None:
        """Read the state of a trigger that was never kept; it is empty."""
        async with self.open() as states:
            equal(await states.of("wrap-up"), TriggerState("wrap-up"), "a new one")

    async def test_what_is_kept_comes_back_equal(self) -> None:
        """Keep a state with awkward contents; every member is read back unchanged."""
        kept = TriggerState(
            ODD.replace("\ud800", ""),
            off=True,
            when="daily 18:00",
            seen="2026-03-14T17:00:00+00:00",
            known=("a\x01", "ü\u2028", "🎉"),
            fired="2026-03-14T17:00:01+00:00",
            run="run_1",
            said=ODD,
        )
        async with self.open() as states:
            so(await states.move(kept), "the first move")

            equal(await states.of(kept.name), replace(kept, turn=1), "what is kept")
            equal(await states.of("another"), TriggerState("another"), "another one")

    async def test_of_two_that_read_the_same_one_moves_it_on(self) -> None:
        """Change a state twice from the same turn; the second change returns False and is not kept."""
        async with self.open() as states:
            first = await states.of("wrap-up")
            equal([await states.move(replace(first, said=who)) for who in "ab"], [True, False], "the first turn")
            second = await states.of("wrap-up")
            equal([await states.move(replace(second, said=who)) for who in "cd"], [True, False], "a later turn")

            equal((await states.of("wrap-up")).said, "c", "who won")
            so(not await states.move(replace(first, said="e")), "who read it long ago is too late")


RUN = run_id(7)
PLAN: dict[str, Any] = {
    "summary": "Move “~/a.txt” to “~/b.txt”", "loses": [], "sends": [], "on_failure": "undo",
    "changes": [{
        "do": {"step": "file.rename", "source": "/home/ana/a.txt", "destination": "/home/ana/b.txt"},
        "undo": {"step": "file.rename", "source": "/home/ana/b.txt", "destination": "/home/ana/a.txt"},
        "expects": {"free": {"/home/ana/b.txt": {}}},
    }],
    "said_when_done": "Moved file", "asks": False, "warns": [], "preview": "", "data": {},
}  # fmt: skip


def a_record(key: int, **members: Any) -> Record:
    """Return a waiting record with these members instead of the usual ones; `state` becomes the state of its marks."""
    state = members.pop("state", State.WAITING)
    usual = Record(
        key=key,
        id=action_id(key),
        run=RUN,
        index=0,
        time="2026-03-14T12:00:00.000Z",
        dialect="lines",
        entry="cli",
        session="chat",
        operation="file.move",
        arguments={"source": "~/a.txt", "destination": "~/b.txt"},
        marks=Progress(state),
        said="MOVE_FILE ~/a.txt ~/b.txt",
        plan=PLAN,
        verdict=Verdict("ask", "moving asks first", "mode", "mode"),
        digest="sha256:" + "0a" * 32,
        policy="sha256:" + "0b" * 32,
        backends={"files": "local"},
        expires="2026-03-15T12:00:00.000Z",
    )
    return replace(usual, **members)


def as_done(record: Record) -> Record:
    """Return the record one turn later, with the state done."""
    mark = StepRecord(StepOutcome.DONE, {"unchanged": {"/home/ana/b.txt": {"kind": "file", "device": 1, "inode": 2}}})
    return record.moved(state=State.DONE, message="Moved file", changes=(mark,), ended_at="2026-03-14T12:00:01.000Z")


def a_grant(name: str = "grant_1", **members: Any) -> Grant:
    """Return a grant with these members instead of the usual ones."""
    usual = Grant(
        name,
        "file.move",
        {"source": "~/a.txt"},
        "2026-04-14",
        "2026-03-14",
        (VariableArgument("destination", "folder", "/home/ana", ".txt"),),
        Scope(("file.rename",), (GrantPath("file.rename", "source", "/home/ana/a.txt"),), changes=1),
        policy="sha256:0b",
    )
    return replace(usual, **members)


class JournalSuite:
    """A test class inherits these tests, and defines how to `open` an empty journal."""

    def open(self) -> AbstractAsyncContextManager[Journal]:
        """Return a context in which an empty journal is open."""
        raise NotImplementedError

    async def test_what_is_put_comes_back_equal(self) -> None:
        """Write records with awkward contents; every member is read back unchanged."""
        odd = 'line\nU+2028 \u2028 NUL \0 quote " back \\ half \ud800 tab \t 🎉 \x01\x05\x1f'
        full = a_record(
            1,
            run="run_of another make",
            said=odd,
            label=odd,
            arguments={"text": odd, "number": 2**70, "deep": [{"empty": {}}, None, True, 0.1, ""]},
            dry_run=True,
            code_hash="c0de",
            undo_of=action_id(9),
            edit_of=action_id(7),
            label_by_us=True,
            template_id="send_reminder",
            exposed=("tabs", "page.text", odd),
            time="yesterday",
            expires=None,
            digest="md5:12",
            policy=None,
            marks=Progress(
                State.RUNNING, 3, message=odd, error="error", code="code", approved_by="terminal", decided_at="2026",
                ended_at="2027", begun=0, owner=Owner("host", "boot", 12, 34), duration_ms=5, undone_by=action_id(8),
                changes=(StepRecord(StepOutcome.DONE, {"free": {odd: {}}}), StepRecord(StepOutcome.UNKNOWN),
                StepRecord(StepOutcome.NOT_DONE, {})),
            ),
        )  # fmt: skip
        bare = a_record(2, said="", arguments={}, plan=None, verdict=None, digest=None, operation=None, session="")
        partly = a_record(3, plan={"summary": "of another make"}, verdict=Verdict("deny", "no", "roots", code="path"))
        async with self.open() as journal:
            await journal.commit(InsertRecord(full), InsertRecord(bare), event="asked")
            await journal.commit(InsertRecord(partly), event="asked")

            for record in (full, bare, partly):
                equal(await journal.get(record.id), record, "what comes back")

    async def test_every_state_is_kept(self) -> None:
        """Write a record in each state; failed attempts are in the history like completed ones."""
        records = [a_record(key, state=state) for key, state in enumerate(State, 1)]
        async with self.open() as journal:
            for record in records:
                await journal.commit(InsertRecord(record), event=record.state.value)

            equal(await journal.query(RecordQuery()), records[::-1], "the history")
            for record in records:
                equal(await journal.in_state(record.state), [record], f"what is {record.state}")
                equal(await journal.count(record.state), 1, f"how many are {record.state}")
            equal(await journal.count(*State), len(records), "how many there are")
            equal(await journal.count(State.WAITING, State.DONE), 2, "how many are of two states")

    async def test_what_waits_too_long_is_found_without_the_rest(self) -> None:
        """Find the actions that have expired or claim to be proposed in the future; those that ended are not found."""
        noon, one, two = "2026-03-15T12:00:00.000Z", "2026-03-15T13:00:00.000Z", "2026-03-15T14:00:00.000Z"
        over, still, later, for_ever, ended = (
            a_record(1, time=noon, expires=one),
            a_record(2, time=noon, expires=two),
            a_record(3, time=two, expires=two),
            a_record(4, time=noon, expires=None),
            a_record(5, time=noon, expires=one, state=State.DECLINED),
        )
        async with self.open() as journal:
            await journal.commit(*map(InsertRecord, (over, still, later, for_ever, ended)), event="asked")

            equal(await journal.lapsed(noon, two), [], "nothing is over yet")
            equal(await journal.lapsed(one, two), [over], "what expires now")
            equal(await journal.lapsed(noon, one), [later], "what was proposed later than now")

    async def test_nobody_has_an_id_that_was_never_given(self) -> None:
        """Look up an unknown id, and a text that is not an id; there is no record."""
        async with self.open() as journal:
            equal(await journal.get(action_id(1)), None, "an unknown id")
            equal(await journal.get("do_nothing"), None, "no id")

    async def test_a_row_moves_on_only_from_the_turn_that_was_seen(self) -> None:
        """Update a row twice from the same turn; the second update is stale, and the first one stays."""
        record = a_record(1)
        async with self.open() as journal:
            await journal.commit(InsertRecord(record), event="asked")
            first, second = record.moved(state=State.RUNNING), record.moved(state=State.DECLINED)
            await journal.commit(UpdateRecord(first), event="approved")

            await stale(journal.commit(UpdateRecord(second), event="declined"))
            equal(await journal.get(record.id), first, "the row")

    async def test_a_commit_with_one_stale_change_writes_nothing_of_it(self) -> None:
        """Commit several changes of which one is stale; none of them is written, new rows included."""
        record, other = a_record(1), a_record(2)
        async with self.open() as journal:
            await journal.commit(InsertRecord(record), event="asked")

            await stale(journal.commit(InsertRecord(other), UpdateRecord(record), event="done"))
            await stale(journal.commit(UpdateRecord(as_done(record)), InsertRecord(record), event="done"))
            await stale(journal.commit(UpdateRecord(other.moved(state=State.DONE)), event="done"))
            equal(await journal.query(RecordQuery()), [record], "the history")

    async def test_what_is_planned_only_in_its_turn_is_written_with_the_marks(self) -> None:
        """Add a plan, a verdict and a digest with an update; they are read back with the row."""
        bare = a_record(1, plan=None, verdict=None, digest=None, backends={})
        async with self.open() as journal:
            await journal.commit(InsertRecord(bare), event="asked")
            planned = replace(a_record(1), marks=bare.moved(state=State.RUNNING, begun=0).marks)
            await journal.commit(UpdateRecord(planned), event="begun")
            equal(await journal.get(bare.id), planned, "the row")

            await journal.commit(UpdateRecord(as_done(planned)), event="done")
            equal(await journal.last_undoable(), as_done(planned), "what can be taken back")

    async def test_of_many_callers_at_once_each_gets_its_own_answer(self) -> None:
        """Update twenty rows by two callers each; one caller wins, the other is stale, and all winners are written."""
        records = [a_record(key) for key in range(1, 21)]
        won: list[int] = []
        lost: list[int] = []

        async def claim(journal: Journal, record: Record) -> None:
            await checkpoint()
            try:
                await journal.commit(UpdateRecord(record.moved(state=State.RUNNING)), event="approved")
            except Stale:
                lost.append(record.key)
            else:
                won.append(record.key)

        async with self.open() as journal:
            await journal.commit(*map(InsertRecord, records), event="asked")
            async with anyio.create_task_group() as tasks:
                for record in records * 2:
                    tasks.start_soon(claim, journal, record)

            keys = [record.key for record in records]
            equal(sorted(won), keys, "who won")
            equal(sorted(lost), keys, "who lost")
            equal([found.key for found in await journal.in_state(State.RUNNING)], keys, "what runs")

    async def test_a_cancelled_caller_holds_nobody_up(self) -> None:
        """Cancel one of eight concurrent callers; the others are written, and so is a later commit."""
        async with self.open() as journal:

            async def put(key: int) -> None:
                await checkpoint()
                await journal.commit(InsertRecord(a_record(key)), event="asked")

            async with anyio.create_task_group() as tasks:
                for key in range(1, 8):
                    tasks.start_soon(put, key)
                with anyio.move_on_after(0):
                    await put(8)
            await journal.commit(InsertRecord(a_record(9)), event="asked")

            kept = {record.key for record in await journal.query(RecordQuery())}
            so({1, 2, 3, 4, 5, 6, 7, 9} <= kept, "the others are written")

    async def test_a_run_comes_back_in_order(self) -> None:
        """Read a run; its records come in the order of their indices, whatever their keys, and no others with them."""
        records = [a_record(3, index=0), a_record(1, index=1), a_record(2, index=2)]
        async with self.open() as journal:
            await journal.commit(*map(InsertRecord, records), InsertRecord(a_record(4, run=run_id(8))), event="asked")

            equal(await journal.of_run(RUN), records, "the run")
            equal(await journal.of_run(RUN.lower()[:4] + RUN[4:]), records, "the run")
            equal(await journal.of_run("run_none"), [], "no run")

    async def test_the_history_is_filtered_and_read_page_by_page(self) -> None:
        """Query with each filter alone and with several, page by page; every matching record is found in order."""
        names = ["file.move", "file.copy", "mail.send", None]
        states = [State.DONE, State.FAILED, State.WAITING]
        records = [
            a_record(
                key, operation=names[key % 4], state=states[key % 3], session=f"chat{key % 2}", run=run_id(1 + key % 5),
                time=f"2026-03-{1 + key // 5:02}T12:00:00.000Z",
            )
            for key in range(1, 61)
        ]  # fmt: skip
        queries = [
            RecordQuery(), RecordQuery(operation="file.*"), RecordQuery(operation="*"),
            RecordQuery(operation="nothing"),
            RecordQuery(states=frozenset({State.DONE})), RecordQuery(states=frozenset({State.FAILED, State.WAITING})),
            RecordQuery(session="chat1"), RecordQuery(session=""), RecordQuery(run=run_id(3)),
            RecordQuery(since="2026-03-05"),
            RecordQuery(since="2026-03-05T12:00:00Z", operation="[fm]*.*e*", states=frozenset({State.DONE,
            State.WAITING})),
            RecordQuery(session="chat0", states=frozenset({State.DONE}), operation="mail.send"),
        ]  # fmt: skip
        async with self.open() as journal:
            await journal.commit(*map(InsertRecord, records), event="asked")

            for query in queries:
                wanted = [record for record in reversed(records) if fits(record, query)]
                for limit in (1, 7, 1000):
                    equal(await pages(journal, replace(query, limit=limit)), wanted, f"the pages of {query}")
            equal(await journal.query(RecordQuery(limit=0)), [], "a page of nothing")

    async def test_a_time_that_is_none_is_refused(self) -> None:
        """Query with a time that cannot be parsed; it raises an error instead of returning an empty page."""
        async with self.open() as journal:
            await journal.commit(InsertRecord(a_record(1)), event="asked")
            try:
                await journal.query(RecordQuery(since="yesterday"))
            except ProposalError as no:
                so("yesterday" in str(no), "it names what was written")
            else:
                wrong("it was taken for a time")

    async def test_the_last_undoable_is_the_newest_of_which_something_was_done(self) -> None:
        """Find the last action that can be undone; undos, dry runs, undone and irreversible actions are skipped."""
        no_way = {**PLAN, "changes": [{**PLAN["changes"][0], "undo": {"cannot": "it is sent"}}]}
        async with self.open() as journal:
            equal(await journal.last_undoable(), None, "in an empty journal")
            waiting = [
                a_record(1), a_record(2), a_record(3, plan=no_way), a_record(4, undo_of=action_id(1)),
                a_record(5, dry_run=True), a_record(6, plan=None), a_record(7),
            ]  # fmt: skip
            await journal.commit(*map(InsertRecord, waiting), event="asked")
            ended = [as_done(record) for record in waiting]
            ended[0] = ended[0].marked(state=State.FAILED)
            ended[6] = ended[6].marked(changes=(StepRecord(StepOutcome.NOT_DONE),), state=State.FAILED)
            await journal.commit(*map(UpdateRecord, ended), event="done")

            equal(await journal.last_undoable(), ended[1], "the newest")
            equal(await journal.last_undoable(ended[1].key), ended[0], "the newest before it")
            undone = ended[1].moved(state=State.UNDONE, undone_by=action_id(4))
            await journal.commit(UpdateRecord(undone), event="undone")
            equal(await journal.last_undoable(), ended[0], "the next one, which failed part-done")

    async def test_what_was_read_counts_for_its_principal(self) -> None:
        """Ask what principals have read of strangers' text: that counts in every session, and only if it was done."""
        read = a_record(1, operation="page.read", entry="mcp", outside=True)
        tried = a_record(2, operation="mail.inbox", entry="mcp", outside=True, state=State.FAILED)
        own = a_record(3, operation="file.copy", entry="mcp", state=State.DONE)
        long_ago, later = "2000-01-01T00:00:00.000Z", "2100-01-01T00:00:00.000Z"
        async with self.open() as journal:
            await journal.commit(InsertRecord(read), InsertRecord(tried), InsertRecord(own), event="asked")
            equal(await journal.exposed("mcp", "chat", long_ago), (), "what was read before it was done")
            await journal.commit(UpdateRecord(as_done(read)), event="done")

            equal(await journal.exposed("mcp", "chat", long_ago), ("page.read",), "without what failed")
            equal(await journal.exposed("mcp", "other", long_ago), ("page.read",), "in another session")
            equal(await journal.exposed("mcp", "other", later), (), "in another session, when it is over")
            equal(await journal.exposed("mcp", "chat", later), ("page.read",), "in its own session, for good")
            equal(await journal.exposed("mcp:claude", "chat", long_ago), (), "what another principal read")

    async def test_what_was_read_is_cleared_only_as_a_whole(self) -> None:
        """Note what principals were shown, and clear it for one of them, and for all."""
        since = "2000-01-01T00:00:00.000Z"
        async with self.open() as journal:
            for name in ("terminal", "trigger:evening"):
                await journal.commit(NoteExposure(name, "", ("tabs", "mail")), event="exposed")
            found = [(one.principal, one.session, one.source) for one in await journal.exposures()]
            wanted = [("terminal", "", "mail"), ("terminal", "", "tabs"), ("trigger:evening", "", "mail")]
            equal(found, [*wanted, ("trigger:evening", "", "tabs")], "what was read")

            cleared = await journal.clear_exposures("terminal")
            equal([one.source for one in cleared], ["mail", "tabs"], "what was cleared")
            equal(await journal.exposed("terminal", "", since), (), "what is left of it")
            equal(await journal.exposed("trigger:evening", "", since), ("mail", "tabs"), "what is left of the other")
            await journal.clear_exposures()
            equal(await journal.exposures(), [], "what is left of all")

    async def test_a_permission_is_counted_and_revoked_for_good(self) -> None:
        """Count uses of a grant and revoke it; neither the uses nor the revocation can be set back."""
        first, second = a_grant(), a_grant("grant_2", fixed={}, varies=())
        async with self.open() as journal:
            await journal.put_grant(second)
            await journal.put_grant(first)
            await journal.put_grant(replace(first, uses=3))
            await journal.put_grant(replace(first, uses=2))
            equal(await journal.grants(), [replace(first, uses=3), second], "the permissions")

            await journal.put_grant(replace(first, revoked=True))
            await journal.put_grant(replace(first, uses=4))
            equal(await journal.grants(), [second], "what is left")
            equal([grant.id for grant in await journal.grants(revoked=True)], ["grant_1", "grant_2"], "all there were")

    async def test_a_use_is_counted_with_what_it_lets_happen_or_nothing_is_written(self) -> None:
        """Use a grant twice that has one use left; only the first commit is written, with its row."""
        async with self.open() as journal:
            await journal.put_grant(a_grant(most_uses=1))
            await journal.commit(InsertRecord(a_record(1)), CountGrantUse("grant_1", "2026-03-15"), event="begun")
            await expect_spent(
                journal.commit(InsertRecord(a_record(2)), CountGrantUse("grant_1", "2026-03-16"), event="begun")
            )
            equal([record.key for record in await journal.query(RecordQuery())], [1], "what was begun")
            equal(await journal.grants(), [a_grant(most_uses=1, uses=1, last_used="2026-03-15")], "what was counted")

    async def test_what_is_revoked_or_was_never_given_has_no_use(self) -> None:
        """Use a grant that was revoked, and one that was never given; neither has a use left."""
        async with self.open() as journal:
            await journal.put_grant(a_grant())
            await journal.put_grant(a_grant(revoked=True, revoked_at="2026-03-15", revoked_by="terminal"))
            for name in ("grant_1", "grant_2"):
                await expect_spent(
                    journal.commit(InsertRecord(a_record(1)), CountGrantUse(name, "2026-03-16"), event="begun")
                )
            equal(await journal.query(RecordQuery()), [], "what was begun")
            (ended,) = await journal.grants(revoked=True)
            equal((ended.uses, ended.revoked_by), (0, "terminal"), "what is left of it")


async def expect_spent(trying: Any) -> None:
    """Await a commit that must raise `Spent`."""
    try:
        await trying
    except Spent:
        return
    wrong("`Spent` was not raised")


async def stale(trying: Any) -> None:
    """Await a commit that must raise `Stale`."""
    try:
        await trying
    except Stale:
        return
    wrong("it was written, though somebody else was first")


async def pages(journal: Journal, query: RecordQuery) -> list[Record]:
    """Return all records of a query, read page by page."""
    found = await journal.query(query)
    out = list(found)
    while found:
        so(len(found) <= query.limit, "the length of a page")
        found = await journal.query(replace(query, before=found[-1].key))
        out += found
    return out


def fits(record: Record, query: RecordQuery) -> bool:
    """Return whether a record matches a query of this suite."""
    heads = {"file.*": "file.", "*": "", "nothing": "?", "[fm]*.*e*": ("file.move", "mail.send"), "mail.send": "mail."}
    starts = heads[query.operation] if query.operation else ""
    return (
        (query.operation is None or (record.operation is not None and record.operation.startswith(starts)))
        and (not query.states or record.state in query.states)
        and (query.since is None or record.time >= query.since.replace("Z", ".000Z"))
        and query.run in {None, record.run}
        and query.session in {None, record.session}
    )
