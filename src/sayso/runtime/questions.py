"""Questions to the person: what is asked, what was left out or edited, and what was answered."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from sayso.core.decision import Card, Decision, Question, Verdict, run_digest
from sayso.core.encoding import Json
from sayso.core.grant import GrantOffer
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.plan import Codec, Plan, ResultRef
from sayso.core.ports import Approver, Backend
from sayso.core.proposal import Proposal
from sayso.core.quotes import quoted, visible
from sayso.core.record import Record, State
from sayso.policy.settings import Policy
from sayso.runtime.proposal_state import CandidateAction, end, folders_above
from sayso.runtime.results import EDITED
from sayso.runtime.services import Services, digest_of, moment, stamp


class Nobody:
    """An approver for when nobody can answer now: actions that need a yes wait in the journal."""

    async def ask(self, question: Question) -> Decision | None:
        """Return None."""
        return None


class Client:
    """An approver for embedding programs: a callback shows the question to the person and returns the answer.

    `decide` gets the whole question and returns True for yes, False for no, or None when nobody can answer now. It may
    also return a decision made by the question: `question.yes(by, ids)` for some of its actions, or `question.edit(by,
    proposals)` for other proposals. The decision counts only for exactly what the question shows.
    """

    def __init__(self, decide: Callable[[Question], Decision | bool | None], by: str = "client") -> None:
        self._decide = decide
        self._by = by

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision, bound to the question's digest."""
        said = self._decide(question)
        return Decision(said, self._by, question.digest) if isinstance(said, bool) else said


WISHED = frozenset({"step.left_out", "step.needs_left_out"})
"""Codes of actions that the person left out, and of actions that need one of those; they do not stop the run."""


def stands_on(plan: Plan | None) -> list[int]:
    """Return the indices of the actions of the run whose effects this plan expects."""
    facts = [fact for change in plan.changes for fact in change.expects] if plan else []
    return sorted({fact.action for fact in facts if isinstance(fact, ResultRef) and fact.action is not None})


def needs_of(items: Sequence[CandidateAction]) -> dict[int, tuple[int, ...]]:
    """Return, by index, which earlier ones of these actions each action needs.

    An action needs those whose effects its plan expects and, if it may destroy content, those with the same target
    (T-18). What an action of the person's own reports needs everything before the first report. The result may lack an
    action that is needed only because another needed action needs it.
    """
    if len(items) == 1:
        return {items[0].record.index: ()}
    asked = {item.record.index for item in items}
    known = _TargetIndex()
    needs: dict[int, tuple[int, ...]] = {}
    reported: tuple[int, ...] = ()
    for item in items:
        found = asked.intersection(stands_on(item.plan))
        if item.destroys:
            found |= known.on_the_same(item)
        needs[item.record.index] = tuple(sorted(found))
        if item.record.reports:
            reported = reported or tuple(sorted(needs.keys() - {item.record.index}))
            needs[item.record.index] = reported
        known.add(item)
    return needs


class _TargetIndex:
    """The actions so far, found by their targets."""

    def __init__(self) -> None:
        self._at: defaultdict[str, list[int]] = defaultdict(list)
        self._below: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, item: CandidateAction) -> None:
        for name in item.aim.names | item.aim.paths:
            # A destructive action needs all earlier ones on the same target, so later actions need only this one.
            self._at[name] = [*([] if item.destroys else self._at[name]), item.record.index]
        for folder in {folder for path in item.aim.paths for folder in folders_above(path)}:
            self._below[folder].append(item.record.index)

    def on_the_same(self, item: CandidateAction) -> set[int]:
        paths = item.aim.paths
        at = {*item.aim.names, *paths, *(folder for path in paths for folder in folders_above(path))}
        found = {index for name in at for index in self._at.get(name, ())}
        return found | {index for path in paths for index in self._below.get(path, ())}


def split_by_selection(
    items: Iterable[CandidateAction], question: Question, ticked: Collection[str]
) -> tuple[list[CandidateAction], ...]:
    """Return the actions to carry out, and the actions to end: those left out, and those that need one left out."""
    left_out = {card.index for card in question.cards if card.id not in ticked}
    lacking = question.lacking(left_out)
    going: list[CandidateAction] = []
    over: list[CandidateAction] = []
    for item in items:
        index = item.record.index
        if index in left_out:
            over.append(_without_raw_text(end(item, State.DECLINED, "you left this out", "step.left_out")))
        elif index in lacking:
            sentence = f"skipped because it needs step {lacking[index] + 1}, which you left out"
            over.append(_without_raw_text(end(item, State.SKIPPED, sentence, "step.needs_left_out")))
        else:
            going.append(item)
    return going, over


def _without_raw_text(item: CandidateAction) -> CandidateAction:
    """Return the action without its raw text, which is searched only if the action was not understood (T-18)."""
    return replace(item, aim=replace(item.aim, raw=""))


