"""A text of any dialect goes down the same path, with what its contract promises about the whole of it."""

import json
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.core.record import State


def commands(*items: dict[str, Any], **more: Any) -> str:
    return json.dumps({"commands": list(items), **more})


MAKE = {"type": "file_mkdir", "path": "~/Documents/new"}


@pytest.fixture
def own(scratch_home: Path, tmp_path: Path) -> str:
    (scratch_home / "Documents").mkdir(exist_ok=True)
    return str(tmp_path / "own")


@pytest.mark.req("T-103", "S4-03")
async def test_one_invalid_command_keeps_all_others_from_running(own: str, scratch_home: Path):
    wrong = {"type": "switch_tab", "tab_index": 0}

    async with sayso.open_home(own) as home:
        report = await home.run(commands(MAKE, wrong, {"type": "fly"}), "commands")

    assert [one.record.state for one in report.outcomes] == [State.SKIPPED, State.INVALID, State.INVALID]
    assert not (scratch_home / "Documents/new").exists()


@pytest.mark.req("S4-10", "S4-52")
async def test_valid_commands_run_in_order(own: str, scratch_home: Path):
    write = {"type": "file_write", "path": "~/Documents/new/a.txt", "content": "x"}

    async with sayso.open_home(own) as home:
        report = await home.run(commands(MAKE, write), "commands")

    assert [one.record.state for one in report.outcomes] == [State.DONE] * 2
    assert (scratch_home / "Documents/new/a.txt").read_text() == "x"


@pytest.mark.req("S4-53")
async def test_request_validation_and_execution_are_each_seen_afterwards(own: str, scratch_home: Path):
    (scratch_home / "Documents/there").mkdir(parents=True)
    onto = {"type": "file_write", "path": "~/Documents/there", "content": "x"}

    async with sayso.open_home(own) as home:
        for asked in (MAKE, onto, {**onto, "path": 5}):
            await home.run(commands(asked), "commands")
        rows = list(reversed(await home.log()))

    assert [(row.operation, row.arguments.get("path")) for row in rows[:2]] == [
        ("file.mkdir", "~/Documents/new"),
        ("file.write", "~/Documents/there"),
    ]
    assert json.loads(rows[2].said) == {**onto, "path": 5}
    assert [row.verdict and row.verdict.ruling for row in rows] == ["allow", None, None]
    assert [(row.state, row.marks.code) for row in rows] == [
        (State.DONE, None),
        (State.FAILED, "path.not_a_file"),
        (State.INVALID, "arguments.type"),
    ]


@pytest.mark.req("S4-11", "S4-12", "T-95")
async def test_while_the_model_asks_back_nothing_runs_and_what_it_misnamed_is_noted(own: str, scratch_home: Path):
    async with sayso.open_home(own) as home:
        report = await home.run(
            commands(MAKE, {"type": "fly"}, needs_clarification=True, clarification_reason="Which?"), "commands"
        )

    assert (report.outcomes, report.needs_clarification, report.clarification_reason) == ((), True, "Which?")
    assert len(report.warnings) == 1
    assert "“fly”" in report.warnings[0]
    assert not (scratch_home / "Documents/new").exists()


@pytest.mark.req("S4-13")
async def test_a_command_without_its_parameters_is_fine_while_the_model_asks_back(own: str):
    text = commands({"type": "switch_tab"}, needs_clarification=True, clarification_reason="Which tab?")

    async with sayso.open_home(own) as home:
        reading = home.read(text, "commands")
        report = await home.run(text, "commands")
        notes = home.notes_for(reading, report)
        kept = await home.log()

    assert [proposal.problem for proposal in reading.proposals] == [None]
    assert (report.outcomes, report.warnings, notes, kept) == ((), (), (), [])
    assert (report.needs_clarification, report.clarification_reason) == (True, "Which tab?")


@pytest.mark.req("T-43", "X-02")
async def test_a_free_reply_goes_down_the_path_as_the_dialect_it_is_written_in(own: str, scratch_home: Path):
    async with sayso.open_home(own) as home:
        report = await home.run(commands(MAKE), "auto")
        record = (await home.log())[0]

    assert (report.dialect, record.dialect) == ("commands", "commands")
    assert (scratch_home / "Documents/new").is_dir()


async def test_each_tool_call_stands_for_itself(own: str, scratch_home: Path):
    calls = [
        {"name": "macos_auto", "arguments": {"action": "fly"}},
        {"name": "file_mkdir", "arguments": {"path": "~/Documents/new"}},
    ]

    async with sayso.open_home(own) as home:
        report = await home.run(json.dumps(calls), "tools")

    assert [one.record.state for one in report.outcomes] == [State.INVALID, State.DONE]
    assert (scratch_home / "Documents/new").is_dir()


@pytest.mark.req("X-03", "T-44")
async def test_a_run_is_given_back_in_the_shape_of_its_dialect(own: str):
    call = json.dumps({"name": "file_mkdir", "arguments": {"path": "~/Documents/new"}})

    async with sayso.open_home(own) as home:
        by_line = home.results_for(await home.run("CREATE_FOLDER ~/Documents/new"))
        by_call = home.results_for(await home.run(call, "tools"))

    (line,), (called,) = by_line, by_call
    assert line["command"] == "CREATE_FOLDER ~/Documents/new" or line["command"] == 'CREATE_FOLDER "~/Documents/new"'
    assert line["success"] is True
    assert set(called) == {"success", "output", "error"}
    assert called["output"]


@pytest.mark.req("S0-59", "S0-61", "T-44")
async def test_what_was_not_understood_is_given_back_with_its_name(own: str):
    line = f'FLY "{"x" * 300}"'
    block = '```json-action\n{"type": "fly", "text": "%s"}\n```' % ("x" * 5_000)

    async with sayso.open_home(own) as home:
        by_line = home.results_for(await home.run(line))
        by_command = home.results_for(await home.run(commands({"type": "fly"}), "commands"))
        by_block = home.results_for(await home.run(block, "blocks"))

    assert by_line == [{"command": line, "success": False, "message": None, "error": f"Unknown command: {line}"}]
    assert (by_command[0]["type"], by_block[0]["type"]) == ("fly", "fly")
