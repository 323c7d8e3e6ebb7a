"""Lists hold the beginning of long texts and say how much is left; no two messages in one have the same id."""

from sayso.providers.mail.finding import Seen
from sayso.providers.mail.places import Place
from sayso.providers.mail.store import Message
from sayso.providers.mail.texts import shortened, told_apart


def test_a_long_text_is_cut_and_the_rest_is_counted():
    message = shortened(Message("<a@x>", body_text="x" * 100, text_left=7), 60)

    assert (len(message.body_text), message.text_left) == (60, 47)
    assert shortened(Message("<a@x>", body_text="x"), 60).text_left == 0


def test_messages_with_the_same_id_go_by_their_places():
    seen = Seen()
    both = (Message("<a@x>", uid="1"), Message("<a@x>", uid="2"))

    first, second = told_apart(both, seen)

    assert (first.message_id, second.message_id) == ("place:inbox/0/1", "place:inbox/0/2")
    assert seen["place:inbox/0/1"] == Place("inbox", "1", 0)
