"""`json-action` blocks hold what every dialect must hold, and their cases."""

import pytest

from sayso.core.events import Text
from sayso.dialects.blocks import BLOCKS
from sayso.dialects.blocks.describing import example, fenced
from sayso.testing.dialects import DialectSuite
from sayso.testing.dialects import read as told
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as


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
    shown = "".join(event.text for letter in case.text for event in reader.feed(letter) if isinstance(event, Text))

    assert "json-a" not in shown
    assert '"type"' not in shown


def test_a_reply_of_many_pieces_tells_each_proposal_when_its_block_has_closed():
    reader = BLOCKS.reader(OPERATIONS)
    text = fenced(example("add_task")) + "\n"

    assert [len(reader.feed(letter)) for letter in text] == [0] * (len(text) - 1) + [1]


def test_pieces_and_whole_tell_the_same():
    text = "a\n" + fenced(example("add_task")) + "\nb"

    assert told(BLOCKS, OPERATIONS, list(text)) == told(BLOCKS, OPERATIONS, [text])
