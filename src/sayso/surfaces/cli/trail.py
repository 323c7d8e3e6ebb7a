"""How the journal is: whether it opens and holds, what waits in it, and how to mend it."""

from collections.abc import Mapping

from sayso.assembly import Home, open_home
from sayso.config.places import Places
from sayso.core.errors import SetupError
from sayso.core.record import State
from sayso.journal.chain import Verified
from sayso.journal.sqlite import SqliteJournal
from sayso.runtime.clock import SystemClock
from sayso.surfaces.cli.finding import Finding

_OPEN: Mapping[State, str] = {
    State.WAITING: "sayso pending",
    State.UNKNOWN: "sayso log --state unknown, then sayso settle",
}


async def of_home(environ: Mapping[str, str], at: Places) -> list[Finding]:
    """Open the home, which settles what a dead process left, and say how its journal is."""
    try:
        async with open_home(environ=environ) as home:
            return [_held(await home.journal.verify(), at), *await _undecided(home)]
    except SetupError as wrong:
        return [_broken(wrong, at)]


async def unopened(at: Places) -> list[Finding]:
    """Say how the journal is where the settings do not allow to open it; nothing is changed."""
    if not at.database.exists():
        return [Finding("journal", "note", f"there is none yet at {at.database}; it begins with the first “sayso run”")]
    try:
        return [_held(await SqliteJournal(str(at.database), clock=SystemClock()).verify(), at)]
    except SetupError as wrong:
        return [_broken(wrong, at)]


async def _undecided(home: Home) -> list[Finding]:
    counts = {state: len(await home.journal.in_state(state)) for state in _OPEN}
    return [
        Finding("journal", "note", f"{count:,} of state “{state.value}”", _OPEN[state])
        for state, count in counts.items()
        if count
    ]


def _held(found: Verified, at: Places) -> Finding:
    if found.ok:
        return Finding("journal", "good", f"nothing in it was altered ({found.rows:,} entries)")
    return Finding("journal", "broken", f"does not hold: {found.problem}", _away(at))


def _broken(wrong: SetupError, at: Places) -> Finding:
    if wrong.code in {"journal.damaged", "journal.not_ours"}:
        return Finding("journal", "broken", str(wrong).partition(", so sayso does nothing")[0], _away(at))
    return Finding("journal", "broken", str(wrong))


def _away(at: Places) -> str:
    kept = f"{at.home}/damaged"
    return (
        f"keep the file and what belongs to it: mkdir '{kept}' && mv '{at.database}'* '{kept}/'; "
        f"then put back a copy made with `sayso backup`: cp YOUR-COPY '{at.database}', or begin anew without one"
    )
