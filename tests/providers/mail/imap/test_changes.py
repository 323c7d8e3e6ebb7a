"""A change is done to what was approved, once at most, and to nothing else, wherever the connection is cut."""

from collections.abc import Iterator, Mapping
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import Applied, CannotTell, NotDone, Plan
from sayso.providers.mail import MAIL
from sayso.providers.mail.model import ComposeMessage, MoveMessages, SendMessage, SetFlag, SetLabel
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD, READ
from tests.mail_env.cutting import Between, When, between
from tests.mail_env.dovecot import WORD, Accounts
from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.providers.mail.imap.servers import over
from tests.providers.mail.letters import mbox_of


def account(server: Accounts, person: str, own: Path, post: RecordingSmtp) -> Trial:
    there = over(server, person, home=str(own), name="Ana Büg", smtp_host="127.0.0.1", smtp_port=post.port)
    return Trial(MAIL, there)


async def planned(trial: Trial) -> tuple[Plan, SendMessage]:
    plan = await trial.plan("mail.send", to="Bo <bo@y.test>", subject="Hi ü", body="One\n.\n", bcc="secret@z.test")
    step = plan.changes[0].do
    assert isinstance(step, SendMessage)
    return plan, step


def among_the_sent(server: Accounts, person: str) -> list[bytes]:
    client = server.signed_in(person)
    client.select("Sent", readonly=True)
    _, numbers = client.search(None, "ALL")
    found = [client.fetch(number.decode(), "(FLAGS BODY.PEEK[])")[1][0] for number in numbers[0].split()]
    client.logout()
    return [one[1] for one in found if isinstance(one, tuple)]


@pytest.mark.needs("dovecot", "setpriv")
@pytest.mark.req("S1-28", "S3-43", "ML-02")
async def test_what_was_approved_goes_out_and_the_same_is_kept(server: Accounts, tmp_path: Path):
    person = server.person()
    with smtp(login=True, word=WORD) as post:
        trial = account(server, person, tmp_path, post)
        plan, step = await planned(trial)
        (left,) = await trial.do(plan)
        settled = await trial.backend.settle(step, ())
        (message,) = await trial.seen.get((step.message_id,))

    assert post.accepted == [(person, ["bo@y.test", "secret@z.test"], step.raw.encode())]
    assert among_the_sent(server, person) == [step.raw.encode()]
    assert b"secret@z.test" not in post.accepted[0][2]
    read = message_from_bytes(post.accepted[0][2], policy=default)
    assert (str(read["from"]), str(read["subject"])) == (f"Ana Büg <{person}>", "Hi ü")
    assert settled == left
    assert (message.mailbox, message.subject) == ("sent", "Hi ü")


@pytest.mark.needs("dovecot", "setpriv")
@pytest.mark.req("ML-06")
async def test_after_a_cut_the_sent_ones_tell_whether_it_went(server: Accounts, tmp_path: Path):
    person = server.person()
    with smtp(login=True, word=WORD) as post:
        trial = account(server, person, tmp_path, post)
        post.cut = "dot"
        plan, step = await planned(trial)
        with pytest.raises(Uncertain):
            await trial.do(plan)

        unknown = await trial.backend.settle(step, ())
        server.put(person, [(step.raw.encode(), 1, "S")], "Sent")  # a server that keeps copies itself
        known = await trial.backend.settle(step, ())

    assert isinstance(unknown, CannotTell)
    assert isinstance(known, Applied)
    assert len(post.accepted) == 1


BOTH = [OLD.message_id, NEW.message_id]


@pytest.mark.req("ML-08")
@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("operation", ["mail.archive", "mail.star"])
async def test_a_mailbox_that_was_made_anew_is_not_touched(server: Accounts, operation: str):
    person = server.person(mbox_of(MESSAGES), "Sent")
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.trash" if operation == "mail.archive" else operation, ids=BOTH)
    other = server.signed_in(person)
    other.delete("Sent")
    other.create("Sent")
    server.put(person, mbox_of(MESSAGES), "Sent")

    with pytest.raises(ProviderError, match="nothing was done"):
        await trial.do(plan)

    other.select("Sent")
    assert other.uid("SEARCH", "UNFLAGGED")[1] == [b"1 2 3"]
    other.logout()


@pytest.mark.req("ML-09")
@pytest.mark.needs("dovecot")
async def test_mail_that_arrives_meanwhile_is_not_touched(server: Accounts):
    person = server.person(mbox_of([OLD, READ]))
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.trash", ids=[OLD.message_id, READ.message_id])

    server.put(person, mbox_of([NEW]))
    await trial.do(plan)

    assert [one.message_id for one in await trial.seen.inbox(9, include_read=True)] == [NEW.message_id]


@pytest.mark.needs("dovecot")
async def test_what_another_program_flagged_meanwhile_is_not_overwritten(server: Accounts):
    person = server.person(mbox_of(MESSAGES))
    trial = Trial(MAIL, over(server, person))
    plan = await trial.plan("mail.star", ids=BOTH)
    other = server.signed_in(person)
    other.select("INBOX")

    other.uid("STORE", "1", "+FLAGS", r"(\Flagged)")

    with pytest.raises(ProviderError, match="changed since"):
        await trial.do(plan)
    assert [one.flags for one in await trial.seen.heads((NEW.message_id,))] == [()]
    other.logout()


