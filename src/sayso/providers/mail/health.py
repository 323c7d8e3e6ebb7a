"""Whether mail can be reached, searched and sent, and what to install or set where it cannot: for `doctor`."""

from importlib.util import find_spec

from sayso.core.errors import SetupError
from sayso.core.ports import BackendContext
from sayso.core.provider import Capability
from sayso.providers.mail.query.parser import NO_EXTRA as NO_QUERIES
from sayso.providers.mail.smtp.outbox import NO_EXTRA as NO_SENDING
from sayso.providers.mail.smtp.outbox import read_server


def searching() -> Capability:
    """Say whether queries are understood."""
    if find_spec("lark") is None:
        return _lacking("mail search", NO_QUERIES)
    return Capability("mail search", "lark", "Gmail's queries can be read")


def sending(ground: BackendContext) -> Capability:
    """Say where mail is handed over; the server is reached only to send."""
    try:
        server = read_server(ground.settings)
    except SetupError as missing:
        return _lacking("sending mail", str(missing))
    if find_spec("aiosmtplib") is None:
        return _lacking("sending mail", NO_SENDING)
    return Capability("sending mail", f"{server.host}:{server.port}", "mail.smtp_host names it")


def _lacking(name: str, sentence: str) -> Capability:
    says, _, fix = sentence.partition("; ")
    return Capability(name, "", says, fix)
