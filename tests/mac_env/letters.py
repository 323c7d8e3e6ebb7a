"""Messages in Mail of a simulated Mac."""

from collections.abc import Sequence
from email.utils import getaddresses
from typing import Any

from sayso.providers.mail.store import Message
from sayso.testing.macos import SimulatedMac
from tests.providers.mail.letters import letter


def record(message: Message, number: int) -> dict[str, Any]:
    """Return a message as Mail keeps it."""

    def people(kind: str, given: Sequence[str]) -> list[dict[str, Any]]:
        found = getaddresses(given)
        return [
            {"#": kind, "@": number * 100 + at, "name": name, "address": one} for at, (name, one) in enumerate(found)
        ]

    return {
        "#": "message",
        "@": number,
        "id": number,
        "messageId": message.message_id.strip("<>"),
        "subject": message.subject,
        "sender": message.from_address,
        "dateReceived": message.received_at,
        "readStatus": "read" in message.flags,
        "flaggedStatus": "starred" in message.flags,
        "deletedStatus": False,
        "messageSize": len(letter(message)),
        "content": message.body_text,
        "source": letter(message).decode(),
        "toRecipients": people("toRecipient", message.to),
        "ccRecipients": people("ccRecipient", message.cc),
        "bccRecipients": [],
        "mailAttachments": [],
    }


def plant_mail(mac: SimulatedMac, messages: Sequence[Message], box: str = "INBOX", **properties: object) -> None:
    """Put messages into a mailbox of the account."""

    def planting(state: dict[str, Any]) -> None:
        app = next(one for one in state["apps"] if one["name"] == "Mail")
        into = next(one for one in app["accounts"][0]["mailboxes"] if one["name"] == box)
        for message in messages:
            state["counter"] += 1
            into["messages"].append({**record(message, 7000 + state["counter"]), **properties})

    mac.change(planting)


def mailbox(mac: SimulatedMac, name: str) -> list[dict[str, Any]]:
    """Return the messages in a mailbox of the account."""
    return next(one for one in mac.app("Mail")["accounts"][0]["mailboxes"] if one["name"] == name)["messages"]
