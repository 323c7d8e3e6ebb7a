"""A model that does what its notes tell it corrects itself, and does next what it was told, in every dialect."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.assembly import Home
from sayso.core.decision import Decision, Question
from sayso.core.record import State
from sayso.providers.tasks.lists import Task
from sayso.testing.fakes import FakeClock
from tests.journeys.following import WRAP, actions, commands, follow, turn
from tests.journeys.ground import no, opened, states, yes

FORMS = {
    "lines": ('TASK_ADD "{}"', 'TASK_EDIT "{}" "{}"', 'TASK_DELETE "{}"'),
    "tools": (
        '{{"name": "task_add", "arguments": {{"text": "{}"}}}}',
        '{{"name": "task_edit", "arguments": {{"target": "{}", "new_text": "{}"}}}}',
        '{{"name": "task_delete", "arguments": {{"target": "{}"}}}}',
    ),
    "blocks": (
        '{{"type": "add_task", "text": "{}"}}',
        '{{"type": "edit_task", "taskText": "{}", "newText": "{}"}}',
        '{{"type": "delete_task", "taskText": "{}"}}',
    ),
    "commands": (
        '{{"type": "task_add", "text": "{}"}}',
        '{{"type": "task_edit", "target": "{}", "new_text": "{}"}}',
        '{{"type": "task_delete", "target": "{}"}}',
    ),
}
every_dialect = pytest.mark.parametrize("dialect", FORMS)


def add(dialect: str, text: str) -> str:
    return FORMS[dialect][0].format(text)


def edit(dialect: str, target: str, text: str) -> str:
    return FORMS[dialect][1].format(target, text)


def delete(dialect: str, target: str) -> str:
    return FORMS[dialect][2].format(target)


async def says(home: Home, dialect: str, text: str) -> tuple[list[State], list[tuple[str, str]]]:
    """Return the states of a dry run, and the kind and sentence of each note."""
    report, noted = await turn(home, dialect, text, dry_run=True)
    return [outcome.record.state for outcome in report.outcomes], [(note.kind, note.sentence) for note in noted]


async def corrects_itself(home: Home, dialect: str, text: str) -> tuple[list[State], str]:
    """Say it, follow the one note, and hold that it is well said then; return how it was told what was wrong."""
    wrong, ((told, sentence),) = await says(home, dialect, text)
    right, left = await says(home, dialect, follow(dialect, sentence))
    assert (right, left) == ([State.PLANNED], []), sentence
    return wrong, told


@pytest.mark.req("X-11", "S2-46", "T-60")
@pytest.mark.parametrize(
    ("dialect", "kind", "text"),
    [
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
    ],
)
async def test_a_wrong_spelling_is_corrected_by_the_note(dialect: str, kind: str, text: str, tmp_path: Path):
    (tmp_path / "Documents").mkdir()
    async with opened(tmp_path / "own") as home:
        assert await corrects_itself(home, dialect, WRAP[dialect](text)) == ([State.INVALID], kind)


@pytest.mark.parametrize(
    ("dialect", "kind", "text", "arguments"),
    [
        ("actions", "invalid", actions('{"templateId": "brief", "label": "Go", "parms": {}}'), {}),
        ("actions", "malformed", actions('{"templateId": "brief", "label": "Go", "params": {},}'), {}),
        ("commands", "invalid", commands('{"type": "switch_tab", "tab_index": 0}'), {"index": 1}),
        (
            "tools",
            "invalid",
            '{"name": "browser", "arguments": {"action": "switch_tab", "tab_index": 0}}',
            {"index": 1},
        ),
    ],
)
async def test_an_action_and_a_number_out_of_range_are_corrected_by_the_note(
    dialect: str, kind: str, text: str, arguments: dict[str, Any], tmp_path: Path
):
    async with opened(tmp_path / "own") as home:
        _, ((told, sentence),) = await says(home, dialect, text)
        (again,) = home.read(follow(dialect, sentence), dialect).proposals

    assert (told, again.problem) == (kind, None)
    assert again.template_id == ("brief" if dialect == "actions" else None)
    assert arguments.items() <= again.arguments.items()
    assert "“tab_index”" in sentence or not arguments


async def add_tasks(home: Home, *lines: str) -> None:
    for line in lines:
        await home.run(line, approver=yes())


@pytest.mark.req("X-11", "S2-44", "T-59", "T-60")
@every_dialect
@pytest.mark.parametrize(("target", "kind"), [("Buy mlik", "not_found"), ("Call", "ambiguous")])
async def test_a_task_that_is_not_found_or_stands_twice_is_named_after_the_note(
    dialect: str, target: str, kind: str, tmp_path: Path
):
    lines = ('TASK_ADD "Buy milk"', 'TASK_ADD "Work"', 'TASK_ADD "Call"', 'TASK_ADD_SUBTASK "Work" "Call"')
    async with opened(tmp_path / "own") as home:
        await add_tasks(home, *lines)

        assert (await corrects_itself(home, dialect, WRAP[dialect](delete(dialect, target))))[1] == kind


@pytest.mark.req("X-11", "T-59", "T-60")
@every_dialect
@pytest.mark.parametrize("other", ["Call  Bob", "“Call Bob”", "CALL BOB"])
async def test_one_of_two_tasks_that_are_matched_alike_is_named_by_the_id_in_the_note(
    dialect: str, other: str, tmp_path: Path
):
    async with opened(tmp_path / "own") as home:
        await add_tasks(home, 'TASK_ADD "Call Bob"', f'TASK_ADD "{other}"')

        assert (await corrects_itself(home, dialect, WRAP[dialect](delete(dialect, "Call Bob"))))[1] == "ambiguous"


BROKEN = [
    ("lines", 'TASK_ADD "a"\n\nCREATE_FOLDER "~/x', 3, "a quote is not closed"),
    ("blocks", 'Sure.\n\n```json-action\n{"type": "add_task",\n "text": }\n```', 4, "line 2, column 10: no JSON value"),
    ("actions", '```json\n{"actions": [{"templateId": "a",}]}\n```', 2, "line 1, column 33: a key in double quotes"),
    ("commands", '{"commands": [{"type": "list_apps"}', 1, "line 1, column 36: the JSON breaks off"),
    ("tools", '{"name": "browser", "arguments": {"action": "tabs"}', 1, "line 1, column 52: the JSON breaks off"),
]


@pytest.mark.req("X-11", "S2-45", "S2-46")
@pytest.mark.parametrize(("dialect", "text", "line", "words"), BROKEN)
async def test_what_is_malformed_is_told_with_its_place(dialect: str, text: str, line: int, words: str, tmp_path: Path):
    async with opened(tmp_path / "own") as home:
        _, notes = await turn(home, dialect, text, dry_run=True)

    assert (notes[-1].kind, notes[-1].line) == ("malformed", line)
    assert words in notes[-1].sentence
    assert "Write" in notes[-1].sentence


class Meanwhile:
    """A person who says yes, after something else has happened."""

    def __init__(self, happens: Callable[[], Awaitable[Any]]) -> None:
        self._happens = happens

    async def ask(self, question: Question) -> Decision | None:
        await self._happens()
        return question.yes("client")


async def tasks(home: Home) -> dict[str, bool]:
    """Return the texts of the person's tasks, as a context shows them: with True for those that are completed."""
    found: tuple[Task, ...] = await home.tools.backend("tasks").reads.all_tasks()
    return {task.text: task.completed_at is not None for task in found}


