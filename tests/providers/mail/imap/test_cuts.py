"""Wherever the connection is cut, a change is done once at most, and its outcome is seen or said to be unknown."""

from collections.abc import Iterator, Mapping

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Applied, CannotTell, NotDone, Plan
from sayso.core.ports import BackendContext
from sayso.providers.mail import MAIL
from sayso.providers.mail.account import VARIABLE
from sayso.providers.mail.imap.backend import Imap, build
from sayso.providers.mail.model import ComposeMessage, MoveMessages, SetFlag, SetLabel
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD
from tests.mail_env.accounts import WORD, Accounts
from tests.mail_env.cutting import Between, When, between
from tests.providers.mail.letters import mbox_of

IDS = [OLD.message_id, NEW.message_id]
DEEDS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "mail.archive": ("MOVE", {"ids": IDS}),
    "mail.trash": ("MOVE", {"ids": IDS}),
    "mail.star": ("STORE", {"ids": IDS}),
    "mail.add_label": ("STORE", {"ids": IDS, "label": "URGENT"}),
    "mail.compose": ("APPEND", {"to": "bo@y.test", "subject": "Plan", "body": "Text"}),
}


@pytest.fixture
def way(server: Accounts) -> Iterator[Between]:
    with between(server.port) as made:
        yield made


def over(way: Between, person: str) -> Imap:
    settings = {"host": "127.0.0.1", "port": way.port, "user": person, "address": person}
    return build(BackendContext(settings, "/h", "/h/.sayso", (), FakeClock(), RandomIds(), environ={VARIABLE: WORD}))


async def state(server: Accounts, person: str) -> list[tuple[str, int, str]]:
    """Return how many messages each mailbox holds and their flags, as the standard library sees it."""
    client = server.signed_in(person)
    found: list[tuple[str, int, str]] = []
    for mailbox in ("INBOX", "Archive", "Trash", "Drafts"):
        _, said = client.select(mailbox, readonly=True)
        count = int(said[0] or 0)
        flags = client.fetch("1:*", "(FLAGS)")[1] if count else []
        marked = sum(b"\\Flagged" in one or b"URGENT" in one for one in flags if isinstance(one, bytes))
        found.append((mailbox, count, f"{marked} marked"))
    client.logout()
    return found


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("when", ["before", "half", "after"])
@pytest.mark.parametrize("operation", DEEDS)
async def test_a_change_is_done_once_at_most(server: Accounts, way: Between, operation: str, when: When):
    command, arguments = DEEDS[operation]
    person = server.person()
    server.put(person, mbox_of(MESSAGES))
    there = over(way, person)
    (change,) = (await Trial(MAIL, there).plan(operation, **arguments)).changes
    step = change.do
    assert isinstance(step, MoveMessages | SetFlag | SetLabel | ComposeMessage)
    before = await state(server, person)
    way.cut(command, when)

    with pytest.raises(Uncertain, match="cut in the middle"):
        await there.apply(step, change.expects)
    settled = await there.settle(step, change.expects)
    after = await state(server, person)

    assert way.count(command) == (0 if when == "before" else 1)
    if when == "after":
        assert after != before
        assert isinstance(settled, Applied if command == "APPEND" else CannotTell)
    else:
        assert after == before
        assert isinstance(settled, NotDone)
    there.close()


@pytest.mark.needs("dovecot")
async def test_a_cut_between_two_mailboxes_is_not_settled_as_done_nor_as_not_done(server: Accounts, way: Between):
    person = server.person()
    letters = mbox_of(MESSAGES)
    server.put(person, letters[:1])
    server.put(person, letters[1:], "Archive")
    there = over(way, person)
    (change,) = (await Trial(MAIL, there).plan("mail.star", ids=IDS)).changes
    assert isinstance(change.do, SetFlag)
    way.cut("STORE", "before", 2)

    with pytest.raises(Uncertain):
        await there.apply(change.do, change.expects)

    assert isinstance(await there.settle(change.do, change.expects), CannotTell)
    assert way.count("STORE") == 1
    assert [one[2] for one in await state(server, person)].count("1 marked") == 1
    there.close()


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("command", ["NOOP", "FETCH", "SELECT"])
async def test_a_cut_while_it_is_looked_is_no_harm(server: Accounts, way: Between, command: str):
    person = server.person()
    server.put(person, mbox_of(MESSAGES))
    there = over(way, person)
    trial = Trial(MAIL, there)
    plan = await trial.plan("mail.archive", ids=IDS)
    way.cut(command, "after")

    await trial.do(plan)

    assert (await state(server, person))[:2] == [("INBOX", 1, "0 marked"), ("Archive", 2, "0 marked")]
    assert way.count("MOVE") == 1
    there.close()


@pytest.mark.needs("dovecot")
async def test_a_server_that_is_gone_before_the_deed_has_done_nothing(server: Accounts, way: Between):
    person = server.person()
    server.put(person, mbox_of(MESSAGES))
    there = over(way, person)
    trial = Trial(MAIL, there)
    plan = await trial.plan("mail.archive", ids=IDS)
    way.close()

    with pytest.raises(ProviderError) as no:
        await trial.do(plan)

    assert not isinstance(no.value, Uncertain)
    assert (await state(server, person))[0] == ("INBOX", 3, "0 marked")
    there.close()


@pytest.mark.needs("dovecot")
async def test_fifty_actions_of_one_run_sign_in_once_and_say_few_commands_each(server: Accounts, way: Between):
    person = server.person()
    server.put(person, [(f"Message-ID: <{at}@x.test>\r\n\r\n".encode(), at + 1, "") for at in range(50)])
    there = over(way, person)
    trial = Trial(MAIL, there)
    await trial.answer("mail.inbox")
    listed = len(way.heard)

    plans: list[Plan] = []
    for at in range(50):
        plan = await trial.plan("mail.archive", ids=[f"<{at}@x.test>"])
        trial.imagine(plan)
        plans.append(plan)
    for at, plan in enumerate(plans):
        await trial.do(plan, at)

    assert way.logins == 1
    assert way.count("MOVE") == 50
    # Two to plan each and three to do it; and the mailbox is opened once for writing.
    assert len(way.heard) - listed <= 5 * 50 + 1
    assert (await state(server, person))[:2] == [("INBOX", 0, "0 marked"), ("Archive", 50, "0 marked")]
    there.close()
