"""The tests that every mail backend must pass; the backend's test class inherits them."""

from collections.abc import Sequence
from typing import ClassVar, cast

from sayso.core.plan import Applied, CannotUndo, NotDone, Plan
from sayso.core.ports import Backend
from sayso.providers.mail import MAIL
from sayso.providers.mail.store import Mail, Message
from sayso.testing.harness import Trial, equal, refusal_of, so

OLD = Message("<old@x.test>", "Ana <ana@x.test>", ("you@x.test",), "Invoice 1", "Please pay", "2026-03-01T10:00:00Z")
NEW = Message("<new@x.test>", "Bo <bo@y.test>", ("you@x.test",), "Lunch", "Today? ünï", "2026-03-13T10:00:00Z")
READ = Message(
    "<read@x.test>", "Ana <ana@x.test>", ("you@x.test",), "Invoice 2", "Thanks", "2026-03-10T10:00:00Z", (), ("read",)
)
MESSAGES = (OLD, NEW, READ)


class MailSuite:
    """A test class inherits these tests, and defines how to `make` a backend whose inbox has the given messages."""

    def make(self, messages: Sequence[Message]) -> Backend:
        """Return a backend with these messages in its inbox, and none in other mailboxes."""
        raise NotImplementedError

    def trial(self) -> Trial:
        """Return a trial of a new backend with the three messages."""
        return Trial(MAIL, self.make(MESSAGES))

    async def test_the_inbox_is_listed_newest_first(self) -> None:
        """List the whole inbox, the unread messages, and only one of these."""
        trial = self.trial()

        equal(await list_inbox(trial), [NEW, READ, OLD], "the inbox")
        equal(await list_inbox(trial, include_read=False), [NEW, OLD], "the unread")
        equal(await list_inbox(trial, include_read=False, limit=1), [NEW], "the newest unread")

    async def test_messages_are_got_by_id(self) -> None:
        """Get messages by three ids; an unknown one is left out, and alone finds nothing (S3-36, S3-37)."""
        trial = self.trial()

        found = await trial.answer("mail.get_many", ids=[OLD.message_id, "<none@x.test>", NEW.message_id])
        none = await trial.answer("mail.get", id="<none@x.test>")

        equal(ids_of(found.data["messages"]), [OLD.message_id, NEW.message_id], "what is found")
        equal(none.data["messages"], [], "what an unknown id finds")

    async def test_criteria_are_combined(self) -> None:
        """Search with each criterion of T-93 alone, and with some together; results are newest first."""
        trial = self.trial()
        await trial.do(await trial.plan("mail.add_label", ids=[OLD.message_id], label="Money"))
        for criteria, wanted in (
            ({"from": "ANA@x"}, [READ, OLD]),
            ({"to": "you@x.test"}, [NEW, READ, OLD]),
            ({"subject": "invoice"}, [READ, OLD]),
            ({"text": "ÜNÏ"}, [NEW]),
            ({"text": "lunch"}, [NEW]),
            ({"label": "Money"}, [OLD]),
            ({"unread": True}, [NEW, OLD]),
            ({"unread": False}, [READ]),
            ({"after": "2026-03-10T10:00:00Z"}, [NEW, READ]),
            ({"before": "2026-03-10T10:00:00Z"}, [OLD]),
            ({"from": "ana", "unread": True}, [OLD]),
            ({"limit": 2}, [NEW, READ]),
            ({}, [NEW, READ, OLD]),
            ({"subject": "nothing like that"}, []),
        ):
            found = await trial.answer("mail.search", criteria=criteria)

            equal(ids_of(found.data["messages"]), [one.message_id for one in wanted], f"what {criteria} finds")

    async def test_each_change_is_done_and_taken_back(self) -> None:
        """Make every kind of change to two messages at once, and undo it."""
        both = [OLD.message_id, NEW.message_id]
        for operation, arguments in (
            ("mail.archive", {}),
            ("mail.trash", {}),
            ("mail.star", {}),
            ("mail.mark_read", {}),
            ("mail.add_label", {"label": "Two words"}),
        ):
            trial = self.trial()
            before = await everything(trial)
            plan = await trial.plan(operation, ids=both, **arguments)
            equal(len(plan.changes), 1, f"the changes of {operation}")

            lefts = await trial.do(plan)

            so(await everything(trial) != before, f"{operation} changed something")
            again = await trial.plan(operation, ids=both, **arguments)
            equal(again.changes, (), f"what {operation} changes again")
            await trial.take_back(plan, lefts)
            equal(await everything(trial), before, f"the mail after {operation} and undo")

    async def test_archived_mail_leaves_the_inbox_and_is_still_found(self) -> None:
        """Archive one of three messages."""
        trial = self.trial()
        await trial.do(await trial.plan("mail.archive", ids=[READ.message_id]))

        found = await trial.answer("mail.search", criteria={"subject": "Invoice 2"})

        equal(await list_inbox(trial), [NEW, OLD], "the inbox")
        equal(ids_of(found.data["messages"]), [READ.message_id], "what is found")

    async def test_only_what_is_not_so_already_is_changed_and_taken_back(self) -> None:
        """Mark all messages as read; the one that was read before stays so after the undo."""
        trial = self.trial()
        before = await everything(trial)
        plan = await trial.plan("mail.mark_read", ids=[one.message_id for one in MESSAGES])
        so("1 of 3 messages is so already" in plan.warns[0], f"{plan.warns} says what stays")

        await trial.take_back(plan, await trial.do(plan))

        equal(await everything(trial), before, "the mail after undo")

    async def test_a_message_moved_since_is_not_touched(self) -> None:
        """Plan to archive two messages, and put one into the trash first (ML-08, ML-09)."""
        trial = self.trial()
        plan = await trial.plan("mail.archive", ids=[OLD.message_id, NEW.message_id])
        await trial.do(await trial.plan("mail.trash", ids=[OLD.message_id]), 1)
        before = await everything(trial)

        await refusal_of(trial.do(plan))

        equal(await everything(trial), before, "the mail")

    async def test_an_undo_after_a_later_change_is_refused(self) -> None:
        """Archive a message, then put it into the trash; undoing the archiving does not bring it back."""
        trial = self.trial()
        plan = await trial.plan("mail.archive", ids=[OLD.message_id])
        lefts = await trial.do(plan)
        await trial.do(await trial.plan("mail.trash", ids=[OLD.message_id]), 1)
        before = await everything(trial)

        await refusal_of(trial.take_back(plan, lefts))

        equal(await everything(trial), before, "the mail")

    async def test_an_unknown_id_is_named_and_nothing_is_planned(self) -> None:
        """Star a message that exists and one that does not."""
        no = await refusal_of(self.trial().plan("mail.star", ids=[OLD.message_id, "<none@x.test>"]))

        equal(no.code, "target.not_found", "the code")
        so("<none@x.test>" in str(no), f"{no} names it")

    async def test_a_batch_sees_what_its_earlier_steps_will_do(self) -> None:
        """Plan several changes of one message, before any of these is done."""
        trial = self.trial()
        plans = [await trial.plan("mail.archive", ids=[OLD.message_id])]
        trial.imagine(plans[-1])
        for operation, arguments in (("mail.star", {}), ("mail.add_label", {"label": "L"}), ("mail.trash", {})):
            plans.append(await trial.plan(operation, ids=[OLD.message_id], **arguments))
            trial.imagine(plans[-1])
        equal((await trial.plan("mail.archive", ids=[OLD.message_id])).changes, (), "what archiving again would change")

        for number, plan in enumerate(plans):
            await trial.do(plan, number)

        (message,) = await reads(trial).get((OLD.message_id,))
        equal((message.mailbox, message.flags, message.labels), ("trash", ("starred",), ("L",)), "the message")

    async def test_a_composed_mail_is_not_sent(self) -> None:
        """Compose a mail: it opens a window, or saves a draft, which goes into the trash when it is undone."""
        trial = self.trial()
        plan = await trial.plan("mail.compose", to="bo@y.test", subject="Plän", body="Text")

        lefts = await trial.do(plan)

        equal(plan.sends, (), "what it sends")
        so(lefts[0].facts, "it left a trace")
        equal(await trial.backend.settle(plan.changes[0].do, ()), lefts[0], "what became of it")
        if plan.said_when_done != "Opened email compose":
            equal(await drafts(trial, plan), [("drafts", "Plän", "Text")], "the draft")
            await trial.take_back(plan, lefts)
            equal(await drafts(trial, plan), [("trash", "Plän", "Text")], "the draft taken back")
        else:
            so(isinstance(plan.changes[0].undo, CannotUndo), "a window is closed by hand")

    async def test_what_had_not_begun_is_settled_as_not_done(self) -> None:
        """Settle a step before anything is done, and after somebody else did the same; it is never settled as done."""
        trial = self.trial()
        (change,) = (await trial.plan("mail.archive", ids=[OLD.message_id])).changes
        settled = await trial.backend.settle(change.do, change.expects)
        so(not isinstance(settled, Applied), "it is not done yet")

        await trial.do(await trial.plan("mail.archive", ids=[OLD.message_id, NEW.message_id]), 1)

        settled = await trial.backend.settle(change.do, change.expects)
        so(not isinstance(settled, Applied), "it was somebody else's")

    async def test_labels_are_the_same_in_any_case(self) -> None:
        """Add a label twice in different case: the second time nothing changes. Then remove it in different case."""
        trial = self.trial()
        await trial.do(await trial.plan("mail.add_label", ids=[OLD.message_id], label="größe/[x] 100%"))

        again = await trial.plan("mail.add_label", ids=[OLD.message_id], label="Größe/[X] 100%")
        found = await trial.answer("mail.search", criteria={"label": "größe/[x] 100%"})
        await trial.do(await trial.plan("mail.remove_label", ids=[OLD.message_id], label="Größe/[x] 100%"))

        equal(again.changes, (), "what the same label would change")
        equal(ids_of(found.data["messages"]), [OLD.message_id], "what the label finds")
        equal([one.labels for one in await reads(trial).get((OLD.message_id,))], [()], "the labels left")

    async def test_a_query_in_gmails_language_is_answered(self) -> None:
        """Query by senders, words, negation, read state and dates; results are newest first (S3-34, S3-35)."""
        trial = self.trial()
        for query, wanted in (
            ("from:ana", [READ, OLD]),
            ("from:ana is:unread", [OLD]),
            ("subject:lunch OR thanks", [NEW, READ]),
            ("-from:ana", [NEW]),
            ("before:2026/03/05", [OLD]),
            ("{from:bo before:2026/03/05}", [NEW, OLD]),
        ):
            found = await trial.answer("mail.query", query=query)

            equal(ids_of(found.data["messages"]), [one.message_id for one in wanted], f"what “{query}” finds")


