"""What can be done in a conversation by its number: what waits for a yes, and the person's own actions on offer."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from sayso.assembly import Home
from sayso.core.encoding import Json, canonical
from sayso.core.instances import LASTS, Instance
from sayso.core.ports import Approver
from sayso.core.proposal import TERMINAL, Origin, Proposal
from sayso.core.quotes import quoted
from sayso.core.record import Record
from sayso.journal.redaction import REDACTED
from sayso.runtime.results import Report
from sayso.runtime.services import moment
from sayso.surfaces.cli.chat.start import ENTRY
from sayso.templates.library import load_library

RUNS_OFFER = "template.run"
"""The operation that runs an action on offer."""
LONGEST = 200
"""Maximum number of characters of a label or parameter that are shown."""


class Offer(Struct, frozen=True):
    """One thing that a number does: a run that waits, or an action on offer."""

    says: str
    run: str = ""
    """The run that waits; empty for an action on offer."""
    instance: str = ""
    session: str = ""

    async def take(self, home: Home, approver: Approver) -> Report:
        """Ask about it where policy asks, do it after a yes, and return what came of it."""
        if self.run:
            return await home.approve(self.run, approver)
        arguments = {"instance_id": self.instance, "session_id": self.session}
        wish = Proposal(0, "", RUNS_OFFER, arguments)
        return await home.take([wish], Origin("tools", ENTRY, self.session, principal=TERMINAL), approver)


async def open_offers(home: Home, session: str | None = None) -> list[Offer]:
    """Return what waits and what is on offer, in one conversation or in all, the oldest first."""
    pending = [record for record in await home.pending() if session is None or record.session == session]
    offers = [_waiting(run, pending) for run in dict.fromkeys(record.run for record in reversed(pending))]
    now = home.clock.now()
    open_ = [
        one for one in await home.journal.instances.all()
        if session in {None, one.session} and one.state == "pending" and now - moment(one.created) <= LASTS
    ]  # fmt: skip
    known = {one.id: one.secret for one in load_library(home.settings.places.actions).templates} if open_ else {}
    # Of an action that is not there any more, nobody knows which of its parameters are secret.
    return offers + [tell_offer(one, known.get(one.template, tuple(one.params))) for one in open_]


def _waiting(run: str, records: Iterable[Record]) -> Offer:
    mine = sorted((record for record in records if record.run == run), key=lambda record: record.index)
    says = mine[0].about if len(mine) == 1 else f"{len(mine):,} actions, the first of which is: {mine[0].about}"
    return Offer(f"{says} (waits for your yes)", run=run)


def tell_offer(one: Instance, secret: Collection[str]) -> Offer:
    """Return an offer with what its number does; label and parameters are quoted and cut, secret ones left out."""
    given = ", ".join(f"{name} = {_shown(name, value, secret)}" for name, value in one.params.items())
    says = f"{quoted(_short(one.label))} (your action {one.template}{': ' * bool(given)}{given})"
    return Offer(says, instance=one.id, session=one.session)


def _shown(name: str, value: Json, secret: Collection[str]) -> str:
    if name in secret:
        return REDACTED
    return quoted(_short(value if isinstance(value, str) else canonical(value).decode()))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
