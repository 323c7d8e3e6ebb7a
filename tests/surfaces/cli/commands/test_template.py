"""`sayso template` shows the person's own actions, and runs one with all that it asks for shown and asked."""

import json
import os
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.templates.library import load_file
from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso, states

ACTION = '''
"""Remind me."""
config = {
    "id": "remind_to_call", "name": "Remind me", "description": "Makes a reminder.", "icon": "☎",
    "parameterSchema": {"type": "object", "required": ["whom"], "properties": {
        "whom": {"type": "string", "description": "Whom to call."},
        "days": {"type": "number", "default": 1},
        "tone": {"type": "string", "enum": ["kind", "firm"]},
    }},
}


async def handler(params, context):
    if params["days"] < 0:
        raise ValueError("days must not be negative")
    await context.create_reminder(f"Call {params['whom']}", due="2030-01-01 10:00")
    context.log("looked")
    print("{}")
    return {"success": True, "message": f"Reminder for {params['whom']}"}
'''


@pytest.fixture
def actions(person: Path) -> Path:
    """Write one action and a file that is none; return the folder."""
    folder = Path(os.environ["SAYSO_HOME"]) / "actions"
    folder.mkdir(parents=True, exist_ok=True)
    folder.parent.chmod(0o700)
    (folder / "remind-to-call.py").write_text(ACTION, "utf-8")
    (folder / "broken.py").write_text("x = 1\n", "utf-8")
    return folder


@pytest.mark.req("S3-55", "S3-58")
def test_they_are_listed_and_shown_and_what_is_wrong_is_told(actions: Path):
    listed, data = sayso("template"), sayso("template", "list", "--json").document
    shown, one = sayso("template", "show", "remind_to_call"), sayso("template", "show", "remind_to_call", "--json")

    assert (listed.code, listed.out) == (0, "remind_to_call: Makes a reminder.\n")
    assert "Invalid action template broken.py: missing config or handler" in listed.err
    assert [row["id"] for row in data["templates"]] == ["remind_to_call"]
    assert len(data["warnings"]) == 1
    assert "--param tone=…  string, one of kind, firm (may be left out)" in shown.out
    assert one.document["parameterSchema"]["properties"]["days"] == {"type": "number", "description": "", "default": 1}


def test_the_name_of_a_file_that_is_none_is_made_visible_once(actions: Path):
    (actions / "q\u202ez.py").write_text("x = 1\n", "utf-8")

    listed = sayso("template")

    assert r"Invalid action template q\u{202e}z.py: missing" in listed.err


def test_a_file_is_checked_wherever_it_is(actions: Path, tmp_path: Path):
    (tmp_path / "a.py").write_text(ACTION, "utf-8")

    fine, broken = sayso("template", "check", str(tmp_path / "a.py")), sayso("template", "check", "broken.py")

    assert (fine.code, "remind_to_call: Remind me (a.py)" in fine.out) == (0, True)
    assert (broken.code, "broken.py: No such file or directory" in broken.err) == (2, True)


@pytest.mark.req("S3-08", "S3-52")
def test_a_run_does_what_the_handler_asked_for_and_is_taken_back(actions: Path):
    before = sayso("template", "run", "remind_to_call", "--param", "whom=Ana", "--dry-run", "--json")
    run = sayso("template", "run", "remind_to_call", "--param", "whom=Ana", "--yes", "--json")
    log = sayso("template", "log", "remind_to_call", "--json").document["rows"]
    undone = sayso("undo", run.document["run"], "--yes", "--json")

    assert (before.code, before.document["results"][0]["state"]) == (0, "planned")
    assert (run.code, run.document["result"]) == (0, {"success": True, "message": "Reminder for Ana"})
    assert run.document["results"][0]["state"] == "done"
    assert run.document["log"] == [{"level": "info", "text": "looked", "became": "done"}]
    assert run.document["printed"] == "{}\n"
    assert [(row["params"], row["error"]) for row in log] == [({"whom": "Ana", "days": 1}, None)]
    assert (undone.code, undone.document["results"][0]["success"]) == (0, True)


