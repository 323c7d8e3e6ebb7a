"""A program that embeds sayso answers for its person."""

import pytest

from sayso.core.verdict import Question
from sayso.runtime.answering import Client, Nobody

QUESTION = Question("run_1", (), "sha256:x")


@pytest.mark.req("X-09")
async def test_without_a_channel_there_is_no_answer() -> None:
    assert await Nobody().ask(QUESTION) is None


@pytest.mark.parametrize("answer", [True, False])
async def test_an_answer_is_bound_to_what_was_shown(answer: bool) -> None:
    decision = await Client(lambda question: answer, by="click").ask(QUESTION)

    assert decision is not None
    assert (decision.yes, decision.by, decision.digest) == (answer, "click", "sha256:x")


async def test_a_program_may_have_nobody_to_ask_either() -> None:
    assert await Client(lambda question: None).ask(QUESTION) is None
