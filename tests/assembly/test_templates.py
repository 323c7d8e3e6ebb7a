"""What a model proposes of the person's own actions is held against those there are."""

import json
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.core.errors import Candidate
from sayso.core.record import State

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
