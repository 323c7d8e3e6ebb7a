"""sayso's tools stand beside a program's own in one registry, and each call takes the one path."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.toolset import Toolset
from sayso.runtime.questions import Client
from tests.memory import memory_settings

YES, NO = Client(lambda question: True), Client(lambda question: False)
MEMORY = memory_settings("files")
SEND = {"action": "mail_send", "to": "ana@example.org", "subject": "Hello", "body": "Hi"}


@pytest.fixture
async def home(tmp_path: Path) -> AsyncGenerator[Home]:
    own = tmp_path / "own"
    own.mkdir()
    (own / "config.toml").write_text(MEMORY)
    (tmp_path / "Documents").mkdir()
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}) as opened:
        yield opened


async def weather(city: str) -> str:
    return f"Rain in {city}"


@pytest.mark.req("S1-05", "S1-01")
async def test_a_programs_own_tool_stays_there_beside_them(home: Home):
    own = {"weather": weather}

    tools = Toolset(home, beside=own)
    registry: dict[str, Any] = {**own, **tools.functions()}

    assert await registry["weather"](city="Bergen") == "Rain in Bergen"
    assert await registry["browser"](action="get_title") == "GitHub"
    assert {"weather", "macos_auto", "browser", "file_move", "task_add"} <= set(registry)
    assert ("browser" in tools, "weather" in tools) == (True, False)


@pytest.mark.req("S1-05")
async def test_two_tools_of_one_name_are_an_error_at_once(home: Home):
    with pytest.raises(sayso.SetupError, match="the same name as one of sayso's: browser, file_move;") as wrong:
        Toolset(home, beside=("file_move", "browser", "weather"))

    assert wrong.value.code == "tools.taken"


@pytest.mark.req("S1-05", "T-32")
async def test_schemas_and_functions_are_of_what_the_settings_allow(tmp_path: Path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/config.toml").write_text('[policy]\nallowed_operations = ["file.move", "tab.*"]\n')
    async with sayso.open_home(str(tmp_path / "own"), environ={"HOME": str(tmp_path)}) as few:
        tools = Toolset(few)
        schemas: dict[str, Any] = {form: tools.schemas(form) for form in ("anthropic", "openai", "mcp")}
        names = tools.names

    assert names[0] == "browser"
    assert sorted(names[1:]) == ["file_move", "tab_close", "tab_list", "tab_switch", "tab_title", "tab_url"]
    assert [schema["name"] for schema in schemas["anthropic"]] == names
    assert [schema["function"]["name"] for schema in schemas["openai"]] == names
    assert [schema["name"] for schema in schemas["mcp"]] == names


@pytest.mark.req("S1-32", "S1-33", "S1-34", "S1-35")
async def test_calls_are_made_one_by_one_and_each_has_its_text(home: Home):
    tools = Toolset(home, approver=YES)

    found = await tools.call("browser", {"action": "tabs"})
    made = await tools.call("macos_auto", {"action": "note_create", "title": "List", "body": "Milk"})
    sent = await tools.call("macos_auto", SEND)

    assert found.text.startswith("1. “GitHub” https://github.com/")
    assert ("List" in made.text, "Notes" in made.text) == (True, True)
    assert (found.success, made.success, sent.success) == (True, True, True)
    assert len({found.report.run, made.report.run, sent.report.run}) == 3


@pytest.mark.req("S1-04", "S1-18")
async def test_a_call_that_the_person_declines_does_nothing_and_the_model_is_told(home: Home):
    mail: Any = home.tools.backend("mail")

    declined = await Toolset(home, approver=NO).call("macos_auto", SEND)

    assert declined.success is False
    assert declined.text.endswith("The person said no. Do not propose it again unless they ask for it.")
    assert mail.done == []


async def test_what_nobody_can_decide_now_waits_and_the_model_is_told(home: Home):
    waiting = await Toolset(home).call("macos_auto", SEND)
    (record,) = await home.pending()

    assert waiting.success is False
    assert waiting.text.startswith(f"The person has not decided yet ({record.id})")


@pytest.mark.req("S1-20", "S1-31", "S1-36", "S1-50")
@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("macos_auto", {"action": "open_app"}, "“app_name”"),
        ("browser", {"action": "fill", "selector": "#a"}, "“value”"),
        ("browser", {"action": "scroll"}, "one of: open_url, get_url"),
        ("macos_auto", {}, "one of: open_app, notify"),
        ("macos_auto", [], "must be an object"),
        ("browser", '{"action": "tabs"', "no JSON"),
        ("file_mov", {}, "did you mean file_move"),
        ("", {}, "“name”"),
        ("browser", {"action": "tabs", "confirmed": True}, "“confirmed”"),
        ("browser", {"action": "tabs", "n": float("nan")}, "NaN"),
    ],
)
async def test_what_is_wrong_with_a_call_is_an_answer_too(name: str, arguments: Any, says: str, home: Home):
    called = await Toolset(home).call(name, arguments)

    assert called.success is False
    assert says in called.text


async def test_arguments_are_taken_as_the_text_that_some_interfaces_give(home: Home):
    called = await Toolset(home).call("browser", json.dumps({"action": "get_title"}))

    assert called.text == "GitHub"


@pytest.mark.req("T-111")
async def test_all_calls_know_what_was_read_in_any_conversation(home: Home):
    tools, others = Toolset(home), Toolset(home)

    before = await tools.call("browser", {"action": "click", "selector": "#a"})
    await tools.call("browser", {"action": "get_text"})
    opened = await tools.call("browser", {"action": "open_url", "url": "https://example.org/?q=secret"})
    elsewhere = await others.call("browser", {"action": "open_url", "url": "https://example.org/?q=secret"})

    assert "“#a” finds nothing" in before.text
    assert (opened.success, elsewhere.success) == (False, False)
    assert {one.record.session for one in (*opened.report.outcomes, *elsewhere.report.outcomes)} == {
        record.session for record in (await home.log())[:2]
    }


@pytest.mark.req("S1-59", "S1-60")
async def test_what_is_being_done_is_said_in_words(home: Home):
    tools, elsewhere = Toolset(home, system="darwin"), Toolset(home, system="linux")

    assert (
        elsewhere.progress("browser", {"action": "get_text"})
        == "Read the visible text of the page in front, at most 10,000 characters"
    )
    assert tools.progress("browser", {"action": "get_text"}) == "Safari: get text"
    assert tools.progress("browser", '{"action": "get_text"}') == "Safari: get text"
    assert tools.progress("browser", '{"action": ') == "Safari"
    assert tools.progress("browser", "[1]") == "Safari"
    assert tools.progress("file_move", {}) == "Move or rename a file or folder"
