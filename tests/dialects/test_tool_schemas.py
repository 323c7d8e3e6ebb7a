"""The tools are offered in the forms that models' interfaces take."""

from typing import Any, cast

import pytest

from sayso.core.errors import SetupError
from sayso.dialects.base import read
from sayso.dialects.tool_schemas import Form, schemas
from sayso.dialects.tools import TOOLS
from tests.dialects.replies import OPERATIONS

ALL = list(OPERATIONS.values())
MACOS_AUTO = "action app_name title body to subject path folder due_date limit"
BROWSER = "action url selector value js_code tab_index new_tab"
SAID_WHOLE = (
    "app.open", "clipboard.read", "clipboard.write", "calendar.today", "note.create", "file.reveal",
    "page.text", "page.links", "page.run_js", "page.click", "page.fill", "page.screenshot",
)  # fmt: skip
"""The operations that an action of the two tools can say with all their arguments."""


def by_name(form: Form = "anthropic") -> dict[str, dict[str, Any]]:
    return {str(one["name"]): cast("dict[str, Any]", one) for one in schemas(ALL, form)}


@pytest.mark.req("S1-01", "S1-20", "S1-31", "S1-36", "S1-50")
@pytest.mark.parametrize(("name", "count", "keys"), [("macos_auto", 10, MACOS_AUTO), ("browser", 11, BROWSER)])
def test_the_two_tools_have_the_actions_and_parameters_of_their_source(name: str, count: int, keys: str):
    schema = by_name()[name]["input_schema"]

    assert len(schema["properties"]["action"]["enum"]) == count
    assert set(schema["properties"]) == set(keys.split())
    assert schema["required"] == ["action"]


@pytest.mark.req("S1-05")
def test_every_other_operation_is_a_tool_of_its_own_with_its_own_schema():
    tools = by_name()

    assert tools["file_move"]["input_schema"] == OPERATIONS["file.move"].schema
    assert "app_open" not in tools
    assert tools["reminder_create"]["input_schema"] == OPERATIONS["reminder.create"].schema
    assert len(tools) == 2 + len(OPERATIONS) - len(SAID_WHOLE)


@pytest.mark.parametrize("form", ["anthropic", "openai", "mcp"])
def test_each_interface_gets_its_form(form: Form):
    for one in schemas(ALL, form):
        inner = cast("dict[str, Any]", one["function"] if form == "openai" else one)
        key = {"anthropic": "input_schema", "openai": "parameters", "mcp": "inputSchema"}[form]
        assert set(inner) == {"name", "description", key}
        assert inner["description"]
        assert inner[key]["type"] == "object"
        assert set(inner[key]["required"]) <= set(inner[key]["properties"])


def test_a_form_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(SetupError) as refused:
        schemas(ALL, cast("Form", "openapi"))

    assert refused.value.code == "form.unknown"
    assert str(refused.value) == "there is no form “openapi” of tools; there are: anthropic, openai, mcp"


@pytest.mark.req("T-12", "T-32")
def test_only_what_is_enabled_is_offered():
    few = cast("list[dict[str, Any]]", schemas([OPERATIONS["page.text"], OPERATIONS["file.move"]]))

    assert [one["name"] for one in few] == ["browser", "file_move"]
    assert few[0]["input_schema"]["properties"] == {
        "action": {"type": "string", "enum": ["get_text"], "description": "What to do."}
    }


def test_a_key_that_is_only_taken_is_taken():
    text = '{"name": "macos_auto", "arguments": {"action": "clipboard_write", "text": "x"}}'

    assert read(TOOLS, OPERATIONS, text).proposals[0].arguments == {"text": "x"}
