"""Coding agents tell their hooks what they do: it is judged, kept, written down, and taken back like anything else."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from sayso.assembly.agent_policy import DECIDES, LOOKS
from sayso.surfaces.cli.main import TABLE
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import Done, sayso

CASES = Path(__file__).parents[3] / "cases" / "hooks"
AGENTS = ("claude-code", "gemini-cli")
both = pytest.mark.parametrize("agent", AGENTS)
one = pytest.mark.parametrize("agent", AGENTS[:1])


class Agent:
    """A coding agent in a project of the person's, as its hooks hear of it."""

    def __init__(self, name: str, project: Path) -> None:
        self.name, self.project = name, project
        self.forms: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())

    def event(self, name: str, **texts: str) -> str:
        """Return an event in the form in which the agent was recorded."""
        texts = {"project": str(self.project), **texts}
        return json.dumps(_filled({**self.forms["common"], **self.forms["events"][name]}, texts))

    def tell(self, name: str, **texts: str) -> Done:
        return sayso("hook", self.name, text=self.event(name, **texts))

    def answer(self, name: str, **texts: str) -> tuple[str, str]:
        """Return what the agent is told before a call: the ruling, which is empty for none, and the reason."""
        done = self.tell(name, **texts)
        assert done.code == 0, done.err
        if not done.out:
            return "", ""
        said = done.document
        inner = said.get("hookSpecificOutput", {})
        return (
            inner.get("permissionDecision") or said["decision"],
            inner.get("permissionDecisionReason") or said["reason"],
        )


def _filled(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(one, texts) for name, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, str):
        for name, text in texts.items():
            value = value.replace(f"{{{name}}}", text)
    return value


@pytest.fixture
def coder(agent: str, person: Path) -> Agent:
    project = person / "Documents" / "project"
    project.mkdir()
    (project / "plan.txt").write_text("one\n")
    return Agent(agent, project)


def rows() -> list[dict[str, Any]]:
    return sayso("log", "--json").document["rows"]


@both
def test_an_edit_is_written_down_and_taken_back(coder: Agent):
    plan = coder.project / "plan.txt"

    before = coder.answer("edit")
    plan.write_text("two\n")
    coder.tell("edited")

    assert before == ("", "")
    (row,) = rows()
    assert (row["operation"], row["state"], row["entry"]) == ("file.write", "done", "hook")
    assert sayso("undo", "--yes").code == 0
    assert plan.read_text() == "one\n"


@one
def test_edits_of_one_file_are_taken_back_one_after_the_other(coder: Agent):
    plan = coder.project / "plan.txt"
    for old, new in (("one", "two"), ("two", "three")):
        event = coder.event("edit").replace('"one"', f'"{old}"').replace('"two"', f'"{new}"')
        sayso("hook", coder.name, text=event)
        (coder.project / "new").write_text(f"{new}\n")
        (coder.project / "new").rename(plan)
        event = coder.event("edited").replace('"one"', f'"{old}"').replace('"two"', f'"{new}"')
        sayso("hook", coder.name, text=event)

    seen = [plan.read_text()]
    for _ in range(2):
        assert sayso("undo", "--yes").code == 0
        seen.append(plan.read_text())

    assert seen == ["three\n", "two\n", "one\n"]


@one
def test_a_new_file_is_taken_back(coder: Agent):
    coder.tell("write")
    (coder.project / "notes.txt").write_text("new\n")
    coder.tell("wrote")

    assert sayso("undo", "--yes").code == 0
    assert not (coder.project / "notes.txt").exists()


@one
def test_what_the_person_changed_since_is_left_alone(coder: Agent):
    plan = coder.project / "plan.txt"
    coder.tell("edit")
    plan.write_text("two\n")
    coder.tell("edited")
    plan.write_text("mine\n")

    undone = sayso("undo", "--yes")

    assert undone.code == 1
    assert "its content is different" in undone.out or "bytes" in undone.out
    assert plan.read_text() == "mine\n"


@both
def test_what_a_command_changed_is_listed_and_taken_back(coder: Agent):
    project, command = coder.project, "rm -r old; mv plan.txt moved.txt; make"
    (project / "old").mkdir()
    (project / "old" / "kept.txt").write_text("kept\n")
    (project / "changed.txt").write_text("before\n")

    before = coder.answer("run", command=command)
    shutil.rmtree(project / "old")
    (project / "plan.txt").rename(project / "moved.txt")
    (project / "changed.txt").write_text("after, and longer\n")
    (project / "made").mkdir()
    (project / "made" / "out.txt").write_text("out\n")
    coder.tell("ran", command=command)

    assert before == ("", "")
    (row,) = rows()
    assert (row["operation"], row["state"], row["arguments"]["command"]) == ("shell.run", "done", command)
    assert "While it ran" in row["message"]
    assert sayso("undo", row["id"], "--yes").code == 0
    assert {str(path.relative_to(project)): path.read_text() for path in project.rglob("*") if path.is_file()} == {
        "old/kept.txt": "kept\n", "plan.txt": "one\n", "changed.txt": "before\n",
    }  # fmt: skip
    assert not (project / "made").exists()


