"""Talk in memory records what was said and asked, and answers with what was planted."""

import json

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.core.memory_backend import MemoryBackend
from sayso.core.plan import Applied, Fact, NotDone
from sayso.core.ports import BackendContext
from sayso.providers.talk import TALK
from sayso.providers.talk.memory import TalkWorld, build, memory_backend
from sayso.providers.talk.model import (
    AddMessage,
    CallModel,
    MessageWritten,
    ModelReplied,
    RunTemplate,
    TemplateRan,
    WriteLog,
)
from sayso.providers.talk.store import Instance, Template
from sayso.testing.fakes import FakeClock, NumberedIds
from sayso.testing.harness import Trial, refusal_of

WORLD = TalkWorld(
    templates=(Template("tidy", "Tidy", "Tidies up"),),
    instances=(Instance("act_1", "tidy", "s1"), Instance("act_2", "gone", "s1")),
    context={"Tabs": ("3: Reddit (oldest)", "4: News"), "Files": ()},
    replies=("Four.",),
    session="s1",
)


def made() -> MemoryBackend[TalkWorld]:
    return memory_backend(NumberedIds(), WORLD, lasting=True)


def ground(**settings: object) -> BackendContext:
    return BackendContext(settings, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())


ID = "token000000000000001"
CALL = {"prompt": "2+2?", "system_prompt": "Be brief.", "max_tokens": 5}
MESSAGE = {"role": "assistant", "content": "Hi\nthere"}
RUN = {"instance_id": "act_1", "session_id": "s1"}


@pytest.mark.parametrize(
    ("operation", "arguments", "step", "fact"),
    [
        ("chat.add_message", MESSAGE, AddMessage(ID, "s1", "assistant", "Hi\nthere"), MessageWritten(ID)),
        ("agent.call", CALL, CallModel(ID, "2+2?", "Be brief.", (), 5, "s1"), ModelReplied(ID, "Four.")),
        ("log.write", {"message": "Done"}, WriteLog(ID, "info", "Done", "s1"), MessageWritten(ID)),
        ("template.run", RUN, RunTemplate("act_1", "s1", "tidy"), TemplateRan("act_1")),
    ],
)
async def test_each_step_is_recorded_and_can_be_settled(
    operation: str, arguments: dict[str, object], step: object, fact: Fact
):
    backend = made()
    trial = Trial(TALK, backend)
    plan = await trial.plan(operation, **arguments)
    before = await backend.settle(plan.changes[0].do, ())

    lefts = await trial.do(plan)

    assert isinstance(before, NotDone)
    assert backend.world.done == (step,)
    assert lefts == (Applied((fact,)),)
    assert await backend.settle(plan.changes[0].do, ()) == lefts[0]


async def test_no_model_answers_beyond_what_was_planted():
    trial = Trial(TALK, made())
    await trial.do(await trial.plan("agent.call", prompt="2+2?"))

    no = await refusal_of(trial.do(await trial.plan("agent.call", prompt="And 3+3?")))

    assert "no model answers here" in str(no)


@pytest.mark.req("T-100")
async def test_without_a_model_a_question_is_answered_by_a_plain_listing():
    backend = made()

    answer = await Trial(TALK, backend).answer("system.query", question="What are my oldest tabs right now?")

    assert answer.text == "Tabs:\n- 3: Reddit (oldest)\n- 4: News"
    assert answer.data == {"text": answer.text}
    assert backend.world == WORLD


async def test_where_nothing_is_known_the_answer_says_so():
    answer = await Trial(TALK, build(ground())).answer("system.query", question="Anything?")

    assert answer.text == "Nothing is known here that could answer this."


async def test_the_settings_may_plant_a_world():
    world = {"templates": [{"id": "tidy"}], "context": {"Tabs": ["One"]}, "replies": ["Yes"], "session": "s9"}

    backend = build(ground(kind="memory", world=world))

    assert backend.reads.session() == "s9"
    assert (await Trial(TALK, backend).answer("template.list")).text == "tidy: "


@pytest.mark.parametrize("world", ['{"templates": [{}]}', '{"template": []}', '{"context": []}'])
def test_a_world_that_is_none_is_a_matter_of_settings(world: str):
    with pytest.raises(SetupError, match="talk"):
        build(ground(world=json.loads(world)))


@pytest.mark.parametrize(
    ("instance", "session", "says"),
    [
        ("act_9", "s1", "Action instance not found"),
        ("act_1", "s2", "Action instance not found"),
        ("act_2", "s1", 'Template "gone" not found. Available templates: tidy'),
    ],
)
async def test_a_button_that_stands_for_nothing_is_a_failure(instance: str, session: str, says: str):
    with pytest.raises(ProviderError) as missing:
        await Trial(TALK, made()).plan("template.run", instance_id=instance, session_id=session)

    assert str(missing.value) == says
