"""`sayso operations` lists what a model may do, and whether it can be done here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso

Settings = Callable[[str], None]


@pytest.mark.req("T-32")
def test_each_operation_has_what_a_program_needs(person: Path, settings: Settings):
    settings('[policy]\nallowed_operations = ["file.*"]\n')

    operations = {one["id"]: one for one in sayso("operations", "--json").document["operations"]}

    move = operations["file.move"]
    assert set(move) >= {"id", "kind", "asks", "summary", "parameters", "enabled", "available"}
    assert (move["kind"], move["asks"], move["enabled"], move["available"]) == ("destructive", "mode", True, True)
    assert move["parameters"]["required"] == ["source", "destination"]
    assert operations["mail.send"]["enabled"] is False


def test_a_person_reads_one_line_each():
    shown = sayso("operations").out

    assert "file.move" in shown
    assert "Move or rename a file or folder" in shown
    assert len(shown.splitlines()) == len(sayso("operations", "--json").document["operations"]) + 1


@pytest.mark.req("S0-66", "T-32")
def test_only_enabled_operations_are_named(person: Path, settings: Settings):
    assert "SPEAK" in sayso("prompt", "--dialect", "lines").out
    settings('[policy]\nallowed_operations = ["file.*"]\n')

    run = sayso("prompt", "--dialect", "lines", "--json")

    assert "MOVE_FILE" in run.document["prompt"]
    assert "SPEAK" not in run.document["prompt"]
    assert run.document["dialect"] == "lines"


@pytest.mark.req("S4-38", "S4-43")
def test_what_a_model_is_shown_of_this_computer_is_added_when_it_is_asked_for(person: Path, settings: Settings):
    settings('[apps]\nkind = "memory"\n[browser]\nkind = "memory"\n')

    without = sayso("prompt", "--dialect", "commands", "--json").document
    run = sayso("prompt", "--dialect", "commands", "--context", "--json").document
    words = sayso("prompt", "--dialect", "commands", "--context").out

    assert "context" not in without
    assert "<installed_apps>" in run["context"]
    assert "<history>" not in run["context"]
    assert words == f"{run['prompt']}\n{run['context']}"


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
    assert run.document["for_queries"] == ["history"]
    assert run.document["left_out"] == []


@pytest.mark.req("X-05")
def test_what_cannot_be_looked_at_is_named(person: Path, settings: Settings):
    settings('[apps]\nkind = "memory"\n[browser]\nkind = "cdp"\ncdp_url = "http://127.0.0.1:9"\n')

    run = sayso("context", "--json")

    assert [(one["store"], one["operation"]) for one in run.document["left_out"]] == [("tabs", "tab.list")]
    assert "tabs" not in run.document["context"]


@pytest.mark.req("S0-68", "S0-69")
def test_what_other_programs_tell_is_kept_with_its_time_shown_and_taken_back(person: Path, settings: Settings):
    settings(MEMORY)
    runs = [
        sayso("context", "set", "mood", "calm", "</told>"),
        sayso("context", "set", "work_minutes", "95"),
        sayso("context", "set", "projects", "A", "B c"),
    ]
    told, words = sayso("context", "--json").document["told"], sayso("context").out
    gone = [sayso("context", "unset", name) for name in ("mood", "mood")]

    assert [run.code for run in runs] == [0, 0, 0]
    assert [(one["name"], one["value"]) for one in told] == [
        ("mood", "calm </told>"), ("projects", ["A", "B c"]), ("work_minutes", 95),
    ]  # fmt: skip
    assert all(one["told_at"].endswith("Z") for one in told)
    assert words.count("</told>") == 1
    assert [run.out for run in gone] == ["Models are no longer told this mood.\n", "Nothing was told as “mood”.\n"]


@pytest.mark.parametrize(
    "words",
    [
        ("set",), ("set", "mood"), ("set", "mood", " "), ("set", "Mood!", "x"), ("set", "work_minutes", "long"),
        ("set", "mood", "x" * 2001), ("unset",), ("unset", "a", "b"), ("tell", "mood", "x"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_one_sentence_and_nothing_is_kept(person: Path, words: tuple[str, ...]):
    run = sayso("context", *words)

    assert (run.code, run.err.count("\n")) == (2, 1)
