"""Adversarial cases about files, each on the whole path: every operation, every mode, somebody who says yes to all.

A canary tree lies outside the folders that actions may reach, and sayso's own folder holds more canaries. Both, and
the person's files, are looked at by `find` and `sha256sum` after each attempt.
"""

import json
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

import sayso
from sayso.core.decision import Question
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.results import report_json
from sayso.testing.fakes import Says
from tests.journeys.attempts import (
    CANARY,
    OWN,
    SECONDS,
    attempts,
    clear,
    laid,
    looked_at,
    must_be_told_well,
    places_of,
    plant,
    read,
    stamped,
    tried,
)
from tests.journeys.ground import MEMORY_DESKTOP, Ground, a_file, a_ground, said, states, yes
from tests.patience import patience

FOLDER = Path(__file__).parents[1] / "cases" / "security"
CASES = {file.stem: read(file) for file in sorted(FOLDER.glob("FS-*.json"))}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "mode",
    [
        pytest.param("always", marks=pytest.mark.thorough),
        pytest.param("destructive", marks=pytest.mark.thorough),
        "never",
    ],
)
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.req(*case.req)) for name, case in CASES.items()])
async def test_nothing_outside_is_touched_and_every_refusal_says_why(
    name: str, mode: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    case = CASES[name]
    yard = laid(tmp_path, case, mode)
    before, stamps = looked_at(yard), stamped(yard)
    tries = attempts(case, places_of(yard))
    with caplog.at_level(logging.DEBUG):
        async with yard.opened() as home:
            for attempt in tries:
                outcome = await tried(home, attempt)

                must_be_told_well(attempt, outcome)
                if outcome.record.state.value == "done":
                    clear(yard)
                    plant(yard, case)
                    assert looked_at(yard) == before, attempt.aim
                    stamps = stamped(yard)
                assert stamped(yard) == stamps, attempt.aim
                assert {path.name for path in yard.own.iterdir()} <= OWN, attempt.aim

    assert looked_at(yard) == before
    assert len(yard.rows()) == len(tries), "every attempt has its row"
    assert CANARY not in caplog.text
    for file in yard.own.glob("sayso.db*"):
        assert CANARY.encode() not in file.read_bytes()


def homes(tmp_path: Path, more: str = "") -> Iterator[Ground]:
    """Lay out one home for each mode."""
    for mode in ("always", "destructive", "never"):
        ground = a_ground(tmp_path / mode, f'{MEMORY_DESKTOP}[policy]\nmode = "{mode}"\n{more}')
        ground.file("a.txt", "mine\n")
        yield ground


@pytest.mark.req("FS-05")
@pytest.mark.parametrize("command", ["WRITE_FILE", "APPEND_FILE"])
async def test_a_file_with_another_name_elsewhere_is_asked_about_and_the_other_keeps_its_content(
    tmp_path: Path, command: str
):
    for ground in homes(tmp_path):
        outside = a_file(ground.base / "outside" / "canary.txt", "theirs\n")
        os.link(outside, ground.documents / "h.txt")
        person = Says(True)

        async with ground.opened() as home:
            report = await home.run(f'{command} ~/Documents/h.txt "planted"', approver=person)

        assert states(report) == ["done"]
        assert any(
            "another name" in warning
            for question in person.questions
            for card in question.cards
            for warning in card.plan.warns
        )
        assert outside.read_text() == "theirs\n"


@pytest.mark.req("FS-09")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("many", [2_000, pytest.param(100_000, marks=pytest.mark.thorough)])
async def test_a_folder_of_many_things_links_and_loops_is_listed_in_bounds(tmp_path: Path, many: int):
    ground = a_ground(tmp_path)
    a_file(ground.base / "outside" / CANARY, "x")
    (ground.documents / "out").symlink_to(ground.base / "outside")
    (ground.documents / "loop").symlink_to(".")
    for number in range(many):
        os.mknod(ground.documents / f"n{number:06}")
    async with ground.opened() as home:
        with anyio.fail_after(patience()):
            report = await home.run("FILE_LIST ~/Documents\nFILE_FIND ~/Documents canary\nFILE_FIND ~/Documents n0009")

    assert states(report) == ["done", "done", "done"]
    listed, canary, found = (outcome.data for outcome in report.outcomes)
    assert len(files(listed)) == 200
    assert listed["omitted"] == many + 2 - 200
    assert files(canary) == []
    assert files(found) == [f"n0009{number:02}" for number in range(100)]
    assert f"{many + 2 - 200:,} left out" in said(report)[0]
    assert CANARY not in json.dumps(report_json(report))


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return sorted(path.name for path in folder.iterdir())


def files(data: object) -> list[str]:
    """Return the names in what a read found."""
    return [entry["name"] for entry in cast("Mapping[str, Any]", data)["files"]]


NAMES = ["photo\u202egpj.exe", "-rf", "--help", "a" * 255, "a b\u3000c", "\u200b", "é", "e\u0301", "'; rm -rf ~; '"]


@pytest.mark.req("FS-13")
@pytest.mark.parametrize("name", NAMES, ids=[name.encode("unicode_escape").decode()[:20] for name in NAMES])
async def test_an_odd_name_is_taken_exactly_or_not_at_all(tmp_path: Path, name: str):
    ground = a_ground(tmp_path, MEMORY_DESKTOP + '[policy]\nmode = "never"\n')
    call = {"path": f"~/Documents/{name}", "content": "x"}
    async with ground.opened() as home:
        report = await home.take([Proposal(0, "", "file.write", call)], Origin("tools"))
        made = names_in(ground.documents)
        if states(report) == ["done"]:
            await home.undo()

    assert states(report)[0] in {"done", "waiting", "refused", "invalid", "failed"}
    assert made == ([name] if states(report) == ["done"] else [])
    assert names_in(ground.documents) == []
    row = ground.rows()[0]
    assert row.body["arguments"]["path"] == call["path"]


@pytest.mark.req("FS-13")
async def test_a_name_too_long_for_the_disk_fails_with_a_sentence(tmp_path: Path):
    ground = a_ground(tmp_path, MEMORY_DESKTOP + '[policy]\nmode = "never"\n')
    async with ground.opened() as home:
        report = await home.run(f'WRITE_FILE ~/Documents/{"a" * 256} "x"')

    assert states(report) == ["failed"]
    assert "too long" in said(report)[0]


COMMANDS = {
    "MOVE_FILE ~/Documents/a.txt ~/Documents/b.txt": "b.txt",
    "COPY_FILE ~/Documents/a.txt ~/Documents/b.txt": "b.txt",
    "DELETE_FILE ~/Documents/a.txt": "",
    'WRITE_FILE ~/Documents/a.txt "planted"': "",
    'APPEND_FILE ~/Documents/a.txt "planted"': "",
}


@pytest.mark.req("FS-14", "X-10")
@pytest.mark.parametrize("command", COMMANDS)
async def test_a_file_exchanged_for_another_between_question_and_yes_is_left_alone(tmp_path: Path, command: str):
    (ground,) = [ground for ground in homes(tmp_path) if ground.base.name == "always"]
    other = ground.documents / "a.txt"

    def exchange(question: Question) -> bool:
        other.unlink()
        ground.file("a.txt", "another file\n")
        return True

    async with ground.opened() as home:
        report = await home.run(command, approver=sayso.Client(exchange))

    assert states(report) == ["failed"]
    assert "“~/Documents/a.txt” has changed since it was looked at" in said(report)[0]
    assert other.read_text() == "another file\n"
    assert names_in(ground.documents) == ["a.txt"]


@pytest.mark.req("PA-10")
async def test_a_link_that_an_earlier_step_copies_leads_a_later_one_nowhere(tmp_path: Path):
    for ground in homes(tmp_path):
        outside = ground.base / "outside"
        outside.mkdir()
        (ground.documents / "d").symlink_to(outside)
        text = (
            'COPY_FILE ~/Documents/d ~/Documents/e\nWRITE_FILE ~/Documents/e/x "planted"\n'
            "MOVE_FILE ~/Documents/a.txt ~/Documents/e/a.txt\nCREATE_FOLDER ~/Documents/e/new"
        )
        async with ground.opened() as home:
            report = await home.run(text, approver=yes())

        assert "done" not in states(report)[1:]
        assert names_in(outside) == []
        assert (ground.documents / "a.txt").exists()


@pytest.mark.req("PA-10")
async def test_a_folder_made_and_then_moved_away_takes_no_later_step_with_it(tmp_path: Path):
    for ground in homes(tmp_path):
        text = (
            "CREATE_FOLDER ~/Documents/.g\nMOVE_FILE ~/Documents/.g ~/Documents/.git\n"
            'CREATE_FOLDER ~/Documents/x/hooks\nWRITE_FILE ~/Documents/x/hooks/pre-commit "planted"\n'
            "MOVE_FILE ~/Documents/x ~/Documents/.git"
        )
        async with ground.opened() as home:
            report = await home.run(text, approver=yes())

        assert states(report)[1] == states(report)[4] == "refused"
        assert not (ground.documents / ".git").exists()


@pytest.mark.req("FS-06")
async def test_a_file_of_holes_that_claims_a_terabyte_keeps_nobody_waiting(tmp_path: Path):
    for ground in homes(tmp_path):
        huge = ground.file("huge", "")
        os.truncate(huge, 2**40)
        text = (
            "FILE_LIST ~/Documents\nCOPY_FILE ~/Documents/huge ~/Documents/second\n"
            "MOVE_FILE ~/Documents/huge ~/Documents/moved\nDELETE_FILE ~/Documents/moved"
        )
        async with ground.opened() as home:
            with anyio.fail_after(SECONDS):
                beginning = await home.run("FILE_READ ~/Documents/huge")
                report = await home.run(text, approver=yes())

        assert states(beginning) == ["failed"]
        assert "is not a text file" in said(beginning)[0]
        assert states(report) == ["done"] * 4
        assert (ground.documents / "second").stat().st_blocks == 0
