"""What is left of a session is seen: processes that were told another home, and sockets on which they listen."""

import sys
from collections.abc import Iterator

import pytest

from tests.desktop_env.session import Session, wait_for
from tests.harness.leftovers import LISTENER
from tests.harness.leftovers_around import around


@pytest.fixture
def session() -> Iterator[Session]:
    """Return a session with nothing in it."""
    made = Session()
    made.environment["DISPLAY"] = ":987"
    yield made
    made.close()


def test_who_listens_is_told_with_the_port(session: Session):
    before = around(session)
    process = session.start(sys.executable, "-c", LISTENER)

    left = wait_for(lambda: [one for one in around(session) - before if one.startswith("listening")])

    assert left[0].endswith(f"in process {process.pid}")
    assert "tcp port" in left[0]


def test_a_process_that_was_given_another_home_is_seen_by_what_it_was_told(session: Session):
    session.start(sys.executable, "-c", "import time; time.sleep(60)", session.home / "own", HOME="/nowhere")

    assert wait_for(lambda: [one for one in around(session) if "time.sleep" in one])


def test_files_and_nothing_of_other_sessions_are_seen(session: Session):
    (session.home / "tmp").mkdir()
    before = around(session)
    (session.home / "tmp" / "left").touch()

    assert list(around(session) - before) == [f"file {session.home / 'tmp' / 'left'}"]
