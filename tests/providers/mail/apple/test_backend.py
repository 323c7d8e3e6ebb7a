"""Mail in the application Mail of a simulated Mac."""

import dataclasses
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, SetupError, Uncertain
from sayso.core.plan import Applied, CannotTell, NotDone, Plan
from sayso.core.ports import Backend, KillPoint, no_kill_point
from sayso.providers.mail import MAIL
from sayso.providers.mail.apple.app import NEWEST
from sayso.providers.mail.apple.backend import AppleMailBackend, build
from sayso.providers.mail.apple.reads import AT_ONCE
from sayso.providers.mail.model import MailSent, Steps
from sayso.providers.mail.store import Message
from sayso.testing.fakes import KillAt, Killed
from sayso.testing.harness import Trial, refusal_of
from sayso.testing.macos import SimulatedMac
from sayso.testing.mail import MESSAGES, NEW, OLD, MailSuite, SendingSuite
from tests.fails import fails
from tests.mac_env.fixtures import in_node, on
from tests.mac_env.hostile import LINES, ONE_LINE
from tests.mac_env.letters import mailbox, plant_mail, record

BOTH = pytest.mark.parametrize("mac", ["jsc", pytest.param("node", marks=pytest.mark.thorough)], indirect=True)
SENDER: dict[str, Json] = {"address": "you@x.test", "name": "You"}
LETTER = {"to": "Bo <bo@y.test>", "subject": ONE_LINE, "body": LINES, "cc": "c@y.test", "bcc": "d@y.test"}


@pytest.mark.thorough
class TestApple(MailSuite, SendingSuite):
    """The suites on simulated Macs; Mail gives each mail that it sends a Message-ID of its own."""

    names_its_own_id = True

    @pytest.fixture(autouse=True)
    def _places(self, mac: SimulatedMac, tmp_path: Path) -> None:
        self._folder, self._engine = tmp_path, mac.engine
        self._made = 0

    def make(self, messages: Sequence[Message]) -> Backend:
        self._made += 1
        made = SimulatedMac(self._folder / f"mac{self._made}", self._engine)
        plant_mail(made, messages)
        return build(on(made, {"address": "you@x.test"}))


@in_node
class TestAppleInNode(TestApple):
    """The same in another engine."""


def trial(mac: SimulatedMac, settings: dict[str, Json] | None = None, kill: KillPoint = no_kill_point) -> Trial:
    return Trial(MAIL, build(on(mac, SENDER if settings is None else settings, kill)))


def told(tried: Trial, plan: Plan, left: Applied) -> str:
    """Return what the person is told of the first change of a plan that was done."""
    return cast("AppleMailBackend", tried.backend).tells(cast("Steps", plan.changes[0].do), left)


def outgoing(mac: SimulatedMac) -> list[dict[str, Any]]:
    """Return the mails that are being written in Mail."""
    return mac.app("Mail")["outgoingMessages"]


def people(mail: dict[str, Any], kind: str) -> list[str]:
    return [one["address"] for one in mail[f"{kind}Recipients"]]


Boxes = list[dict[str, Any]]


def account(mac: SimulatedMac, change: Callable[[Boxes], None]) -> None:
    """Change the mailboxes of the account in Mail, as a person would."""

    def changing(state: dict[str, Any]) -> None:
        change(next(app for app in state["apps"] if app["name"] == "Mail")["accounts"][0]["mailboxes"])

    mac.change(changing)


@BOTH
@pytest.mark.req("S1-29", "S1-32")
async def test_the_newest_unread_messages_are_listed_with_sender_subject_and_preview(mac: SimulatedMac):
    plant_mail(mac, MESSAGES)

    answer = await trial(mac).answer("mail.inbox", limit=1, include_read=False)

    (found,) = cast("list[dict[str, Json]]", answer.data["messages"])
    assert (found["from_address"], found["subject"], found["body_text"]) == ("Bo <bo@y.test>", "Lunch", "Today? ünï")
    assert (found["to"], found["unread"]) == (["you@x.test"], True)
    assert "Today? ünï" in answer.text


async def test_a_search_asks_mail_for_columns_and_never_to_search(mac: SimulatedMac):
    plant_mail(mac, [replace(OLD, message_id=f"<{number}@x.test>") for number in range(40)])

    await trial(mac).answer("mail.search", criteria={"subject": "invoice", "limit": 1})

    asked = [what for app, what in mac.state["log"] if app == "Mail"]
    assert len(asked) < 90


async def test_archived_mail_goes_into_the_archive_of_its_account_which_is_made_and_comes_back(mac: SimulatedMac):
    plant_mail(mac, MESSAGES)
    tried = trial(mac)
    plan = await tried.plan("mail.archive", ids=[OLD.message_id])

    lefts = await tried.do(plan)

    assert [one["messageId"] for one in mailbox(mac, "Archive")] == ["old@x.test"]
    await tried.take_back(plan, lefts)
    assert {one["messageId"] for one in mailbox(mac, "INBOX")} == {"old@x.test", "new@x.test", "read@x.test"}


