"""`sayso pending` lists offers of own actions that nobody could be asked about; they are decided by their id."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso

ACTION = """
config = {
    "id": "sum_up", "name": "Sum up", "description": "Has a model sum it up.",
    "parameterSchema": {"type": "object", "properties": {"what": {"type": "string", "description": "What."}}},
}
async def handler(params, context):
    return {"success": True, "message": await context.call_agent(prompt=params["what"])}
"""
OFFER = json.dumps({"actions": [{"templateId": "sum_up", "label": "Do", "params": {"what": "Ana\u202e"}}]})


@pytest.fixture
def offered(person: Path, settings: Callable[[str], None], reply: Callable[[str], str], tmp_path: Path) -> str:
    """Return the id of an offer that waits, because its handler needs an answer while it runs."""
    (tmp_path / "replies.json").write_text('["All is well"]')
    settings(f'[model]\nname = "replay:{tmp_path / "replies.json"}"\n')
    actions = person.parent / "sayso" / "actions"
    actions.mkdir(mode=0o700)
    (actions / "sum-up.py").write_text(ACTION)
    ran = sayso("run", reply(OFFER), "--dialect", "actions", "--json").document
    return str(ran["results"][0]["id"])


def test_an_offer_that_waits_is_listed_with_its_parameters_and_how_to_decide(offered: str):
    shown, rows = sayso("pending"), sayso("pending", "--json").document

    assert f"sayso approve {offered}   or   sayso decline {offered}" in shown.out
    assert 'sum_up {"what": "Ana' in shown.out
    assert "\u202e" not in shown.out
    assert [row["id"] for row in rows["offers"]] == [offered]


def test_it_is_run_by_its_id_after_a_yes(offered: str, sit: Sit):
    screen = sit("approve", offered)
    screen.see("Sum up", "[y/N]")
    screen.type("y\r")
    screen.see("sum_up: All is well")

    assert screen.end() == 0
    assert sayso("pending").out == "Nothing waits for you.\n"


def test_it_is_declined_by_its_id(offered: str):
    sayso("decline", offered)

    assert sayso("pending").out == "Nothing waits for you.\n"
    assert sayso("pending", "--json").document == {"rows": []}
