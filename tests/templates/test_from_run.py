"""An action is written from what was done once: it asks for the same again, with its values as parameters."""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.assembly.parts import providers
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.operation import Operation, Parameter
from sayso.providers.mcp.definitions import ToolDefinition
from sayso.providers.mcp.servers import WrappedServer
from sayso.providers.mcp.tool_operation import tool_operation
from sayso.runtime.registry import catalogue
from sayso.templates.definition import ActionTemplate, read_template
from sayso.templates.from_run import REDACTED, DoneStep, draft_action, write_draft
from sayso.templates.library import load_file
from sayso.templates.runner import AFTER, NEEDS_REPLY
from tests.fails import fails
from tests.templates.actions import Asked, handled

OPERATIONS = catalogue(providers())
CHANGES = [one for one in OPERATIONS.values() if one.kind != "read" and one.id != "template.run"]
SAMPLES: Mapping[str, Json] = {
    "path": "~/Documents/a file.txt", "when": "2030-01-01 10:00", "line": "ana@example.org", "text": "One\nTwo “three”",
}  # fmt: skip
BY_NAME: Mapping[str, Json] = {
    "source": "~/Downloads/b.txt", "url": "https://example.org/", "end": "2030-01-01 11:00", "bounds": [0, 0, 10, 10],
    "indices": [2, 1], "levels": [0], "texts": ["one"], "completed": [True], "ids": ["<1@x>", "<2@x>"],
    "tools": ["file.list"], "options": {"method": "GET"}, "interval_hours": 1.5, "attachments": ["~/Documents/c.txt"],
    "participants": ["ana@example.org"],
}  # fmt: skip


def sample(operation: Operation) -> dict[str, Json]:
    """Return arguments that the operation takes, all of them if it takes all together."""
    every = {one.name: value(one) for one in operation.parameters}
    needed = {one.name: every[one.name] for one in operation.parameters if one.required}
    return next(given for given in (every, needed) if not operation.check(given)[1])


def value(parameter: Parameter) -> Json:
    """Return a value for a parameter."""
    if parameter.choices:
        return parameter.choices[0]
    if parameter.name in BY_NAME:
        return BY_NAME[parameter.name]
    if parameter.kind:
        return SAMPLES[parameter.kind]
    return {"boolean": True, "integer": 2, "number": 1.5}.get(str(parameter.schema.get("type")), 2)


def drafted(*steps: DoneStep) -> ActionTemplate:
    """Return the action that is made of these steps."""
    text = draft_action(steps, OPERATIONS, "2030-01-01").text.replace("@ID@", "again", 1).replace("@NAME@", "Again", 1)
    return read_template("again.py", text, {})


async def asked_again(
    template: ActionTemplate, given: Mapping[str, Json] | None = None, *more: Operation
) -> list[DoneStep]:
    """Return what the action requests."""
    asked = Asked()
    params = template.fill_parameters(given or {})
    ended = await handled(template, asked, params=params, more={one.id: one for one in more})
    assert ended.error is None
    effects = [DoneStep(one.operation, one.arguments) for one in ended.effects]
    return [DoneStep(*one) for one in asked.calls] + effects


@pytest.mark.parametrize("operation", CHANGES, ids=[one.id for one in CHANGES])
async def test_each_operation_is_asked_for_again_with_the_same_arguments(operation: Operation):
    step = DoneStep(operation.id, sample(operation))

    template = drafted(step)

    assert await asked_again(template) == [step]
    assert all(one.description and "such as “" in one.description for one in template.parameters)


async def test_all_steps_are_asked_for_in_their_order_and_values_that_occur_twice_are_one_parameter():
    steps = [
        DoneStep("file.mkdir", {"path": "~/Documents/Taxes"}),
        DoneStep("file.move", {"source": "~/Downloads/a.pdf", "destination": "~/Documents/Taxes/a.pdf"}),
        DoneStep("file.move", {"source": "~/Downloads/b.pdf", "destination": "~/Documents/Taxes/b.pdf"}),
        DoneStep("file.reveal", {"path": "~/Documents/Taxes"}),
        DoneStep("note.create", {"title": "Taxes", "body": "a.pdf\nb.pdf\n"}),
        DoneStep("file.open", {"path": "~/Documents/Taxes/a.pdf"}),
    ]
    draft = draft_action(steps, OPERATIONS, "2030-01-01")
    template = drafted(*steps)

    assert await asked_again(template) == [one for one in steps if one.operation != "file.reveal"]
    assert [one.name for one in template.parameters] == [
        "path", "source", "destination", "source_2", "destination_2", "title", "body",
    ]  # fmt: skip
    other = await asked_again(template, {"destination": "~/Documents/other.pdf"})
    assert [one.arguments.get("destination", one.arguments.get("path")) for one in (other[1], other[-1])] == [
        "~/Documents/other.pdf"
    ] * 2
    assert [one.partition(":")[0] for one in draft.left_out] == ["file.reveal"]
    assert "it only looked" in draft.left_out[0]


