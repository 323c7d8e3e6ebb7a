"""`sayso doctor` says in which programs of other people sayso is set up, and which of them could not start it."""

import json
import sys
from pathlib import Path

import pytest

from tests.surfaces.cli.person import sayso


@pytest.fixture
def person(scratch_home: Path) -> Path:
    return scratch_home


def written(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def found(*words: str) -> dict[str, tuple[str, str]]:
    findings = sayso("doctor", "--json").document["findings"]
    return {one["about"]: (one["how"], one["says"]) for one in findings if one["about"].startswith(words)}


def test_what_is_set_up_is_told_and_what_cannot_start_too(person: Path):
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": f"{sys.executable} -m sayso hook claude-code"}]}]}
    gone = {"BeforeTool": [{"hooks": [{"type": "command", "command": "/gone/python -m sayso hook gemini-cli"}]}]}
    chat = {"agent_servers": {"sayso": {"command": sys.executable, "args": ["-m", "sayso", "acp"]}}}
    tools = {"mcpServers": {"sayso": {"command": "/gone/sayso", "args": ["mcp"]}, "other": {"command": "x"}}}
    written(person / ".claude" / "settings.json", json.dumps({"hooks": hooks}))
    written(person / ".gemini" / "settings.json", json.dumps({"hooks": gone}))
    written(person / ".config" / "zed" / "settings.json", "// mine\n" + json.dumps(chat))
    written(person / ".cursor" / "mcp.json", json.dumps(tools))

    told = found("hook ", "acp ", "mcp of ")

    assert {about: how for about, (how, _) in told.items()} == {
        "hook claude-code": "good", "hook gemini-cli": "broken", "acp Zed": "good", "mcp of Cursor": "broken",
    }  # fmt: skip
    assert "“/gone/sayso”, which is not there" in told["mcp of Cursor"][1]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"hooks": 1}', '{"hooks": {"a": [1, {"hooks": 2}]}}', '{"mcpServers": []}']
)
def test_settings_that_are_odd_say_nothing(person: Path, text: str):
    for file in (".claude/settings.json", ".cursor/mcp.json", ".config/zed/settings.json"):
        written(person / file, text)

    assert found("hook ", "acp ", "mcp of ") == {}
