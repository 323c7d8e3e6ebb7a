"""Grants at run time: derived from past actions, tried on the history, suggested, given and revoked."""

from collections.abc import Sequence
from typing import Literal, cast

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.decision import Decision
from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProposalError, Refused, SaysoError, SetupError
from sayso.core.grant import Grant, GrantOffer, Wish
from sayso.core.lazy import load
from sayso.core.plan import Plan
from sayso.core.ports import RecordQuery
from sayso.core.quotes import quoted
from sayso.core.record import Record, State, StepOutcome
from sayso.policy.case import Case
from sayso.policy.grants import Standing, could_vary, derive_grant, is_same, never, offer_digest, over, why_not
from sayso.runtime.services import Services, digest_of

PERSONS = frozenset({"terminal", "click", "command", "notification", "client"})
"""Values of `approved_by` for a person who saw what they approved; a flag, a rule or a grant is none of these."""


class GrantEvidence(Struct, frozen=True):
    """A past action from which a grant can be derived: what it was about, and which backends served it."""

    record: Record
    case: Case
    plan: Plan
    standing: Standing


def lesson(record: Record, tools: Services) -> GrantEvidence:
    """Return an action as evidence for a grant.

    Raises `Refused` with the reason when no grant can be derived from it.
    """
    why = _why_not_success(record) or _why_not_said(record) or _why_not_verified(record, tools)
    if why is not None:
        raise _refusal_of(record, why)
    found = as_case(record, tools)
    if found is None:
        raise _refusal_of(record, "it is no longer available here")
    wrong = never(found.case, record.verdict)
    if wrong is not None:
        raise wrong
    return found


def as_case(record: Record, tools: Services) -> GrantEvidence | None:
    """Return a journal record as a case for judging; None if its plan or operation cannot be read any more."""
    operation = tools.catalogue.get(record.operation or "")
    if operation is None or record.plan is None:
        return None
    try:
        plan = tools.codec.plan(record.plan)
    except SaysoError:
        return None
    case = Case(tools.policy(), operation, record.arguments, plan)
    return GrantEvidence(record, case, plan, Standing((), tools.now(), record.backends, record.code_hash))


def _refusal_of(record: Record, why: str) -> Refused:
    return Refused(f"no permission can be learnt from {quoted(record.id)}: {why}", "grant.not_learnt", "grants")


def _why_not_success(record: Record) -> str | None:
    if record.dry_run:
        return "it was a dry run"
    if record.undo_of is not None:
        return "it took something back"
    if record.state is State.UNDONE or record.marks.undone_by is not None:
        return "it was taken back"
    if record.state is not State.DONE:
        return f"it is {record.state.value}, and a permission is learnt only from what was done"
    return None


def _why_not_said(record: Record) -> str | None:
    by = record.marks.approved_by
    if by in PERSONS:
        return None
    if by is None:
        return "nobody was asked about it"
    if by == "flag":
        return "a flag approved it, and nobody looked at it"
    return f"it was approved by {by}, and not by you"


def _why_not_verified(record: Record, tools: Services) -> str | None:
    """Return why it is not proven that all planned changes were made; None if it is proven."""
    if record.plan is None or digest_of(record, tools.catalogue) != record.digest:
        return "parts of it are left out of the journal, so it is not fully known what was done"
    changes = cast("list[Json]", record.plan["changes"])
    marks = record.marks.changes
    if not changes or len(marks) != len(changes) or any(mark.outcome is not StepOutcome.DONE for mark in marks):
        return "not everything it was about to do was done"
    if any(mark.left is None for mark in marks):
        return "that it was done is what you said, and sayso did not see it"
    if any(not mark.left for mark in marks):
        return "it left nothing that could be looked at afterwards, so it is not verified"
    return None


LOOKED_AT = 1000
"""How many actions of the journal are examined; the newest are taken."""

Answer = Literal["allowed", "asked"]


class BacktestResult(Struct, frozen=True):
    """One past action that was asked about, and whether a grant would have allowed it; if not, `why` says why."""

    record: Record
    answer: Answer
    why: str = ""
    you_said_no: bool = False
    """Whether the person declined the action; a grant that would have allowed it is too wide."""


