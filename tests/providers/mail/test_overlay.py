"""A batch sees the mail as its earlier steps would leave it, and nothing is touched."""

from collections.abc import Sequence

import pytest

from sayso.core.plan import AsLeft, Ref
from sayso.providers.mail.memory import Reads, deliver_all, memory_backend
from sayso.providers.mail.model import ComposeMessage, MoveMessages, SetFlag, SetLabel, Steps
from sayso.providers.mail.overlay import Imagined, imagine_step
from sayso.providers.mail.store import Criteria, Message, Wanted
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.mail import MESSAGES, NEW, OLD, READ

NOW = "2026-03-14T12:00:00Z"


def after(*steps: Steps) -> Imagined:
    seen: Reads | Imagined = memory_backend(FakeClock(), NumberedIds(), deliver_all(MESSAGES), lasting=True).reads
    for number, step in enumerate(steps):
        seen = imagine_step(seen, step, Ref(number, 0), NOW)
    assert isinstance(seen, Imagined)
    return seen


def ids(found: Sequence[Message]) -> list[str]:
    return [one.message_id for one in found]


async def test_what_would_be_archived_is_not_in_the_inbox():
    seen = after(MoveMessages((NEW.message_id,), "inbox", "archive"))

    assert ids(await seen.inbox(1, include_read=True)) == [READ.message_id]
    assert ids(await seen.search(Wanted(Criteria(subject="lunch")))) == [NEW.message_id]


async def test_what_would_be_put_into_the_trash_is_not_found():
    seen = after(MoveMessages((NEW.message_id,), "inbox", "trash"))

    assert ids(await seen.search(Wanted(Criteria(limit=1)))) == [READ.message_id]
    assert [one.mailbox for one in await seen.heads((NEW.message_id,))] == ["trash"]


async def test_what_would_be_read_or_labelled_is_found_so():
    seen = after(SetFlag((OLD.message_id,), "read", on=True), SetLabel((OLD.message_id,), "L", on=True))

    assert ids(await seen.inbox(9, include_read=False)) == [NEW.message_id]
    assert ids(await seen.search(Wanted(Criteria(label="l")))) == [OLD.message_id]


async def test_what_would_be_written_is_there_by_its_id():
    seen = after(ComposeMessage("<new@here>", ("a@x",), "S", "B"))

    (draft,) = await seen.get(("<new@here>",))
    assert (draft.mailbox, draft.subject, draft.body_text) == ("drafts", "S", "B")


async def test_what_a_step_changes_is_expected_as_it_leaves_it():
    seen = after(MoveMessages((OLD.message_id,), "inbox", "archive"), SetFlag((OLD.message_id,), "starred", on=True))
    (message,) = await seen.heads((OLD.message_id,))

    assert seen.where(message) == AsLeft(OLD.message_id, "mail_at", 0, 0)
    assert seen.flag(message, "starred") == AsLeft(f"starred {OLD.message_id}", "mail_flag", 0, 1)
    assert not isinstance(seen.label(message, "L"), AsLeft)


@pytest.mark.parametrize("include_read", [True, False])
async def test_nothing_is_touched(include_read: bool):
    seen = after(MoveMessages((NEW.message_id,), "inbox", "trash"))

    assert NEW.message_id in ids(await seen.base.inbox(9, include_read=include_read))
