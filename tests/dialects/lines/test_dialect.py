"""The line dialect holds what every dialect must hold."""

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
