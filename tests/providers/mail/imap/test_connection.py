"""A connection that was cut is opened again for a question, and never to do something twice."""

import pytest

from sayso.core.errors import Uncertain
from sayso.core.plan import CannotTell, NotDone
from sayso.core.ports import Backend, KillPoint
from sayso.providers.mail import MAIL
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD
from tests.mail_env.dovecot import Accounts
from tests.providers.mail.imap.servers import over
from tests.providers.mail.letters import mbox_of

BOTH = [OLD.message_id, NEW.message_id]


def backend(server: Accounts, person: str, kill: KillPoint) -> Backend:
    return over(server, person, kill)


@pytest.mark.needs("dovecot")
async def test_after_a_cut_the_next_question_is_answered(server: Accounts):
    person = server.person(mbox_of(MESSAGES))
    there = over(server, person)
    await there.reads.inbox(9, include_read=True)

    server.cut()

    assert len(await there.reads.inbox(9, include_read=True)) == len(MESSAGES)


@pytest.mark.needs("dovecot")
async def test_after_a_cut_before_the_deed_it_is_done_once(server: Accounts):
    person = server.person(mbox_of(MESSAGES))
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.archive", ids=BOTH)

    server.cut()
    await trial.do(plan)

    assert [one.mailbox for one in await trial.seen.heads(tuple(BOTH))] == ["archive", "archive"]


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize(("at", "settled"), [("before", NotDone), ("after", CannotTell)])
async def test_a_cut_in_the_middle_is_uncertain_and_settled_by_looking(server: Accounts, at: str, settled: type):
    person = server.person(mbox_of(MESSAGES))

    def cuts(label: str) -> None:
        if label == f"mail.move.{at}":
            server.cut()
            if at == "after":
                raise ConnectionResetError

    there = backend(server, person, cuts)
    (change,) = (await Trial(MAIL, there).plan("mail.archive", ids=BOTH)).changes

    with pytest.raises(Uncertain, match="cut in the middle"):
        await there.apply(change.do, change.expects)

    assert isinstance(await there.settle(change.do, change.expects), settled)
