"""A model's real reply goes down the whole path on real files, and comes back."""

import json
import subprocess
from pathlib import Path

import pytest

import sayso
from sayso.assembly import Home
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.runtime.questions import Client, Nobody
from sayso.runtime.results import Report, row_json
from tests.journeys.ground import Ground, a_ground, in_mode, said, states

CASES = Path(__file__).parents[1] / "cases" / "lines"
REPLY = (CASES / "c02-worked-example.txt").read_text("utf-8")
YES = Client(lambda question: True)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path)
    ground.file("other.txt", "not concerned\n")
    return ground


@pytest.mark.req("C-02", "S0-96", "S0-02", "S0-38", "S0-05")
async def test_the_worked_example_notifies_writes_and_opens(ground: Ground):
    async with ground.opened() as home:
        asked = await home.run(REPLY)
        report = await home.approve(asked.run, YES)

    assert states(asked) == ["waiting"] * 3  # what it opens, it has just written
    assert states(report) == ["done", "done", "done"]
    assert said(report) == [
        "Showed notification (recorded, not shown)",
        "Wrote file",
        "Opened file (recorded, not shown)",
    ]
    assert sha256sum(ground.documents / "tomorrow-tasks.md") == sha256sum_of(document_in(REPLY))
    assert sorted(ground.tree()) == [
        "Desktop",
        "Documents",
        "Documents/other.txt",
        "Documents/tomorrow-tasks.md",
        "Downloads",
    ]


@pytest.mark.needs("sqlite3")
@pytest.mark.req("S0-82", "X-14")
async def test_each_of_its_commands_stands_in_the_journal(ground: Ground):
    async with ground.opened() as home:
        report = await home.run(REPLY, entry="test")
        await home.approve(report.run, YES)

    question = "SELECT operation, state, origin LIKE '%lines%', time LIKE '20%Z' FROM history ORDER BY id"
    assert asked(ground.own / "sayso.db", question) == [
        "notify.show|done|1|1",
        "file.write|done|1|1",
        "file.open|done|1|1",
    ]


@pytest.mark.req("C-02", "T-63")
async def test_taking_it_back_leaves_the_files_as_they_were(ground: Ground):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.approve((await home.run(REPLY)).run, YES)

        undone = await home.undo(report.run)

    assert states(undone) == ["done"]
    assert ground.tree() == before
    assert [row.state for row in ground.rows()] == ["done", "undone", "done", "done"]


@pytest.mark.req("UN-01")
async def test_a_document_changed_by_hand_in_between_is_not_taken_back(ground: Ground):
    async with ground.opened() as home:
        report = await home.approve((await home.run(REPLY)).run, YES)
        (ground.documents / "tomorrow-tasks.md").write_text("mine now\n")

        undone = await home.undo(report.run)

    assert states(undone) == ["failed"]
    assert "tomorrow-tasks.md" in said(undone)[0]
    assert (ground.documents / "tomorrow-tasks.md").read_text() == "mine now\n"


@pytest.mark.req("S0-81")
async def test_in_mode_always_all_of_it_is_one_question_and_a_no_does_nothing(ground: Ground):
    (ground.own / "config.toml").write_text(in_mode("always"))
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(REPLY)
        assert states(report) == ["waiting"] * 3

        declined = await home.decline(report.run)

    assert states(declined) == ["declined"] * 3
    assert ground.tree() == before
    assert [row.state for row in ground.rows()] == ["declined"] * 3


def document_in(reply: str) -> str:
    """Cut the document out of the reply, by the words that open and close it."""
    return reply.partition("<<END\n")[2].partition("END\n")[0]


def sha256sum(path: Path) -> str:
    return subprocess.run(["sha256sum", str(path)], capture_output=True, text=True, check=True).stdout[:64]


def sha256sum_of(text: str) -> str:
    ran = subprocess.run(["sha256sum"], input=text.encode(), capture_output=True, check=True)
    return ran.stdout.decode()[:64]


def asked(database: Path, question: str) -> list[str]:
    """Ask the journal by the program `sqlite3`."""
    return subprocess.run(
        ["sqlite3", str(database), question], capture_output=True, text=True, check=True
    ).stdout.splitlines()


@pytest.mark.req("S0-01", "T-14")
async def test_program_code_in_a_reply_is_reported_and_never_run(scratch_home: Path, tmp_path: Path) -> None:
    (scratch_home / "x").write_text("still here")
    reply = f"import os; os.remove('{scratch_home}/x')\n$(rm -rf ~)\nrm -rf ~/x\n```python\nopen('y','w')\n```"

    async with sayso.open_home(str(tmp_path / "own")) as home:
        report = await home.run(reply)

    errors = [outcome.record.marks.error or "" for outcome in report.outcomes]
    assert len(errors) == 4
    assert all(error.startswith("Unknown command: ") for error in errors)
    assert [path.name for path in scratch_home.iterdir()] == ["x"]


