"""The line dialect holds what every dialect must hold."""

import pytest

from sayso.dialects.base import read
from sayso.dialects.lines import LINES
from sayso.testing.dialects import DialectSuite
from tests.dialects.catalogue import OPERATIONS


class TestLines(DialectSuite):
    dialect = LINES
    operations = OPERATIONS
    texts = (
        'OPEN_APP Mail\r\nFLY x\r# no\n\nSPEAK "😀"',
        "\ufeffWRITE_FILE /a <<END\r\nx\r\n END\rEND \nSPEAK",
        "```\nNOTIFY “a” „b“\n```\nSPEAK <<X\n\nX",
        "WRITE_FILE /a <<END\nno end\n",
    )
    wishes = (
        ("file.move", {"source": "/a b", "destination": "~/c"}),
        ("file.write", {"path": "/a", "content": "END\n# x\n"}),
        ("notify.show", {"title": "t", "message": 'say "hi"'}),
        ("app.place", {"name": "Notes", "bounds": [0, 0, 10, 10]}),
        ("task.add", {"text": "#1"}),
        ("habit.edit", {"target": "run", "interval_hours": 1.5}),
    )
    slow = (
        lambda size: 'SPEAK "' + "x" * size,
        lambda size: "WRITE_FILE /a <<END\n" + "x\n" * (size // 2),
        lambda size: "FLY x\n" * (size // 6),
        lambda size: "\r\n" * (size // 2),
    )


def test_the_dialect_is_called_lines():
    assert LINES.name == "lines"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n\nb\n", "# a\n\n# b\n"),
        ('WRITE_DOC "/a" <<END\none\nEND', '# WRITE_DOC "/a" <<END #\n# one\n# END'),
        ('say "x <<END', '# say "x <<END #'),
        ("say <<END here", "# say <<END here"),
    ],
)
def test_words_to_a_person_are_comments_that_open_nothing(text: str, said: str):
    assert LINES.remark(text) == said
    assert read(LINES, OPERATIONS, LINES.together([said, "SPEAK x"])).proposals[0].arguments == {"text": "x"}


def test_what_is_written_together_stands_one_below_the_other():
    assert LINES.together(["a", "b"]) == "a\nb\n"