async def test_a_message_that_was_moved_and_kept_its_number_is_not_touched(mac: SimulatedMac):
    plant_mail(mac, MESSAGES)
    tried = trial(mac)
    plan = await tried.plan("mail.star", ids=[OLD.message_id, NEW.message_id])

    def junk_it(boxes: Boxes) -> None:
        boxes[4]["messages"].append(boxes[0]["messages"].pop(0))

    account(mac, junk_it)

    no = await refusal_of(tried.do(plan))

    assert no.code == "world.changed"
    assert not any(one["flaggedStatus"] for one in [*mailbox(mac, "INBOX"), *mailbox(mac, "Junk")])


async def test_messages_with_one_message_id_are_told_apart_by_their_places(mac: SimulatedMac):
    plant_mail(mac, [OLD, OLD])
    tried = trial(mac)

    no = await refusal_of(tried.plan("mail.star", ids=[OLD.message_id]))
    await tried.do(await tried.plan("mail.star", ids=[no.candidates[0].id]))

    assert no.code == "target.ambiguous"
    assert sorted(one["flaggedStatus"] for one in mailbox(mac, "INBOX")) == [False, True]


async def test_a_mailbox_of_a_second_account_is_named_with_the_account(mac: SimulatedMac):
    account(mac, lambda boxes: boxes.append({"#": "mailbox", "name": "Bills", "messages": []}))
    bills = {"#": "mailbox", "name": "Bills", "messages": [record(NEW, 1)]}
    work = {"#": "account", "id": "A-2", "name": "Work", "enabled": True, "emailAddresses": [], "mailboxes": [bills]}
    mac.plant("Mail", accounts=[*mac.app("Mail")["accounts"], work])

    answer = await trial(mac).answer("mail.search", criteria={"subject": "lunch"})

    (found,) = cast("list[dict[str, Json]]", answer.data["messages"])
    assert found["mailbox"] == "Work/Bills"


async def test_an_attachment_is_saved_as_it_came(mac: SimulatedMac):
    made = EmailMessage()
    made["Message-ID"] = OLD.message_id
    made.set_content("See the file")
    made.add_attachment(b"\x00\xff bytes", maintype="application", subtype="pdf", filename="bill ü.pdf")
    files = [{"#": "mailAttachment", "@": 1, "name": "bill ü.pdf", "id": "1"}]
    plant_mail(mac, [OLD], source=made.as_bytes().decode(), mailAttachments=files)
    tried = trial(mac)

    found = await tried.backend.reads.get((OLD.message_id,))
    await tried.do(await tried.plan("mail.save_attachment", message_id=OLD.message_id, number=1, path="~/"))

    assert [(one.number, one.name, one.type) for one in found[0].attachments] == [(1, "bill ü.pdf", "application/pdf")]
    assert (mac.home / "bill ü.pdf").read_bytes() == b"\x00\xff bytes"


async def test_a_label_is_kept_by_sayso_which_says_so(mac: SimulatedMac):
    plant_mail(mac, [OLD])
    tried = trial(mac)
    plan = await tried.plan("mail.add_label", ids=[OLD.message_id], label="Money")

    (left,) = await tried.do(plan)

    assert "Mail has no labels" in told(tried, plan, left)
    assert [one.labels for one in await trial(mac).backend.reads.get((OLD.message_id,))] == [("Money",)]


async def test_a_text_that_mail_has_not_fetched_is_told_as_left_out(mac: SimulatedMac):
    plant_mail(mac, [OLD], unfetched=True)

    (found,) = await trial(mac).backend.reads.get((OLD.message_id,))

    assert (found.body_text, found.text_left) == ("", found.size)


async def test_a_search_for_a_text_that_cannot_read_all_texts_says_so(mac: SimulatedMac):
    plant_mail(mac, [replace(OLD, message_id=f"<{number}@x.test>") for number in range(AT_ONCE + 1)])
    reads = dataclasses.replace(build(on(mac)).reads, deep=AT_ONCE)

    with fails(ProviderError, "mail.too_many"):
        await reads.query("nothing", 5)

    assert len(await reads.query("pay", 5)) == 5


@pytest.mark.thorough
async def test_a_search_that_cannot_look_at_all_messages_says_so_instead_of_finding_nothing(mac: SimulatedMac):
    plant_mail(mac, [replace(OLD, message_id=f"<{number}@x.test>") for number in range(NEWEST + 1)])
    tried = trial(mac)

    with fails(ProviderError, "mail.too_many"):
        await tried.answer("mail.search", criteria={"from": "nobody@z.test"})

    assert (await tried.answer("mail.search", criteria={"from": "ana@x.test", "limit": 2})).data["messages"]


