"""What a model gives one of the person's own actions is held against what that takes, when the reply is read."""

import json
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.core.record import State
from sayso.testing.fakes import Scripted
from tests.assistant.homes import WORLD, a_home

TAKES = """[talk]
kind = "memory"

[talk.world]
instances = [{instance_id = "i", session_id = "s", template_id = "brief"}]

[[talk.world.templates]]
id = "brief"
parameters = [
  {name = "instance_id", type = "string", required = true},
  {name = "session_id", type = "string", default = "s", enum = ["s", "t"]},
]
"""


@pytest.fixture
def own(tmp_path: Path, scratch_home: Path) -> Path:
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


@pytest.mark.req("T-77", "S3-15", "S3-16", "S3-22")
async def test_parameters_are_held_against_what_the_action_takes_when_the_reply_is_read(own: Path):
    (own / "config.toml").write_text(TAKES)
    given: list[dict[str, Any]] = [{"instance_id": "i"}, {"session_id": "u"}, {"instance_id": 5, "to": "x"}]
    items = [{"templateId": "brief", "label": "Go", "params": params} for params in given]

    async with sayso.open_home(str(own)) as home:
        report = await home.run(json.dumps({"actions": items}), "actions")
        results = home.results_for(report)
        done = await home.run(json.dumps({"actions": items[:1]}), "actions", approver=sayso.Client(lambda q: True))

    good, missing, wrong = report.outcomes
    assert (good.record.state, good.record.arguments) == (State.WAITING, {"session_id": "s", "instance_id": "i"})
    assert (missing.record.state, missing.record.marks.code) == (State.INVALID, "arguments.missing")
    lacking = "Invalid parameters: “instance_id” is missing, “session_id” must be one of s, t"
    assert (wrong.record.state, wrong.record.marks.code) == (State.INVALID, "arguments.type")
    unfit = (
        "Invalid parameters: “instance_id” must be a text, “to” is not a parameter of it; "
        "it takes instance_id, session_id"
    )
    assert [result["message"] for result in results[1:]] == [lacking, unfit]
    assert done.outcomes[0].record.state is State.DONE


@pytest.mark.req("S3-24", "S3-25", "T-73")
async def test_session_and_time_are_ours_whatever_the_model_writes(own: Path):
    (own / "config.toml").write_text(TAKES)
    written = {"sessionId": "session_xyz", "createdAt": "2025-01-06T10:30:00Z"}
    action = {"templateId": "brief", "label": "Go", "params": {"instance_id": "i"}, **written}

    async with sayso.open_home(str(own)) as home:
        await home.run(json.dumps({"actions": [action]}), "actions", session="chat")
        (kept,) = await home.pending()

    assert kept.session == "chat"
    assert kept.time > "2026"


async def test_a_reply_of_text_and_actions_shows_the_text_and_has_the_actions_wait(own: Path):
    (own / "config.toml").write_text(TAKES)
    actions = [{"templateId": "brief", "label": label, "params": {"instance_id": "i"}} for label in ("One", "Two")]
    reply = json.dumps({"content": "I can brief you.", "actions": actions})

    async with sayso.open_home(str(own)) as home:
        shown = home.read(reply, "auto").text
        report = await home.run(reply, "auto", session="s")
        waiting = await home.pending()

    assert shown == "I can brief you."
    assert [one.record.state for one in report.outcomes] == [State.WAITING, State.WAITING]
    assert len(waiting) == 2


@pytest.mark.req("T-77", "X-11")
async def test_the_model_is_told_what_to_give_instead(own: Path):
    (own / "config.toml").write_text(TAKES)
    action: dict[str, Any] = {"templateId": "brief", "label": "Go", "params": {}}

    async with sayso.open_home(str(own)) as home:
        text = json.dumps({"actions": [action]})
        (note,) = home.notes_for(home.read(text, "actions"), await home.run(text, "actions"))

    assert note.kind == "invalid"
    assert note.sentence.startswith("Invalid parameters: “instance_id” is missing. Write it again: ")


TIDY = """
config = {{
    "id": "{id}", "name": "Tidy up", "description": "Tidies up.",
    "parameterSchema": {{
        "type": "object",
        "properties": {{"word": {{"type": "string", "description": "What to say.", "enum": ["a", "b"]}}}},
        "required": ["word"],
    }},
}}


async def handler(params, context):
    return {{"success": True}}
"""


def put(place: Path, name: str) -> None:
    actions = place / "own" / "actions"
    actions.mkdir(parents=True, exist_ok=True)
    (place / "own").chmod(0o700)
    (actions / f"{name}.py").write_text(TIDY.format(id=name))


@pytest.mark.req("S3-85")
async def test_a_new_action_stands_in_the_next_prompt_with_its_parameters(tmp_path: Path):
    model = Scripted("Hello.", "Hello.")
    async with a_home(tmp_path) as home:
        await home.ask("hi", "chat", model)
        put(tmp_path, "tidy")
        await home.ask("hi", "chat", model)
        listed = home.own_actions()

    assert ["<templates>" in asked.system for asked in model.asked] == [False, True]
    word = {"type": "string", "required": True, "description": "What to say.", "enum": ["a", "b"]}
    assert listed == [{"templateId": "tidy", "name": "Tidy up", "description": "Tidies up.", "params": {"word": word}}]


@pytest.mark.req("T-32")
@pytest.mark.parametrize(
    ("settings", "entry", "reply"),
    [('[policy]\nallowed_operations = ["file.list"]\n', "chat", "Hello."), ("", "automation", "# No action needed")],
)
async def test_where_they_may_not_be_offered_none_is_told(settings: str, entry: str, reply: str, tmp_path: Path):
    model = Scripted(reply)
    put(tmp_path, "tidy")
    async with a_home(tmp_path, settings + WORLD) as home:
        await home.ask("hi", entry, model)

    assert "<templates>" not in model.asked[0].system
