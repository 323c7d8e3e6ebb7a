"""What lasts is told of on a terminal, and wiped before anything else is written."""

import io
import os
import select
import signal
import threading
from collections.abc import Callable

import pytest

from sayso.surfaces.cli.progress import StopSignals, progress, stopping
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import Screen, at_terminal, sayso

XTERM = {"TERM": "xterm"}


class _Terminal(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, s: str) -> int:
        if "working" in s:
            self.told.set()
        return super().write(s)


def test_what_lasts_is_told_of_and_wiped():
    stream = _Terminal()

    with progress(stream, "working", XTERM):
        assert stream.told.wait(20)

    assert stream.getvalue().endswith("\r\x1b[K")


def test_while_a_question_stands_nothing_is_written():
    stream = _Terminal()

    with progress(stream, "working", XTERM) as telling:
        assert stream.told.wait(20)
        with telling.quiet():
            before = stream.getvalue()
            assert before.endswith("\r\x1b[K")
            threading.Event().wait(0.8)

            assert stream.getvalue() == before


def test_what_is_over_soon_is_not_told_of():
    stream = _Terminal()

    with progress(stream, "working", XTERM):
        pass

    assert stream.getvalue() == ""


def test_nothing_is_told_to_a_file():
    stream = io.StringIO()

    with progress(stream, "working", XTERM):
        threading.Event().wait(0.6)

    assert stream.getvalue() == ""


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": ""}, {}])
def test_nothing_is_told_to_a_terminal_that_cannot_wipe_a_line(environ: dict[str, str]):
    stream = _Terminal()

    with progress(stream, "working", environ):
        threading.Event().wait(0.6)

    assert stream.getvalue() == ""


Reply = Callable[[str], str]
Settings = Callable[[str], None]
SEND = '{"name": "macos_auto", "arguments": {"action": "mail_send", "to": "bo@y.test", "subject": "S", "body": "B"}}'
MAIL = '[mail]\nkind = "memory"\naddress = "ana@x.test"\nhold_seconds = {seconds}\n'


@pytest.fixture
def asked(settings: Settings, reply: Reply, sit: Sit) -> Callable[..., Screen]:
    """Return what brings a mail to its hold: the person has said yes."""

    def at(seconds: int, *words: str) -> Screen:
        settings(MAIL.format(seconds=seconds))
        screen = sit(argv=at_terminal("run", reply(SEND), "--dialect", "tools", *words))
        screen.see("Send “S” to bo@y.test", "[y/N]")
        screen.type("y\n")
        return screen

    return at


def last() -> dict[str, str]:
    return sayso("log", "--json").document["rows"][0]


@pytest.mark.req("S1-28")
def test_it_counts_down_and_sends(asked: Callable[..., Screen]):
    screen = asked(2)

    screen.see("held back for 2 s: Send “S” to bo@y.test", "Ctrl-C stops it", "s … Ctrl-C stops it")

    assert screen.end() == 0
    assert "Sent “S” to bo@y.test" in screen.text
    assert "s … Ctrl-C" not in screen.text


def test_ctrl_c_keeps_it_here(asked: Callable[..., Screen]):
    screen = asked(600)
    screen.see("s … Ctrl-C stops it")

    screen.type("\x03")

    assert screen.end() == 3
    assert "nothing left this machine" in screen.text
    assert last()["state"] == "declined"


def test_undo_on_another_terminal_keeps_it_here(asked: Callable[..., Screen]):
    screen = asked(600)
    screen.see("s … Ctrl-C stops it")

    undone = sayso("undo", last()["id"], "--yes", "--json")

    assert undone.code == 0
    assert undone.document["results"][0]["state"] == "done"
    assert screen.end() == 0
    assert "taken back while it was held back" in screen.text.replace("\n", " ")


def test_now_holds_nothing_back(asked: Callable[..., Screen]):
    screen = asked(600, "--now")

    assert screen.end() == 0
    assert "held back" not in screen.text
    assert "Sent “S” to bo@y.test" in screen.text


@pytest.mark.req("ML-06")
def test_who_is_killed_in_the_hold_has_sent_nothing_and_never_will(asked: Callable[..., Screen]):
    screen = asked(600)
    screen.see("s … Ctrl-C stops it")

    os.kill(screen.program.pid, signal.SIGKILL)
    screen.program.wait()

    first, second = last(), last()
    assert (first["state"], first["error"]) == ("failed", "interrupted before it began; nothing was changed")
    assert second == first


def test_the_first_press_is_a_wish_and_the_second_a_sentence():
    said: list[str] = []

    with stopping(said.append) as wish:
        assert not wish.asked()
        os.kill(os.getpid(), signal.SIGINT)
        assert wish.asked()
        os.kill(os.getpid(), signal.SIGINT)

    assert len(said) == 1
    assert "finishing the change that has begun" in said[0]


def test_what_waits_for_an_answer_is_woken():
    with stopping(lambda said: None) as wish:
        wish.press(signal.SIGTERM)

        assert os.read(wish.descriptor(), 1) == b"!"


def test_what_waits_for_an_answer_is_woken_before_python_calls_the_handler():
    woken: list[bool] = []

    def receive(wish: StopSignals) -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        woken.append(bool(select.select([wish.descriptor()], [], [], 0)[0]))

    with stopping(lambda said: None) as wish:
        other = threading.Thread(target=receive, args=(wish,))
        other.start()
        other.join()

        assert woken == [True]
        assert wish.asked()


def test_a_key_of_another_program_at_the_terminal_wakes_nobody():
    with stopping(lambda said: None) as wish:
        with wish.deaf():
            os.kill(os.getpid(), signal.SIGINT)

        assert not select.select([wish.descriptor()], [], [], 0)[0]
        assert not wish.asked()
        os.kill(os.getpid(), signal.SIGINT)
        assert select.select([wish.descriptor()], [], [], 0)[0]


def test_a_request_to_end_may_come_often():
    with stopping(pytest.fail) as wish:
        for _ in range(5):
            wish.press(signal.SIGTERM)

        assert wish.asked()


@pytest.mark.parametrize(("number", "ended"), [(signal.SIGTERM, True), (signal.SIGINT, False)])
def test_only_a_request_to_end_is_the_end_of_the_process(number: signal.Signals, ended: bool):
    with stopping(lambda said: None) as wish:
        assert not wish.ended()
        wish.press(number)
        wish.press(signal.SIGINT)

        assert wish.ended() is ended


def test_handlers_are_as_before_afterwards():
    before = signal.getsignal(signal.SIGINT)

    with stopping(lambda said: None):
        assert signal.getsignal(signal.SIGINT) is not before

    assert signal.getsignal(signal.SIGINT) is before
    assert signal.set_wakeup_fd(-1) == -1