@both
def test_a_command_that_failed_says_so_and_what_it_changed_goes_back(coder: Agent):
    coder.tell("run", command="make")
    (coder.project / "half.txt").write_text("half\n")
    coder.tell("failed", command="make")

    (row,) = rows()
    assert row["state"] == "failed"
    assert "1 thing made" in row["error"]
    assert sayso("undo", row["id"], "--yes").code == 0
    assert not (coder.project / "half.txt").exists()


@both
def test_denied_names_are_refused_with_one_sentence(coder: Agent, person: Path):
    inside, keys, own = coder.project / ".git/hooks/x", person / ".ssh/id_ed25519", person / ".claude/settings.json"
    calls = [("read", keys), ("write_at", keys), ("write_at", inside), ("write_at", own)]

    answers = [coder.answer(event, path=str(path)) for event, path in calls]

    assert {ruling for ruling, _ in answers} == {"deny"}
    assert all("which no action may touch" in because for _, because in answers)
    assert [row["state"] for row in rows()] == ["refused"] * len(calls)


@one
def test_a_command_that_names_what_is_denied_is_refused(coder: Agent):
    commands = [
        "cat ~/.ssh/id_ed25519",
        "cp notes.txt .git/hooks/pre-commit",
        "bash -c 'cat ~/.ssh/id_ed25519'",
        "cat<~/.ssh/id_ed25519",
        "tar --file=.git/x -c .",
        'cat "~/.ssh/id_ed25519',
    ]

    answers = [coder.answer("run", command=command) for command in commands]

    assert {ruling for ruling, _ in answers} == {"deny"}
    assert all("which no action may touch" in because for _, because in answers)


@one
def test_an_agent_cannot_decide_through_a_command(coder: Agent):
    commands = [
        "sayso approve do_1",
        "yes | sayso undo",
        "/usr/bin/sayso --json config set x",
        "echo; sayso settle do_1 done",
    ]

    answers = [coder.answer("run", command=command) for command in commands]

    assert {ruling for ruling, _ in answers} == {"deny"}
    assert all("for you alone" in because for _, because in answers)


@one
def test_every_command_of_sayso_either_only_looks_or_is_kept_from_agents(agent: str):
    assert set(TABLE) == LOOKS | DECIDES


@one
def test_ordinary_commands_are_left_to_the_agent(coder: Agent):
    commands = ["sayso log", "sayso show do_1", "git commit -m 'run sayso'", "ls", "git add ."]

    answers = {coder.answer("run", command=command) for command in commands}

    assert answers == {("", "")}


@one
def test_nothing_goes_while_sayso_is_paused(coder: Agent):
    sayso("pause")

    assert coder.answer("edit")[0] == "deny"
    assert coder.answer("run", command="ls")[0] == "deny"


@both
def test_a_program_is_asked_about_in_every_mode(coder: Agent):
    path = str(coder.project / "run.sh")

    ruling, because = coder.answer("write_at", path=path)

    assert ruling == "ask"
    assert "is a program" in because


@one
def test_sayso_s_own_folder_is_refused(coder: Agent, person: Path):
    own = person.parent / "sayso"

    assert coder.answer("write_at", path=str(own / "config.toml"))[0] == "deny"
    assert coder.answer("run", command=f"rm -r {own}")[0] == "deny"
    assert coder.answer("run", command=f"cat {own}/pages/8737")[0] == "deny"


@both
def test_outside_the_folders_of_actions_it_is_written_down_but_not_kept(coder: Agent, person: Path):
    path = person / "elsewhere.txt"
    event = coder.event("write_at", path=str(path))

    before = coder.answer("write_at", path=str(path))
    path.write_text("x\n")
    sayso("hook", coder.name, text=_after(event))

    (row,) = rows()
    assert (before, row["state"]) == (("", ""), "done")
    undone = sayso("undo", row["id"], "--yes")
    assert undone.code != 0
    assert "sayso keeps nothing there" in undone.err


def _after(event: str) -> str:
    return event.replace("PreToolUse", "PostToolUse").replace("BeforeTool", "AfterTool")


@both
def test_a_call_that_was_not_made_is_written_down_when_the_agent_ends(coder: Agent):
    coder.tell("edit")
    coder.tell("stop")

    (row,) = rows()
    assert (row["state"], row["code"]) == ("skipped", "agent.not_done")
    assert rows() == [row]


@one
def test_who_waives_the_question_about_programs_is_not_asked(coder: Agent, settings: Callable[[str], None]):
    settings('[policy]\nmode = "never"\nwaive_floor = ["file.write"]\n')

    assert coder.answer("write_at", path=str(coder.project / "run.sh")) == ("", "")


@one
def test_what_is_told_of_only_afterwards_is_written_down_as_that(coder: Agent):
    coder.tell("edited")
    coder.tell("ran", command="make")

    found = rows()
    assert [(row["operation"], row["state"]) for row in found] == [("shell.run", "done"), ("file.write", "done")]
    undone = sayso("undo", found[1]["id"], "--yes")
    assert undone.code != 0
    assert "told of it only afterwards" in undone.err


