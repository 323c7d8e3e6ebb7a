"""A model that does what a note tells it corrects itself, in every dialect."""

from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.core.record import State
from sayso.runtime.questions import Client
from sayso.runtime.results import Report
from tests.journeys.following import WRAP, actions, commands, follow

YES = Client(lambda question: True)


def opened(base: Path):
    (base / "home" / "Documents").mkdir(parents=True, exist_ok=True)
    return sayso.open_home(str(base / "sayso"), environ={"HOME": str(base / "home")})


async def says(home: Home, dialect: str, text: str) -> tuple[list[State], list[tuple[str, str]]]:
    """Return the states of a dry run, and the kind and sentence of each note."""
    reading = home.read(text, dialect)
    report: Report = await home.run(text, dialect, dry_run=True)
    noted = home.notes_for(reading, report)
    return [outcome.record.state for outcome in report.outcomes], [(note.kind, note.sentence) for note in noted]


WRONG = [
    ("blocks", "invalid", '{"type": "add_task", "txt": "Milk"}'),
    ("blocks", "invalid", '{"type": "ad_task", "text": "Milk"}'),
    ("blocks", "malformed", "{'type': 'add_task', 'text': 'Milk',}"),
    ("commands", "invalid", '{"type": "file_mkdir", "pth": "~/Documents/x"}'),
    ("commands", "invalid", '{"type": "file_mkdr", "path": "~/Documents/x"}'),
    ("commands", "malformed", '{"type": "file_mkdir", "path": "~/Documents/x",}'),
    ("tools", "invalid", '{"name": "file_mkdir", "arguments": {"pth": "~/Documents/x"}}'),
    ("tools", "invalid", '{"name": "file_mkdr", "arguments": {"path": "~/Documents/x"}}'),
    ("tools", "malformed", '{"name": "file_mkdir", "arguments": {"path": "~/Documents/x"}'),
    ("lines", "invalid", "CREATE FOLDER ~/Documents/x"),
    ("lines", "invalid", "CREATE_FOLDR ~/Documents/x"),
    ("lines", "malformed", 'CREATE_FOLDER "~/Documents/x'),
]


@pytest.mark.req("X-11", "S2-46", "T-60")
@pytest.mark.parametrize(("dialect", "kind", "text"), WRONG)
async def test_a_wrong_spelling_is_corrected_by_the_note(dialect: str, kind: str, text: str, tmp_path: Path):
    async with opened(tmp_path) as home:
        wrong, ((told, sentence),) = await says(home, dialect, WRAP[dialect](text))
        right, left = await says(home, dialect, follow(dialect, sentence))

    assert wrong == [State.INVALID]
    assert told == kind
    assert right == [State.PLANNED]
    assert left == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("invalid", '{"templateId": "brief", "label": "Go", "parms": {}}'),
        ("malformed", '{"templateId": "brief", "label": "Go", "params": {},}'),
    ],
)
async def test_an_action_is_corrected_by_the_note(kind: str, text: str, tmp_path: Path):
    async with opened(tmp_path) as home:
        _, ((told, sentence),) = await says(home, "actions", actions(text))
        (again,) = home.read(follow("actions", sentence), "actions").proposals

    assert told == kind
    assert again.problem is None
    assert again.template_id == "brief"


DELETE = {
    "lines": 'TASK_DELETE "{}"',
    "tools": '{{"name": "task_delete", "arguments": {{"target": "{}"}}}}',
    "blocks": '{{"type": "delete_task", "taskText": "{}"}}',
    "commands": '{{"type": "task_delete", "target": "{}"}}',
}


@pytest.mark.req("X-11", "S2-44", "T-59", "T-60")
@pytest.mark.parametrize("dialect", DELETE)
@pytest.mark.parametrize(("target", "kind"), [("Buy mlik", "not_found"), ("Call", "ambiguous")])
async def test_a_task_that_is_not_found_or_stands_twice_is_named_after_the_note(
    dialect: str, target: str, kind: str, tmp_path: Path
):
    text = WRAP[dialect](DELETE[dialect].format(target))
    async with opened(tmp_path) as home:
        for said in ('TASK_ADD "Buy milk"', 'TASK_ADD "Work"', 'TASK_ADD "Call"', 'TASK_ADD_SUBTASK "Work" "Call"'):
            await home.approve((await home.run(said)).run, YES)
        _, ((told, sentence),) = await says(home, dialect, text)
        right, left = await says(home, dialect, follow(dialect, sentence))

    assert told == kind
    assert right == [State.PLANNED], sentence
    assert left == []


@pytest.mark.req("X-11", "T-59", "T-60")
@pytest.mark.parametrize("dialect", DELETE)
@pytest.mark.parametrize("other", ["Call  Bob", "“Call Bob”", "CALL BOB"])
async def test_one_of_two_tasks_that_are_matched_alike_is_named_by_the_id_in_the_note(
    dialect: str, other: str, tmp_path: Path
):
    text = WRAP[dialect](DELETE[dialect].format("Call Bob"))
    async with opened(tmp_path) as home:
        for name in ("Call Bob", other):
            await home.approve((await home.run(f'TASK_ADD "{name}"')).run, YES)
        _, ((told, sentence),) = await says(home, dialect, text)
        right, left = await says(home, dialect, follow(dialect, sentence))

    assert told == "ambiguous"
    assert right == [State.PLANNED], sentence
    assert left == []


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("commands", commands('{"type": "switch_tab", "tab_index": 0}')),
        ("tools", '{"name": "browser", "arguments": {"action": "switch_tab", "tab_index": 0}}'),
    ],
)
async def test_a_number_out_of_range_is_corrected_by_the_note(dialect: str, text: str, tmp_path: Path):
    async with opened(tmp_path) as home:
        _, ((kind, sentence),) = await says(home, dialect, text)
        (again,) = home.read(follow(dialect, sentence), dialect).proposals

    assert kind == "invalid"
    assert "“tab_index”" in sentence
    assert again.problem is None
    assert again.arguments["index"] == 1


BROKEN = [
    ("lines", 'TASK_ADD "a"\n\nCREATE_FOLDER "~/x', 3, "a quote is not closed"),
    ("blocks", 'Sure.\n\n```json-action\n{"type": "add_task",\n "text": }\n```', 4, "line 2, column 10: no JSON value"),
    ("actions", '```json\n{"actions": [{"templateId": "a",}]}\n```', 2, "line 1, column 33: a key in double quotes"),
    ("commands", '{"commands": [{"type": "list_apps"}', 1, "line 1, column 36: the JSON breaks off"),
    ("tools", '{"name": "browser", "arguments": {"action": "tabs"}', 1, "line 1, column 52: the JSON breaks off"),
]


@pytest.mark.req("X-11", "S2-45", "S2-46")
@pytest.mark.parametrize(("dialect", "text", "line", "says"), BROKEN)
async def test_what_is_malformed_is_told_with_its_place(dialect: str, text: str, line: int, says: str, tmp_path: Path):
    async with opened(tmp_path) as home:
        report = await home.run(text, dialect, dry_run=True)
        note = home.notes_for(home.read(text, dialect), report)[-1]

    assert (note.kind, note.line) == ("malformed", line)
    assert says in note.sentence
    assert "Write" in note.sentence
