"""The backend over an account on the tests' own server."""

from collections.abc import Mapping

from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.providers.mail.account import VARIABLE
from sayso.providers.mail.imap.backend import Imap, build
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.mail_env.accounts import WORD, Accounts


def over(
    server: Accounts,
    person: str,
    kill: KillPoint = no_kill_point,
    environ: Mapping[str, str] | None = None,
    own: str = "/home/ana/.sayso",
    **settings: object,
) -> Imap:
    """Return the backend for a person of this server."""
    known: dict[str, object] = {"host": "127.0.0.1", "port": server.port, "user": person, "address": person}
    given = environ if environ is not None else {VARIABLE: WORD}
    ground = BackendContext(
        {**known, **settings}, "/home/ana", own, (), FakeClock(), NumberedIds(), kill, environ=given
    )
    return build(ground)