@one
def test_a_command_elsewhere_is_written_down_and_says_that_nothing_is_known_of_it(agent: str, person: Path):
    (person / "elsewhere").mkdir()
    coder = Agent(agent, person / "elsewhere")

    coder.tell("run", command="make")
    coder.tell("ran", command="make")

    (row,) = rows()
    assert row["state"] == "done"
    assert "what it changed is not known" in row["message"]
    assert "way back none: what it changed is not known" in sayso("show", row["id"]).out


@one
def test_what_a_file_holds_already_is_written_down_as_unchanged(coder: Agent):
    event = coder.event("write_at", path=str(coder.project / "plan.txt")).replace("x\\n", "one\\n")

    sayso("hook", coder.name, text=event)
    sayso("hook", coder.name, text=_after(event))

    assert [row["state"] for row in rows()] == ["unchanged"]


@one
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "[" * 100_000,
        '{"hook_event_name": 3}',
        '{"hook_event_name": "PreToolUse", "tool_name": "Write", "cwd": "/x", "tool_input": []}',
        "\x00",
        '{"hook_event_name": "\\ud800"}',
    ],
)
def test_an_event_that_cannot_be_read_refuses_the_call(coder: Agent, text: str):
    done = sayso("hook", coder.name, text=text)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("sayso: what the agent sent to this hook cannot be used")
    assert done.err.count("\n") == 1


@both
@pytest.mark.parametrize("lacks", ["file_path", "cwd"])
def test_an_event_without_what_its_tool_needs_refuses_the_call(coder: Agent, lacks: str):
    event = json.loads(coder.event("edit"))
    event.pop(lacks, None)
    event["tool_input"].pop(lacks, None)

    done = sayso("hook", coder.name, text=json.dumps(event))

    assert done.code == 2
    assert "Traceback" not in done.err


@one
def test_settings_that_cannot_be_read_refuse_the_call(coder: Agent, person: Path):
    own = person.parent / "sayso"
    own.mkdir(mode=0o700, exist_ok=True)
    (own / "config.toml").write_text("[policy")

    done = coder.tell("edit")

    assert done.code == 2
    assert done.err.endswith("the call is refused\n")


@both
def test_other_tools_are_not_spoken_about(coder: Agent):
    assert coder.answer("other") == ("", "")
    assert rows() == []


@one
def test_control_characters_of_a_command_are_shown_and_not_obeyed(coder: Agent):
    coder.tell("run", command="echo \x1b[2J\u202e")
    coder.tell("ran", command="echo \x1b[2J\u202e")

    shown = sayso("log").out

    assert "\x1b" not in shown
    assert "\u202e" not in shown


SETTINGS = {"claude-code": ".claude", "gemini-cli": ".gemini"}
BEFORE = '{"model":"opus",\n   "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'


@both
def test_the_hooks_go_out_without_a_trace(agent: str, person: Path, sit: Sit):
    file = person / SETTINGS[agent] / "settings.json"
    file.parent.mkdir()
    file.write_text(BEFORE)

    put = sit("hook", "install", agent)
    assert put.end() == 0
    installed = json.loads(file.read_text())
    again = sit("hook", "install", agent)
    assert again.end() == 0
    assert json.loads(file.read_text()) == installed
    taken = sit("hook", "uninstall", agent)
    assert taken.end() == 0

    commands = {group["hooks"][-1]["command"] for groups in installed["hooks"].values() for group in groups}
    assert [one.endswith(f"-m sayso hook {agent}") for one in commands - {"true"}] == [True]
    assert installed["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "true"}]}
    assert file.read_text() == BEFORE


@one
def test_settings_that_were_not_there_are_not_there_afterwards(agent: str, person: Path, sit: Sit):
    (person / ".claude").mkdir()

    assert sit("hook", "install", agent).end() == 0
    there = sorted(path.name for path in (person / ".claude").iterdir())
    assert sit("hook", "uninstall", agent).end() == 0

    assert there == ["settings.json"]
    assert list((person / ".claude").iterdir()) == []


@one
def test_what_was_changed_since_stays_when_the_hooks_go(agent: str, person: Path, sit: Sit):
    file = person / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(BEFORE)
    assert sit("hook", "install", agent).end() == 0
    file.write_text(json.dumps({**json.loads(file.read_text()), "theme": "dark"}))

    assert sit("hook", "uninstall", agent).end() == 0

    assert json.loads(file.read_text()) == {**json.loads(BEFORE), "theme": "dark"}


@one
def test_only_the_person_sets_hooks_up(agent: str, person: Path):
    (person / ".claude").mkdir()

    done = [sayso("hook", what, agent) for what in ("install", "uninstall")]

    assert [one.code for one in done] == [3, 3]
    assert list((person / ".claude").iterdir()) == []


@one
def test_settings_that_are_no_json_are_left_alone(agent: str, person: Path, sit: Sit):
    file = person / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text("{ // mine\n}")

    screen = sit("hook", "install", agent)

    assert screen.end() == 2
    assert "add to its “hooks” yourself" in " ".join(screen.text.split())
    assert file.read_text() == "{ // mine\n}"
