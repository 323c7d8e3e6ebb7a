"""A connection that was cut is opened again for a question, and never to do something twice."""

import threading

import anyio
import pytest

from sayso.core.errors import Uncertain
from sayso.core.plan import CannotTell, NotDone
from sayso.core.ports import Backend, KillPoint
from sayso.providers.mail import MAIL
from sayso.providers.mail.imap.client import ImapSession
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD
from tests.mail_env.dovecot import Accounts
from tests.patience import patience
from tests.providers.mail.imap.servers import over
from tests.providers.mail.letters import mbox_of


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Return what is set once the server has said that it tells of new mail from now on."""
    begun, idle = threading.Event(), ImapSession.idle

    def idles(wire: ImapSession) -> None:
        idle(wire)
        begun.set()

    monkeypatch.setattr(ImapSession, "idle", idles)
    return begun


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("cut", [False, True], ids=["while it waits", "after a cut"])
async def test_new_mail_is_heard_of(server: Accounts, listening: threading.Event, cut: bool):
    person = server.person(mbox_of([OLD]))
    there = over(server, person)
    came: list[bool] = []

    async def waits() -> None:
        came.append(await there.until_new_mail(patience()))

    def arrives() -> None:
        assert listening.wait(patience())
        if cut:
            server.cut()
        server.put(person, mbox_of([NEW]))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(waits)
        await anyio.to_thread.run_sync(arrives)

    assert came == [True]


@pytest.mark.needs("dovecot")
async def test_where_none_comes_it_ends_in_time(server: Accounts):
    there = over(server, server.person())

    with anyio.fail_after(patience()):
        assert await there.until_new_mail(0.3) is False


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
