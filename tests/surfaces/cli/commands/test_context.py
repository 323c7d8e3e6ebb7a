"""`sayso context` prints what a model is shown of this computer."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

Settings = Callable[[str], None]
MEMORY = '[apps]\nkind = "memory"\n[browser]\nkind = "memory"\n'


@pytest.mark.req("S4-38", "S4-41", "S4-44")
def test_it_is_told_in_words_and_as_data(person: Path, settings: Settings):
    settings(MEMORY)
    (person / "Documents").mkdir(exist_ok=True)
    (person / "Documents" / "plan.md").write_text("x")

    words, run = sayso("context"), sayso("context", "--json")

    assert (words.code, run.code) == (0, 0)
    assert words.out.startswith("CONTEXT\n")
    assert "\n<running_apps>\n" in words.out
    assert run.document["text"].replace("\r", "") == words.out
    assert [tab["index"] for tab in run.document["context"]["tabs"]] == [1, 2, 3, 4, 5]
    assert {file["name"] for file in run.document["context"]["recent_files"]} == {"plan.md", "a.txt"}
    assert run.document["for_queries"] == ["recent_files", "projects", "history"]
    assert run.document["left_out"] == []


@pytest.mark.req("X-05")
def test_what_cannot_be_looked_at_is_named(person: Path, settings: Settings):
    settings('[apps]\nkind = "memory"\n[browser]\nkind = "cdp"\ncdp_url = "http://127.0.0.1:9"\n')

    run = sayso("context", "--json")

    assert [(one["store"], one["operation"]) for one in run.document["left_out"]] == [("tabs", "tab.list")]
    assert "tabs" not in run.document["context"]