class GrantBacktest(Struct, frozen=True):
    """What a grant would have done with past actions, newest first; its own expiry and number of uses are ignored."""

    tried: tuple[BacktestResult, ...] = field(default=())
    looked_at: int = 0
    """Number of actions of the operation that were examined; those that nobody was asked about are not in `tried`."""

    @property
    def allowed_ones(self) -> tuple[BacktestResult, ...]:
        """Return the actions that the grant would have allowed."""
        return tuple(one for one in self.tried if one.answer == "allowed")

    @property
    def asked(self) -> tuple[BacktestResult, ...]:
        """Return the actions that the person would still have been asked about."""
        return tuple(one for one in self.tried if one.answer == "asked")

    @property
    def against_you(self) -> tuple[BacktestResult, ...]:
        """Return the actions that the grant would have allowed although the person declined them."""
        return tuple(one for one in self.allowed_ones if one.you_said_no)


async def trial(grant: Grant, tools: Services, most: int = LOOKED_AT) -> GrantBacktest:
    """Return what a grant would have done with the newest actions of its operation."""
    records = await tools.journal.query(RecordQuery(limit=most, operation=_literally(grant.operation)))
    return on_history(grant, records, tools)


def on_history(grant: Grant, records: Sequence[Record], tools: Services) -> GrantBacktest:
    """Return what a grant would have done with these actions."""
    tried = [one for record in records if (one := _try_on_record(grant, record, tools)) is not None]
    return GrantBacktest(tuple(tried), len(records))


def _try_on_record(grant: Grant, record: Record, tools: Services) -> BacktestResult | None:
    if record.undo_of is not None or record.dry_run or record.operation != grant.operation:
        return None
    verdict, no = record.verdict, record.state is State.DECLINED and record.marks.approved_by in PERSONS
    if verdict is None or not (verdict.ruling == "ask" or verdict.approved_by is not None):
        return None
    if verdict.ruling == "ask" and verdict.level != "mode":
        return BacktestResult(record, "asked", verdict.because, no)
    found = as_case(record, tools)
    why = "it is no longer available here" if found is None else why_like(grant, found)
    return BacktestResult(record, "allowed" if why is None else "asked", why or "", no)


def why_like(grant: Grant, lesson: GrantEvidence) -> str | None:
    """Return why a past action does not match a grant; None if it matches."""
    return why_not(grant, lesson.case, lesson.standing)


def _literally(operation: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in operation)


TIMES = 3
"""How often the person must have approved similar actions before a grant is suggested."""

_TOLD = frozenset({State.DONE, State.DECLINED})


class GrantSuggestion(Struct, frozen=True):
    """A grant that would have answered several questions as the person did; only the person can give it."""

    wish: Wish
    """The request to pass to `GrantService.offer`."""
    grant: Grant
    said_yes: tuple[str, ...]
    """The ids of the actions that the person approved, newest first."""
    trial: GrantBacktest


async def suggestions(tools: Services, times: int = TIMES, most: int = LOOKED_AT) -> list[GrantSuggestion]:
    """Return the grants that could be suggested, the one with the most approved actions first.

    A grant is not suggested if an existing one covers all the actions that it is derived from, or if it would have
    allowed an action that the person declined.
    """
    records = await tools.journal.query(RecordQuery(limit=most, states=_TOLD))
    groups: dict[str, list[GrantEvidence]] = {}
    for record in records:
        learnt = _learnt(record, tools)
        if learnt is not None:
            alike, one = learnt
            groups.setdefault(alike, []).append(one)
    standing = [grant for grant in await tools.journal.grants() if over(grant, tools.policy(), tools.now()) is None]
    found = [_suggest_for_group(group, records, standing, tools) for group in groups.values() if len(group) >= times]
    return sorted((one for one in found if one is not None), key=lambda one: -len(one.said_yes))


def _learnt(record: Record, tools: Services) -> tuple[str, GrantEvidence] | None:
    """Return a key that all similar actions share, and the action as evidence; None if no grant can be derived."""
    if record.state is not State.DONE:
        return None
    try:
        learnt = lesson(record, tools)
        return _alike(learnt), learnt
    except SaysoError:
        return None


