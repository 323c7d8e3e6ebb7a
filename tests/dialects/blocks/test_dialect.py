"""`json-action` blocks hold what every dialect must hold, and their cases."""

import pytest

from sayso.core.events import Text
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.blocks.describing import EXAMPLES, example, fenced
from sayso.dialects.reading import read
from sayso.testing.dialects import DialectSuite
from sayso.testing.dialects import read as told
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as

PROMPT = BLOCKS.describe(list(OPERATIONS.values()))
SEVEN = "add_task add_subtask edit_task delete_task add_habit edit_habit delete_habit"


class TestBlocks(DialectSuite):
    dialect = BLOCKS
    operations = OPERATIONS
    texts = (
        'A\n\n```json-action\n{"type": "add_task", "text": "😀"}\n```\n\nB',
        '```json-action\n[{"type": "fly"}, 3]\n```\n```json-action\n{bad\n```\n',
        "x ``` y\n```py\ncode\n\n\n\n```\n",
        '```json-action\n{"type": "add_task", "text": "x"}',
        "```json-ac",
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
    shown = "".join(event.text for letter in case.text for event in reader.feed(letter) if isinstance(event, Text))

    assert "json-a" not in shown
    assert '"type"' not in shown


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
    (proposal,) = read(BLOCKS, OPERATIONS, fenced(example(name))).proposals

    assert proposal.problem is None
    assert (proposal.given[0], proposal.label) == (name, EXAMPLES[name]["label"])
    assert example(name) in PROMPT


def test_a_reply_of_many_pieces_tells_each_proposal_when_its_block_has_closed():
    reader = BLOCKS.reader(OPERATIONS)
    text = fenced(example("add_task")) + "\n"

    assert [len(reader.feed(letter)) for letter in text] == [0] * (len(text) - 1) + [1]


def test_pieces_and_whole_tell_the_same():
    text = "a\n" + fenced(example("add_task")) + "\nb"

    assert told(BLOCKS, OPERATIONS, list(text)) == told(BLOCKS, OPERATIONS, [text])
