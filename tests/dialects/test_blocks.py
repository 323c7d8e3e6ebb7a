"""A button without a label of the model's says what it does, and to what."""

import pytest

from sayso.core.dialect import ProposalEvent, TextEvent, WarningEvent
from sayso.core.proposal import Proposal
from sayso.dialects.answers import Operations
from sayso.dialects.base import read
from sayso.dialects.blocks import BLOCKS, EXAMPLES, default_label, example, fence_json, read_block
from sayso.dialects.fences import FencedBlock
from sayso.testing.dialects import DialectSuite
from sayso.testing.dialects import read as told
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as


@pytest.mark.req("T-57")
@pytest.mark.parametrize(
    ("name", "members", "label"),
    [
        ("delete_task", {"taskText": "Buy wine for dinner"}, "Delete 'Buy wine for dinner'"),
        ("add_task", {"text": "Launch product"}, "Add 'Launch product'"),
        ("edit_task", {"taskText": "X", "newText": "Y"}, "Rename 'X' to 'Y'"),
        ("edit_habit", {"habitText": "X", "newText": "Y"}, "Rename 'X' to 'Y'"),
        ("edit_habit", {"habitText": "X", "repeatIntervalHours": 4}, "Change 'X'"),
        ("add_habit", {"text": "Meditate", "repeatIntervalHours": 24}, "Add 'Meditate' every 24 hours"),
        ("add_subtask", {"text": "a {b}", "parentText": "{text}"}, "Add 'a {b}' under '{text}'"),
        ("complete_task", {}, "Complete '…'"),
    ],
)
def test_a_label_is_a_verb_and_the_target_in_quotes(name: str, members: dict[str, object], label: str):
    assert default_label(name, members) == label


def block(content: str, line: int = 1) -> FencedBlock:
    return FencedBlock("json-action", content, f"```json-action\n{content}\n```", closed=True, line=line)


def proposal_in(content: str, line: int = 1, first: int = 0, operations: Operations = OPERATIONS) -> Proposal:
    (event,) = read_block(block(content, line), first, operations)
    assert isinstance(event, ProposalEvent)
    return event.proposal


@pytest.mark.req("T-65")
def test_each_object_of_a_list_is_quoted_with_its_line():
    events = read_block(block('[\n {"type": "add_task", "text": "a"},\n {"type": "fly"}\n]', 7), 0, OPERATIONS)

    found = [event.proposal for event in events if isinstance(event, ProposalEvent)]
    assert [(one.said, one.line) for one in found] == [('{"type": "add_task", "text": "a"}', 8), ('{"type": "fly"}', 9)]
    assert len(events) == 2


@pytest.mark.parametrize(("text", "line"), [("{}", 3), ("\n{}\n\n", 4), (" \n\n {}\n", 5)])
def test_a_single_object_is_quoted_with_the_line_it_begins_on(text: str, line: int):
    found = proposal_in(text, 3, 2)

    assert (found.said, found.line, found.index) == ("{}", line, 2)


@pytest.mark.req("S2-45", "S2-46")
def test_a_malformed_block_is_one_invalid_proposal_with_its_place_and_a_warning():
    proposed, warned = read_block(block('{"type": "add_task",}', 4), 0, OPERATIONS)

    assert isinstance(proposed, ProposalEvent)
    assert isinstance(warned, WarningEvent)
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
    found = proposal_in(content)

    assert said in (found.problem or "")
    assert found.code == code


def test_where_no_type_is_enabled_that_is_said():
    assert "none is enabled" in (proposal_in('{"type": "add_task"}', operations={}).problem or "")


@pytest.mark.req("T-57")
@pytest.mark.parametrize(
    ("member", "label", "by_us"),
    [('"label": "Do P"', "Do P", False), ('"label": ""', "Add 'P'", True), ('"label": null', "Add 'P'", True)],
)
def test_a_label_that_stands_in_for_one_says_that_the_model_did_not_write_it(member: str, label: str, by_us: bool):
    found = proposal_in(f'{{"type": "add_task", "text": "P", {member}}}')

    assert (found.label, found.label_by_us, found.operation) == (label, by_us, "task.add")