@pytest.mark.req("X-11")
@every_dialect
async def test_what_was_declined_is_not_proposed_again(dialect: str, tmp_path: Path):
    said = WRAP[dialect](delete(dialect, "Buy milk"))
    async with opened(tmp_path / "own") as home:
        await add_tasks(home, 'TASK_ADD "Buy milk"')
        _, (note,) = await turn(home, dialect, said, no())
        next_reply = "" if "Do not propose it again unless they ask for it" in note.sentence else said
        report, notes = await turn(home, dialect, next_reply, yes())

        assert (note.kind, states(report), notes) == ("declined", [], ())
        assert await tasks(home) == {"Buy milk": False}


@pytest.mark.req("X-11")
@every_dialect
async def test_what_expired_is_proposed_again_where_it_is_still_wanted(dialect: str, tmp_path: Path):
    clock = FakeClock()
    said = WRAP[dialect](delete(dialect, "Buy milk"))

    async def a_day_goes_by() -> None:
        clock.advance(hours=25)

    async with opened(tmp_path / "own", clock=clock) as home:
        await add_tasks(home, 'TASK_ADD "Buy milk"')
        _, (note,) = await turn(home, dialect, said, Meanwhile(a_day_goes_by))
        again = said if "Propose it again only if it is still wanted" in note.sentence else ""
        report, notes = await turn(home, dialect, again, yes())

        assert (note.kind, states(report), notes) == ("expired", ["done"], ())


