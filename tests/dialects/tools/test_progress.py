"""A call is put into words for the person who waits for it."""

from typing import Any

import pytest

from sayso.dialects.tools.progress import progress
from tests.dialects.replies import OPERATIONS


@pytest.mark.req("S1-59", "S1-60")
@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("macos_auto", {"action": "calendar_today"}, "macOS: calendar today"),
        ("macos_auto", {"action": "mail_send", "to": "ana@example.org"}, "macOS: mail send"),
        ("browser", {"action": "get_text"}, "Safari: get text"),
        ("browser", {"action": "run_js", "js_code": "1"}, "Safari: run js"),
        ("macos_auto", {"action": "no_such_thing"}, "macOS: no such thing"),
        ("browser", {}, "Safari"),
        ("browser", {"action": ["tabs"]}, "Safari"),
        ("file_move", {"source": "a"}, "Move or rename a file or folder"),
        ("their_own_tool", {}, "their own tool"),
    ],
)
def test_a_call_is_put_into_words(tool: str, arguments: dict[str, Any], says: str):
    assert progress(tool, arguments, OPERATIONS) == says


@pytest.mark.req("S1-59")
def test_what_the_model_wrote_stays_one_short_line():
    said = progress("macos_auto", {"action": "open\n\x1b[31mapp\u202e" + "_x" * 500}, OPERATIONS)

    assert said.startswith("macOS: open [31mapp x x")
    assert said.isprintable()
    assert len(said) <= len("macOS: ") + 80
