"""What waits for the person as cards of the page, and the yes or no that the person gives there."""

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct

from sayso.assembly import Home
from sayso.core.decision import Decision, Question, run_digest
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.record import Record, State
from sayso.runtime.results import has_way_back, report_json
from sayso.surfaces.web.visitors import Nonces, Shown

BY = "click"


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends: a yes or a no to exactly what it showed."""

    run: str
    digest: str
    nonce: str
    answer: str
    leave_out: tuple[str, ...] = ()
    reason: str = ""
    sure: bool = False
    """Whether the person confirmed once more that something is taken away (S2-49)."""


class NotDecided(Exception):
    """The answer did not count; `code` says why, and nothing was done."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


def runs_of(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the waiting actions by run, in order; the run that was asked about last comes first."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.run, []).append(record)
    return {run: sorted(of, key=lambda record: record.index) for run, of in found.items()}


def digest_of(records: Sequence[Record]) -> str:
    """Return the digest of all that waits in a run, as the question about it has it."""
    return run_digest(record.digest or "" for record in records)


def card(records: Sequence[Record], nonce: str) -> dict[str, Json]:
    """Return the card about what waits in one run."""
    first = records[0]
    steps: list[Json] = [step(record) for record in records]
    floor = any(record.verdict is not None and record.verdict.level in {"floor", "click"} for record in records)
    return {
        "run": first.run,
        "ids": [record.id for record in records],
        "digest": digest_of(records),
        "nonce": nonce,
        "session": first.session,
        "entry": first.entry,
        "dialect": first.dialect,
        "asked_at": first.time,
        "expires_at": min((record.expires for record in records if record.expires), default=None),
        "title": _text(first) if len(records) == 1 else f"{_text(first)}, and {len(records) - 1:,} more",
        "level": "floor" if floor else "mode",
        "steps": steps,
    }


def step(record: Record) -> dict[str, Json]:
    """Return one action as a card shows it; only `label` was written by a model as it is."""
    plan: Mapping[str, Json] = record.plan or {}
    verdict = record.verdict
    return {
        "index": record.index,
        "id": record.id,
        "operation": record.operation,
        "text": _text(record),
        "why": verdict.because if verdict else "",
        "asks": verdict is not None and verdict.ruling == "ask",
        "arguments": dict(record.arguments),
        "label": record.label,
        "loses": plan.get("loses") or [],
        "sends": plan.get("sends") or [],
        "warns": plan.get("warns") or [],
        "undo": _way_back(plan),
        "can_undo_now": has_way_back(record),
        "preview": plan.get("preview") or "",
        "digest": record.digest,
    }


def _text(record: Record) -> str:
    return str((record.plan or {}).get("summary") or record.said or record.operation or "")


def _way_back(plan: Mapping[str, Json]) -> str:
    changes = cast("Sequence[Mapping[str, Mapping[str, Json]]]", plan.get("changes") or [])
    whys = [str(change["undo"]["cannot"]) for change in changes if "cannot" in change["undo"]]
    if not changes:
        return "none needed: it changes nothing by itself"
    if not whys:
        return "can be taken back"
    reasons = "; ".join(dict.fromkeys(whys))
    if len(whys) == len(changes):
        return f"cannot be taken back: {reasons}"
    return f"can be taken back in part, {len(changes) - len(whys)} of {len(changes)} changes: {reasons}"


class OneAnswer:
    """An approver that gives the person's answer if the question is exactly what the page showed."""

    def __init__(self, answer: Answer, ids: Sequence[str]) -> None:
        self._answer = answer
        self._ids = list(ids)
        self.not_said: NotDecided | None = None

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes; None, so that all of it still waits, if it would not count or be sure enough."""
        if question.digest != self._answer.digest or [one.id for one in question.cards] != self._ids:
            self.not_said = changed()
            return None
        going = [id_ for id_ in self._ids if id_ not in self._answer.leave_out]
        if not self._answer.sure and question.twice.intersection(going):
            self.not_said = NotDecided("page.twice", "this takes something away; confirm it once more")
            return None
        return question.yes(BY, going)


def changed() -> NotDecided:
    """Return what is said when something else waits than what was shown."""
    return NotDecided("page.changed", "what waits is no longer what was shown; look at it as it is now")


class Decider:
    """Shows what waits to visitors, and does what they answer."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._nonces = Nonces(home.ids)

    async def waiting(self, visitor: str) -> list[Json]:
        """Return the cards of all that waits, with the words by which this visitor can answer them."""
        runs = runs_of(await self._home.pending())
        return [card(of, self._nonces.give(Shown(visitor, run, digest_of(of)))) for run, of in runs.items()]

    async def decide(self, visitor: str, answer: Answer) -> dict[str, Json]:
        """Do what the person answered, and return the results. Raises `NotDecided` if the answer did not count."""
        waiting = runs_of(await self._home.pending()).get(answer.run, [])
        ids = [record.id for record in waiting]
        if not waiting:
            raise await self._answered(answer.run)
        if digest_of(waiting) != answer.digest:
            raise changed()
        if answer.answer not in {"yes", "no"} or not set(answer.leave_out) < set(ids):
            raise NotDecided("page.request", "the answer is yes or no, and leaves out some of what waits, not all")
        if not self._nonces.take(Shown(visitor, answer.run, answer.digest), answer.nonce):
            raise NotDecided("page.nonce", "this answer was used before, or is not from where it was shown")
        approver = OneAnswer(answer, ids)
        try:
            if answer.answer == "no":
                report = await self._home.decline(answer.run, BY, answer.reason)
            else:
                report = await self._home.approve(answer.run, approver)
        except ProposalError as gone:
            raise await self._answered(answer.run) from gone
        if approver.not_said is not None:
            raise approver.not_said
        if report.outcomes and all(outcome.elsewhere for outcome in report.outcomes):
            raise await self._answered(answer.run)
        return report_json(report)

    async def _answered(self, run: str) -> NotDecided:
        """Return what a loser of a race is told: how it ended, and by what it was decided."""
        records = await self._home.log_of(run) if run.startswith("run_") else []
        if not records:
            return NotDecided("page.answered", "nothing like this waits here")
        ways = sorted({record.marks.approved_by for record in records if record.marks.approved_by})
        expired = any(record.state is State.EXPIRED for record in records)
        how = "it expired before it was answered" if expired else "this was answered already"
        return NotDecided("page.answered", f"{how} ({', '.join(ways)})" if ways else how)