class Edit(Struct, frozen=True):
    """The result of editing the actions of one question."""

    proposals: tuple[Proposal, ...]
    """The new proposals in order, each with the id of the action or run that it replaces."""
    sentences: tuple[str, ...]
    """For each of the old actions, the error sentence that is recorded when it ends."""


Code = tuple[str, int, int, int, int]
"""One difference between two lists: its kind, and where it begins and ends in each list."""


def edit_of(records: Sequence[Record], proposals: Sequence[Proposal], run: str, into: str) -> Edit:
    """Return the proposals of the new run `into`, and what to record about the old `records` of `run`."""
    came_from: dict[int, str] = {}
    taken_out = set(range(len(records)))
    for old, new in _pairs(records, proposals):
        came_from[new] = records[old].id
        taken_out.discard(old)
    new_ones = [
        replace(proposal, index=index, edit_of=came_from.get(index, run)) for index, proposal in enumerate(proposals)
    ]
    out, on = f"you took this out; the rest goes on in {into}", f"you edited this; it goes on in {into}"
    return Edit(tuple(new_ones), tuple(out if number in taken_out else on for number in range(len(records))))


def edited_into(records: Sequence[Record]) -> str:
    """Return the run in which actions of a run go on as the person edited them; empty if the person edited none."""
    sentence = next((one.marks.error for one in records if one.marks.code == EDITED), None)
    return (sentence or "").rpartition(" ")[2]


def _pairs(records: Sequence[Record], proposals: Sequence[Proposal]) -> Iterator[tuple[int, int]]:
    """Yield pairs (old index, new index) of equal actions, or of actions with the same position or operation."""
    old = [_key(record.operation, record.arguments) for record in records]
    new = [_key(proposal.operation, proposal.arguments) for proposal in proposals]
    codes: list[Code] = load("difflib:SequenceMatcher")(None, old, new, autojunk=False).get_opcodes()
    for how, old_from, old_to, new_from, new_to in codes:
        if how == "equal" or old_to - old_from == new_to - new_from:
            yield from zip(range(old_from, old_to), range(new_from, new_to), strict=True)
        elif how == "replace":
            yield from _alike(records, range(old_from, old_to), proposals, range(new_from, new_to))


def _alike(
    records: Sequence[Record], old: range, proposals: Sequence[Proposal], new: range
) -> Iterator[tuple[int, int]]:
    start = new.start
    for number in old:
        operation = records[number].operation
        found = next((place for place in range(start, new.stop) if proposals[place].operation == operation), None)
        if found is not None:
            yield number, found
            start = found + 1


def _key(operation: str | None, arguments: Json) -> str:
    return json.dumps([operation, arguments], sort_keys=True, default=str)


def raise_to_question(verdict: Verdict) -> Verdict:
    """Return the verdict on an edited action: if it would be allowed, the person is asked, and only they can answer.

    No flag and no grant was given for the edited action (T-37: nothing is approved by editing).
    """
    if verdict.ruling == "allow":
        return replace(
            verdict,
            ruling="ask",
            because="you edited this, so you are asked about it as new",
            rule="edited",
            level="click",
            approved_by=None,
        )
    return replace(verdict, level="click") if verdict.ruling == "ask" and verdict.level == "mode" else verdict


CLOCK_SLACK = timedelta(minutes=5)
"""If the clock was set back by more than this, a waiting action counts as expired (CR-05)."""


class AnswerKind(Enum):
    """How a question ended."""

    YES = auto()
    NO = auto()
    EDITED = auto()
    LATE = auto()
    NOBODY = auto()


class PersonReply(Struct, frozen=True):
    """The answer to a question, who gave it, and the sentence and code to record if it is not a yes."""

    kind: AnswerKind
    by: str | None = None
    sentence: str = ""
    code: str | None = None
    ticked: tuple[str, ...] = ()
    """The ids of the actions that a yes is for."""
    edit: tuple[Proposal, ...] = ()
    """The proposals that replace the actions that were asked about."""
    permits: tuple[GrantOffer, ...] = ()
    """The standing permissions to give once the actions are done."""


async def ask(approver: Approver, question: Question, records: Sequence[Record], tools: Services) -> PersonReply:
    """Ask one question about these actions; a yes counts only for the digest that was shown, and before they expire."""
    if any(is_over(record, tools.clock.now()) for record in records):
        return _late()
    decision = await approver.ask(question)
    if decision is None:
        return PersonReply(AnswerKind.NOBODY)
    if any(is_over(record, tools.clock.now()) for record in records):
        return _late()
    return _reply(question, decision)