@BOTH
@pytest.mark.req("S1-28", "T-26")
async def test_a_sent_mail_is_what_was_shown_and_is_never_sent_twice(mac: SimulatedMac):
    tried = trial(mac)
    plan = await tried.plan("mail.send", **LETTER)
    (change,) = plan.changes
    assert isinstance(await tried.backend.settle(change.do, ()), NotDone)

    (left,) = await tried.do(plan)

    (sent,) = mailbox(mac, "Sent Messages")
    assert (sent["subject"], sent["content"], sent["sender"]) == (ONE_LINE, LINES, "You <you@x.test>")
    assert (people(sent, "to"), people(sent, "cc"), people(sent, "bcc")) == (["bo@y.test"], ["c@y.test"], ["d@y.test"])
    assert await tried.backend.settle(change.do, ()) == left == Applied((MailSent(left.facts[0].about),))
    with fails(Uncertain, "mail.sent_before"):
        await tried.do(plan)
    assert len(mailbox(mac, "Sent Messages")) == 1
    assert outgoing(mac) == []


async def test_a_mail_that_waits_in_the_outbox_is_told(mac: SimulatedMac):
    mac.plant("Mail", offline=True)
    tried = Trial(MAIL, build(on(mac, SENDER), tries=1))
    plan = await tried.plan("mail.send", to="a@x.test", subject="S", body="B")

    (left,) = await tried.do(plan)

    assert "Outbox of Mail" in told(tried, plan, left)


async def test_mail_is_not_sent_from_an_address_that_mail_does_not_have_or_that_is_not_set(mac: SimulatedMac):
    other = trial(mac, {"address": "other@x.test"})

    with fails(ProviderError, "mail.sender"):
        await other.do(await other.plan("mail.send", to="a@x.test", subject="S", body="B"))
    with fails(SetupError, "mail.sender"):
        await trial(mac, {}).plan("mail.send", to="a@x.test", subject="S", body="B")

    assert (outgoing(mac), mailbox(mac, "Sent Messages")) == ([], [])


@pytest.mark.parametrize("fault", ["denied", "hang"])
async def test_a_mail_that_mail_refused_before_it_was_sent_may_be_sent_again(mac: SimulatedMac, fault: str):
    tried = trial(mac)
    plan = await tried.plan("mail.send", to="a@x.test", subject="S", body="B")
    mac.fault("Mail", fault)

    await refusal_of(tried.do(plan))
    mac.change(lambda state: state.update(faults=[]))
    await tried.do(plan)

    assert len(mailbox(mac, "Sent Messages")) == 1


async def test_a_mail_that_could_not_be_written_to_its_end_leaves_nothing_in_mail(mac: SimulatedMac):
    tried = trial(mac)
    plan = await tried.plan("mail.send", to="a@x.test", subject="S", body="B")
    mac.fault("Mail", "number", number=-10000, once=True, on="set")

    no = await refusal_of(tried.do(plan))

    assert (no.code, outgoing(mac), mailbox(mac, "Sent Messages")) == ("macos.refused", [], [])


async def test_a_mail_of_which_mail_did_not_say_whether_it_was_sent_is_not_sent_again(mac: SimulatedMac):
    tried = trial(mac)
    plan = await tried.plan("mail.send", to="a@x.test", subject="S", body="B")
    mac.fault("Mail", "hang", on="send")

    with fails(Uncertain, "macos.timeout"):
        await tried.do(plan)

    assert isinstance(await tried.backend.settle(plan.changes[0].do, ()), CannotTell)
    with fails(Uncertain, "mail.sent_before"):
        await tried.do(plan)


async def test_an_interrupted_sending_is_never_begun_again(mac: SimulatedMac):
    plan = await trial(mac).plan("mail.send", to="a@x.test", subject="S", body="B")

    with pytest.raises(Killed):
        await trial(mac, kill=KillAt("mail.send.before")).do(plan)
    assert isinstance(await trial(mac).backend.settle(plan.changes[0].do, ()), NotDone)
    with pytest.raises(Killed):
        await trial(mac, kill=KillAt("mail.send.after")).do(plan)

    assert isinstance(await trial(mac).backend.settle(plan.changes[0].do, ()), Applied)


@pytest.mark.req("S0-40", "T-26")
async def test_a_composed_mail_of_any_length_is_a_window_and_is_not_sent(mac: SimulatedMac):
    tried = trial(mac, {})
    plan = await tried.plan("mail.compose", to="bo@y.test", subject=ONE_LINE, body=LINES * 500)

    (left,) = await tried.do(plan)

    (window,) = outgoing(mac)
    assert (window["visible"], window["subject"], window["content"]) == (True, ONE_LINE, LINES * 500)
    assert (people(window, "to"), mailbox(mac, "Sent Messages")) == (["bo@y.test"], [])
    assert await trial(mac, {}).backend.settle(plan.changes[0].do, ()) == left


async def test_doctor_says_whether_mail_may_be_controlled_and_from_where_it_sends(mac: SimulatedMac):
    ready = await build(on(mac, SENDER)).capabilities()
    mac.fault("Mail", "denied")
    denied = await build(on(mac, {})).capabilities()

    assert [one.served for one in ready] == ["Mail", "lark", "Mail"]
    assert [one.served for one in denied] == ["", "lark", ""]
    assert "Automation" in denied[0].why
