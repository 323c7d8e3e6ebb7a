"""What a model proposes of the person's own actions is held against those there are."""

import json
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.core.errors import Candidate
from sayso.core.record import State
from sayso.core.verdict import Decision, Question

ASKED = '{"actions": [{"templateId": "brief", "label": "Go", "params": {"to": "x"}}]}'


@pytest.fixture
def own(tmp_path: Path, scratch_home: Path) -> Path:
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def planted(own: Path, *ids: str) -> None:
    templates = ", ".join(f'{{id = "{id_}"}}' for id_ in ids)
    (own / "config.toml").write_text(f"[talk]\nkind = 'memory'\nworld = {{ templates = [{templates}] }}\n")


@pytest.mark.req("T-78", "S3-19")
@pytest.mark.parametrize(
    ("ids", "there", "candidates"),
    [((), "none", ()), (("brief_ceo", "pay"), "brief_ceo, pay", (Candidate("brief_ceo"), Candidate("pay")))],
)
async def test_an_unknown_template_is_named_with_those_there_are(
    ids: tuple[str, ...], there: str, candidates: tuple[Candidate, ...], own: Path
):
    planted(own, *ids)
    async with sayso.open_home(str(own)) as home:
        report = await home.run(ASKED, "actions")
        (given,) = home.results_for(report)

    (outcome,) = report.outcomes
    sentence = f'Template "brief" not found. Available templates: {there}'
    assert (outcome.record.state, outcome.record.marks.error) == (State.INVALID, sentence)
    assert (outcome.record.marks.code, outcome.candidates) == ("template.not_found", candidates)
    assert (given["success"], given["message"]) == (False, sentence)


async def test_what_is_wrong_already_keeps_its_own_problem_and_others_are_left_alone(own: Path):
    items: list[dict[str, Any]] = [{"templateId": "brief", "params": 1}, {"templateId": "other"}]
    async with sayso.open_home(str(own)) as home:
        report = await home.run(json.dumps({"actions": items}), "actions")
        lines = await home.run("TASK_ADD x")

    assert [one.record.marks.code for one in report.outcomes] == ["arguments.type", "template.not_found"]
    assert lines.outcomes[0].record.state is State.WAITING


@pytest.mark.req("T-78", "T-37")
async def test_what_a_person_edits_is_held_against_the_actions_there_are_too(own: Path):
    instance = '{instance_id = "i", session_id = "s", template_id = "brief"}'
    (own / "config.toml").write_text(
        f'[talk]\nkind = "memory"\nworld = {{templates = [{{id = "brief"}}], instances = [{instance}]}}\n'
    )
    action = {"templateId": "brief", "params": {"instance_id": "i", "session_id": "s"}}
    asked: list[str | None] = []

    def edits(question: Question) -> bool | Decision:
        asked.append(question.cards[0].template_id)
        (proposal,) = home.read(json.dumps({"actions": [{**action, "templateId": "brieg"}]}), "actions").proposals
        return question.edit("client", [proposal])

    async with sayso.open_home(str(own)) as home:
        waits = await home.run(json.dumps({"actions": [action]}), "actions")
        reports = [
            await home.run(json.dumps({"actions": [action]}), "actions", approver=sayso.Client(edits)),
            await home.approve(waits.run, sayso.Client(edits)),
        ]
        again = await home.run(json.dumps({"actions": [action]}), "actions")
        reports += await home.approve_all([again.run], sayso.Client(edits))
        done = await home.run(json.dumps({"actions": [action]}), "actions", approver=sayso.Client(lambda q: True))
        nobody = await home.run(json.dumps({"actions": [action]}), "actions", approver=sayso.Client(lambda q: None))

    assert asked == ["brief"] * 3
    for report in reports:
        (edit,) = report.edits
        assert edit.outcomes[0].record.marks.code == "template.not_found"
    assert done.outcomes[0].record.state is State.DONE
    assert nobody.outcomes[0].record.state is State.WAITING