def _reply(question: Question, decision: Decision) -> PersonReply:
    if not decision.yes and decision.edit is None:
        return PersonReply(AnswerKind.NO, decision.by, *no_words(decision.because))
    answered = _apply_decision(question, decision)
    if decision.digest != answered.digest:
        what = "yes" if decision.edit is None else "edit"
        return PersonReply(
            AnswerKind.NO, decision.by, f"the {what} was for something other than what waits here", "digest.changed"
        )
    if decision.edit is not None:
        # An edit is never also a yes, whatever the decision says (AV-10). An edit that leaves nothing is a no.
        return (
            PersonReply(AnswerKind.EDITED, decision.by, edit=decision.edit) if decision.edit else _nothing(decision.by)
        )
    ticked = tuple(card.id for card in answered.cards)
    return PersonReply(AnswerKind.YES, decision.by, ticked=ticked, permits=decision.permits)


MOST_REASON = 500
"""Maximum number of characters of the person's reason that are kept."""


def no_words(because: str) -> tuple[str, str]:
    """Return the sentence and the code that are recorded for a no with this reason, which may be empty."""
    words = " ".join(because.split())
    if not words:
        return "you said no", "declined"
    cut = words if len(words) <= MOST_REASON else words[:MOST_REASON] + "…"
    return f"you said no: {quoted(visible(cut))}", "declined.because"


def _apply_decision(question: Question, decision: Decision) -> Question:
    if decision.edit is not None or decision.ticked is None:
        return question
    return question.only(decision.ticked)


def _nothing(by: str) -> PersonReply:
    return PersonReply(AnswerKind.NO, by, "you took everything out", "declined")


def question_about(items: Sequence[CandidateAction], tools: Services) -> Question:
    """Return one question about all of these waiting actions."""
    needs = needs_of(items)
    cards = tuple(card(item.record, tools, _shown_plan(item), needs[item.record.index]) for item in items)
    first, policy = items[0].record, tools.policy()
    destructive = (item.record.id for item in items if item.operation and item.operation.kind == "destructive")
    return Question(
        first.run,
        cards,
        run_digest(card.digest for card in cards),
        first.dialect,
        edited=first.edit_of is not None,
        stops=policy.stop_on_error or first.code_hash is not None,
        twice=frozenset(destructive if policy.confirm_destructive_clicks else ()),
    )


def is_over(record: Record, now: datetime) -> bool:
    """Return whether a waiting action has expired; setting the clock back does not make it wait for ever."""
    expires = record.expires
    return (expires is not None and now >= moment(expires)) or now < moment(record.time) - CLOCK_SLACK


async def over_in(tools: Services) -> list[Record]:
    """Return the waiting actions that have expired, without reading all the others."""
    now = tools.clock.now()
    found = await tools.journal.lapsed(stamp(now), stamp(now + CLOCK_SLACK))
    return [record for record in found if is_over(record, now)]


def _shown_plan(item: CandidateAction) -> Plan | None:
    """Return the plan if it was made in this process and not changed since; None if it was read from the journal."""
    basis = item.basis
    return basis.plan if basis is not None and item.record.plan is basis.document else None


class KnownOperations(Protocol):
    """The operations by id, and the codec that reads their plans."""

    @property
    def catalogue(self) -> Mapping[str, Operation]:
        """Return the operations by id."""
        ...

    @property
    def codec(self) -> Codec:
        """Return the codec that reads steps and facts."""
        ...

    @property
    def policy(self) -> Callable[[], Policy]:
        """Return what reads the policy that holds now."""
        ...

    @property
    def backends(self) -> Mapping[str, Backend]:
        """Return the backends by store."""
        ...


def card(record: Record, tools: KnownOperations, plan: Plan | None = None, needs: tuple[int, ...] = ()) -> Card:
    """Return what a person is shown of a waiting action, made from its plan alone.

    `plan` is the record's plan already parsed, if the caller has it.
    """
    operation = tools.catalogue.get(record.operation or "")
    if plan is None:
        summary = operation.summary if operation else str(record.operation)
        plan = tools.codec.plan(record.plan) if record.plan else Plan(summary)
    verdict = record.verdict or Verdict("ask", "nothing is known about why it waits", "unknown", "floor")
    return Card(
        record.id,
        record.index,
        record.operation or "",
        record.arguments,
        plan,
        verdict,
        record.digest or digest_of(record, tools.catalogue),
        None if record.label_by_us else record.label,
        needs,
        record.template_id,
        _said(record.arguments, operation, tools) if operation else None,
    )


def _said(arguments: Mapping[str, Json], operation: Operation, tools: KnownOperations) -> Mapping[str, Json]:
    """Return arguments as all sentences write them: paths from the person's home on, and the browser that is meant."""
    own = f"{tools.policy().home.rstrip('/')}/"
    said = dict(arguments)
    for one in operation.parameters:
        value = said.get(one.name)
        if one.kind == "path" and isinstance(value, str) and value.startswith(own):
            said[one.name] = f"~/{value[len(own) :]}"
    for store in operation.stores:
        meant: Mapping[str, str] = getattr(tools.backends.get(store), "meant", {})
        said |= {name: meant[name] for name in meant.keys() & said.keys()}
    return said


def _late() -> PersonReply:
    return PersonReply(AnswerKind.LATE, None, "nobody answered in time; propose it again", "expired")
