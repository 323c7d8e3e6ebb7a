"""A journal in memory, for dry runs, experiments and tests."""

from collections.abc import Callable
from fnmatch import fnmatchcase

from msgspec.structs import replace

from sayso.core.conversation import Exchange, Session, TriggerState, UserNote, name_session
from sayso.core.errors import Spent, Stale
from sayso.core.grant import Grant
from sayso.core.ports import (
    Clock,
    CountGrantUse,
    InsertRecord,
    JournalChange,
    NoteExposure,
    RecordQuery,
    UpdateRecord,
)
from sayso.core.record import LARGEST, Exposure, Record, State
from sayso.journal import rows as moments
from sayso.journal.rows import can_go_back
from sayso.journal.writer import work_of


class MemoryTriggers:
    """Stores the states of triggers in memory."""

    def __init__(self) -> None:
        self._states: dict[str, TriggerState] = {}

    async def of(self, name: str) -> TriggerState:
        """Return the state of a trigger, or a new state if none is stored."""
        return self._states.get(name, TriggerState(name))

    async def move(self, to: TriggerState) -> bool:
        """Store a state with the next turn if nobody did so since it was read; return whether it was stored."""
        if (await self.of(to.name)).turn != to.turn:
            return False
        self._states[to.name] = replace(to, turn=to.turn + 1)
        return True


class MemorySessions:
    """Stores conversations and notes in memory."""

    def __init__(self, expose: Callable[[NoteExposure], None] = lambda _: None) -> None:
        self._expose = expose
        self._sessions: dict[str, Session] = {}
        self._exchanges: list[Exchange] = []
        self._told: dict[str, UserNote] = {}

    async def keep(self, exchange: Exchange, exposed: NoteExposure | None = None) -> None:
        """Store an exchange, its session if that is new, and what its prompt contained of strangers' text."""
        if exposed is not None:
            self._expose(exposed)
        new = Session(exchange.session, name_session(exchange.words), exchange.entry, exchange.time, exchange.time)
        self._sessions[exchange.session] = replace(self._sessions.get(exchange.session, new), last=exchange.time)
        begun = [one for one in self._exchanges if not one.ended and one.message and _is_same(one, exchange)]
        if begun:
            self._exchanges[self._exchanges.index(begun[-1])] = exchange
        else:
            self._exchanges.append(exchange)

    async def all(self, limit: int = 50) -> list[Session]:
        """Return sessions, the most recent first."""
        by_id = sorted(self._sessions, key=lambda id_: id_)
        latest = sorted(by_id, key=lambda id_: self._sessions[id_].last, reverse=True)
        return [self._count_exchanges(self._sessions[id_]) for id_ in latest[:limit]]

    async def session(self, session: str) -> Session | None:
        """Return one session, or None."""
        found = self._sessions.get(session)
        return self._count_exchanges(found) if found else None

    async def exchanges(self, session: str, limit: int = 50, *, begun: bool = False) -> list[Exchange]:
        """Return the last exchanges of a session, oldest first; with `begun`, also those that have not ended."""
        found = [exchange for exchange in self._exchanges if exchange.session == session]
        return [one for one in found[max(0, len(found) - limit) :] if one.ended or begun]

    async def of_run(self, run: str) -> Exchange | None:
        """Return the exchange that caused a run, or None."""
        return next((exchange for exchange in self._exchanges if run in exchange.runs), None)

    async def give_name(self, session: str, name: str) -> bool:
        """Rename a session; return whether it exists."""
        if session not in self._sessions:
            return False
        self._sessions[session] = replace(self._sessions[session], name=name)
        return True

    async def delete(self, session: str) -> bool:
        """Delete a session with all its exchanges; return whether it existed."""
        self._exchanges = [exchange for exchange in self._exchanges if exchange.session != session]
        return self._sessions.pop(session, None) is not None

    async def told(self) -> list[UserNote]:
        """Return all notes, sorted by name."""
        return [self._told[name] for name in sorted(self._told)]

    async def tell(self, told: UserNote) -> None:
        """Store a note; it replaces the note of the same name."""
        self._told[told.name] = told

    async def forget(self, name: str) -> bool:
        """Delete the note of this name; return whether it existed."""
        return self._told.pop(name, None) is not None

    def _count_exchanges(self, session: Session) -> Session:
        return replace(session, exchanges=sum(one.session == session.id for one in self._exchanges))


def _is_same(one: Exchange, other: Exchange) -> bool:
    return (one.session, one.message) == (other.session, other.message)