def _alike(learnt: GrantEvidence) -> str:
    """Return a digest that is equal for actions that differ only in arguments that may vary."""
    names = tuple(one.argument for one in could_vary(learnt.case))
    return offer_digest(derive_grant(learnt.case, learnt.standing, vary=names, seconds=None, uses=None), None)


def _suggest_for_group(
    group: Sequence[GrantEvidence], records: Sequence[Record], standing: Sequence[Grant], tools: Services
) -> GrantSuggestion | None:
    newest = group[0]
    vary = _differing(group)
    try:
        grant = derive_grant(newest.case, newest.standing, vary=vary, seconds=None, uses=None)
    except SaysoError:
        return None
    if any(why_like(grant, learnt) is not None for learnt in group):
        return None
    if any(all(why_like(known, learnt) is None for learnt in group) for known in standing):
        return None
    tried = on_history(grant, records, tools)
    if tried.against_you:
        return None
    return GrantSuggestion(Wish(newest.record.id, vary), grant, tuple(one.record.id for one in group), tried)


def _differing(group: Sequence[GrantEvidence]) -> tuple[str, ...]:
    """Return the arguments that are not the same in all of these actions."""
    first = group[0].record.arguments
    return tuple(
        name for name, value in first.items() if any(not _same(value, one.record.arguments.get(name)) for one in group)
    )


def _same(value: Json, other: Json) -> bool:
    return canonical(value) == canonical(other)


UNKNOWN = "grant.unknown"


async def give_after(tools: Services, offers: Sequence[GrantOffer], by: str | None, entry: str) -> list[str]:
    """Give the grants that a person gave with their yes, now that it is carried out; return what came of each.

    What was not done, or not as it was shown, permits nothing.
    """
    service, told = GrantService(tools), list[str]()
    for offer in offers:
        try:
            grant = await service.give(offer, Decision(yes=True, by=by or "", digest=offer.digest), entry=entry)
        except SaysoError as no:
            told.append(f"nothing is permitted from now on: {no}")
        else:
            back = f"Settings on the page, or sayso grants revoke {grant.id}, takes that back"
            told.append(f"{grant.operation} is permitted from now on; {back}")
    return told


