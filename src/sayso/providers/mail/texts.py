"""What is common to lists of messages: how much of a text they hold, and ids that tell messages apart."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sayso.providers.mail.finding import Seen
from sayso.providers.mail.places import Place
from sayso.providers.mail.store import Message

LISTED = 65_536
"""Characters of its text that a message has in a list; all of it is there when the message is got by its id."""


def shortened(message: Message, most: int) -> Message:
    """Return a message with at most the first `most` characters of its text."""
    left = len(message.body_text) - most
    if left <= 0:
        return message
    return replace(message, body_text=message.body_text[:most], text_left=message.text_left + left)


def told_apart(messages: Iterable[Message], seen: Seen) -> tuple[Message, ...]:
    """Return messages so that no two have the same id, and remember where each was seen.

    Those that call themselves the same go by their places, all of them: the id alone would say which to nobody.
    """
    found = tuple(messages)
    called = Counter(message.message_id for message in found)
    listed: list[Message] = []
    for message in found:
        place = Place(message.mailbox, message.uid, message.uidvalidity)
        id_ = message.message_id if called[message.message_id] == 1 else str(place)
        listed.append(replace(message, message_id=id_))
        seen.put(id_, place)
    return tuple(listed)
