"""A chat's model is told the person's own actions as they are now, where they may be offered at all."""

from pathlib import Path

import pytest

from sayso.testing.scripted import Scripted
from tests.assistant.homes import WORLD, a_home

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
