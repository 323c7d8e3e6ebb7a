"""What a model is told fits the system that it runs on: no other system's words, and nothing that is not there."""

import re
import sys
from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.assembly.entry import ENTRIES
from sayso.core.operation import Operation
from sayso.dialects import vocabulary
from sayso.dialects.tool_schemas import schemas
from sayso.dialects.vocabulary import open_name
from tests.memory import memory_settings

OF_A_MAC = re.compile(r"(?i)\b(mac ?os|macs?|safari|applescript|finder|spotlight|siri|cmd|⌘|keychain|icloud)\b")
NAMES_OF_THE_SOURCES = re.compile(r"REVEAL_IN_FINDER|finder_reveal|macos_auto")
"""Names that the sources gave to commands and tools; what each does is told beside it in plain words."""
WORDS_OF_A_PAGE = re.compile(r"(?i)\bbuttons?\b|\bwand\b")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="on a Mac these are its words")


def told(home: Home) -> dict[str, str]:
    """Return every prompt of every entry point, and the schemas of the tools."""
    offered = home.enabled_operations()
    prompts = {name: one.system(offered) for name, one in ENTRIES.items()}
    return prompts | {f"tools for {form}": str(schemas(offered, form)) for form in ("openai", "anthropic")}


def names(operation: Operation) -> set[str]:
    """Return all names by which the dialects call an operation, that are no words of plain English."""
    lines = {one.name for one in vocabulary.LINES if one.operation == operation.id}
    keyed = {one.name for one in vocabulary.KEYED if one.operation == operation.id and "_" in one.name}
    return lines | keyed | {operation.id, open_name(operation.id)}


@pytest.mark.req("S0-66", "T-12", "T-56")
@pytest.mark.parametrize("settings", ["", memory_settings("talk")], ids=["without a desktop", "with everything"])
async def test_no_prompt_speaks_of_another_system_or_of_what_is_not_there(tmp_path: Path, settings: str):
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text(settings)
    async with sayso.open_home(str(own), environ={"HOME": str(tmp_path)}) as home:
        prompts, offered = told(home), {one.id: one for one in home.enabled_operations()}
        here = {name for one in offered.values() for name in names(one)}
        gone = {name for id_, one in home.operations.items() if id_ not in offered for name in names(one)} - here

    assert bool(gone) is (settings == "")
    for name, prompt in prompts.items():
        plain = NAMES_OF_THE_SOURCES.sub("", prompt)
        assert not OF_A_MAC.findall(plain), name
        assert not WORDS_OF_A_PAGE.findall(plain.replace("button it", "")), name
        assert not {one for one in gone if re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.])", plain)}, name


async def test_each_prompt_says_where_it_is_asked_and_on_which_system():
    heads = {name: one.system([]) for name, one in ENTRIES.items()}

    assert all("Linux" in prompt for prompt in heads.values())
    assert "this is a chat" in heads["chat"]
    assert "the person may be away" in heads["automation"]
    assert "typed one request" in heads["commands"]
