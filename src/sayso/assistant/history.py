"""Collect what a model is told about earlier turns and their results."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, cast

import msgspec
from msgspec import Struct

from sayso.assistant.entry_points import EntryPoint
from sayso.assistant.port import AssistantPort
from sayso.assistant.prompts import tell_results
from sayso.core.conversation import ContextPiece, Exchange, Message
from sayso.core.encoding import Json
from sayso.core.errors import Candidate
from sayso.core.ports import Journal, RecordQuery
from sayso.core.record import Record, State
from sayso.dialects.base import FeedbackNote, Reading
from sayso.runtime.results import Report, journaled_outcome

EXCHANGES = 20
"""Maximum number of earlier exchanges in a request."""
LONGEST = 20_000
"""Maximum number of characters of earlier exchanges; the oldest are left out."""
LONGEST_SAID = 200
BROKE_OFF = "broke_off"
"""Stands in the trace of an exchange whose process died: no model knows that it was told anything then."""
CUT_HERE = "(this reply was cut off here, and nothing was done after it)"


MOST_BEFORE = 3
"""How many of the person's last requests a word such as “it” may point back to."""


class SessionPast(Struct, frozen=True):
    """The part of a session that a request includes."""

    turns: tuple[Message, ...] = ()
    earlier: tuple[str, ...] = ()
    """The person's words that the model answered with a question."""
    notes: tuple[FeedbackNote, ...] = ()
    before: tuple[str, ...] = ()
    """The person's last words, oldest first."""
    messages: tuple[Json, ...] = ()
    """What actions of the person's added to this conversation, oldest first; some of it may be strangers' text."""


async def session_past(port: AssistantPort, entry: EntryPoint, session: str) -> SessionPast:
    """Return the earlier turns, open questions and notes of a session for this entry point."""
    said = [one for one in await port.sessions.exchanges(session, EXCHANGES) if one.entry == entry.name]
    messages = await _messages(port, session)
    if not said:
        return SessionPast(messages=messages)
    asked_back = list(takewhile(lambda one: one.asked_back, reversed(said)))[::-1]
    along = _fitting(said if entry.remembers else asked_back)
    turns = [turn for one in along for turn in _turns_of(one) if turn.text]
    if said[-1].trace.get("stopped") and said[-1] not in along:
        turns += _turns_of(said[-1])  # what was begun goes along, so that the model can go on with it
    notes = (*_notes_of(said[-1]), *await notes_since(port, said))
    before = tuple(one.words for one in said[-MOST_BEFORE:])
    return SessionPast(tuple(turns), tuple(one.words for one in asked_back), notes, before, messages)


async def _messages(port: AssistantPort, session: str) -> tuple[Json, ...]:
    """Return the last messages of a session: those that actions added, and their results (T-82)."""
    left, found = LONGEST, list[Json]()
    for one in reversed(await port.chats.said(session, EXCHANGES)):
        left -= len(one.content)
        if left < 0:
            break
        found.append({"time": one.time, "as": one.role, "text": one.content})
    return tuple(reversed(found))


def _fitting(said: Sequence[Exchange]) -> list[Exchange]:
    left, fitting = LONGEST, list[Exchange]()
    for one in reversed(said):
        left -= len(one.words) + len(one.reply)
        if left < 0:
            break
        fitting.append(one)
    return fitting[::-1]


def _notes_of(last: Exchange) -> list[FeedbackNote]:
    kept = cast("list[dict[str, Any]]", last.trace.get("notes") or [])
    return [
        FeedbackNote(
            one["kind"],
            one["index"],
            one["said"],
            one["sentence"],
            msgspec.convert(one["candidates"], tuple[Candidate, ...]),
            one["line"],
        )
        for one in kept
    ]


def _turns_of(one: Exchange) -> list[Message]:
    """Return the words and the reply of an exchange; if it was stopped, all its replies and what came of each."""
    if one.trace.get("cut") and not one.trace.get("stopped"):
        return [Message("user", one.words), Message("assistant", f"{one.shown or one.reply}\n{CUT_HERE}")]
    if not one.trace.get("stopped"):
        return [Message("user", one.words), Message("assistant", one.reply)]
    turns = [Message("user", one.words)]
    for step in cast("list[dict[str, Any]]", one.trace.get("turns") or []):
        turns += [Message("assistant", step["response"]), Message("user", tell_results(step["results"]))]
    return turns


async def notes_since(port: AssistantPort, said: Sequence[Exchange]) -> list[FeedbackNote]:
    """Return notes on actions of these exchanges that were decided or taken back after the last exchange."""
    notes: list[FeedbackNote] = []
    last = next((one for one in reversed(said) if BROKE_OFF not in one.trace), None)
    for run in dict.fromkeys(run for one in said for run in one.runs):
        records = await port.log_of(run)
        over = [record for record in records if record.state in _DECIDED and _is_news(record, last)]
        if over:
            report = Report(run, over[0].dialect, tuple(journaled_outcome(record) for record in over))
            notes += port.notes_for(Reading(over[0].dialect, "", ()), report)
            notes += [await _done_note(port, one) for one in over if _is_done(one)]
        for record in records:
            undo = await port.log_of(record.marks.undone_by) if record.marks.undone_by else []
            if undo and last and (undo[0].marks.ended_at or "") > (last.began or last.time):
                notes.append(_note(record, "undone", f"The person took it back: {_said(record)} {_NOT_AGAIN}"))
    return notes


def _is_news(record: Record, last: Exchange | None) -> bool:
    """Return whether an action ended after the last whole reply, or was decided by a person while that went on."""
    if last is None:
        return True
    ended = record.marks.ended_at or ""
    by = record.marks.approved_by or ""
    by_person = record.state in _NOT_DONE or (by != "" and by.partition(":")[0] not in _NO_PERSON)
    return ended > last.time or bool(last.began and ended > last.began and by_person)


_NOT_DONE = frozenset({State.DECLINED, State.EXPIRED})
_NO_PERSON = frozenset({"rule", "grant", "flag"})
_DECIDED = frozenset(State) - {State.WAITING, State.RUNNING}
_NOT_AGAIN = "Do not do it again unless they ask for it."


def _is_done(record: Record) -> bool:
    return record.state is State.DONE


async def _done_note(port: AssistantPort, record: Record) -> FeedbackNote:
    outcome = await port.outcome(record.id)
    reply = f" {outcome.text}" if outcome is not None and outcome.text else ""
    return _note(record, "done", f"It waited, and is done now: {_said(record)}{reply}")


def _note(record: Record, kind: str, sentence: str) -> FeedbackNote:
    return FeedbackNote(kind, record.index, record.said[:LONGEST_SAID], sentence)


def _said(record: Record) -> str:
    """Return what an action does or did, as a sentence."""
    summary = str(record.plan["summary"]) if record.plan else str(record.operation)
    return f"{summary.rstrip('.')}."


MOST = 10


async def history(journal: Journal) -> ContextPiece:
    """Return the last actions with their states, newest first."""
    rows: list[Json] = [_row(record) for record in await journal.query(RecordQuery(limit=MOST))]
    return ContextPiece("history", "What sayso was last asked to do, newest first.", rows, for_queries=True)


def _row(record: Record) -> dict[str, Json]:
    said = record.marks.message or record.marks.error
    summary = record.plan.get("summary") if record.plan else None
    return {
        "time": record.time,
        "operation": record.operation,
        "state": record.marks.state.value,
        "said": summary or said,
    }
