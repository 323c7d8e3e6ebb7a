"""Questions are answered at the home they belong to."""

from pathlib import Path

import pytest

from sayso.assembly.questions import Questions
from sayso.core.errors import ProviderError
from tests.assistant.homes import a_home


async def test_without_a_home_there_is_nothing_to_answer_from():
    with pytest.raises(ProviderError, match="nothing is known here"):
        await Questions().answer("what?", "")


@pytest.mark.req("S4-37")
async def test_what_answers_is_made_once(tmp_path: Path):
    async with a_home(tmp_path) as home:
        assert home.questions.answering is home.questions.answering
        assert "reddit" in await home.questions.answer("tabs?", "s")
