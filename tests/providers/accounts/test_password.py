"""A password comes from the environment, from a program that prints it, or from the keyring, in that order."""

import pytest

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.accounts.keyring import Entry, keyring_of
from sayso.providers.accounts.password import password_line, password_of
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from tests.mail_env.keyrings import SecretService, without_session

ENTRY = Entry("mail", "imap.example.org", "ana")
GNOME = pytest.mark.needs("dbus-daemon", "dbus-send", "gnome-keyring-daemon")


def ground(environ: dict[str, str], **settings: Json) -> Ground:
    environ = without_session(**environ)
    return Ground(settings, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ)


@GNOME
@pytest.mark.req("AU-04")
async def test_the_environment_comes_before_the_program_and_that_before_the_keyring(service: SecretService):
    await keyring_of(ground(service.environ)).keep(ENTRY, "kept")
    printing: list[Json] = ["printf", "printed\\nmore"]

    given = await password_of(
        ground({**service.environ, "SAYSO_MAIL_PASSWORD": "given"}, password_command=printing), ENTRY
    )
    printed = await password_of(ground(service.environ, password_command=printing), ENTRY)
    kept = await password_of(ground(service.environ), ENTRY)

    assert [given.password, printed.password, kept.password] == ["given", "printed", "kept"]
    assert [given.where, printed.where] == ["SAYSO_MAIL_PASSWORD", "password_command (printf)"]
    assert "keyring" in kept.where
    assert "kept" not in repr(kept)


@GNOME
async def test_a_password_of_another_server_is_not_given(service: SecretService):
    await keyring_of(ground(service.environ)).keep(ENTRY, "kept")

    with pytest.raises(SetupError, match="does not have it; run “sayso config mail”") as none:
        await password_of(ground(service.environ), Entry("mail", "imap.other.example", "ana"))

    assert none.value.code == "mail.password"


async def test_without_any_every_way_is_named():
    with pytest.raises(SetupError, match="no keyring in this session; run “sayso config calendar”") as none:
        await password_of(ground({}), Entry("calendar", "cal.example.org", "ana"))

    assert "SAYSO_CALENDAR_PASSWORD, or let password_command in [calendar]" in str(none.value)


async def test_doctor_is_told_where_it_comes_from_or_what_to_do():
    had = await password_line(ground({"SAYSO_MAIL_PASSWORD": "x"}), ENTRY)
    failing = await password_line(ground({}, password_command=["false"]), ENTRY)
    missing = await password_line(ground({}), ENTRY)

    assert (had.served, had.why) == ("SAYSO_MAIL_PASSWORD", "for ana at imap.example.org")
    assert (failing.served, failing.fix) == ("", "sayso config mail")
    assert "(false) ended with 1 and printed no password" in failing.why
    assert (missing.served, missing.fix) == ("", "sayso config mail")
