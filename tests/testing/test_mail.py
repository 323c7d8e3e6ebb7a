"""The suite for mail finds a backend that does not keep the rules."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from sayso.core.memory_backend import MemoryBackend, MemoryRules
from sayso.core.plan import Facts
from sayso.core.ports import Backend
from sayso.providers.mail.memory import MailWorld, MemoryMail, after, deliver_all, holds
from sayso.providers.mail.model import SetLabel, Steps
from sayso.providers.mail.store import MailContext, Message
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.mail import MailSuite


class Suite(MailSuite):
    """The suite on mail that only says it labelled, and does not look where messages are."""

    def make(self, messages: Sequence[Message]) -> Backend:
        ids = NumberedIds()

        def does(world: MailWorld, step: Steps, expects: Facts) -> tuple[MailWorld, Facts]:
            then, facts = after(world, step, "2026-03-14T12:00:00Z")
            return (replace(world), facts) if isinstance(step, SetLabel) else (then, facts)

        laws = MemoryRules(
            does=does,
            holds=lambda world, fact: "mail_at" in fact.fact or holds(world, fact),
            reads=lambda seen: MemoryMail(seen, MailContext("you@x.test", ids, FakeClock())),
        )
        return MemoryBackend(deliver_all(tuple(messages)), laws, lasting=True)


async def test_mail_that_only_says_it_labelled_is_found():
    with pytest.raises(AssertionError, match="changed something"):
        await Suite().test_each_change_is_done_and_taken_back()


async def test_mail_that_moves_what_was_moved_is_found():
    with pytest.raises(AssertionError, match="should have been refused"):
        await Suite().test_a_message_moved_since_is_not_touched()