class SendingSuite:
    """Further tests for backends that send mail; a test class inherits them beside `MailSuite`."""

    names_its_own_id: ClassVar[bool] = False
    """Whether what sends a mail gives it another Message-ID than the plan has; it is then found by its subject."""

    def make(self, messages: Sequence[Message]) -> Backend:
        """Return a backend with these messages in its inbox, and none in other mailboxes."""
        raise NotImplementedError

    async def test_a_sent_mail_is_known_by_its_message_id(self) -> None:
        """Send a mail, settle it before and after, and get it; it cannot be undone."""
        trial = Trial(MAIL, self.make(MESSAGES))
        plan = await trial.plan("mail.send", to="Bo <bo@y.test>", subject="Hi ü", body="One\n.\nTwo\n", cc="c@y.test")
        (change,) = plan.changes
        so(isinstance(change.undo, CannotUndo), "there is no way back")
        so(isinstance(await trial.backend.settle(change.do, ()), NotDone), "it is not sent yet")

        (left,) = await trial.do(plan)

        equal(await trial.backend.settle(change.do, change.expects), left, "what became of it")
        (message,) = await self._sent(trial, plan)
        equal((message.to, message.cc), (("Bo <bo@y.test>",), ("c@y.test",)), "who it went to")
        equal((message.subject, message.body_text), ("Hi ü", "One\n.\nTwo\n"), "what it says")
        equal(await list_inbox(trial), [NEW, READ, OLD], "the inbox")

    async def test_a_mail_that_was_sent_is_not_sent_again(self) -> None:
        """Send a mail, then carry out the same plan again: that is refused, and one mail was sent."""
        trial = Trial(MAIL, self.make(MESSAGES))
        plan = await trial.plan("mail.send", to="Bo <bo@y.test>", subject="Hi ü", body="One")
        await trial.do(plan)

        no = await refusal_of(trial.do(plan))

        equal(no.code, "mail.sent_before", "why it is refused")
        equal(len(await self._sent(trial, plan)), 1, "how many mails were sent")

    async def _sent(self, trial: Trial, plan: Plan) -> Sequence[Message]:
        """Return the mails that were sent by a plan."""
        known = await reads(trial).get((str(plan.data["message_id"]),))
        if not self.names_its_own_id:
            return known
        equal(known, (), "what has the Message-ID of the plan")
        found = await trial.answer("mail.search", criteria={"subject": "Hi ü"})
        return await reads(trial).get(tuple(ids_of(found.data["messages"])))