@pytest.mark.req("S3-71", "T-79", "T-85")
def test_the_log_reads_as_a_table_with_what_the_handler_said(actions: Path):
    sayso("template", "run", "remind_to_call", "--param", "whom=Ana", "--param", "tone=firm", "--yes")
    sayso("template", "run", "remind_to_call", "--param", "whom=Bo", "--param", "days=-1")
    sayso("template", "run", "remind_to_call", "--param", "whom=Cy", "--param", "tone=rude")
    *_, file = sorted((actions.parent / ".logs" / "actions").iterdir())  # two, where midnight came between them
    file.write_text(file.read_text() + "damaged\n")

    log = sayso("template", "log", "remind_to_call")
    (newest,) = sayso("template", "log", "remind_to_call", "--limit", "1", "--json").document["rows"]

    plain = re.sub(r" +[0-9.]+ m?s  ", " (time)  ", re.sub(r"(?m)^[-0-9]{10} [:0-9]{8}", "(when)", log.out))
    assert plain == (
        "(when)  ✗ (time)  Invalid parameters: “tone” must be one of kind, firm\n"
        "    Remind me, with whom=Cy  tone=rude\n"
        "(when)  ✗ (time)  Action failed: days must not be negative\n"
        "    Remind me, with days=-1  whom=Bo\n"
        "(when)  ✓ (time)  Reminder for Ana\n"
        "    Remind me, with days=1  whom=Ana  tone=firm\n"
        "    info: looked\n"
    )
    assert "1 damaged line in" in log.err
    assert [line["level"] for line in newest["lines"]] == ["error"]


def test_the_log_names_an_action_as_its_file_does_and_quotes_what_a_model_called_it(actions: Path):
    offer = {"templateId": "remind_to_call", "label": "Keep “all”", "params": {"whom": "Ana"}}
    made = sayso("run", "--dialect", "auto", "--json", "-", text=json.dumps({"actions": [offer]}))
    sayso("decline", made.document["results"][0]["id"])

    log = sayso("template", "log", "remind_to_call").out

    assert log.count("you said no") == 1
    assert "    Remind me, offered as “Keep ““all”””, with days=1  whom=Ana" in log


def test_without_a_terminal_what_asks_waits(actions: Path):
    (actions.parent / "config.toml").write_text('[policy]\nmode = "always"\n')

    run = sayso("template", "run", "remind_to_call", "--param", "whom=Ana", "--json")

    assert (run.code, run.document["results"][0]["state"]) == (3, "waiting")
    assert run.document["result"]["success"] is False


def test_at_the_terminal_the_whole_is_shown_and_a_no_does_nothing(actions: Path, sit: Sit):
    (actions.parent / "config.toml").write_text('[policy]\nmode = "always"\n')

    screen = sit("template", "run", "remind_to_call", "--param", "whom=Ana")
    screen.see("Create the reminder “Call Ana”")
    screen.see("[y/N]")
    screen.type("n\n")

    assert screen.end() == 3, screen.text
    assert "1 of 1 steps did not happen: you said no" in screen.text


def test_at_the_terminal_a_required_value_that_is_missing_is_asked_for(actions: Path, sit: Sit):
    screen = sit("template", "run", "remind_to_call")
    screen.see("whom (string): Whom to call?")
    screen.type("Ana\n")

    assert screen.end() == 0, screen.text
    assert "Reminder for Ana" in screen.text


def test_a_required_value_that_nobody_gives_is_named_as_an_option(actions: Path, sit: Sit):
    run = sayso("template", "run", "remind_to_call")
    screen = sit("template", "run", "remind_to_call")
    screen.see("Whom to call?")
    screen.type("\n")

    assert screen.end() == run.code == 2
    assert "“whom” is missing; add --param whom=…; “sayso template show remind_to_call”" in run.err
    assert "add --param whom=…" in " ".join(screen.text.split())