@pytest.mark.req("X-11")
@every_dialect
async def test_what_failed_is_looked_at_before_it_is_proposed_again(dialect: str, tmp_path: Path):
    said = WRAP[dialect](edit(dialect, "Buy milk", "Buy bread"))
    async with opened(tmp_path / "own") as home:
        await add_tasks(home, 'TASK_ADD "Buy milk"')

        async def somebody_completes_it() -> None:
            await add_tasks(home, 'TASK_COMPLETE "Buy milk"')

        _, (note,) = await turn(home, dialect, said, Meanwhile(somebody_completes_it))
        looked = await tasks(home) if "Look at what is there before you propose it again" in note.sentence else {}
        other = add(dialect, "Buy bread") if looked["Buy milk"] else ""
        report, notes = await turn(home, dialect, WRAP[dialect](other), yes())

        assert (note.kind, states(report), notes) == ("failed", ["done"], ())
        assert await tasks(home) == {"Buy milk": True, "Buy bread": False}


@pytest.mark.req("X-11", "S2-44", "T-18")
@every_dialect
async def test_what_was_skipped_is_proposed_again_with_what_stood_in_its_way_mended(dialect: str, tmp_path: Path):
    said = WRAP[dialect](edit(dialect, "Buy mlik", "Buy milk today"), delete(dialect, "Buy mlik"))
    async with opened(tmp_path / "own") as home:
        await add_tasks(home, 'TASK_ADD "Buy milk"')
        first, notes = await turn(home, dialect, said, yes())
        missing, skipped = notes
        (close,) = missing.candidates
        mended = "Propose it again when what stood in its way is mended" in skipped.sentence
        report, left = await turn(home, dialect, said.replace("Buy mlik", close.name) if mended else "", yes())

        assert (states(first), [note.kind for note in notes]) == (["failed", "skipped"], ["not_found", "skipped"])
        assert (states(report), left) == (["done", "done"], ())
        assert await tasks(home) == {}


@pytest.mark.req("X-11")
@every_dialect
async def test_what_is_not_allowed_is_left_and_something_else_proposed(dialect: str, tmp_path: Path):
    said = WRAP[dialect](delete(dialect, "Buy milk"))
    other = WRAP[dialect](edit(dialect, "Buy milk", "No milk"))
    async with opened(tmp_path / "own", '[policy]\nallowed_operations = ["task.[!d]*"]\n') as home:
        await add_tasks(home, 'TASK_ADD "Buy milk"')
        _, (note,) = await turn(home, dialect, said, yes())
        report, notes = await turn(home, dialect, other if "Propose something else" in note.sentence else said, yes())

        assert (note.kind, states(report), notes) == ("refused", ["done"], ())
