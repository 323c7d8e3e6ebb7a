"""The prompt of the commands contract teaches what is read, and only what may be done."""

import pytest

from sayso.dialects.commands import COMMANDS
from sayso.dialects.commands.describing import EXAMPLES, UNCLEAR, reply
from sayso.dialects.reading import read
from tests.dialects.replies import OPERATIONS

PROMPT = COMMANDS.describe(list(OPERATIONS.values()))


@pytest.mark.req("S4-26", "S4-34", "S4-54")
def test_the_prompt_names_types_bounds_and_when_to_open_a_new_tab():
    for name in ("list_apps", "place_app", "close_tab", "activate_preset", "query", "task_add", "file_move"):
        assert f'"type": "{name}"' in PROMPT
    for formula in ("[x, y, x+w/2, y+h]", "[x+w/2, y, x+w, y+h]", "[x, y, x+w, y+h]", "[360, 140, 1560, 940]"):
        assert formula in PROMPT
    assert "switch_tab when the context has a tab" in PROMPT


@pytest.mark.req("T-12", "T-32")
def test_only_what_is_enabled_is_named():
    few = COMMANDS.describe([OPERATIONS["app.list"]])

    assert "list_apps" in few
    for other in ("switch_tab", "place_app", "bounds", "Paths", "open_url"):
        assert other not in few


@pytest.mark.parametrize(("name", "said", "command"), EXAMPLES)
def test_an_example_reads_as_what_it_shows(name: str, said: str, command: str):
    (proposal,) = read(COMMANDS, OPERATIONS, reply(command)).proposals

    assert proposal.problem is None
    assert proposal.given[0] == name
    assert f"{said}\n{reply(command)}" in PROMPT


@pytest.mark.req("S4-13")
def test_the_example_of_asking_back_reads_as_a_question():
    reading = read(COMMANDS, OPERATIONS, UNCLEAR[2])

    assert reading.needs_clarification
    assert [proposal.problem for proposal in reading.proposals] == [None]
    assert UNCLEAR[2] in PROMPT
