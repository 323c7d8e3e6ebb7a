"""One proposal on its way: what is known of it, on what it was judged, and how it ends without happening."""

from collections.abc import Mapping

from sayso.core.canonical import Json
from sayso.core.errors import Candidate, ProposalError, Refused, SaysoError
from sayso.core.operation import Operation
from sayso.core.plan import Answer, Plan
from sayso.core.record import SUCCESS, Record, State
from sayso.core.replacing import replace
from sayso.core.values import dataclass
from sayso.core.verdict import Verdict
from sayso.policy.settings import Policy
from sayso.runtime.targets import Aim
from sayso.runtime.tools import log


@dataclass(frozen=True)
class Basis:
    """What a verdict stands on: judging the same on the same gives the same."""

    policy: Policy
    exposed: tuple[str, ...]
    plan: Plan
    document: Mapping[str, Json]
    verdict: Verdict
    digest: str

    def holds(self, prepared: "Prepared", policy: Policy, *, exposed: tuple[str, ...]) -> bool:
        """Say whether nothing of it has changed; a standing permission that answered may have ended meanwhile."""
        record = prepared.record
        return (
            policy is self.policy
            and exposed == self.exposed
            and self.verdict.rule != "grants"
            and (record.verdict, record.digest) == (self.verdict, self.digest)
            and prepared.plan is self.plan
            and record.plan is self.document
        )


@dataclass(frozen=True)
class Prepared:
    """One proposal after judging: ended already, or with a plan to be done, or with a turn to be waited for."""

    record: Record
    aim: Aim
    operation: Operation | None = None
    plan: Plan | None = None
    answer: Answer | None = None
    basis: Basis | None = None
    """On what it was judged in this process; None when it comes out of the journal."""
    later: bool = False
    """It is looked at when its turn comes: a read, or an action whose store cannot imagine."""
    candidates: tuple[Candidate, ...] = ()
    """What may have been meant instead; told like what a read finds, and not journaled."""

    @property
    def alive(self) -> bool:
        """Say whether something is still to come of it."""
        return self.plan is not None or self.later

    @property
    def asks(self) -> bool:
        """Say whether policy wants the person asked about it."""
        return self.record.verdict is not None and self.record.verdict.ruling == "ask"

    @property
    def missed(self) -> bool:
        """Say whether it has ended without happening."""
        return not self.alive and self.record.state not in SUCCESS

    @property
    def destroys(self) -> bool:
        """Say whether content could be gone after it (T-18)."""
        kind = self.operation.kind if self.operation else "destructive"
        return kind == "destructive" or bool(self.plan and self.plan.loses)


def ended(prepared: Prepared, state: State, sentence: str, code: str | None = None) -> Prepared:
    """Return it ended: with a message where that is a success, else with an error and its stable code."""
    good = state in SUCCESS
    marks = replace(
        prepared.record.marks,
        state=state,
        message=sentence if good else None,
        error=None if good else sentence,
        code=code,
    )
    return replace(prepared, record=replace(prepared.record, marks=marks), plan=None, later=False)


def closed(prepared: Prepared, now: str, by: str | None) -> Prepared:
    """Return what has ended with the time of its end, no owner, and who decided."""
    record = prepared.record.marked(owner=None, ended_at=now, approved_by=by)
    return replace(prepared, record=record)


def refused(prepared: Prepared, verdict: Verdict) -> Prepared:
    """Return it refused by policy."""
    prepared = replace(prepared, record=replace(prepared.record, verdict=verdict))
    return ended(prepared, State.REFUSED, verdict.because, verdict.code or "policy.refused")


def skipped(prepared: Prepared, step: int) -> Prepared:
    """Return it skipped because an earlier step on the same thing did not happen."""
    return ended(prepared, State.SKIPPED, f"skipped because step {step} failed", "step.failed")


def held_back(prepared: Prepared, step: int) -> Prepared:
    """Return it skipped because an earlier step on the same thing, or that it needs, is not decided yet."""
    return ended(prepared, State.SKIPPED, f"skipped because step {step} still waits for you", "step.waits")


def failed(prepared: Prepared, problem: Exception) -> Prepared:
    """Return it ended by what went wrong while looking; a bug is logged whole and told in one sentence."""
    if isinstance(problem, Refused):
        return refused(prepared, Verdict("deny", str(problem), problem.rule, code=problem.code))
    if isinstance(problem, SaysoError):
        misread = isinstance(problem, ProposalError) and problem.code.startswith("arguments.")
        state = State.INVALID if misread else State.FAILED
        return ended(replace(prepared, candidates=problem.candidates), state, str(problem), problem.code)
    log.error("a fault in sayso", exc_info=problem)
    sentence = f"a fault in sayso ended this ({type(problem).__name__}); nothing was changed by it"
    return ended(prepared, State.FAILED, sentence, "bug")
