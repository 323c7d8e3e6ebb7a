"""Sessions in this process's memory, for tests."""

from dataclasses import replace

from sayso.core.sessions import Exchange, Session, Told, named_after


class MemorySessions:
    """Keeps them in the order they came."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._exchanges: list[Exchange] = []
        self._told: dict[str, Told] = {}

    async def keep(self, exchange: Exchange) -> None:
        """Take what was said, and its session if it is new."""
        new = Session(exchange.session, named_after(exchange.words), exchange.entry, exchange.time, exchange.time)
        self._sessions[exchange.session] = replace(self._sessions.get(exchange.session, new), last=exchange.time)
        self._exchanges.append(exchange)

    async def all(self, limit: int = 50) -> list[Session]:
        """Return sessions, the one last spoken in first."""
        by_id = sorted(self._sessions, key=lambda id_: id_)
        latest = sorted(by_id, key=lambda id_: self._sessions[id_].last, reverse=True)
        return [self._counted(self._sessions[id_]) for id_ in latest[:limit]]

    async def session(self, session: str) -> Session | None:
        """Return one session."""
        found = self._sessions.get(session)
        return self._counted(found) if found else None

    async def exchanges(self, session: str, limit: int = 50) -> list[Exchange]:
        """Return the last exchanges of a session, oldest first."""
        found = [exchange for exchange in self._exchanges if exchange.session == session]
        return found[max(0, len(found) - limit) :]

    async def of_run(self, run: str) -> Exchange | None:
        """Return the exchange that a run came of."""
        return next((exchange for exchange in self._exchanges if run in exchange.runs), None)

    async def give_name(self, session: str, name: str) -> bool:
        """Give a session another name."""
        if session not in self._sessions:
            return False
        self._sessions[session] = replace(self._sessions[session], name=name)
        return True

    async def delete(self, session: str) -> bool:
        """Forget a session with all its exchanges."""
        self._exchanges = [exchange for exchange in self._exchanges if exchange.session != session]
        return self._sessions.pop(session, None) is not None

    async def told(self) -> list[Told]:
        """Return what was told, by name."""
        return [self._told[name] for name in sorted(self._told)]

    async def tell(self, told: Told) -> None:
        """Keep what is told."""
        self._told[told.name] = told

    async def forget(self, name: str) -> bool:
        """Forget what was told under a name."""
        return self._told.pop(name, None) is not None

    def _counted(self, session: Session) -> Session:
        return replace(session, exchanges=sum(one.session == session.id for one in self._exchanges))