@pytest.mark.req("T-32", "S2-46")
def test_only_a_type_that_is_enabled_is_offered_for_one_that_there_is_not():
    found = proposal_in(
        '{"type": "remove_task"}', operations={id_: OPERATIONS[id_] for id_ in ("task.add", "file.delete")}
    )

    assert found.problem == "there is no type “remove_task”; there are: add_task"


PROMPT = BLOCKS.describe(list(OPERATIONS.values()))
SEVEN = "add_task add_subtask edit_task delete_task add_habit edit_habit delete_habit"


@pytest.mark.req("S2-36", "S2-38", "S2-39")
def test_the_prompt_describes_every_type_with_an_example():
    for name in SEVEN.split():
        assert f'"type": "{name}"' in PROMPT
    assert "conversational text around the blocks" in PROMPT
    assert "begin with a verb such as Add, Delete or Rename, and name the item" in PROMPT


@pytest.mark.req("S2-07", "S2-37", "T-12")
def test_the_prompt_says_what_hours_mean_and_what_cannot_be_changed_and_names_only_what_is_enabled():
    assert "24 is daily, 4 is every four hours" in PROMPT
    assert "Completed tasks are shown for context only" in PROMPT
    few = BLOCKS.describe([OPERATIONS["task.add"]])
    assert "habit" not in few.replace("tasks and habits", "")
    assert BLOCKS.describe([OPERATIONS["file.move"]]) == ""


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_of_the_prompt_reads_as_what_it_shows(name: str):
    (proposal,) = read(BLOCKS, OPERATIONS, fence_json(example(name))).proposals

    assert proposal.problem is None
    assert (proposal.given[0], proposal.label) == (name, EXAMPLES[name]["label"])
    assert example(name) in PROMPT


class TestBlocks(DialectSuite):
    dialect = BLOCKS
    operations = OPERATIONS
    texts = (
        'A\n\n```json-action\n{"type": "add_task", "text": "😀"}\n```\n\nB',
        '```json-action\n[{"type": "fly"}, 3]\n```\n```json-action\n{bad\n```\n',
        "x ``` y\n```py\ncode\n\n\n\n```\n",
        '```json-action\n{"type": "add_task", "text": "x"}',
        "```json-ac",
        '```\rjson-action\n{"type": "add_task", "text": "x"}\n```\n',
        '```json-action\r\n{"type": "add_task", "text": "x"}\r\n```\r\n',
    )
    wishes = (
        ("task.add", {"text": 'say "hi" ```'}),
        ("task.edit", {"target": "a", "new_text": "b\tc".replace("\t", " ")}),
        ("habit.edit", {"target": "run", "interval_hours": 1.5}),
        ("habit.add", {"text": "run", "interval_hours": 24}),
        ("task.complete", {"target": "x"}),
    )
    slow = (
        lambda size: "```json-action\n" + "{" * size,
        lambda size: "```json-action\n{}\n```\n" * (size // 22),
        lambda size: "x\n" * (size // 2),
        lambda size: "`x" * (size // 2),
        lambda size: "\n" * size,
    )


@pytest.mark.parametrize("case", cases("blocks"))
def test_a_reply_says_what_its_case_says(case: Case):
    must_read_as(case, BLOCKS)
    must_read_alike_however_cut(case, BLOCKS)


@pytest.mark.req("S2-14", "S2-18", "C-15")
@pytest.mark.parametrize("case", [pytest.param(one.values[0], id=one.id) for one in cases("blocks")])
def test_no_part_of_a_block_is_ever_shown(case: Case):
    if "json-action" in case.expects.get("text_shown", ""):
        return
    reader = BLOCKS.reader(OPERATIONS)
    shown = "".join(event.text for letter in case.text for event in reader.feed(letter) if isinstance(event, TextEvent))

    assert "json-a" not in shown
    assert '"type"' not in shown


def test_a_reply_of_many_pieces_tells_each_proposal_when_its_block_has_closed():
    reader = BLOCKS.reader(OPERATIONS)
    text = fence_json(example("add_task")) + "\n"

    assert [len(reader.feed(letter)) for letter in text] == [0] * (len(text) - 1) + [1]


def test_pieces_and_whole_tell_the_same():
    text = "a\n" + fence_json(example("add_task")) + "\nb"

    assert told(BLOCKS, OPERATIONS, list(text)) == told(BLOCKS, OPERATIONS, [text])
