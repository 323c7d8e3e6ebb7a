"""Ctrl-C finishes what has begun and begins nothing more."""

import os
import signal

import pytest

from sayso.surfaces.cli.stopping import stopping


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
