"""One block is one proposal, or one for each object of its list."""

import pytest

from sayso.core.events import Proposed, Warned
from sayso.dialects.blocks.block import read_block
from sayso.dialects.fences import Block
from tests.dialects.replies import OPERATIONS


def block(content: str, line: int = 1) -> Block:
    return Block("json-action", content, f"```json-action\n{content}\n```", closed=True, line=line)


@pytest.mark.req("T-65")
def test_each_object_of_a_list_is_quoted_with_its_line():
    events = read_block(block('[\n {"type": "add_task", "text": "a"},\n {"type": "fly"}\n]', 7), 0, OPERATIONS)

    found = [event.proposal for event in events if isinstance(event, Proposed)]
    assert [(one.said, one.line) for one in found] == [
        ('{"type": "add_task", "text": "a"}', 8),
        ('{"type": "fly"}', 9),
    ]
    assert len(events) == 2


@pytest.mark.parametrize(("text", "line"), [("{}", 3), ("\n{}\n\n", 4), (" \n\n {}\n", 5)])
def test_a_single_object_is_quoted_with_the_line_it_begins_on(text: str, line: int):
    (event,) = read_block(block(text, 3), 2, OPERATIONS)

    assert isinstance(event, Proposed)
    assert (event.proposal.said, event.proposal.line, event.proposal.index) == ("{}", line, 2)


@pytest.mark.req("S2-45", "S2-46")
def test_a_malformed_block_is_one_invalid_proposal_with_its_place_and_a_warning():
    proposed, warned = read_block(block('{"type": "add_task",}', 4), 0, OPERATIONS)

    assert isinstance(proposed, Proposed)
    assert isinstance(warned, Warned)
    assert "at line 4" in warned.sentence
    assert proposed.proposal.problem is not None
    assert proposed.proposal.problem.startswith(warned.sentence)
    assert 'written correctly it would be {"type": "add_task"}' in proposed.proposal.problem


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (
            '{"type": "add_tasks", "text": "a"}',
            "command.unknown",
            "there is no type “add_tasks”; did you mean add_task?",
        ),
        ('{"type": "undelete_task"}', "command.unknown", "there is no type “undelete_task”; there are: add_task, add_"),
        (f'{{"type": "{"z" * 81}"}}', "command.unknown", f"there is no type “{'z' * 80}”; "),
        ('{"type": "zzz"}', "command.unknown", "there are: add_task, "),
        ("{}", "arguments.missing", "needs “type”; there are: add_task"),
        ('{"type": 3}', "arguments.type", "“type” must be a name"),
        ('{"type": "add_task", "label": 3}', "arguments.type", "“label” must be a text"),
        ("3", "block.form", "holds an object such as"),
    ],
)
def test_what_is_not_understood_says_what_there_is(content: str, code: str, said: str):
    (event,) = read_block(block(content), 0, OPERATIONS)

    assert isinstance(event, Proposed)
    assert said in (event.proposal.problem or "")
    assert event.proposal.code == code


def test_where_no_type_is_enabled_that_is_said():
    (event,) = read_block(block('{"type": "add_task"}'), 0, {})

    assert isinstance(event, Proposed)
    assert "none is enabled" in (event.proposal.problem or "")


@pytest.mark.req("T-57")
@pytest.mark.parametrize(
    ("member", "label", "by_us"),
    [('"label": "Do P"', "Do P", False), ('"label": ""', "Add 'P'", True), ('"label": null', "Add 'P'", True)],
)
def test_a_label_that_stands_in_for_one_says_that_the_model_did_not_write_it(member: str, label: str, by_us: bool):
    (event,) = read_block(block(f'{{"type": "add_task", "text": "P", {member}}}'), 0, OPERATIONS)

    assert isinstance(event, Proposed)
    assert (event.proposal.label, event.proposal.label_by_us, event.proposal.operation) == (label, by_us, "task.add")


@pytest.mark.req("T-32", "S2-46")
def test_only_a_type_that_is_enabled_is_offered_for_one_that_there_is_not():
    operations = {id_: OPERATIONS[id_] for id_ in ("task.add", "file.delete")}

    (event,) = read_block(block('{"type": "remove_task"}'), 0, operations)

    assert isinstance(event, Proposed)
    assert event.proposal.problem == "there is no type “remove_task”; there are: add_task"
