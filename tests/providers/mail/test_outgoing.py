"""What sends for an account is made of its settings."""

from pathlib import Path

import pytest

from sayso.core.canonical import Json
from sayso.core.errors import ProviderError, SetupError
from sayso.core.plan import Left, NotDone
from sayso.core.ports import Ground
from sayso.providers.mail.building import built
from sayso.providers.mail.composing import Composer
from sayso.providers.mail.facts import MailSent
from sayso.providers.mail.outgoing import Outgoing
from sayso.providers.mail.steps import ComposeMessage, SendMessage
from sayso.providers.programs.running import Runner
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.mail_env.smtp import PASSWORD, USER, smtp

DRAFT = SendMessage("<a@x.test>", "ana@x.test", ("b@y.test",), "S", "B")
STEP = SendMessage("<a@x.test>", "ana@x.test", ("b@y.test",), "S", "B", raw=built(DRAFT, FakeClock().now()))


class Nowhere:
    """A mailbox that is not there."""

    async def holds(self, message_id: str) -> bool:
        raise ProviderError("there is no such mailbox")

    async def keep(self, message: bytes) -> None:
        raise ProviderError("there is no such mailbox")


async def password(ground: Ground) -> str:
    return PASSWORD


def outgoing(own: Path, **settings: Json) -> Outgoing:
    ground = Ground(settings, "/home/ana", str(own), (), FakeClock(), NumberedIds())
    return Outgoing(ground, Nowhere(), password, Composer(Runner({}, NumberedIds())))


async def test_it_signs_in_with_what_the_settings_say_and_tells_of_a_copy_that_is_missing(tmp_path: Path):
    with smtp(login=True) as post:
        settings: dict[str, Json] = {"smtp_host": "127.0.0.1", "smtp_port": post.port, "user": USER}
        sends = outgoing(tmp_path, address="ana@x.test", **settings)
        left = await sends.send(STEP)

    assert left == Left((MailSent("<a@x.test>", kept=False),))
    assert sends.tells(STEP, left) == "no copy could be put among the sent ones"
    assert len(post.accepted) == 1
    assert post.heard[1].startswith("AUTH")


async def test_without_a_server_nothing_is_sent_and_what_to_set_is_said(tmp_path: Path):
    sends = outgoing(tmp_path)

    with pytest.raises(SetupError, match=r"mail\.smtp_host, mail\.address\); “sayso config mail” asks"):
        sends.check()
    with pytest.raises(ProviderError, match="nothing was sent"):
        await sends.send(STEP)


async def test_what_never_went_out_is_settled_as_not_sent(tmp_path: Path):
    sends = outgoing(tmp_path, smtp_host="s.test", address="ana@x.test")

    assert isinstance(await sends.settle(STEP), NotDone)


@pytest.mark.parametrize(("settings", "seconds"), [({}, 10), ({"hold_seconds": 3}, 3), ({"hold_seconds": 0}, 0)])
def test_a_mail_is_held_and_nothing_else(settings: dict[str, Json], seconds: float, tmp_path: Path):
    sends = outgoing(tmp_path, **settings)

    assert sends.holds(STEP) == seconds
    assert sends.holds(ComposeMessage("<a@x>", ("b@y.test",), "S", "B")) == 0
