"""Standing permissions: offered from what was done, tried on the history, given by a person's decision, taken back."""

from sayso.core.errors import ProposalError, Refused, SetupError
from sayso.core.grant import Grant, Offer, Wish
from sayso.core.replacing import replace
from sayso.core.verdict import Decision
from sayso.policy.granting import could_vary, derived, offer_digest
from sayso.policy.grants import over
from sayso.runtime.learning import PERSONS, lesson
from sayso.runtime.suggesting import TIMES, Suggestion, suggestions
from sayso.runtime.tools import Tools
from sayso.runtime.trying import Trial, trial

UNKNOWN = "grant.unknown"


class Granting:
    """Offers, gives and takes back; it never gives anything by itself."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def all(self, *, ended: bool = False) -> list[Grant]:
        """Return the standing permissions that hold now, oldest first; with `ended` also those that hold no more."""
        grants = await self._tools.journal.grants(revoked=ended)
        return [grant for grant in grants if ended or self.ended(grant) is None]

    async def get(self, ref: str) -> Grant:
        """Return one, whether it holds or not. Raises `ProposalError` when there is none of this id."""
        for grant in await self._tools.journal.grants(revoked=True):
            if grant.id == ref:
                return grant
        raise ProposalError(f"there is no standing permission “{ref}”", UNKNOWN)

    def ended(self, grant: Grant) -> str | None:
        """Say in one or two words why a permission holds no more; None while it does."""
        return over(grant, self._tools.policy(), self._tools.now())

    async def offer(self, wish: Wish) -> Offer:
        """Return what would be given, for the person to look at.

        Raises `ProposalError` when there is no such action, `Refused` when nothing can be learnt from it, and
        `SetupError` when something may not vary.
        """
        record = await self._tools.journal.get(wish.ref)
        if record is None:
            raise ProposalError(f"there is no action “{wish.ref}”", "action.unknown")
        if wish.uses is not None and wish.uses < 1:
            raise SetupError("a permission is for one use at least", "grant.uses")
        learnt = lesson(record, self._tools)
        grant = derived(learnt.case, learnt.standing, vary=wish.vary, seconds=wish.seconds, uses=wish.uses)
        grant = replace(grant, learnt_from=record.id)
        rest = tuple(one for one in could_vary(learnt.case) if one not in grant.varies)
        return Offer(wish, grant, rest, offer_digest(grant, wish.seconds))

    async def give(self, offer: Offer, decision: Decision, *, entry: str = "library") -> Grant:
        """Give what was offered, on a person's yes to exactly that. It is looked at again first.

        Raises `Refused` for a no, for a yes that is not a person's, and for one to something else than would
        be given now; and what `offer` raises, such as when the action was taken back meanwhile.
        """
        if not decision.yes:
            raise Refused("you said no; nothing is permitted", "declined", "grants")
        if decision.by not in PERSONS:
            raise Refused(f"a standing permission is yours to give, and not for “{decision.by}”", "grant.by", "grants")
        again = await self.offer(offer.wish)
        if decision.digest != again.digest:
            raise Refused("the yes was for something else than would be permitted now", "digest.changed", "grants")
        id_ = f"grant_{self._tools.ids.token()[:12]}"
        grant = replace(again.grant, id=id_, given_by=decision.by, entry=entry)
        await self._tools.journal.put_grant(grant)
        return grant

    async def tried(self, grant: Grant) -> Trial:
        """Return what a permission, given or only offered, would have done with the history."""
        return await trial(grant, self._tools)

    async def suggested(self, times: int = TIMES) -> list[Suggestion]:
        """Return what the person said the same yes to at least so often, as permissions they could give."""
        return await suggestions(self._tools, times)

    async def revoke(self, ref: str, *, by: str = "client") -> Grant:
        """Take one back for good. Raises `ProposalError` when there is none of this id that could be."""
        for grant in await self._tools.journal.grants():
            if grant.id == ref:
                return await self._revoked(grant, by)
        await self.get(ref)
        raise ProposalError(f"the standing permission “{ref}” was revoked already", "grant.revoked")

    async def revoke_all(self, *, by: str = "client") -> list[Grant]:
        """Take all back that are not yet, and return them."""
        return [await self._revoked(grant, by) for grant in await self._tools.journal.grants()]

    async def _revoked(self, grant: Grant, by: str) -> Grant:
        revoked = replace(grant, revoked=True, revoked_at=self._tools.now(), revoked_by=by)
        await self._tools.journal.put_grant(revoked)
        return revoked
