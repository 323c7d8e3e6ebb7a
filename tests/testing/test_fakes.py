"""The scripted model plays what it was given, and a trial fails loudly when something is not as it should be."""

from contextlib import aclosing

import anyio
import pytest

from sayso.assembly.parts import dialect
from sayso.core.conversation import Chunk, ConversationRequest, Message, Model, ReplyEnd, ReplyText, ToolCall
from sayso.core.errors import ProposalError, ProviderError, SaysoError
from sayso.providers.desktop import DESKTOP, memory
from sayso.providers.desktop.model import DesktopState
from sayso.testing.fakes import NumberedIds, Scripted, Silent, make_call
from sayso.testing.harness import Trial, equal, refusal_of, so

WISH = ConversationRequest("Be brief.", (Message("user", "move a to b"),), "move a to b", dialect("lines"))


async def played(model: Model) -> tuple[list[Chunk], SaysoError | None]:
    """Return what came, and what it broke off with."""
    came: list[Chunk] = []
    try:
        async for chunk in model.stream(WISH):
            came += [chunk]
    except SaysoError as broke:
        return came, broke
    return came, None


async def test_a_text_comes_in_pieces_and_then_its_end():
    model = Scripted("MOVE_FILE a b", name="m", size=5)

    came, broke = await played(model)

    assert came == [ReplyText("MOVE_"), ReplyText("FILE "), ReplyText("a b"), ReplyEnd("m", "stop", 6, 3)]
    assert broke is None
    assert (model.asked, model.ended) == ([WISH], 1)


async def test_replies_are_played_in_order_calls_end_for_tools_and_being_asked_too_often_fails():
    model = Scripted("one", [ReplyText("two"), make_call("file_read", path="a")])

    await played(model)
    came, _ = await played(model)

    assert came[:2] == [ReplyText("two"), ToolCall("call_1", "file_read", '{"path": "a"}')]
    assert isinstance(came[2], ReplyEnd)
    assert came[2].reason == "tools"
    with pytest.raises(AssertionError, match="asked 3 times, and has 2 replies"):
        await played(model)


async def test_an_end_that_is_given_is_the_end_and_a_reply_can_be_made_of_what_was_asked():
    ended, _ = await played(Scripted([ReplyText("far too lo"), ReplyEnd("m", "length")]))
    echoed, _ = await played(Scripted(lambda asked: asked.words, size=99))

    assert ended == [ReplyText("far too lo"), ReplyEnd("m", "length")]
    assert echoed[0] == ReplyText("move a to b")


async def test_an_error_is_raised_in_its_turn():
    cut = ProviderError("the connection broke")
    model = Scripted([ReplyText("half"), cut], ProviderError("it is down"))

    came, broke = await played(model)
    nothing, down = await played(model)

    assert (came, broke) == ([ReplyText("half")], cut)
    assert (nothing, str(down)) == ([], "it is down")
    assert model.ended == 0


async def test_it_falls_silent_until_it_is_left():
    model = Scripted([ReplyText("well"), Silent()])
    came: list[Chunk] = []

    with anyio.move_on_after(0.05) as waited:
        async with aclosing(model.stream(WISH)) as chunks:
            async for chunk in chunks:
                came += [chunk]

    assert waited.cancelled_caught
    assert (came, model.ended) == ([ReplyText("well")], 0)


def a_trial() -> Trial:
    return Trial(DESKTOP, memory.backend(DesktopState(), NumberedIds()))


def test_a_difference_is_shown_from_both_sides_and_a_claim_that_fails_is_named():
    with pytest.raises(AssertionError, match="the level: 3 is not 4"):
        equal(3, 4, "the level")
    with pytest.raises(AssertionError, match="the sky is green"):
        so([], "the sky is green")


async def test_a_read_is_no_plan_a_plan_no_read_and_what_should_be_refused_is_not_done():
    trial = a_trial()

    with pytest.raises(AssertionError, match="answers instead"):
        await trial.plan("clipboard.read")
    with pytest.raises(AssertionError, match="plans instead"):
        await trial.answer("speech.say", text="x")
    with pytest.raises(ProposalError, match="“level” must be a whole number"):
        await trial.plan("sound.set_volume", level=101)
    with pytest.raises(AssertionError, match="should have been refused"):
        await refusal_of(trial.answer("clipboard.read"))


async def test_what_has_no_way_back_is_not_taken_back():
    trial = a_trial()
    plan = await trial.plan("notify.show", title="A", message="B")
    lefts = await trial.do(plan)

    with pytest.raises(AssertionError, match="no way back"):
        await trial.take_back(plan, lefts)