@pytest.mark.req("S0-41", "S0-20", "C-04")
async def test_a_mail_body_by_heredoc_has_all_its_lines(scratch_home: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[mail]\nkind = "memory"\n')
    reply = 'SEND_EMAIL "ana@example.org" "Subject" <<END\nfirst line\nsecond line\nEND\n'

    async with sayso.open_home(str(own)) as home:
        report = await home.run(reply, dry_run=True)

    (outcome,) = report.outcomes
    assert outcome.record.operation == "mail.compose"
    assert outcome.record.arguments == {
        "to": "ana@example.org",
        "subject": "Subject",
        "body": "first line\nsecond line\n",
    }


@pytest.mark.req("X-19")
async def test_emoji_and_every_script_survive_label_path_content_and_log(scratch_home: Path, tmp_path: Path) -> None:
    (scratch_home / "Documents").mkdir()
    name, words, label = "Übung 漢字 🌻.txt", "naïve ☕ \U0001f469\u200d\U0001f680 עברית\n", "Schreib’s auf 🖊️"
    proposal = Proposal(0, "", "file.write", {"path": f"~/Documents/{name}", "content": words}, label=label)

    async with sayso.open_home(str(tmp_path / "own")) as home:
        await home.take([proposal], Origin("lines"))
        (record,) = await home.log()
        row = json.loads(json.dumps(row_json(record)))

    assert (scratch_home / "Documents" / name).read_bytes() == words.encode()
    assert (row["label"], row["arguments"]["path"], row["state"]) == (label, f"~/Documents/{name}", "done")


def block(**action: object) -> str:
    return f"```json-action\n{json.dumps(action)}\n```\n"


async def says(home: Home, *blocks: str) -> Report:
    return await home.run("Sure.\n" + "".join(blocks), "blocks", approver=Nobody())


def opened(base: Path):
    (base / "home").mkdir(exist_ok=True)
    return sayso.open_home(str(base / "sayso"), environ={"HOME": str(base / "home")})


async def texts(home: Home) -> list[str]:
    return [task.text for task in await home.tools.backend("tasks").reads.all_tasks()]


@pytest.mark.req("S2-01", "S2-02", "S2-03", "S2-05", "S2-35")
async def test_nothing_changes_before_the_yes_and_all_comes_back_after_an_undo(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Dinner", label="Add"))).run, YES)
        await home.approve((await says(home, block(type="add_subtask", parentText="dinner", text="Wine"))).run, YES)
        waiting = await says(home, block(type="delete_task", taskText="dinner task", label="Delete"))
        before = await texts(home)
        done = await home.approve(waiting.run, YES)
        after = await texts(home)
        await home.undo(done.run)

        assert [outcome.record.state for outcome in waiting.outcomes] == [State.WAITING]
        assert before == ["Dinner", "Wine"]
        assert after == []
        assert await texts(home) == before


@pytest.mark.req("T-64")
async def test_a_target_is_the_one_that_was_meant_also_when_it_was_renamed(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)
        late = await says(home, block(type="edit_task", taskText="wine", newText="Red wine"))
        await home.approve((await says(home, block(type="edit_task", taskText="wine", newText="Beer"))).run, YES)
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)

        done = await home.approve(late.run, YES)

        assert done.outcomes[0].record.state is State.DONE
        assert await texts(home) == ["Red wine", "Wine"]


@pytest.mark.req("T-64", "S2-41")
async def test_a_target_that_was_completed_meanwhile_is_left_alone(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)
        late = await says(home, block(type="delete_task", taskText="wine"))
        await home.approve((await says(home, block(type="complete_task", taskText="wine"))).run, YES)

        done = await home.approve(late.run, YES)

        assert done.outcomes[0].record.state is State.FAILED
        assert "“Wine” has changed since" in (done.outcomes[0].record.marks.error or "")
        assert await texts(home) == ["Wine"]


@pytest.mark.req("S2-25", "S2-42", "S2-43", "S2-44")
async def test_what_is_completed_or_not_there_waits_for_nobody(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)
        await home.approve((await says(home, block(type="complete_task", taskText="wine"))).run, YES)

        for text, told in (("wine", "completed tasks are read-only"), ("zzz", "No active task matches “zzz”")):
            report = await says(home, block(type="delete_task", taskText=text))

            assert report.outcomes[0].record.state is State.FAILED
            assert told in (report.outcomes[0].record.marks.error or "")
        assert await home.pending() == []


async def test_lists_outlive_the_program(tmp_path: Path):
    async with opened(tmp_path) as home:
        await home.approve((await says(home, block(type="add_task", text="Wine"))).run, YES)

    async with opened(tmp_path) as home:
        assert await texts(home) == ["Wine"]
        await home.undo()
        assert await texts(home) == []
