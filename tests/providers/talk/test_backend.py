"""Here questions are answered, in the session they are asked in; nothing else of talk is served."""

from pathlib import Path

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import NotDone, Ref
from sayso.providers.talk.backend import Here
from sayso.providers.talk.model import WriteLog
from tests.assistant.homes import a_home


class Echo:
    async def answer(self, question: str, session: str) -> str:
        return f"{question} in {session}"


@pytest.mark.req("S4-36", "T-100")
async def test_a_question_is_answered_in_its_session():
    assert await Here(Echo()).reads.in_session("s").answer("what?") == "what? in s"


async def test_without_anything_that_answers_it_is_not_available():
    with pytest.raises(ProviderError, match="not available on this system"):
        await Here(None).reads.answer("what?")


@pytest.mark.req("X-05", "T-56")
async def test_nothing_else_is_served_and_says_so(tmp_path: Path):
    reply = 'CHAT_ADD_MESSAGE user "x"\nAGENT_CALL "x"\nLOG_WRITE "x"\nTEMPLATE_LIST\n'
    async with a_home(tmp_path) as home:
        report = await home.run(reply)

    codes = [outcome.record.marks.code for outcome in report.outcomes]
    assert codes == ["unavailable", "unavailable", "unavailable", None]


async def test_no_step_is_ever_carried_out():
    here = Here(None)

    with pytest.raises(ProviderError):
        await here.apply(WriteLog("1", "info", "x"), ())
    assert await here.settle(WriteLog("1", "info", "x"), ()) == NotDone()
    assert here.imagine(here.reads, WriteLog("1", "info", "x"), Ref(0, 0)) is here.reads
