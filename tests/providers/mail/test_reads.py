"""Where messages were seen is remembered, up to a bound."""

from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.providers.mail import reads
from sayso.providers.mail.messages import Place
from sayso.providers.mail.reads import Seen, shorten_message, tell_apart
from sayso.providers.mail.store import Message
from sayso.testing.mail import NEW, OLD
from tests.providers.mail.maildir.places import over, planted


def test_the_last_place_is_remembered_and_can_be_forgotten():
    seen = Seen()
    seen.put("<a@x>", Place("inbox", "1"))
    seen.put("<a@x>", Place("archive", "2"))

    assert seen["<a@x>"] == Place("archive", "2")
    seen.drop("<a@x>")
    assert seen["<a@x>"] is None


def test_the_oldest_are_forgotten_so_that_memory_stays_flat():
    seen = Seen()

    for number in range(reads.MOST + 1):
        seen.put(f"<{number}@x>", Place("inbox", str(number)))

    assert seen["<0@x>"] is None
    assert seen["<1@x>"] == Place("inbox", "1")


def test_a_long_text_is_cut_and_the_rest_is_counted():
    message = shorten_message(Message("<a@x>", body_text="x" * 100, text_left=7), 60)

    assert (len(message.body_text), message.text_left) == (60, 47)
    assert shorten_message(Message("<a@x>", body_text="x"), 60).text_left == 0


def test_messages_with_the_same_id_go_by_their_places():
    seen = Seen()
    both = (Message("<a@x>", uid="1"), Message("<a@x>", uid="2"))

    first, second = tell_apart(both, seen)

    assert (first.message_id, second.message_id) == ("place:inbox/0/1", "place:inbox/0/2")
    assert seen["place:inbox/0/1"] == Place("inbox", "1", 0)


async def test_new_ids_are_of_the_senders_domain_and_never_the_same(tmp_path: Path):
    mail = over(tmp_path).reads

    one, two = mail.new_message_id(), mail.new_message_id()

    assert one != two
    assert one.endswith("@localhost>")


async def test_a_file_of_a_mail_that_is_not_there_is_named(tmp_path: Path):
    planted(tmp_path, [OLD])

    with pytest.raises(ProposalError, match=r"No message has the id “<new@x.test>”"):
        await over(tmp_path).reads.came(NEW.message_id, 1)
