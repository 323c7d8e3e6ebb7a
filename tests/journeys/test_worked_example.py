"""A model's real reply goes down the whole path on real files, and comes back."""

import subprocess
from pathlib import Path

import pytest

from tests.journeys.ground import Ground, a_ground, in_mode, said, states

CASES = Path(__file__).parents[1] / "cases" / "lines"
REPLY = (CASES / "c02-worked-example.txt").read_text("utf-8")


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path)
    ground.file("other.txt", "not concerned\n")
    return ground


@pytest.mark.req("C-02", "S0-96", "S0-02", "S0-38", "S0-05")
async def test_the_worked_example_notifies_writes_and_opens(ground: Ground):
    async with ground.opened() as home:
        report = await home.run(REPLY)

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
        await home.run(REPLY, entry="test")

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
        report = await home.run(REPLY)

        undone = await home.undo(report.run)

    assert states(undone) == ["done"]
    assert ground.tree() == before
    assert [row.state for row in ground.rows()] == ["done", "undone", "done", "done"]


@pytest.mark.req("UN-01")
async def test_a_document_changed_by_hand_in_between_is_not_taken_back(ground: Ground):
    async with ground.opened() as home:
        report = await home.run(REPLY)
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
