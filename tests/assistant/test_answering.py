"""Pairs are remembered by session, ten of each, and the sessions asked in last."""

from pathlib import Path

import pytest

from sayso.assistant.answering import PAIRS, SESSIONS, Answering, Remembered
from sayso.assistant.hears import Nobody
from sayso.core.errors import ProviderError
from sayso.core.model import Ended, Said
from sayso.testing.scripted import Scripted
from tests.assistant.homes import a_home


@pytest.mark.req("S4-37", "T-100")
def test_ten_pairs_of_each_session_are_remembered():
    remembered = Remembered()
    for n in range(PAIRS + 2):
        remembered.add("one", f"q{n}", f"a{n}")
    remembered.add("two", "q", "a")

    assert remembered.of("one") == tuple((f"q{n}", f"a{n}") for n in range(2, 12))
    assert remembered.of("two") == (("q", "a"),)
    assert remembered.of("three") == ()


def test_of_many_sessions_those_asked_in_last_are_remembered():
    remembered = Remembered()
    for n in range(SESSIONS + 1):
        remembered.add(f"s{n}", "q", "a")

    assert (remembered.of("s0"), remembered.of("s1")) == ((), (("q", "a"),))


async def test_a_model_that_says_nothing_is_no_answer(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answering = Answering(home)
        answering.serve("s", Scripted(" "), Nobody())

        with pytest.raises(ProviderError, match="did not answer"):
            await answering.answer("what?", "s")


async def test_each_session_is_answered_by_its_own_model(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answering = Answering(home)
        for name in ("one", "two"):
            answering.serve(name, Scripted(name), Nobody())

        assert [await answering.answer("who?", name) for name in ("one", "two")] == ["one", "two"]
        assert "reddit" in await answering.answer("tabs?", "three")


@pytest.mark.req("T-100")
async def test_what_goes_by_rules_gets_a_plain_list_also_where_it_answers_for_another(tmp_path: Path):
    async with a_home(tmp_path) as home:
        answering = Answering(home)
        for session, model in (
            ("rules", Scripted(name="embedded")),
            ("behind", Scripted([Said("SWITCH 3"), Ended("embedded", "stop")], name="openai:any")),
        ):
            answering.serve(session, model, Nobody())

            assert "https://www.reddit.com/" in await answering.answer("tabs?", session)
