"""`sayso parse` prints the same document however the text is cut, and looks at nothing."""

import json
import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from sayso.surfaces.cli.main import TABLE
from tests.mcp_env.wrapped import accept, settings_of
from tests.surfaces.cli.person import sayso

TEXT = """# a plan
MOVE_FILE "~/Downloads/a.txt" "~/Documents/b.txt"
FLY "x"
WRITE_FILE "~/Documents/n.txt" <<END
one
END
NOTIFY "only a title"
"""
PROPOSAL = {
    "index", "line", "said", "operation", "arguments", "label", "style", "template_id", "problem", "code",
}  # fmt: skip


def test_the_document_has_exactly_the_fixed_shape():
    document = sayso("parse", "--dialect", "lines", "--json", text=TEXT).document

    assert set(document) == {
        "dialect", "text", "needs_clarification", "clarification_reason", "proposals", "warnings",
    }  # fmt: skip
    assert all(set(proposal) == PROPOSAL for proposal in document["proposals"])
    assert [proposal["operation"] for proposal in document["proposals"]] == [
        "file.move", None, "file.write", "notify.show",
    ]  # fmt: skip
    assert document["proposals"][0]["arguments"] == {
        "source": "~/Downloads/a.txt",
        "destination": "~/Documents/b.txt",
    }
    assert document["proposals"][1]["problem"] == 'Unknown command: FLY "x"'
    assert document["proposals"][2]["line"] == 4


@pytest.mark.req("S0-27")
def test_no_action_needed_is_no_proposal():
    assert sayso("parse", "--dialect", "lines", "--json", text="# No action needed").document["proposals"] == []


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_the_document_is_the_same_for_every_cut(size: int):
    whole = sayso("parse", "--dialect", "lines", "--json", text=TEXT)

    cut = sayso("parse", "--dialect", "lines", "--json", "--chunk", str(size), text=TEXT)

    assert cut.out == whole.out


def test_events_come_one_after_each_chunk_and_as_soon_as_a_block_has_closed():
    lines = sayso("parse", "--dialect", "lines", "--events", "--chunk", "10", text=TEXT).out.splitlines()

    events = [json.loads(line) for line in lines]
    fed = [event["fed"] for event in events if "fed" in event]
    assert fed == [*range(10, len(TEXT), 10), len(TEXT)]
    shown = [event["shown"] for event in events if "fed" in event]
    assert all(after.startswith(before) for before, after in pairwise(shown))
    proposed = [event["proposed"]["index"] for event in events if "proposed" in event]
    assert proposed == [0, 1, 2, 3]
    first = next(number for number, event in enumerate(events) if "proposed" in event)
    end_of_its_line = TEXT.index("\n", TEXT.index("MOVE")) + 1
    assert next(event["fed"] for event in events[first:] if "fed" in event) - end_of_its_line in range(10)


def test_nothing_is_looked_at_or_made(scratch_home: Path):
    run = sayso("parse", "--dialect", "lines", "--json", text=TEXT)

    assert run.code == 0
    assert list(scratch_home.iterdir()) == []
    assert not Path(os.environ["SAYSO_HOME"]).exists()


def test_a_person_is_shown_each_proposal_on_lines_of_its_own():
    shown = sayso("parse", "--dialect", "lines", text=TEXT).out

    assert "  1. file.move (line 2)" in shown
    assert "source: ~/Downloads/a.txt" in shown
    assert "✗ Unknown command" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_knows_every_command(shell: str):
    script = sayso("completion", shell).out

    assert all(name in script for name in TABLE)


@pytest.mark.needs("bash")
def test_bash_takes_the_script():
    script = sayso("completion", "bash").out

    run = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)

    assert (run.returncode, run.stderr) == (0, "")


def test_a_tool_of_a_wrapped_server_is_read_like_an_operation(scratch_home: Path, tmp_path: Path):
    own, served = scratch_home.parent / "sayso", tmp_path / "served"
    own.mkdir(exist_ok=True)
    (own / "config.toml").write_text(settings_of(served))
    accept(own, served)
    said = '{"name": "small_add", "arguments": {"item": "tea"}}'

    document = sayso("parse", "--dialect", "tools", "--json", text=said).document

    assert [(one["operation"], one["problem"]) for one in document["proposals"]] == [("small.add", None)]
