"""The part of the prompt that teaches the commands."""

import re

import pytest

from sayso.dialects.lines import LINES
from sayso.testing.dialects import proposals_in, read
from tests.dialects.catalogue import ALL, OPERATIONS

EVERYTHING = LINES.describe(ALL)
S0 = """
MOVE_FILE COPY_FILE DELETE_FILE CREATE_FOLDER OPEN_FILE REVEAL_IN_FINDER WRITE_FILE APPEND_FILE WRITE_DOC SEND_EMAIL
OPEN_URL COPY_TO_CLIPBOARD OPEN_APP QUIT_APP ACTIVATE_APP NOTIFY SPEAK SET_VOLUME DO_NOT_DISTURB RUN_SHORTCUT
CREATE_EVENT CREATE_REMINDER
"""


@pytest.mark.req("S0-66", "T-12")
def test_role_and_every_command_with_arguments_and_purpose_are_told():
    assert EVERYTHING.startswith("You are a helpful assistant that carries out actions on the person's computer")
    assert "macOS" in EVERYTHING
    for name in S0.split():
        assert re.search(rf"^- {name}( .+)? - [A-Z].+$", EVERYTHING, re.MULTILINE), name
    assert '- OPEN_FILE "path" ["app"] - Open a file\n' in EVERYTHING
    assert '- TASK_ADD "text" - Add a task\n' in EVERYTHING


@pytest.mark.req("S0-66")
@pytest.mark.parametrize("left_out", sorted(OPERATIONS))
def test_what_is_not_enabled_is_not_named(left_out: str):
    names = set(re.findall(r"^- ([A-Z_]+)", EVERYTHING, re.MULTILINE))
    rest = LINES.describe([operation for operation in ALL if operation.id != left_out])

    gone = {name for name in names if not re.search(rf"\b{name}\b", rest)}

    assert gone == names - set(re.findall(r"^- ([A-Z_]+)", rest, re.MULTILINE))
    assert gone


@pytest.mark.req("S0-71")
def test_the_rules_of_the_reply_are_told():
    assert "ONLY the commands" in EVERYTHING
    assert "one per line" in EVERYTHING
    assert "Be concise" in EVERYTHING
    assert "Use # for comments" in EVERYTHING
    assert "# No action needed" in EVERYTHING
    assert "<<END" in EVERYTHING


@pytest.mark.req("S0-71")
def test_the_example_reads_as_three_valid_commands():
    example = EVERYTHING.partition("EXAMPLE:\n")[2]

    found = [event.proposal for event in proposals_in(read(LINES, OPERATIONS, [example]))]

    assert [one.operation for one in found] == ["notify.show", "file.write", "file.open"]
    assert [one.problem for one in found] == [None, None, None]


def test_each_rule_stands_only_where_it_is_needed():
    short = LINES.describe([OPERATIONS["sound.set_volume"]])

    for needless in ("<<END", "~/", "YYYY", "JSON", "bare -", "EXAMPLE"):
        assert needless in EVERYTHING
        assert needless not in short
    assert "- SET_VOLUME <level> - Set the output volume\n" in short


@pytest.mark.req("S0-95")
def test_nothing_is_described_twice_or_in_another_dialect():
    listed = re.findall(r"^- ([A-Z_]+)", EVERYTHING, re.MULTILINE)

    assert len(listed) == len(set(listed))
    assert "FILE_MOVE" not in listed
    assert "json-action" not in EVERYTHING
