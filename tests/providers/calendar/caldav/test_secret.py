"""The password of a calendar is asked for once."""

import sys

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.accounts.keyring import Entry
from sayso.providers.calendar.caldav.secret import Secret
from sayso.runtime.ids import RandomIds
from sayso.testing.fakes import FakeClock


def secret(*command: str, word: str = "") -> Secret:
    settings = {"password_command": list(command)} if command else {}
    environ = {"PATH": "/usr/bin:/bin", **({"SAYSO_CALENDAR_PASSWORD": word} if word else {})}
    ground = Ground(settings, "/h", "/h/s", (), FakeClock(), RandomIds(), environ=environ)
    return Secret(ground, Entry("calendar", "cal.x.test", "ana"))


async def test_the_environment_comes_first():
    assert await secret("false", word=" x ").password() == " x "


async def test_a_program_prints_it_and_is_asked_once(tmp_path: object):
    code = (
        f"import pathlib; p = pathlib.Path({str(tmp_path)!r}, 'n'); f = p.open('a'); f.write('x'); f.close();"
        "print('pw', p.read_text())"
    )
    asked = secret(sys.executable, "-c", code)

    assert [await asked.password(), await asked.password()] == ["pw x", "pw x"]


@pytest.mark.req("AU-04")
async def test_a_program_that_fails_is_told_without_what_it_printed():
    with pytest.raises(SetupError, match="password_command") as refused:
        await secret(sys.executable, "-c", "print('half-a-secret'); raise SystemExit(3)").password()

    assert "half-a-secret" not in str(refused.value)


async def test_without_any_it_is_said_how_to_give_one():
    with pytest.raises(SetupError, match="SAYSO_CALENDAR_PASSWORD"):
        await secret().password()
