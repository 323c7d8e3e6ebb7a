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
    """The paths and other names an action is aimed at; `raw` is the text of one that could not be read whole."""

    paths: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    raw: str = ""


def aim(operation: Operation | None, arguments: Mapping[str, Json], said: str, home: str) -> Targets:
    """Return what an action is aimed at."""
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
"""Characters of one text that could not be read, and of all of a run, that are searched for paths."""


class FailedTargets:
    """The aims of what did not happen so far in a run, with the number of each step."""

    def __init__(self, home: str) -> None:
        self._home = home.rstrip("/")
        self._missed: dict[str, int] = {}
        self._above: dict[str, int] = {}
        self._raws: list[str] = []
        self._joined: str | None = None
        self._raw_starts: list[int] = []
        self._raw_steps: list[int] = []
        self._raw_size = 0
        self._too_much: int | None = None

    def add(self, step: int, missed: Targets) -> None:
        """Remember that step number `step` (from 1) did not happen."""
        for name in missed.names | missed.paths:
            _keep_first(self._missed, name, step)
        for path in missed.paths:
            for folder in folders_above(path):
                _keep_first(self._above, folder, step)
        if missed.raw:
            self._add_raw(step, missed.raw[:LONGEST_RAW])

    def _add_raw(self, step: int, raw: str) -> None:
        """Keep a text that could not be read; it is joined with the others so that a path is searched for once."""
        if self._raw_size + len(raw) > ALL_RAW:
            self._too_much = step if self._too_much is None else min(step, self._too_much)
        else:
            self._raw_starts.append(self._raw_size)
            self._raw_steps.append(step)
            self._raws.append(raw)
            self._joined = None
            self._raw_size += len(raw) + 1

    def in_the_way(self, wanted: Targets, of: int) -> int | None:
        """Return the number of the first step before step `of` that went wrong on the same thing, if any."""
        if not self._missed and not self._raws and self._too_much is None:
            return None
        steps = [self._missed[name] for name in wanted.names if name in self._missed]
        for path in wanted.paths:
            steps += [self._above[path]] if path in self._above else []
            steps += [self._missed[one] for one in (path, *folders_above(path)) if one in self._missed]
            steps += self._spelt_in_raw(path)
        return min((step for step in steps if step < of), default=None)

    def _spelt_in_raw(self, path: str) -> list[int]:
        # More than can be searched: nothing is destroyed after it.
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
    """Return every folder that a path lies in."""
    parts = path.split("/")
    return ["/".join(parts[:count]) or "/" for count in range(1, len(parts))]


class JudgementBasis(Struct, frozen=True):
    """What a verdict stands on: judging the same on the same gives the same."""

    policy: Policy
    exposed: tuple[str, ...]
    plan: Plan
    document: Mapping[str, Json]
    verdict: Verdict
    digest: str

    def holds(self, prepared: "CandidateAction", policy: Policy, *, exposed: tuple[str, ...]) -> bool:
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


class CandidateAction(Struct, frozen=True):
    """One proposal after judging: ended already, or with a plan to be done, or with a turn to be waited for."""

    record: Record
    aim: Targets
    operation: Operation | None = None
    plan: Plan | None = None
    answer: Answer | None = None
    basis: JudgementBasis | None = None
    """On what it was judged in this process; None when it comes out of the journal."""
    admitted: Policy | None = None
    """The settings by which its arguments were admitted in this process."""
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


def end(prepared: CandidateAction, state: State, sentence: str, code: str | None = None) -> CandidateAction:
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


def close(prepared: CandidateAction, now: str, by: str | None) -> CandidateAction:
    """Return what has ended with the time of its end, no owner, and who decided."""
    record = prepared.record.marked(owner=None, ended_at=now, approved_by=by)
    return replace(prepared, record=record)


def refuse(prepared: CandidateAction, verdict: Verdict) -> CandidateAction:
    """Return it refused by policy."""
    prepared = replace(prepared, record=replace(prepared.record, verdict=verdict))
    return end(prepared, State.REFUSED, verdict.because, verdict.code or "policy.refused")


def skip(prepared: CandidateAction, step: int) -> CandidateAction:
    """Return it skipped because an earlier step on the same thing did not happen."""
    return end(prepared, State.SKIPPED, f"skipped because step {step} failed", "step.failed")


def hold_back(prepared: CandidateAction, step: int) -> CandidateAction:
    """Return it skipped because an earlier step on the same thing, or that it needs, is not decided yet."""
    return end(prepared, State.SKIPPED, f"skipped because step {step} still waits for you", "step.waits")


def fail(prepared: CandidateAction, problem: Exception) -> CandidateAction:
    """Return it ended by what went wrong while looking; a bug is logged whole and told in one sentence."""
    if isinstance(problem, Refused):
        return refuse(prepared, Verdict("deny", str(problem), problem.rule, code=problem.code))
    if isinstance(problem, SaysoError):
        misread = isinstance(problem, ProposalError) and problem.code.startswith("arguments.")
        state = State.INVALID if misread else State.FAILED
        return end(replace(prepared, candidates=problem.candidates), state, str(problem), problem.code)
    log_fault(problem)
    sentence = f"a fault in sayso ended this ({type(problem).__name__}); nothing was changed by it"
    return end(prepared, State.FAILED, sentence, "bug")