async def drafts(trial: Trial, plan: Plan) -> list[tuple[str, str, str]]:
    """Return the mailbox, subject and text of the draft of a plan."""
    found = await reads(trial).get((str(plan.data["message_id"]),))
    return [(one.mailbox, one.subject, one.body_text.strip()) for one in found]


async def list_inbox(trial: Trial, limit: int = 50, *, include_read: bool = True) -> list[Message]:
    """Return the inbox, as the messages that it was made from."""
    answer = await trial.answer("mail.inbox", limit=limit, include_read=include_read)
    known = {message.message_id: message for message in MESSAGES}
    return [known[id_] for id_ in ids_of(answer.data["messages"])]


async def everything(trial: Trial) -> set[tuple[str, str, frozenset[str], frozenset[str]]]:
    """Return the mailbox of each message, with its flags and labels."""
    found = await reads(trial).get(tuple(message.message_id for message in MESSAGES))
    return {(one.message_id, one.mailbox, frozenset(one.flags), frozenset(one.labels)) for one in found}


def ids_of(messages: object) -> list[str]:
    """Return the ids in a result's `messages`."""
    return [str(message["message_id"]) for message in cast("list[dict[str, object]]", messages)]


def reads(trial: Trial) -> Mail:
    """Return the object with the methods that read mail, as it is or as it is imagined."""
    return cast("Mail", trial.seen)