@pytest.mark.req("S3-66")
def test_a_handler_that_fails_is_one_sentence_and_exit_code_1(actions: Path):
    run = sayso("template", "run", "remind_to_call", "--param", "whom=Ana", "--param", "days=-1")

    assert (run.code, run.err) == (1, "sayso: Action failed: days must not be negative; nothing was done\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run",), "which action?"),
        (("run", "none"), 'Template "none" not found. Available templates: remind_to_call'),
        (("run", "remind_to_call"), "Invalid parameters: “whom” is missing"),
        (("run", "remind_to_call", "--param", "whom"), "“whom” is no parameter; write it as name=value"),
        (("run", "remind_to_call", "--param", "whom=a", "--param", "whom=b"), "“whom” is given twice"),
        (("run", "remind_to_call", "--param", "whom=a", "--param", "days=soon"), "“days” must be a number"),
        (("run", "remind_to_call", "--param", "whom=a", "--param", "tone=rude"), "“tone” must be one of"),
        (("list", "--yes"), "does not take “--yes”"),
        (("start", "x"), "does not know “start”"),
        (("check", "none.py"), "none.py: No such file or directory"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(actions: Path, words: tuple[str, ...], said: str):
    run = sayso("template", *words)

    assert (run.code, said in run.err) == (2, True)


def test_an_action_is_checked_by_its_id_too(person: Path):
    sayso("template", "new", "water")

    by_id, by_file = sayso("template", "check", "water"), sayso("template", "show", "water")

    assert by_id.out == by_file.out
    assert "water: Water" in by_id.out
    assert 'Template "wine" not found' in sayso("template", "check", "wine").err


def test_where_there_are_none_that_is_told(person: Path):
    told = sayso("template").out

    assert "There are no actions of your own in" in told
    assert "sayso template new NAME" in told
    assert "“x” has not been run." in sayso("template", "log", "x").out


def test_a_text_stays_a_text(tmp_path: Path):
    (tmp_path / "a.py").write_text(textwrap.dedent(ACTION), "utf-8")

    assert load_file(tmp_path / "a.py").fill_parameters({"whom": "5"})["whom"] == "5"


def test_a_new_one_is_written_works_at_once_and_takes_the_place_of_none(person: Path):
    begun = sayso("template", "new", "remind-to-call")
    file = person.parent / "sayso" / "actions" / "remind-to-call.py"
    written = file.read_bytes()
    previewed = sayso("template", "preview", "remind_to_call", "--param", "whom=Ana", "--json")
    again = sayso("template", "new", "Remind to call", "--json")

    assert begun.code == 0
    assert "sayso template preview remind_to_call --param whom=Ana" in begun.out
    assert [one["id"] for one in sayso("template", "--json").document["templates"]] == ["remind_to_call"]
    assert states(previewed.document) == ["planned"]
    assert (again.code, file.read_bytes()) == (2, written)
    assert "is there already" in again.err
    assert sayso("template", "new", "another", "--json").document["id"] == "another"


BATCH = """FILE_MKDIR "~/Documents/Taxes"
MOVE_FILE "~/Downloads/a.txt" "~/Documents/Taxes/a.txt"
WRITE_FILE "~/Documents/Taxes/list.txt" "a.txt"
"""


def test_of_a_run_an_action_is_written_whose_preview_is_the_same_plan(person: Path, reply: Callable[[str], str]):
    run = sayso("run", reply(BATCH), "--dialect", "lines", "--yes", "--json").document
    written = sayso("template", "new", "--from", run["run"], "put-away", "--json")
    file = person.parent / "sayso" / "actions" / "put-away.py"
    sayso("undo", run["run"], "--yes")
    checked = sayso("template", "check", str(file))
    preview = sayso("template", "preview", "put_away", "--json").document
    other = sayso("template", "preview", "put_away", "--param", "content=b", "--json").document

    assert (written.code, checked.code) == (0, 0)
    assert steps(preview) == steps(run)
    assert [one == other for one, other in zip(steps(preview), steps(other), strict=True)] == [True, True, False]


def test_what_an_action_cannot_do_is_told_also_where_it_takes_several_lines(person: Path, sit: Sit):
    looked = 'FILE_MKDIR "~/Documents/Taxes"\nFILE_LIST "~/Documents"\n'
    run = sayso("run", "-", "--dialect", "lines", "--yes", "--json", text=looked).document

    screen = sit("template", "new", "--from", run["run"], columns=60)

    assert screen.end() == 0, screen.text
    assert "left out: file.list: it only looked" in " ".join(screen.text.split())
    assert "make-folder.py" in screen.text.replace("\n", "")


def test_a_run_that_is_not_there_or_did_nothing_is_told(person: Path):
    looked = sayso("run", "-", "--dialect", "lines", "--json", text='FILE_LIST "~/Documents"').document

    missing = sayso("template", "new", "--from", "run_0ANTA51C966G0")
    nothing = sayso("template", "new", "--from", looked["run"])

    assert (missing.code, "no run or action “run_0ANTA51C966G0” is in the log" in missing.err) == (2, True)
    assert (nothing.code, "no action can be made of that run: file.list: it only looked" in nothing.err) == (2, True)
    assert not (person.parent / "sayso" / "actions").exists()


def steps(document: dict[str, Any]) -> list[Any]:
    """Return what each action of a run was to do, without the names that are drawn anew each time."""
    return [
        (one["operation"], one["plan"]["summary"], [{**change["do"], "kept": ""} for change in one["plan"]["changes"]])
        for one in document["results"]
    ]
