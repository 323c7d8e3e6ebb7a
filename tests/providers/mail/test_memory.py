"""Mail in memory behaves as any other mail backend."""

import json
from collections.abc import Sequence

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Backend, Ground
from sayso.providers.mail import MAIL
from sayso.providers.mail.memory import build, deliver_all, memory_backend
from sayso.providers.mail.store import Message
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial
from sayso.testing.mail import MailSuite, SendingSuite, ids_of


class TestMemory(MailSuite, SendingSuite):
    """The suite on mailboxes in memory."""

    def make(self, messages: Sequence[Message]) -> Backend:
        return memory_backend(FakeClock(), NumberedIds(), deliver_all(tuple(messages)), lasting=True)

    @pytest.mark.req("S3-32")
    async def test_the_inbox_is_listed_newest_first(self) -> None:
        await super().test_the_inbox_is_listed_newest_first()

    @pytest.mark.req("S3-36", "S3-37")
    async def test_messages_are_got_by_id(self) -> None:
        await super().test_messages_are_got_by_id()

    @pytest.mark.req("T-93")
    async def test_criteria_are_combined(self) -> None:
        await super().test_criteria_are_combined()


def ground(**settings: object) -> Ground:
    return Ground(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


async def test_the_settings_may_plant_messages_and_name_the_sender():
    world = {"messages": [{"message_id": "<a@x>", "subject": "Hi", "received_at": "2026-03-01T10:00:00Z"}]}

    made = build(ground(kind="memory", world=world, name="Ana", address="ana@x.org"))

    assert [one.subject for one in await made.reads.inbox(9, include_read=True)] == ["Hi"]
    assert made.reads.sender() == "Ana <ana@x.org>"
    assert made.reads.new_message_id() == "<token000000000000001@x.org>"


def test_a_sender_with_a_comma_in_the_name_is_one_sender():
    made = build(ground(kind="memory", name="Berg, Ana", address="ana@x.org"))

    assert made.reads.sender() == '"Berg, Ana" <ana@x.org>'


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
