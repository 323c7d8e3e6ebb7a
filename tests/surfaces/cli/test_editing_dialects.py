"""Edit opens the editor in every dialect, and what is saved is read in that same dialect."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.editors import an_editor, given_to
from tests.surfaces.cli.person import Screen, sayso, states

Reply = Callable[[str], str]
SetEditor = Callable[[str], Path]
NAMES = ("Alpha", "Beta", "Gamma")
HIDDEN = "Al\u202epha"
SETTINGS = '[policy]\nmode = "always"\n[talk]\nkind = "memory"\n[talk.world]\n' + "".join(
    f"[[talk.world.{kind}]]\n{members}\n"
    for name in (*NAMES, "Omega", HIDDEN)
    for kind, members in (
        ("templates", f'id = "own_{name}"'),
        ("instances", f'instance_id = "{name}"\nsession_id = "s"\ntemplate_id = "own_{name}"'),
    )
)


def a_call(name: str) -> dict[str, Any]:
    return {"name": "task_add", "arguments": {"text": name}}


def a_block(name: str) -> str:
    return f"```json-action\n{json.dumps({'type': 'add_task', 'text': name, 'label': 'Do it'})}\n```"


def an_action(name: str) -> dict[str, Any]:
    return {"templateId": f"own_{name}", "label": "Go", "params": {"instance_id": name, "session_id": "s"}}


WRITTEN: Mapping[str, Callable[[tuple[str, ...]], str]] = {
    "lines": lambda names: "".join(f'TASK_ADD "{name}"\n' for name in names),
    "tools": lambda names: json.dumps({"role": "assistant", "content": "Here:", "tool_calls": [*map(a_call, names)]}),
    "blocks": lambda names: "Here:\n\n" + "\n\n".join(map(a_block, names)),
    "actions": lambda names: json.dumps({"content": "Here:", "actions": [*map(an_action, names)]}),
    "commands": lambda names: json.dumps({"commands": [{"type": "task_add", "text": name} for name in names]}),
}
BADLY = {
    "lines": "text.replace('TASK_ADD', 'TASK_ODD')",
    "blocks": "text.replace('add_task', 'odd_task')",
    "tools": "text.replace('task_add', 'task_odd')",
    "actions": "text.replace('}]}', '}]')",
    "commands": "text.replace(']', '')",
}
FIRST = ("lines", "actions")
DIALECTS = pytest.mark.parametrize(
    "dialect", [name if name in FIRST else pytest.param(name, marks=pytest.mark.thorough) for name in WRITTEN]
)


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SetEditor:
    """Return what makes EDITOR run some code, and returns the folder in which it keeps what it was given."""

    def set_editor(code: str) -> Path:
        folder = tmp_path / "an editor"
        monkeypatch.setenv("EDITOR", an_editor(folder, code))
        monkeypatch.delenv("VISUAL", raising=False)
        return folder

    return set_editor


@pytest.fixture(autouse=True)
def _every_action_asks(person: Path, settings: Callable[[str], None]) -> None:
    settings(SETTINGS)


def waiting(reply: Reply, dialect: str, *names: str) -> str:
    """Return the id of a run of which all waits."""
    run = sayso("run", reply(WRITTEN[dialect](names)), "--dialect", dialect, "--json").document
    assert states(run) == ["waiting"] * len(names)
    return run["run"]


def done() -> list[str]:
    """Return the names of what was done, oldest first."""
    rows = sayso("log", "--state", "done", "--json").document["rows"][::-1]
    return [row["arguments"].get("text") or row["arguments"]["instance_id"] for row in rows]


def named_by(dialect: str, text: str) -> list[str]:
    """Return the names that a text proposes, read with nothing of sayso's."""
    match dialect:
        case "tools":
            return [one["arguments"]["text"] for one in json.loads(text) if one.get("type") != "text"]
        case "commands":
            return [one["text"] for one in json.loads(text)["commands"]]
        case "lines":
            return [line.split('"')[1] for line in text.splitlines() if line.startswith("TASK_ADD ")]
        case _:
            return [*_in_fences(text.splitlines())]