class GrantService:
    """Lists, offers, gives and revokes grants; it gives none without the person's yes."""

    def __init__(self, tools: Services) -> None:
        self._tools = tools

    async def all(self, *, ended: bool = False) -> list[Grant]:
        """Return the grants that apply now, oldest first; if `ended` is true, also those that no longer apply."""
        grants = await self._tools.journal.grants(revoked=ended)
        return [grant for grant in grants if ended or self.ended(grant) is None]

    async def get(self, ref: str) -> Grant:
        """Return a grant, whether or not it still applies. Raises `ProposalError` when there is none with this id."""
        for grant in await self._tools.journal.grants(revoked=True):
            if grant.id == ref:
                return grant
        raise ProposalError(f"there is no standing permission {quoted(ref)}", UNKNOWN)

    def ended(self, grant: Grant) -> str | None:
        """Return in a few words why a grant no longer applies; None while it does."""
        operation = self._tools.catalogue.get(grant.operation)
        changed = operation is not None and not is_same(grant.definition, operation)
        lost = "changed since" if changed else "its action is gone" if operation is None else None
        return over(grant, self._tools.policy(), self._tools.now()) or lost

    async def offer(self, wish: Wish) -> GrantOffer:
        """Return the grant that would be given, so that the person can look at it.

        Raises `ProposalError` when there is no such action, `Refused` when no grant can be derived from it, and
        `SetupError` when an argument may not vary or `uses` is below 1.
        """
        record = await self._tools.journal.get(wish.ref)
        if record is None:
            raise ProposalError(f"there is no action {quoted(wish.ref)}", "action.unknown")
        if wish.uses is not None and wish.uses < 1:
            raise SetupError("a permission is for one use at least", "grant.uses")
        learnt = lesson(record, self._tools)
        grant = derive_grant(learnt.case, learnt.standing, vary=wish.vary, seconds=wish.seconds, uses=wish.uses)
        grant = replace(grant, learnt_from=record.id)
        rest = tuple(one for one in could_vary(learnt.case) if one not in grant.varies)
        return GrantOffer(wish, grant, rest, offer_digest(grant, wish.seconds))

    async def foresee(self, refs: Sequence[str]) -> list[GrantOffer]:
        """Return the grants that could be given once these waiting actions are done, one for each kind of action.

        Each lets vary whatever may vary, so that it is for the kind and not for the one action. Raises `Refused` with
        the reason if no grant can ever cover any of them.
        """
        found: dict[str, GrantOffer] = {}
        whys: list[Refused] = []
        for ref in refs:
            record = await self._tools.journal.get(ref)
            seen = None if record is None else as_case(record, self._tools)
            if record is None or seen is None or record.verdict is None or record.verdict.ruling != "ask":
                continue
            wrong = never(seen.case, record.verdict)
            if wrong is not None:
                whys.append(wrong)
                continue
            vary = tuple(one.argument for one in could_vary(seen.case))
            grant = derive_grant(seen.case, seen.standing, vary=vary, seconds=None, uses=None)
            kind = offer_digest(grant, None)
            grant = replace(grant, learnt_from=ref)
            found.setdefault(kind, GrantOffer(Wish(ref, vary), grant, (), offer_digest(grant, None)))
        if not found and whys:
            raise whys[0]
        return [*found.values()]

    async def give(self, offer: GrantOffer, decision: Decision, *, entry: str = "library") -> Grant:
        """Give the grant that was offered, after a person's yes to exactly this offer.

        The offer is first computed again. Raises `Refused` for a no, for a yes that is not a person's, and for a yes to
        something other than what would be given now. Also raises what `offer` raises, for example when the action was
        undone meanwhile.
        """
        if not decision.yes:
            raise Refused("you said no; nothing is permitted", "declined", "grants")
        if decision.by not in PERSONS:
            raise Refused(
                f"a standing permission is yours to give, and not for {quoted(decision.by)}", "grant.by", "grants"
            )
        again = await self.offer(offer.wish)
        if decision.digest != again.digest:
            raise Refused(
                "the yes was for something other than what would be permitted now", "digest.changed", "grants"
            )
        id_ = f"grant_{self._tools.ids.token()[:12]}"
        grant = replace(again.grant, id=id_, given_by=decision.by, entry=entry)
        await self._tools.journal.put_grant(grant)
        await self._write_down("give", "Always allow", grant, decision.by or "", entry)
        return grant

    async def tried(self, grant: Grant) -> GrantBacktest:
        """Return what a grant, given or only offered, would have done with past actions."""
        return await trial(grant, self._tools)

    async def suggest_grants(self, times: int = TIMES) -> list[GrantSuggestion]:
        """Return suggested grants for actions that the person approved at least `times` times."""
        return await suggestions(self._tools, times)

    async def revoke(self, ref: str, *, by: str = "client") -> Grant:
        """Revoke a grant for good.

        Raises `ProposalError` when there is none with this id, or it was revoked already.
        """
        for grant in await self._tools.journal.grants():
            if grant.id == ref:
                return await self._revoke_grant(grant, by)
        await self.get(ref)
        raise ProposalError(f"the standing permission {quoted(ref)} was revoked already", "grant.revoked")

    async def revoke_all(self, *, by: str = "client") -> list[Grant]:
        """Revoke all grants that are not revoked yet, and return them."""
        return [await self._revoke_grant(grant, by) for grant in await self._tools.journal.grants()]

    async def _revoke_grant(self, grant: Grant, by: str) -> Grant:
        revoked = replace(grant, revoked=True, revoked_at=self._tools.now(), revoked_by=by)
        await self._tools.journal.put_grant(revoked)
        await self._write_down("revoke", "Take back the permission", grant, by)
        return revoked

    async def _write_down(self, what: str, says: str, grant: Grant, by: str, entry: str = "") -> None:
        words: str = load("sayso.policy.wording:word_grant")(grant, self._tools.policy().home)
        arguments: dict[str, Json] = {"grant": grant.id, "allows": words}
        told = load("sayso.runtime.own_changes:OwnChange")(f"grants.{what}", f"{says}: {words}", arguments)
        await load("sayso.runtime.own_changes:note")(self._tools, [told], by=by, entry=entry)
