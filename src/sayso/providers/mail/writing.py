"""The bytes of a draft: what would be sent, were it sent as it stands."""

from datetime import datetime

from sayso.core.errors import ProposalError, ProviderError, SetupError
from sayso.providers.mail.building import built
from sayso.providers.mail.steps import ComposeMessage, SendMessage


def draft_bytes(step: ComposeMessage, sender: str, moment: datetime) -> bytes:
    """Return the draft. Raises `ProviderError` where it cannot be written; nothing was done then."""
    try:
        return built(SendMessage(step.message_id, sender, step.to, step.subject, step.body), moment).encode()
    except (ProposalError, SetupError) as wrong:
        raise ProviderError(str(wrong), wrong.code) from wrong
