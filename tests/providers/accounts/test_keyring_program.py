"""What is asked of a keyring, and answered, goes over pipes alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mail_env.keyrings import odd_keyring, without_session
from tests.patience import patience

WORD = "s3cret"
ASKED = {"verb": "get", "service": "sayso mail x", "user": "ana", "password": ""}


def asked(environ: dict[str, str], **said: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "sayso.providers.accounts.keyring_program"],
        input=json.dumps({**ASKED, **said}).encode(),
        env=without_session(**environ),
        capture_output=True,
        check=False,
        timeout=patience(),
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_where_there_is_no_keyring_that_is_the_answer():
    code, said, _ = asked({})

    assert (code, json.loads(said)) == (0, {"how": "none", "name": "", "password": ""})


def test_a_keyring_that_keeps_nothing_has_a_fault(tmp_path: Path):
    _, said, _ = asked(odd_keyring(tmp_path, "Forgetful"), verb="set", password=WORD)

    assert json.loads(said)["how"] == "fault"


@pytest.mark.req("AU-04")
def test_what_a_keyring_raises_is_not_said_on_the_output(tmp_path: Path):
    code, said, _ = asked(odd_keyring(tmp_path, "Talkative"), verb="set", password=WORD)

    assert code != 0
    assert said == ""
