"""The bytes of a draft, by rules that no field can break out of."""

from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from sayso.providers.mail.steps import ComposeMessage


def message_bytes(step: ComposeMessage, sender: str, moment: datetime) -> bytes:
    """Return the draft."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = ", ".join(step.to)
    message["Subject"] = step.subject
    message["Date"] = format_datetime(moment)
    message["Message-ID"] = step.message_id
    message.set_content(step.body, cte="quoted-printable")
    return message.as_bytes()
