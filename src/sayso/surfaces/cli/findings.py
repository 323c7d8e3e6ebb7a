"""The findings that `sayso doctor` prints, and the check of the journal."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from sayso.assembly import Home, open_home
from sayso.assembly.doctor_document import FindingDocument, OtherDocument
from sayso.config.paths import Places
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.provider import Alternative
from sayso.core.quotes import quoted
from sayso.core.record import State
from sayso.journal.hash_chain import VerificationResult
from sayso.journal.verify import verify

How = Literal["good", "note", "broken"]


class Finding(Struct, frozen=True):
    """The result of one check.

    `how` is `broken` if something that the settings require fails; `fix` says how to repair it.
    """

    about: str
    how: How
    says: str
    fix: str = ""
    store: str = ""
    """The store that was checked; empty if the finding is not about a store."""
    backend: str = ""
    """The name of the backend that serves the store, or what serves the checked part of it; empty if nothing does."""
    why: str = ""
    """Why this backend was chosen, or why none is available."""
    others: tuple[Alternative, ...] = ()
    """The other possible backends, and why each is not used."""

    def document(self) -> FindingDocument:
        """Return the finding as it is printed in JSON."""
        told = FindingDocument(self.about, self.how, self.says, self.fix or None)
        if not self.store:
            return told
        others = [OtherDocument(one.name, one.why, one.fix or None) for one in self.others]
        return replace(told, store=self.store, backend=self.backend or None, why=self.why or None, others=others)

    def json(self) -> dict[str, Json]:
        """Return the same as members of JSON."""
        return to_builtins(self.document())


_OPEN: Mapping[State, str] = {
    State.WAITING: "sayso pending",
    State.UNKNOWN: "sayso log --state unknown, then sayso settle",
}


async def of_home(environ: Mapping[str, str], at: Places) -> list[Finding]:
    """Open the home, which settles the actions that dead processes had begun, and check its journal."""
    try:
        async with open_home(environ=environ) as home:
            return [_check_verified(await home.journal.verify(), at), *await _check_undecided(home)]
    except SetupError as wrong:
        return [_check_broken(wrong, at)]


def check_unopened(at: Places) -> list[Finding]:
    """Return findings about the journal without opening the home, and change nothing.

    `doctor` calls this when the settings are invalid.
    """
    if not at.database.exists():
        return [Finding("journal", "note", f"there is none yet at {at.database}; it begins with the first “sayso run”")]
    try:
        return [_check_verified(verify(str(at.database)), at)]
    except SetupError as wrong:
        return [_check_broken(wrong, at)]


async def _check_undecided(home: Home) -> list[Finding]:
    counts = {state: await home.journal.count(state) for state in _OPEN}
    return [
        Finding("journal", "note", f"{count:,} of state {quoted(state.value)}", _OPEN[state])
        for state, count in counts.items()
        if count
    ]


def _check_verified(found: VerificationResult, at: Places) -> Finding:
    if found.ok:
        return Finding("journal", "good", f"nothing in it was altered ({found.rows:,} entries)")
    return Finding("journal", "broken", f"not intact: {found.problem}", _away(at))


def _check_broken(wrong: SetupError, at: Places) -> Finding:
    if wrong.code in {"journal.damaged", "journal.not_ours"}:
        return Finding("journal", "broken", str(wrong).partition(", so sayso does nothing")[0], _away(at))
    return Finding("journal", "broken", str(wrong))


def _away(at: Places) -> str:
    kept = f"{at.home}/damaged"
    return (
        f"keep the file and what belongs to it: mkdir '{kept}' && mv '{at.database}'* '{kept}/'; "
        "then put back what `sayso backup` wrote, with: sayso restore FILE; or begin anew without it"
    )
