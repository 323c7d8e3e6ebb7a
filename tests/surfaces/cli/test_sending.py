"""A mail that a person approves at the terminal reaches a real server once, or not at all."""

import mailbox
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mail_env.smtp import RecordingSmtp, smtp
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import Screen, at_terminal, sayso

Reply = Callable[[str], str]
SEND = '{"name": "macos_auto", "arguments": {"action": "mail_send", "to": "bo@y.test", "subject": "S", "body": "B"}}'
MAIL = """
[mail]
kind = "maildir"
address = "ana@x.test"
smtp_host = "127.0.0.1"
smtp_port = {port}
hold_seconds = {seconds}
"""


@pytest.fixture
def post() -> Iterator[RecordingSmtp]:
    """Return a real server that records what arrives."""
    with smtp() as there:
        yield there


@pytest.fixture
def approved(settings: Callable[[str], None], reply: Reply, sit: Sit, post: RecordingSmtp) -> Callable[[int], Screen]:
    """Return what brings a mail to the point where the person has said yes."""

    def at(seconds: int) -> Screen:
        settings(MAIL.format(port=post.port, seconds=seconds))
        screen = sit(argv=at_terminal("run", reply(SEND), "--dialect", "tools"))
        screen.see("Send “S” to bo@y.test", "[y/N]")
        screen.type("y\n")
        return screen

    return at


def last() -> dict[str, Any]:
    return sayso("log", "--json").document["rows"][0]


@pytest.mark.req("S1-28", "S3-43")
def test_it_arrives_once_and_a_copy_is_kept(approved: Callable[[int], Screen], post: RecordingSmtp, scratch_home: Path):
    screen = approved(1)

    assert screen.end() == 0
    ((sender, recipients, message),) = post.accepted
    assert (sender, recipients) == ("ana@x.test", ["bo@y.test"])
    (copy,) = mailbox.Maildir(scratch_home / "Maildir" / ".Sent", create=False)
    assert copy["Message-ID"] == last()["data"]["message_id"]
    assert copy["Message-ID"].encode() in message


@pytest.mark.req("ML-06")
def test_a_process_that_is_killed_in_the_hold_has_sent_nothing_and_never_will(
    approved: Callable[[int], Screen], post: RecordingSmtp
):
    screen = approved(600)
    screen.see("s … Ctrl-C stops it")

    os.kill(screen.program.pid, signal.SIGKILL)
    screen.program.wait()

    assert last()["state"] == "failed"
    assert last()["error"] == "interrupted before it began; nothing was changed"
    assert post.heard == []


@pytest.mark.req("ML-06")
def test_a_server_that_hangs_up_before_its_answer_leaves_it_unknown_and_nothing_is_sent_again(
    approved: Callable[[int], Screen], post: RecordingSmtp
):
    post.cut = "dot"
    screen = approved(0)

    assert screen.end() == 4
    assert last()["state"] == "unknown"
    assert len(post.accepted) == 1
    sayso("undo", last()["id"], "--yes")
    assert len(post.accepted) == 1


@pytest.mark.req("ML-06")
def test_a_server_that_hangs_up_before_the_mail_is_a_plain_failure(
    approved: Callable[[int], Screen], post: RecordingSmtp
):
    post.cut = "RCPT"
    screen = approved(0)

    assert screen.end() == 1
    assert last()["state"] == "failed"
    assert "nothing was sent" in last()["error"]
    assert post.accepted == []


def test_without_a_server_it_is_said_what_to_set(settings: Callable[[str], None], reply: Reply):
    settings('[mail]\nkind = "maildir"\n')

    (result,) = sayso("run", reply(SEND), "--dialect", "tools", "--json").document["results"]

    assert result["state"] == "failed"
    assert "“sayso config mail” asks" in result["error"]
