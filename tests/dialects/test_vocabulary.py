"""The names of S0, held against section 8 of the specification as the test catalogue has it."""

import pytest

from sayso.dialects.vocabulary import DROPS_FINAL_NEWLINE, LINES, LineCommand, open_name
from tests.dialects.catalogue import OPERATIONS

S0 = """
MOVE_FILE COPY_FILE DELETE_FILE CREATE_FOLDER OPEN_FILE REVEAL_IN_FINDER WRITE_FILE APPEND_FILE WRITE_DOC SEND_EMAIL
OPEN_URL COPY_TO_CLIPBOARD OPEN_APP QUIT_APP ACTIVATE_APP NOTIFY SPEAK SET_VOLUME DO_NOT_DISTURB RUN_SHORTCUT
CREATE_EVENT CREATE_REMINDER
"""


@pytest.mark.req("T-12")
def test_the_union_of_the_lists_of_s0_has_a_name_each():
    assert sorted(command.name for command in LINES) == sorted(S0.split())
    assert len(LINES) == 22


@pytest.mark.parametrize("command", LINES, ids=[command.name for command in LINES])
def test_a_command_gives_each_argument_its_operation_requires(command: LineCommand):
    parameters = {parameter.name: parameter for parameter in OPERATIONS[command.operation].parameters}

    assert {*command.needs, *command.may, *command.fixed} <= parameters.keys()
    assert {name for name, found in parameters.items() if found.required} <= {*command.needs, *command.fixed}
    assert command.body is None or parameters[command.body].kind == "text"


def test_only_texts_that_are_shown_or_said_lose_their_final_newline():
    assert sorted(DROPS_FINAL_NEWLINE) == ["clipboard.write", "notify.show", "shortcut.run", "speech.say"]


def test_an_open_dialect_derives_a_name_from_the_id():
    assert open_name("task.add_subtask") == "task_add_subtask"
