"""The service hosts the page as well if it is asked to, and a second `sayso serve` finds the page that runs."""

import os
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest

from sayso.config import load
from sayso.providers.browser.address import FOLDER, announce_page, invitation
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.surfaces.cli.trigger_host import of_person, of_triggers
from sayso.surfaces.local_server import LOOPBACK, listening
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import at_terminal, sayso

TOKEN = "a" * 32


def free_port() -> int:
    with listening(0) as found:
        return found.getsockname()[1]


def let_in(url: str, token: str) -> int:
    """Return what the page answers to a browser that brings this token."""
    return httpx2.post(f"{url}api/session", json={"token": token}, headers={"Origin": url.rstrip("/")}).status_code


def test_a_page_that_runs_is_told_and_no_second_server_begins(person: Path):
    own = os.environ["SAYSO_HOME"]

    with announce_page(own, 4711, cards=True) as tell:
        tell(TOKEN)
        found = sayso("serve")
        same = sayso("serve", "--port", "4711", "--json")
        other = invitation(own, 4712)
        modes = [place.stat().st_mode & 0o777 for place in (Path(own, FOLDER), Path(own, FOLDER, "4711"))]

    assert found.out.startswith(f"Open http://{LOOPBACK}:4711/#token={TOKEN}\nThe page is served already")
    assert same.document == {"url": f"http://{LOOPBACK}:4711/", "token": TOKEN}
    assert other is None
    assert modes == [0o700, 0o600]


def test_what_a_killed_server_left_lets_nobody_in(person: Path):
    own = os.environ["SAYSO_HOME"]
    with announce_page(own, 4711, cards=True) as tell:
        tell(TOKEN)
        left = Path(own, FOLDER, "4711").read_text()
    Path(own, FOLDER, "4711").write_text(left)

    assert invitation(own) is None


def test_the_doctor_knows_that_the_service_hosts_the_page(person: Path):
    own = of_person(os.environ, 8999)
    own.file.parent.mkdir(parents=True)
    own.file.write_bytes(own.content)

    with FileLocks(load(os.environ).places.locks).present(HOSTING):
        (found,) = [one for one in of_triggers(load(os.environ)) if one.about == "service"]

    assert own.page == 8999
    assert (found.how, found.says) == ("good", f"is installed: {own.file}, and hosts the page on port 8999")


@pytest.mark.thorough
def test_the_host_serves_the_page_and_ends_cleanly(person: Path, sit: Sit):
    port = free_port()
    screen = sit(argv=at_terminal("trigger", "run", "--page", str(port)))
    screen.see("the page is served")
    greeting = screen.text

    told = [sayso("serve", "--json", "--port", str(port)).document for _ in range(2)]
    first = let_in(told[0]["url"], told[0]["token"])
    again = let_in(told[0]["url"], told[0]["token"])
    after = sayso("serve", "--json").document
    second = let_in(after["url"], after["token"])
    screen.program.send_signal(signal.SIGTERM)

    assert screen.end() == 0
    assert "Traceback" not in screen.text
    assert "token" not in greeting
    assert told[0] == told[1]
    assert (first, again, second) == (204, 401, 204)
    assert invitation(os.environ["SAYSO_HOME"]) is None


@pytest.mark.thorough
def test_a_port_that_is_taken_does_not_keep_triggers_from_being_hosted(person: Path):
    with listening(0) as taken:
        argv = at_terminal("trigger", "run", "--page", str(taken.getsockname()[1]))
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as host:
            assert host.stderr is not None
            why = host.stderr.readline()
            hosted = FileLocks(load(os.environ).places.locks).anybody(HOSTING)
            host.send_signal(signal.SIGTERM)
            ended = host.wait()

    assert "the page is not served: port" in why
    assert hosted
    assert ended == 0
