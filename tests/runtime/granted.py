"""What the tests of standing permissions on the path start from: a thing that was taken with a person's yes."""

from typing import Any

from sayso.core.decision import Decision
from sayso.core.grant import Grant, Wish
from sayso.core.record import Record
from sayso.runtime.grants import GrantService
from sayso.testing.fakes import Says
from tests.runtime.given import Call, Given, only
from tests.runtime.shelf import World

TAKE: Call = ("shelf.take", {"name": "old"})
JOT, JOT_B = (("shelf.jot", {"text": text}) for text in "ab")
"""Two that one permission can cover in one batch: their words may vary."""


def old() -> World:
    """Return a shelf with one thing on it."""
    return World(texts={"old": ("o", 0)})


async def taken(it: Given, call: Call = TAKE, *, by: str = "terminal") -> Record:
    """Let it be done with a yes, and put the thing back in the world so that it could be done again."""
    before = dict(it.world.texts)
    record = only(await it.run(call, approver=Says(True, by=by))).record
    it.world.texts = before
    return record


async def permitted(it: Given, record: Record, **wish: Any) -> Grant:
    """Let the person permit from now on what was done."""
    granting = GrantService(it.tools)
    offer = await granting.offer(Wish(record.id, **wish))
    return await granting.give(offer, Decision(True, "terminal", offer.digest), entry="test")