def _in_fences(lines: list[str]) -> list[str]:
    found: list[str] = []
    fence = ""
    for line in lines:
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if not fence:
            fence = ticks
        elif line == fence:
            fence = ""
        elif len(fence) == 3:
            value = json.loads(line)
            found += [one["params"]["instance_id"] for one in value.get("actions", ())] or [value["text"]]
    return found


def asked_of(screen: Screen, *names: str) -> None:
    """Wait until the question is about these."""
    all_of_them = {1: "Do this", 2: "Execute both"}.get(len(names), f"Execute all {len(names)}")
    asked = f"{all_of_them}? [y/N]"
    screen.until(
        lambda shown: all(f"“{name}”" in shown or f"own_{name}”" in shown for name in names) and asked in shown
    )


@DIALECTS
@pytest.mark.req("S0-94", "T-37")
def test_one_action_is_edited_in_its_own_dialect_and_asked_about_as_new(
    reply: Reply, sit: Sit, editor: SetEditor, dialect: str
):
    kept = editor("path.write_text(text.replace('Alpha', 'Omega'))")
    screen = sit("run", reply(WRITTEN[dialect](("Alpha",))), "--dialect", dialect, lines=120)
    asked_of(screen, "Alpha")

    screen.type("e\n")
    screen.until(lambda shown: shown.count("Do this? [y/N]") == 2 and "Omega" in shown)
    assert done() == []
    screen.type("y\n")

    assert screen.end() == 0
    assert named_by(dialect, given_to(kept)) == ["Alpha"]
    assert done() == ["Omega"]


@DIALECTS
@pytest.mark.req("S0-94", "T-37")
def test_a_batch_is_edited_in_its_own_dialect(reply: Reply, sit: Sit, editor: SetEditor, dialect: str):
    kept = editor("path.write_text(text.replace('Beta', 'Omega'))")
    screen = sit("approve", waiting(reply, dialect, *NAMES), lines=160)
    asked_of(screen, *NAMES)

    screen.type("e\n")
    screen.until(lambda shown: shown.count("Execute all 3? [y/N]") == 2 and "Omega" in shown)
    screen.type("y\n")

    assert screen.end() == 0
    assert named_by(dialect, given_to(kept)) == [*NAMES]
    assert done() == ["Alpha", "Omega", "Gamma"]


@DIALECTS
@pytest.mark.req("S0-94", "T-37")
def test_what_was_left_out_stays_out_of_what_is_edited(reply: Reply, sit: Sit, editor: SetEditor, dialect: str):
    kept = editor("path.write_text(text.replace('Gamma', 'Omega'))")
    screen = sit("approve", waiting(reply, dialect, *NAMES), lines=160)
    asked_of(screen, *NAMES)
    screen.type("1\n")
    screen.see("Execute 2 of 3? [y/N]")

    screen.type("e\n")
    screen.see("Execute both? [y/N]", "Omega")
    screen.type("y\n")

    assert screen.end() == 0
    assert named_by(dialect, given_to(kept)) == ["Beta", "Gamma"]
    assert ("left out:" in given_to(kept)) is (dialect != "commands")
    assert done() == ["Beta", "Omega"]


@DIALECTS
@pytest.mark.req("AV-01")
def test_what_is_said_of_it_stands_in_the_file_or_on_the_terminal_and_unchanged_the_question_stands_as_it_was(
    reply: Reply, sit: Sit, editor: SetEditor, dialect: str
):
    kept = editor("pass")
    screen = sit("approve", "--edit", waiting(reply, dialect, "Alpha", HIDDEN), lines=160, columns=200)

    screen.see("nothing was changed", "Execute both? [y/N]")
    screen.type("y\n")

    assert screen.end() == 0
    assert done() == ["Alpha", HIDDEN]
    told = " ".join((screen.text if dialect == "commands" else given_to(kept)).split())
    assert "Nothing is done by saving." in told
    assert "u{202e}, which may not show" in told