@pytest.mark.needs("dovecot")
async def test_a_flag_set_between_the_look_and_the_deed_is_left_alone(server: Accounts):
    person = server.person(mbox_of(MESSAGES))
    other = server.signed_in(person)
    other.select("INBOX")

    def meanwhile(label: str) -> None:
        if label == "mail.flag.before":
            other.uid("STORE", "1", "+FLAGS", r"(\Flagged)")

    trial = Trial(MAIL, over(server, person, meanwhile))
    plan = await trial.plan("mail.star", ids=BOTH)

    with pytest.raises(ProviderError, match="nothing was done"):
        await trial.do(plan)

    found = await trial.seen.heads(tuple(BOTH))
    assert [one.flags for one in found] == [("starred",), ()]
    other.logout()


@pytest.mark.req("S3-39", "S3-40", "S3-41", "S3-42")
@pytest.mark.needs("dovecot")
async def test_another_program_sees_what_was_done(server: Accounts):
    person = server.person(mbox_of(MESSAGES))
    trial = Trial(MAIL, over(server, person))

    for operation, arguments in (
        ("mail.star", {}),
        ("mail.mark_read", {}),
        ("mail.add_label", {"label": "URGENT"}),
        ("mail.archive", {}),
    ):
        await trial.do(await trial.plan(operation, ids=BOTH, **arguments))

    other = server.signed_in(person)
    other.select("Archive")
    assert other.uid("SEARCH", "FLAGGED", "SEEN", "KEYWORD", "URGENT")[1] == [b"1 2"]
    other.logout()


DEEDS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "mail.archive": ("MOVE", {"ids": BOTH}),
    "mail.trash": ("MOVE", {"ids": BOTH}),
    "mail.star": ("STORE", {"ids": BOTH}),
    "mail.add_label": ("STORE", {"ids": BOTH, "label": "URGENT"}),
    "mail.compose": ("APPEND", {"to": "bo@y.test", "subject": "Plan", "body": "Text"}),
}


@pytest.fixture
def way(server: Accounts) -> Iterator[Between]:
    with between(server.port) as made:
        yield made


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
@pytest.mark.parametrize(
    "operation",
    [
        *("mail.archive", "mail.star", "mail.compose"),
        # They go the same ways as the first two.
        *(pytest.param(one, marks=pytest.mark.thorough) for one in ("mail.trash", "mail.add_label")),
    ],
)
async def test_a_change_is_done_once_at_most(server: Accounts, way: Between, operation: str, when: When):
    command, arguments = DEEDS[operation]
    person = server.person(mbox_of(MESSAGES))
    there = over(server, person, port=way.port)
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


@pytest.mark.needs("dovecot")
async def test_a_cut_between_two_mailboxes_is_not_settled_as_done_nor_as_not_done(server: Accounts, way: Between):
    person = server.person()
    letters = mbox_of(MESSAGES)
    server.put(person, letters[:1])
    server.put(person, letters[1:], "Archive")
    there = over(server, person, port=way.port)
    (change,) = (await Trial(MAIL, there).plan("mail.star", ids=BOTH)).changes
    assert isinstance(change.do, SetFlag)
    way.cut("STORE", "before", 2)

    with pytest.raises(Uncertain):
        await there.apply(change.do, change.expects)

    assert isinstance(await there.settle(change.do, change.expects), CannotTell)
    assert way.count("STORE") == 1
    assert [one[2] for one in await state(server, person)].count("1 marked") == 1


@pytest.mark.needs("dovecot")
@pytest.mark.parametrize("command", ["NOOP", "FETCH", "SELECT"])
async def test_a_cut_while_it_is_looked_is_no_harm(server: Accounts, way: Between, command: str):
    person = server.person(mbox_of(MESSAGES))
    there = over(server, person, port=way.port)
    trial = Trial(MAIL, there)
    plan = await trial.plan("mail.archive", ids=BOTH)
    way.cut(command, "after")

    await trial.do(plan)

    assert (await state(server, person))[:2] == [("INBOX", 1, "0 marked"), ("Archive", 2, "0 marked")]
    assert way.count("MOVE") == 1


@pytest.mark.needs("dovecot")
async def test_a_server_that_is_gone_before_the_deed_has_done_nothing(server: Accounts, way: Between):
    person = server.person(mbox_of(MESSAGES))
    there = over(server, person, port=way.port)
    trial = Trial(MAIL, there)
    plan = await trial.plan("mail.archive", ids=BOTH)
    way.close()

    with pytest.raises(ProviderError) as no:
        await trial.do(plan)

    assert not isinstance(no.value, Uncertain)
    assert (await state(server, person))[0] == ("INBOX", 3, "0 marked")


@pytest.mark.needs("dovecot")
async def test_fifty_actions_of_one_run_sign_in_once_and_say_few_commands_each(server: Accounts, way: Between):
    person = server.person([(f"Message-ID: <{at}@x.test>\r\n\r\n".encode(), at + 1, "") for at in range(50)])
    there = over(server, person, port=way.port)
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
