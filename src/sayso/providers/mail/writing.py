"""The bytes of a message that is written here: built once, by rules that no field can break out of."""

from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from sayso.providers.mail.steps import ComposeMessage, SendMessage


def message_bytes(step: ComposeMessage | SendMessage, sender: str, moment: datetime) -> bytes:
    """Return the message; hidden recipients are not named in it."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = ", ".join(step.to)
    if isinstance(step, SendMessage):
        for name, values in (("Cc", step.cc), ("Reply-To", step.reply_to)):
            if values:
                message[name] = ", ".join(values)
    message["Subject"] = step.subject
    message["Date"] = format_datetime(moment)
    message["Message-ID"] = step.message_id
    message.set_content(step.body, cte="quoted-printable")
    return message.as_bytes()