@DIALECTS
def test_what_cannot_be_read_in_it_is_said_and_nothing_is_done(reply: Reply, sit: Sit, editor: SetEditor, dialect: str):
    editor(f"path.write_text({BADLY[dialect]})")
    screen = sit("approve", waiting(reply, dialect, *NAMES), lines=160)
    asked_of(screen, *NAMES)

    screen.type("e\n")
    screen.see("Edit again? [e/N]")
    screen.type("\n")
    screen.see("the edit is dropped")
    screen.until(lambda shown: shown.count("Execute all 3? [y/N]") == 2)
    screen.type("n\n")

    assert screen.end() == 3
    assert done() == []


@pytest.mark.req("T-78")
def test_an_action_of_ones_own_that_there_is_not_is_not_run_by_an_edit(reply: Reply, sit: Sit, editor: SetEditor):
    editor("path.write_text(text.replace('own_Beta', 'own_Zeta'))")
    screen = sit("approve", waiting(reply, "actions", *NAMES), lines=160)
    asked_of(screen, *NAMES)

    screen.type("e\n")
    screen.see("Execute both? [y/N]")
    screen.type("y\n")

    assert screen.end() == 1
    assert done() == ["Alpha", "Gamma"]
    assert 'Template "own_Zeta" not found' in screen.text


def test_a_request_that_asks_back_does_nothing_and_is_said(reply: Reply, sit: Sit, editor: SetEditor):
    editor("path.write_text(text.replace('false', 'true').replace('Beta', 'Omega'))")
    screen = sit("approve", waiting(reply, "commands", *NAMES), lines=160)
    asked_of(screen, *NAMES)

    screen.type("e\n")
    screen.see("“needs_clarification” is true there, so nothing of it would be done", "Edit again? [e/N]")
    screen.type("\n")
    screen.until(lambda shown: shown.count("Execute all 3? [y/N]") == 2)
    screen.type("n\n")

    assert screen.end() == 3
    assert done() == []


def test_what_was_edited_of_ones_own_actions_is_shown_as_it_was_and_is(reply: Reply, sit: Sit, editor: SetEditor):
    editor("path.write_text(text.replace('Beta', 'Omega'))")
    screen = sit("approve", waiting(reply, "actions", *NAMES), lines=160)
    asked_of(screen, *NAMES)
    screen.type("e\n")
    screen.until(lambda shown: shown.count("Execute all 3? [y/N]") == 2)
    screen.type("y\n")
    screen.end()

    shown = sayso("show", sayso("log", "--json").document["rows"][0]["run"], COLUMNS="200").out

    assert '- {"actions": [{"templateId": "own_Beta"' in shown
    assert '+ {"actions": [{"templateId": "own_Omega"' in shown


def test_a_chat_reply_of_blocks_and_of_ones_own_actions_is_edited_as_one(reply: Reply, sit: Sit, editor: SetEditor):
    kept = editor("path.write_text(text.replace('Beta', 'Omega').replace('Gamma', 'Delta'))")
    envelope = json.dumps({"actions": [an_action("Beta")]})
    text = "\n\n".join([a_block("Alpha"), f"```json\n{envelope}\n```", a_block("Gamma")])
    run = sayso("run", reply(text), "--dialect", "auto", "--json").document
    screen = sit("approve", run["run"], lines=160)
    asked_of(screen, *NAMES)

    screen.type("e\n")
    screen.until(lambda shown: shown.count("Execute all 3? [y/N]") == 2)
    screen.type("y\n")

    assert screen.end() == 0
    assert named_by(run["dialect"], given_to(kept)) == [*NAMES]
    assert done() == ["Alpha", "Omega", "Delta"]