TEXTS = st.text(min_size=1, max_size=200).filter(
    lambda text: not OPERATIONS["note.create"].check({"title": "a", "body": text})[1]
)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.filter_too_much])
@given(body=TEXTS)
@pytest.mark.parametrize(
    "fixed", ['"""\nimport os\n"""', "'\"\\", "\\N{DASH} {body} @ID@", "a\u2028b\r\n" * 30, "\u202egpj.exe"]
)
def test_no_text_ends_its_place_in_the_file(body: str, fixed: str):
    for text in (body, fixed):
        template = drafted(DoneStep("note.create", {"title": "A title", "body": text}))

        assert template.fill_parameters({}) == {"title": "A title", "body": text}
        assert all(letter.isprintable() or letter == "\n" for letter in template.source)


async def test_what_the_log_does_not_keep_is_asked_for_each_time_and_kept_nowhere():
    draft = draft_action(
        [DoneStep("mail.send", {"to": REDACTED, "subject": "Hello there", "body": REDACTED})], OPERATIONS, "2030-01-01"
    )
    template = drafted(DoneStep("mail.send", {"to": REDACTED, "subject": "Hello there", "body": REDACTED}))

    assert [one.name for one in template.parameters if one.required] == ["to", "body"]
    assert template.secret == ("to", "body")
    assert REDACTED not in template.source
    assert len(draft.notes) == 2
    (sent,) = await asked_again(template, {"to": "ana@example.org", "body": "Hi"})
    assert sent.arguments == {"to": "ana@example.org", "subject": "Hello there", "body": "Hi"}


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (DoneStep("template.run", {"instance_id": "act_1", "session_id": "s"}), "cannot ask for it"),
        (DoneStep("gone.away", {}), "cannot ask for it"),
        (DoneStep("file.list", {"path": "~/Documents"}), "it only looked"),
        (DoneStep("file.mkdir", {"where": "x"}), "does not take these arguments any more"),
        (DoneStep("note.create", {"title": f"{AFTER}1 is done⟩"}), "known only once that is done"),
        (DoneStep("file.mkdir", {"path": "~/a"}, "it was not done (failed)"), "it was not done (failed)"),
    ],
)
def test_what_an_action_cannot_do_is_named(step: DoneStep, why: str):
    with fails(SetupError, "template.nothing_done", "no action can be made of that run"):
        draft_action([step], OPERATIONS, "2030-01-01")

    (told,) = draft_action([step, DoneStep("file.mkdir", {"path": "~/b"})], OPERATIONS, "2030-01-01").left_out
    assert why in told


def test_of_what_is_answered_and_of_places_in_lists_a_note_is_left():
    steps = [DoneStep(one, sample(OPERATIONS[one])) for one in (*sorted(NEEDS_REPLY), "tab.close")]

    notes = draft_action(steps, OPERATIONS, "2030-01-01").notes

    assert [note.partition(" ")[0] for note in notes] == ["what", "what", "“indices”"]


def test_a_name_is_made_up_that_no_file_has_and_one_that_is_given_is_used(tmp_path: Path):
    draft = draft_action([DoneStep("file.move", sample(OPERATIONS["file.move"]))], OPERATIONS, "2030-01-01")

    begun = [write_draft(tmp_path, name, draft) for name in ("", "", "Put away")]

    assert [(one.file.name, one.id) for one in begun] == [
        ("move-file.py", "move_file"), ("move-file-2.py", "move_file_2"), ("put-away.py", "put_away"),
    ]  # fmt: skip
    assert [load_file(one.file).name for one in begun] == ["Move file", "Move file 2", "Put away"]


HOSTILE = 'a": 0})\n    import os\n    os.system("x")\n    dict(**{"b'


@pytest.mark.parametrize("name", [HOSTILE, "max-results", "from", "Größe", "{}", '"""', "\u202e"])
async def test_no_name_that_another_server_gives_an_argument_is_code_in_the_file(name: str):
    said = {"name": "send", "inputSchema": {"type": "object", "properties": {name: {"type": "string"}}}}
    tool = tool_operation(WrappedServer("other"), ToolDefinition("send", said))
    step = DoneStep(tool.id, {name: "some text"})

    draft = draft_action([step], {**OPERATIONS, tool.id: tool}, "2030-01-01")
    text = draft.text.replace("@ID@", "again", 1).replace("@NAME@", "Again", 1)
    template = read_template("again.py", text, {})

    assert [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import)] == []
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert await asked_again(template, {}, tool) == [step]
