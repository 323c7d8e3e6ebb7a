"""A candidate action: a proposal after planning and judging, and the targets that its batch already failed on."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.decision import Verdict
from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError, Refused, SaysoError
from sayso.core.operation import Operation
from sayso.core.plan import Answer, Plan
from sayso.core.record import SUCCESS, Record, State
from sayso.core.schema import text_problem
from sayso.policy.paths import normal
from sayso.policy.settings import Policy
from sayso.runtime.services import log_fault


class Targets(Struct, frozen=True):
    """The paths and other names that an action is aimed at; `raw` is its text if not all of them could be read."""

    paths: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    raw: str = ""


def aim(operation: Operation | None, arguments: Mapping[str, Json], said: str, home: str) -> Targets:
    """Return the targets of an action: its path arguments, and the arguments that name or number items."""
    if operation is None:
        return Targets(raw=said)
    paths: set[str] = set()
    names: set[str] = set()
    readable = True
    for parameter in operation.parameters:
        value = arguments.get(parameter.name)
        if parameter.kind == "path" and isinstance(value, str):
            if value and text_problem(value, "path") is None:
                paths.add(normal(value, home))
            else:
                readable = False
        elif parameter.name in _TARGETS and value is not None:
            items = cast("list[Json]", value) if isinstance(value, list) else [value]
            names.update(f"{parameter.name}:{item}" for item in items)
    return Targets(frozenset(paths), frozenset(names), "" if readable and (paths or names) else said)


_TARGETS = frozenset({"target", "parent", "name", "id", "ids", "index", "indices"})

LONGEST_RAW, ALL_RAW = 2**16, 2**20
"""The most characters that are searched for paths: in one unreadable text, and in all such texts of a run."""


class FailedTargets:
    """The targets of those actions of a run that did not happen, each with the number of the action's step."""

    def __init__(self, home: str) -> None:
        self._home = home.rstrip("/")
        self.states: dict[int, State] = {}
        """How each of the steps ended."""
        self._missed: dict[str, int] = {}
        self._above: dict[str, int] = {}
        self._raws: list[str] = []
        self._joined: str | None = None
        self._raw_starts: list[int] = []
        self._raw_steps: list[int] = []
        self._raw_size = 0
        self._too_much: int | None = None

    def add(self, step: int, missed: Targets, state: State = State.FAILED) -> None:
        """Remember that step number `step` (from 1) did not happen, and how it ended."""
        self.states[step] = state
        for name in missed.names | missed.paths:
            _keep_first(self._missed, name, step)
        for path in missed.paths:
            for folder in folders_above(path):
                _keep_first(self._above, folder, step)
        if missed.raw:
            self._add_raw(step, missed.raw[:LONGEST_RAW])

    def _add_raw(self, step: int, raw: str) -> None:
        """Keep a text that could not be read. The texts are joined, so that a path is searched for only once."""
        if self._raw_size + len(raw) > ALL_RAW:
            self._too_much = step if self._too_much is None else min(step, self._too_much)
        else:
            self._raw_starts.append(self._raw_size)
            self._raw_steps.append(step)
            self._raws.append(raw)
            self._joined = None
            self._raw_size += len(raw) + 1

    def in_the_way(self, wanted: Targets, of: int) -> int | None:
        """Return the number of the first step before step `of` that failed on the same target; else None."""
        if not self._missed and not self._raws and self._too_much is None:
            return None
        steps = [self._missed[name] for name in wanted.names if name in self._missed]
        for path in wanted.paths:
            steps += [self._above[path]] if path in self._above else []
            steps += [self._missed[one] for one in (path, *folders_above(path)) if one in self._missed]
            steps += self._spelt_in_raw(path)
        return min((step for step in steps if step < of), default=None)

    def _spelt_in_raw(self, path: str) -> list[int]:
        # If there was more text than is searched, the first step beyond the limit counts as failed on every path.
        steps = [] if self._too_much is None else [self._too_much]
        if self._joined is None:
            self._joined = "\n".join(self._raws)
        for spelt in self._spellings(path):
            steps += self._spelt_by(spelt, self._joined)
        return steps

    def _spelt_by(self, spelt: str, raws: str) -> Iterator[int]:
        place = raws.find(spelt)
        while place >= 0:
            after = bisect_right(self._raw_starts, place)
            yield self._raw_steps[after - 1]
            if after == len(self._raw_starts):
                break
            place = raws.find(spelt, self._raw_starts[after])

    def _spellings(self, path: str) -> tuple[str, ...]:
        if path == self._home or path.startswith(self._home + "/"):
            return (path, "~" + path[len(self._home) :])
        return (path,)


def _keep_first(steps: dict[str, int], name: str, step: int) -> None:
    steps[name] = min(step, steps.get(name, step))


def folders_above(path: str) -> list[str]:
    """Return every folder that contains a path, from the root down."""
    parts = path.split("/")
    return ["/".join(parts[:count]) or "/" for count in range(1, len(parts))]


