"""What earlier actions of a session wrote, read from the journal."""

from sayso.core.errors import SaysoError
from sayso.core.plan import NotKept
from sayso.core.ports import RecordQuery
from sayso.core.record import Record, State, StepOutcome
from sayso.policy.trail import written_by
from sayso.runtime.services import Services

_PAGE = 200
_ACTED = frozenset({State.RUNNING, State.DONE, State.UNKNOWN, State.FAILED})

EVERYWHERE = ("/",)
"""The trail of a session of which the journal no longer tells what it wrote; it contains every path."""


async def written_in_session(tools: Services, session: str) -> tuple[str, ...]:
    """Return the paths at which earlier actions of a session made something appear or changed content."""
    found: dict[str, None] = {}
    before: int | None = None
    while True:
        query = RecordQuery(limit=_PAGE, before=before, states=_ACTED, session=session)
        records = await tools.journal.query(query)
        for record in records:
            found |= dict.fromkeys(_written_by(record, tools))
        if len(records) < _PAGE:
            return tuple(found)
        before = records[-1].key


def _written_by(record: Record, tools: Services) -> tuple[str, ...]:
    did_nothing = record.state is State.FAILED and all(
        step.outcome is not StepOutcome.DONE for step in record.marks.changes
    )
    if record.plan is None or did_nothing:
        return ()
    try:
        plan = tools.codec.plan(record.plan)
    except SaysoError:
        return EVERYWHERE
    # A path that the settings name as secret is no longer in the journal.
    paths = written_by(plan)
    whole = not any(isinstance(change.do, NotKept) for change in plan.changes)
    return paths if whole and all(path.startswith("/") for path in paths) else EVERYWHERE
