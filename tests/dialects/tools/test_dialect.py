"""Tool calls hold what every dialect must hold, and their cases."""

import json

import pytest

from sayso.core.errors import ProposalError
from sayso.dialects import names
from sayso.dialects.reading import read
from sayso.dialects.tools import TOOLS
from sayso.testing.dialects import DialectSuite
from tests.dialects.replies import OPERATIONS, Case, cases, must_read_alike_however_cut, must_read_as


class TestTools(DialectSuite):
    dialect = TOOLS
    operations = OPERATIONS
    texts = (
        '{"name": "macos_auto", "arguments": {"action": "open_app", "app_name": "😀"}}',
        '[{"name": "browser", "arguments": {"action": "tabs"}}, {"name": "fly"}]',
        '```json\n{"role": "assistant", "content": "hello", "tool_calls": []}\n```',
        '{"name": ',
        "prose",
    )
    wishes = (
        ("file.move", {"source": "/a b", "destination": "~/c"}),
        ("app.open", {"name": "Notes"}),
        ("tab.switch", {"index": 2, "browser": "safari"}),
        ("notify.show", {"title": "t", "message": 'say "hi"'}),
        ("mail.inbox", {"limit": 3, "include_read": False}),
        ("habit.edit", {"target": "run", "interval_hours": 1.5}),
    )
    slow = (
        lambda size: "[" + '{"name": "fly"}, ' * (size // 17),
        lambda size: "[" + ", ".join(['{"name": "fly"}'] * (size // 17)) + "]",
        lambda size: "[" * size,
        lambda size: '{"name": "macos_auto", "arguments": "' + "{" * size + '"}',
    )


@pytest.mark.parametrize("case", cases("tools"))
def test_a_call_says_what_its_case_says(case: Case):
    must_read_as(case, TOOLS)
    must_read_alike_however_cut(case, TOOLS)


@pytest.mark.req("S1-01", "S1-34", "X-01", "T-39")
@pytest.mark.parametrize("id_", OPERATIONS)
def test_every_operation_is_an_action_of_a_tool_or_a_tool_of_its_own(id_: str):
    by_action = [keyed.name for keyed in (*names.MACOS_AUTO, *names.BROWSER) if keyed.operation == id_]
    call = json.dumps({"name": id_.replace(".", "_"), "arguments": {}})

    (own,) = read(TOOLS, OPERATIONS, call).proposals

    assert (own.operation is None) == bool(by_action)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("url.open", {"url": "x.org", "browser": "chrome"}),
        ("notify.show", {"title": "t", "message": "m", "sound": "ping"}),
        ("mail.inbox", {"limit": 3}),
    ],
)
def test_what_an_action_cannot_say_is_not_written(operation: str, arguments: dict[str, object]):
    with pytest.raises(ProposalError):
        TOOLS.write(OPERATIONS[operation], arguments)


def test_calls_and_words_to_a_person_are_one_list_a_line_each():
    words = TOOLS.remark("“a”\n\nb\n")

    assert TOOLS.together([words, '{"name": "t"}', '{"name": "u"}']) == (
        '[\n  {"type": "text", "text": "“a”"},\n  {"type": "text", "text": ""},\n  {"type": "text", "text": "b"},\n'
        '  {"name": "t"},\n  {"name": "u"}\n]\n'
    )