class JudgementBasis(Struct, frozen=True):
    """What a verdict was based on; as long as none of it changes, judging again gives the same verdict."""

    policy: Policy
    exposed: tuple[str, ...]
    plan: Plan
    document: Mapping[str, Json]
    verdict: Verdict
    digest: str

    def holds(self, prepared: "CandidateAction", policy: Policy, *, exposed: tuple[str, ...]) -> bool:
        """Return whether nothing that the verdict was based on has changed.

        For a verdict that relies on a grant, return False, because the grant may have ended meanwhile.
        """
        record = prepared.record
        return (
            policy is self.policy
            and exposed == self.exposed
            and self.verdict.rule != "grants"
            and (record.verdict, record.digest) == (self.verdict, self.digest)
            and prepared.plan is self.plan
            and record.plan is self.document
        )


class CandidateAction(Struct, frozen=True):
    """One proposal after judging: ended already, ready with a plan, or to be planned when its turn comes."""

    record: Record
    aim: Targets
    operation: Operation | None = None
    plan: Plan | None = None
    answer: Answer | None = None
    basis: JudgementBasis | None = None
    """What the verdict was based on, if the action was judged in this process; None if it was read from the journal."""
    admitted: Policy | None = None
    """The policy that admitted the action's arguments in this process."""
    later: bool = False
    """Whether the action is planned only when its turn comes: it reads, or its store's backend cannot imagine steps."""
    candidates: tuple[Candidate, ...] = ()
    """Items that the proposal may have referred to; they are returned to the caller and not journaled."""

    @property
    def alive(self) -> bool:
        """Return whether the action is still to be planned or carried out."""
        return self.plan is not None or self.later

    @property
    def asks(self) -> bool:
        """Return whether policy wants the person to be asked about the action."""
        return self.record.verdict is not None and self.record.verdict.ruling == "ask"

    @property
    def missed(self) -> bool:
        """Return whether the action has ended without success."""
        return not self.alive and self.record.state not in SUCCESS

    @property
    def destroys(self) -> bool:
        """Return whether the action may destroy content (T-18); an action with an unknown operation counts as such."""
        kind = self.operation.kind if self.operation else "destructive"
        return kind == "destructive" or bool(self.plan and self.plan.loses)


def end(prepared: CandidateAction, state: State, sentence: str, code: str | None = None) -> CandidateAction:
    """Return the action in a final state: with a message if that is a success, else with an error; `code` is stable."""
    good = state in SUCCESS
    marks = replace(
        prepared.record.marks,
        state=state,
        message=sentence if good else None,
        error=None if good else sentence,
        code=code,
    )
    return replace(prepared, record=replace(prepared.record, marks=marks), plan=None, later=False)


def close(prepared: CandidateAction, now: str, by: str | None) -> CandidateAction:
    """Return an ended action with the time of its end and who decided, and without an owner."""
    record = prepared.record.marked(owner=None, ended_at=now, approved_by=by)
    return replace(prepared, record=record)


def refuse(prepared: CandidateAction, verdict: Verdict) -> CandidateAction:
    """Return the action refused with this verdict."""
    prepared = replace(prepared, record=replace(prepared.record, verdict=verdict))
    return end(prepared, State.REFUSED, verdict.because, verdict.code or "policy.refused")


_ENDED = {
    State.DECLINED: "was declined",
    State.REFUSED: "was refused",
    State.EXPIRED: "was not decided in time",
    State.INVALID: "was not understood",
    State.SKIPPED: "was skipped",
    State.UNDONE: "was taken back",
}


def skip(prepared: CandidateAction, step: int, state: State = State.FAILED) -> CandidateAction:
    """Return the action skipped because an earlier step, which ended in `state`, did not happen."""
    return end(prepared, State.SKIPPED, f"skipped because step {step} {_ENDED.get(state, 'failed')}", "step.failed")


def hold_back(prepared: CandidateAction, step: int) -> CandidateAction:
    """Return the action skipped because an earlier step, which it needs or which has its target, is not decided yet."""
    return end(prepared, State.SKIPPED, f"skipped because step {step} still waits for you", "step.waits")


def fail(prepared: CandidateAction, problem: Exception) -> CandidateAction:
    """Return the action ended by an error in planning; a bug is logged with its traceback."""
    if isinstance(problem, Refused):
        return refuse(prepared, Verdict("deny", str(problem), problem.rule, code=problem.code))
    if isinstance(problem, SaysoError):
        misread = isinstance(problem, ProposalError) and problem.code.startswith("arguments.")
        state = State.INVALID if misread else State.FAILED
        return end(replace(prepared, candidates=problem.candidates), state, str(problem), problem.code)
    log_fault(problem)
    sentence = f"a fault in sayso ended this ({type(problem).__name__}); nothing was changed by it"
    return end(prepared, State.FAILED, sentence, "bug")
