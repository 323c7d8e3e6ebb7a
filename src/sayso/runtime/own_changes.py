"""Changes of what sayso may do are written down in the journal: of settings, permissions, triggers and servers."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sayso.core.decision import Verdict
from sayso.core.encoding import Json
from sayso.core.plan import Plan, plan_json
from sayso.core.ports import Ids, InsertRecord, Journal
from sayso.core.record import NOT_KEPT, Progress, Record, State, action_id, run_id
from sayso.runtime.services import Services

SETTING, TRIGGER, SERVER = "settings", "triggers", "servers"
_WHAT = frozenset({SETTING, TRIGGER, SERVER, "grants"})
_BACK = "change it back where you changed it"
_FROM = {"click": "page", "terminal": "cli"}


class OwnChange(Struct, frozen=True):
    """One change: `operation` is what was done, such as `settings.set`, and `summary` says it in one sentence."""

    operation: str
    summary: str
    arguments: Mapping[str, Json]


def is_own(record: Record) -> bool:
    """Return whether a row is about a change of what sayso may do, which no model can propose."""
    return record.dialect == "" and (record.operation or "").partition(".")[0] in _WHAT


def own_rows(ids: Ids, time: str, changes: Sequence[OwnChange], *, by: str, entry: str = "") -> list[Record]:
    """Return a row for each change, which was made at this time; `by` says by what it was decided, as in a decision."""
    rows: list[Record] = []
    for number, change in enumerate(changes):
        key = ids.key()
        rows.append(
            Record(
                key=key,
                id=action_id(key),
                run=rows[0].run if rows else run_id(key),
                index=number,
                time=time,
                dialect="",
                entry=entry or _FROM.get(by, "library"),
                session="",
                operation=change.operation,
                arguments=change.arguments,
                marks=Progress(State.DONE, message=change.summary, approved_by=by, ended_at=time),
                plan=plan_json(Plan(change.summary, data={NOT_KEPT: _BACK})),
                verdict=Verdict("allow", "you did it yourself", "yours"),
            )
        )
    return rows


async def write_down(journal: Journal, rows: Sequence[Record]) -> None:
    """Write rows of changes that were made, in one commit. Raises `SetupError`."""
    if rows:
        await journal.commit(*map(InsertRecord, rows), event="own change")


async def note(tools: Services, changes: Sequence[OwnChange], *, by: str, entry: str = "") -> None:
    """Write down changes that the person made in an open home. Raises `SetupError`."""
    await write_down(tools.journal, own_rows(tools.ids, tools.now(), changes, by=by, entry=entry))
