"""Mail in memory behaves as any other mail backend."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sayso.core.errors import ProposalError, SetupError
from sayso.core.plan import ChangeRef, ResultRef
from sayso.core.ports import Backend, BackendContext
from sayso.core.provider import add_extra
from sayso.providers.mail import MAIL, backend
from sayso.providers.mail.backend import (
    KnownPlaces,
    MailOverlay,
    imagine_step,
    search_capability,
    sending_capability,
    shorten_message,
    tell_apart,
)
from sayso.providers.mail.memory import MemoryMail, build, deliver_all, memory_backend
from sayso.providers.mail.model import (
    ComposeMessage,
    MailAt,
    MailFlag,
    MailLabel,
    MoveMessages,
    SetFlag,
    SetLabel,
    Steps,
)
from sayso.providers.mail.store import Criteria, DatedCriteria, MailPlace, Message
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.mail import MESSAGES, NEW, OLD, READ, MailSuite, SendingSuite, ids_of
from tests.providers.mail.letters import over, planted


class TestMemory(MailSuite, SendingSuite):
    """The suite on mailboxes in memory."""

    def make(self, messages: Sequence[Message]) -> Backend:
        return memory_backend(FakeClock(), NumberedIds(), deliver_all(tuple(messages)), lasting=True)


def ground(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_plant_messages_and_name_the_sender():
    world = {"messages": [{"message_id": "<a@x>", "subject": "Hi", "received_at": "2026-03-01T10:00:00Z"}]}

    made = build(ground(kind="memory", world=world, name="Ana", address="ana@x.org"))

    assert [one.subject for one in await made.reads.inbox(9, include_read=True)] == ["Hi"]
    assert made.reads.context.sender == "Ana <ana@x.org>"
    assert made.reads.context.new_message_id() == "<token000000000000001@x.org>"


def test_a_sender_with_a_comma_in_the_name_is_one_sender():
    made = build(ground(kind="memory", name="Berg, Ana", address="ana@x.org"))

    assert made.reads.context.sender == '"Berg, Ana" <ana@x.org>'


@pytest.mark.parametrize(
    "world",
    ['{"messages": [{}]}', '{"mails": []}', '{"messages": [{"message_id": "a", "received_at": "soon"}]}', '"x"'],
)
def test_a_world_that_is_none_is_a_matter_of_settings(world: str):
    with pytest.raises(SetupError, match="mail"):
        build(ground(world=json.loads(world)))


@pytest.mark.req("S3-34", "S3-35", "T-47")
async def test_a_query_in_gmails_language_is_answered():
    world = [
        {"message_id": "<a@x>", "from_address": "a@x.org", "received_at": "2026-03-01T10:00:00Z"},
        {"message_id": "<b@x>", "from_address": "b@x.org", "received_at": "2024-12-31T10:00:00Z"},
        {"message_id": "<c@x>", "from_address": "c@x.org", "received_at": "2024-12-31T11:00:00Z"},
        {"message_id": "<d@x>", "from_address": "b@x.org", "received_at": "2024-12-30T10:00:00Z", "mailbox": "trash"},
    ]
    trial = Trial(MAIL, build(ground(world={"messages": world})))

    found = await trial.answer("mail.query", query="(from:b OR from:c) before:2025/01/02")
    apart = await trial.answer("mail.query", query="from:b in:anywhere")

    assert ids_of(found.data["messages"]) == ["<c@x>", "<b@x>"]
    assert ids_of(apart.data["messages"]) == ["<b@x>", "<d@x>"]


@pytest.mark.req("S3-96")
async def test_the_newsletters_of_three_senders_are_those_before_the_day():
    senders = ("newsletter@techcrunch.com", "crew@morningbrew.com", "noreply@hackernewsletter.com", "ana@x.org")
    days = ("2025-02-28", "2025-03-01", "2025-03-31")
    world = [
        {"message_id": f"<{day}.{sender}>", "from_address": sender, "received_at": f"{day}T12:00:00Z"}
        for sender in senders
        for day in days
    ]
    trial = Trial(MAIL, build(ground(world={"messages": world})))
    either = " OR ".join(f"from:{sender}" for sender in senders[:3])

    found = await trial.answer("mail.query", query=f"({either}) before:2025/03/01")

    assert sorted(ids_of(found.data["messages"])) == sorted(f"<2025-02-28.{sender}>" for sender in senders[:3])


async def test_what_would_have_been_sent_is_recorded():
    made = build(ground())
    trial = Trial(MAIL, made)

    await trial.do(await trial.plan("mail.send", to="bo@y.test", subject="S", body="B", bcc="secret@z.test"))

    (sent,) = made.world.sent
    assert (sent.to, sent.bcc, sent.subject, sent.body) == (("bo@y.test",), ("secret@z.test",), "S", "B")
    assert made.note == "in memory, nothing was sent"


NOW = "2026-03-14T12:00:00Z"


def after(*steps: Steps) -> MailOverlay:
    seen: MemoryMail | MailOverlay = memory_backend(
        FakeClock(), NumberedIds(), deliver_all(MESSAGES), lasting=True
    ).reads
    for number, step in enumerate(steps):
        seen = imagine_step(seen, step, ChangeRef(number, 0), NOW)
    assert isinstance(seen, MailOverlay)
    return seen


def ids(found: Sequence[Message]) -> list[str]:
    return [one.message_id for one in found]


async def test_what_would_be_archived_or_put_into_the_trash_is_there_and_only_there():
    archived = after(MoveMessages((NEW.message_id,), "inbox", "archive"))
    trashed = after(MoveMessages((NEW.message_id,), "inbox", "trash"))

    assert ids(await archived.inbox(1, include_read=True)) == [READ.message_id]
    assert ids(await archived.search(DatedCriteria(Criteria(subject="lunch")))) == [NEW.message_id]
    assert ids(await trashed.search(DatedCriteria(Criteria(limit=1)))) == [READ.message_id]
    assert [one.mailbox for one in await trashed.heads((NEW.message_id,))] == ["trash"]
    for include_read in (True, False):
        assert NEW.message_id in ids(await trashed.base.inbox(9, include_read=include_read))


async def test_what_would_be_read_or_labelled_is_found_so():
    seen = after(SetFlag((OLD.message_id,), "read", on=True), SetLabel((OLD.message_id,), "L", on=True))

    assert ids(await seen.inbox(9, include_read=False)) == [NEW.message_id]
    assert ids(await seen.search(DatedCriteria(Criteria(label="l")))) == [OLD.message_id]


async def test_what_would_be_written_is_there_by_its_id():
    seen = after(ComposeMessage("<new@here>", ("a@x",), "S", "B", draft=True))

    (draft,) = await seen.get(("<new@here>",))
    assert (draft.mailbox, draft.subject, draft.body_text) == ("drafts", "S", "B")


async def test_what_a_step_changes_is_expected_as_it_leaves_it():
    seen = after(MoveMessages((OLD.message_id,), "inbox", "archive"), SetFlag((OLD.message_id,), "starred", on=True))
    (message,) = await seen.heads((OLD.message_id,))

    assert seen.fact(MailAt.of(message)) == ResultRef(OLD.message_id, "mail_at", 0, 0)
    assert seen.fact(MailFlag.of(message, "starred")) == ResultRef(f"starred {OLD.message_id}", "mail_flag", 0, 1)
    assert not isinstance(seen.fact(MailLabel.of(message, "L")), ResultRef)


def test_where_no_server_is_set_it_is_said_how_to_set_it():
    assert sending_capability(ground()).served == ""
    assert sending_capability(ground()).fix == "“sayso config mail” asks for both"


def test_queries_need_a_package(monkeypatch: pytest.MonkeyPatch):
    assert search_capability().served == "lark"

    monkeypatch.setitem(sys.modules, "lark", None)

    assert (search_capability().served, search_capability().fix) == ("", add_extra("mail"))


def test_the_server_that_takes_mail_is_named(monkeypatch: pytest.MonkeyPatch):
    named = ground(smtp_host="smtp.example.org", address="ana@example.org")
    assert sending_capability(named).served == "smtp.example.org:465"

    monkeypatch.setitem(sys.modules, "aiosmtplib", None)

    assert (sending_capability(named).served, sending_capability(named).fix) == ("", add_extra("mail"))


def test_the_last_place_is_remembered_and_the_oldest_are_forgotten_so_that_memory_stays_flat():
    seen = KnownPlaces()
    seen.put("<a@x>", MailPlace("inbox", "1"))
    seen.put("<a@x>", MailPlace("archive", "2"))

    assert seen["<a@x>"] == MailPlace("archive", "2")

    for number in range(backend.MOST + 1):
        seen.put(f"<{number}@x>", MailPlace("inbox", str(number)))

    assert seen["<0@x>"] is None
    assert seen["<1@x>"] == MailPlace("inbox", "1")


def test_a_long_text_is_cut_and_the_rest_is_counted():
    message = shorten_message(Message("<a@x>", body_text="x" * 100, text_left=7), 60)

    assert (len(message.body_text), message.text_left) == (60, 47)
    assert shorten_message(Message("<a@x>", body_text="x"), 60).text_left == 0


def test_messages_with_the_same_id_go_by_their_places():
    seen = KnownPlaces()
    both = (Message("<a@x>", uid="1"), Message("<a@x>", uid="2"))

    first, second = tell_apart(both, seen)

    assert (first.message_id, second.message_id) == ("place:inbox/0/1", "place:inbox/0/2")
    assert seen["place:inbox/0/1"] == MailPlace("inbox", "1", 0)


async def test_new_ids_are_of_the_senders_domain_and_never_the_same(tmp_path: Path):
    mail = over(tmp_path).reads

    one, two = mail.context.new_message_id(), mail.context.new_message_id()

    assert one != two
    assert one.endswith("@localhost>")


async def test_a_file_of_a_mail_that_is_not_there_is_named(tmp_path: Path):
    planted(tmp_path, [OLD])

    with pytest.raises(ProposalError, match=r"No message has the id “<new@x.test>”"):
        await over(tmp_path).reads.attachment(NEW.message_id, 1)