class MemoryJournal:
    """A `Journal` in memory; `events` lists the events of its commits in order."""

    def __init__(self, clock: Clock) -> None:
        self.events: list[str] = []
        self.sessions = MemorySessions(self._expose)
        self.triggers = MemoryTriggers()
        self._records: dict[str, Record] = {}
        self._grants: dict[str, Grant] = {}
        self._exposures: dict[tuple[str, str, str], Exposure] = {}
        self._clock = clock

    async def commit(self, *changes: JournalChange, event: str) -> None:
        """Store all changes, or none if one fails. Raises `Stale` or `Spent`."""
        records, grants = dict(self._records), dict(self._grants)
        rows = [change for change in changes if isinstance(change, InsertRecord | UpdateRecord)]
        for use in [change for change in changes if isinstance(change, CountGrantUse)]:
            grants[use.grant] = _count_use(grants.get(use.grant), use)
        for change in rows:
            told = change.record
            known = records.get(told.id)
            fits = (
                known is None if isinstance(change, InsertRecord) else known and known.marks.turn == told.marks.turn - 1
            )
            if not fits:
                raise Stale
            records[told.id] = told
        self._records, self._grants = records, grants
        for one in work_of(changes, event, ()).exposures:
            self._expose(one)
        self.events.append(event)

    def _expose(self, one: NoteExposure) -> None:
        now = moments.iso(moments.micros(self._clock.now()))
        for source in one.sources:
            self._exposures[one.principal, one.session, source] = Exposure(one.principal, one.session, source, now)

    async def get(self, id: str) -> Record | None:  # noqa: A002 - the word of the interface
        """Return one record, or None."""
        return self._records.get(id)

    async def of_run(self, run: str) -> list[Record]:
        """Return the records of a run, in order."""
        found = [record for record in self._records.values() if record.run == run]
        return sorted(found, key=lambda record: (record.index, record.key))

    async def query(self, query: RecordQuery) -> list[Record]:
        """Return a page of records, newest first."""
        found = [record for record in self._records.values() if _fits(record, query)]
        return sorted(found, key=lambda record: -record.key)[: max(0, query.limit)]

    async def in_state(self, *states: State) -> list[Record]:
        """Return all records in these states, oldest first."""
        found = [record for record in self._records.values() if record.state in states]
        return sorted(found, key=lambda record: record.key)

    async def count(self, *states: State) -> int:
        """Return how many records are in these states."""
        return sum(record.state in states for record in self._records.values())

    async def lapsed(self, now: str, since: str) -> list[Record]:
        """Return waiting records that expired by `now`, or whose recorded time is after `since`, oldest first."""
        found = await self.in_state(State.WAITING)
        return [r for r in found if (r.expires is not None and r.expires <= now) or r.time > since]

    async def last_undoable(self, before: int = LARGEST) -> Record | None:
        """Return the newest record with a smaller key than `before` that can be undone."""
        found = [record for record in self._records.values() if can_go_back(record) and record.key < before]
        return max(found, key=lambda record: record.key, default=None)

    async def exposed(self, principal: str, session: str, since: str) -> tuple[str, ...]:
        """Return what a principal has read of strangers' text since this time, and at any time in this session."""
        after = moments.parse_moment(since)
        found = [one for one in self._exposures.values() if one.principal == principal]
        recent = {
            one.source for one in found if moments.parse_moment(one.time) >= after or one.session == session != ""
        }
        return tuple(sorted(recent))

    async def exposures(self) -> list[Exposure]:
        """Return all that principals have read of strangers' text, sorted by principal and time."""
        return sorted(self._exposures.values(), key=lambda one: (one.principal, one.time, one.source, one.session))

    async def clear_exposures(self, principal: str | None = None) -> list[Exposure]:
        """Forget what a principal, or every principal, has read; return what was forgotten."""
        gone = [one for one in await self.exposures() if principal in {None, one.principal}]
        for one in gone:
            del self._exposures[one.principal, one.session, one.source]
        if gone:
            self.events.append("exposure cleared")
        return gone

    async def grants(self, *, revoked: bool = False) -> list[Grant]:
        """Return the permissions that are not revoked, oldest first; if `revoked` is true, return the others too."""
        found = [grant for grant in self._grants.values() if revoked or not grant.revoked]
        return sorted(found, key=lambda grant: (grant.created, grant.id))

    async def put_grant(self, grant: Grant) -> None:
        """Store a new standing permission, or its use count or revocation.

        The use count never decreases, and a revocation is never withdrawn.
        """
        known = self._grants.get(grant.id, grant)
        ended = known if known.revoked else grant
        self._grants[grant.id] = replace(
            known,
            uses=max(known.uses, grant.uses),
            last_used=max((known.last_used or "", grant.last_used or "")) or None,
            revoked=ended.revoked,
            revoked_at=ended.revoked_at,
            revoked_by=ended.revoked_by,
        )
        self.events.append("permission revoked" if grant.revoked else "permission")


def _count_use(grant: Grant | None, use: CountGrantUse) -> Grant:
    if grant is None or grant.revoked or (grant.most_uses is not None and grant.uses >= grant.most_uses):
        raise Spent
    return replace(grant, uses=grant.uses + 1, last_used=use.at)


def _fits(record: Record, query: RecordQuery) -> bool:
    return (
        (query.operation is None or (record.operation is not None and fnmatchcase(record.operation, query.operation)))
        and (query.before is None or record.key < query.before)
        and (not query.states or record.state in query.states)
        and (query.since is None or (moments.read(record.time) or 0) >= moments.parse_moment(query.since))
        and (query.until is None or (moments.read(record.time) or 0) < moments.parse_moment(query.until))
        and query.run in {None, record.run}
        and query.session in {None, record.session}
    )
