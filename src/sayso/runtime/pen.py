"""Writes marks into the journal; done marks wait for the next begun, so that both share one commit."""

from collections.abc import Iterable

from sayso.core.ports import Advance, Journal, Put, Use
from sayso.core.record import Record


class Pen:
    """Knows which turn each row it wrote is at; a row that somebody else moved meanwhile raises `Stale`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._turns: dict[str, int] = {}
        self._held: dict[str, Record] = {}
        self._uses: list[Use] = []

    def using(self, uses: Iterable[Use]) -> None:
        """Count these uses of standing permissions with the next commit; when that fails they are forgotten."""
        self._uses = list(uses)

    def later(self, record: Record) -> None:
        """Write this with the next commit."""
        self._held[record.id] = record

    async def new(self, *records: Record, event: str) -> None:
        """Write new rows, and everything held back, in one commit."""
        await self._commit(records, (), event)

    async def now(self, *records: Record, event: str) -> None:
        """Write these marks, and everything held back, in one commit."""
        await self._commit((), records, event)

    async def end(self, event: str = "done") -> None:
        """Write what is held back, if anything is."""
        if self._held:
            await self._commit((), (), event)

    async def _commit(self, puts: tuple[Record, ...], moved: tuple[Record, ...], event: str) -> None:
        advanced = self._held | {record.id: record for record in moved}
        turned = [record.marked(turn=self._turn(record) + 1) for record in advanced.values()]
        uses, self._uses = self._uses, []
        changes = (*(Put(record) for record in puts), *(Advance(record) for record in turned), *uses)
        await self._journal.commit(*changes, event=event)
        self._held = {}
        self._turns |= {record.id: record.marks.turn for record in (*puts, *turned)}

    def _turn(self, record: Record) -> int:
        return self._turns.get(record.id, record.marks.turn)
