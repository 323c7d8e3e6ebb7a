"""Names of files as a person writes them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import Candidate
from sayso.core.proposal import Origin, Proposal
from sayso.providers.disk import syscalls
from sayso.runtime.results import Report, report_json
from tests.journeys.attempts import FREE
from tests.journeys.ground import Ground, a_ground, commands, in_mode, opened, said, states, tool_call, yes

PLACE = {"type": "place_app", "app_name": "google chrome", "monitor": "left"}
CHROME = (Candidate("Google Chrome"),)


async def told(
    base: Path, text: str, dialect: str, settings: str = ""
) -> tuple[Report, list[dict[str, Any]], list[Any]]:
    memory = '[apps]\nkind = "memory"\n[browser]\nkind = "memory"\n'
    async with opened(base / "own", memory + settings) as home:
        report = await home.run(text, dialect)
        notes = home.notes_for(home.read(text, dialect), report)
        return report, home.results_for(report), list(notes)


@pytest.mark.req("T-98", "S4-21")
@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ('ACTIVATE_APP "google chrome"', "lines"),
        (tool_call("macos_auto", action="open_app", app_name="google chrome"), "tools"),
    ],
)
async def test_where_names_need_not_be_exact_one_in_another_case_is_taken(text: str, dialect: str, tmp_path: Path):
    report, _, notes = await told(tmp_path, text, dialect)

    assert (str(report.outcomes[0].record.state), notes) == ("done", [])
    assert "Google Chrome" in str(report.outcomes[0].record.marks.message)


@pytest.mark.req("T-98", "S4-21", "S4-04", "X-11")
@pytest.mark.parametrize("kind", ["focus_app", "close_app", "place_app"])
async def test_in_the_commands_contract_a_name_is_exact_or_refused_with_near_names(kind: str, tmp_path: Path):
    more = {"monitor": "left"} if kind == "place_app" else {}
    text = commands({"type": kind, "app_name": "google chrome", **more})

    report, (given,), (note,) = await told(tmp_path, text, "commands")

    (outcome,) = report.outcomes
    assert (outcome.record.marks.code, outcome.candidates) == ("app.unknown", CHROME)
    assert given["data"] == {"candidates": [{"name": "Google Chrome", "id": "", "where": ""}]}
    assert (note.kind, note.candidates) == ("not_found", CHROME)
    assert "with one of those as “app_name”, letter for letter" in note.sentence


@pytest.mark.req("T-103", "S4-03", "S4-50")
async def test_a_name_or_number_that_fits_nothing_keeps_the_whole_request_from_running(tmp_path: Path):
    text = commands(
        {"type": "open_url", "url": "example.org"},
        {"type": "switch_tab", "tab_index": 99},
        {"type": "close_tab", "tab_indices": [2, 77]},
        PLACE,
    )

    report, given, _ = await told(tmp_path, text, "commands")

    assert [one.record.marks.code for one in report.outcomes] == [
        "batch.invalid", "tab.range", "tab.range", "app.unknown",
    ]  # fmt: skip
    assert [one["success"] for one in given] == [False] * 4
    assert "77" in given[2]["error"]


@pytest.mark.req("S4-35", "T-98")
async def test_an_unknown_preset_is_refused_with_those_there_are(tmp_path: Path):
    presets = "\n".join(
        f'[[preset]]\nname = "{name}"\nplacements = [{{app_name = "Finder", monitor = "main"}}]'
        for name in ("mail", "code space")
    )
    text = commands({"type": "activate_preset", "preset_name": "Code Space"})

    report, _, (note,) = await told(tmp_path, text, "commands", presets)

    (outcome,) = report.outcomes
    assert outcome.record.marks.code == "preset.unknown"
    assert outcome.candidates == (Candidate("code space"), Candidate("mail"))
    assert "“mail”, “code space”" in str(outcome.record.marks.error)
    assert "as “preset_name”" in note.sentence


@pytest.mark.req("T-59")
async def test_candidates_stand_in_the_document_with_what_tells_them_apart(tmp_path: Path):
    async with opened(tmp_path / "own") as home:
        for line in ('TASK_ADD "Work"', 'TASK_ADD "Call"', 'TASK_ADD_SUBTASK "Work" "Call"'):
            await home.run(line, approver=yes())
        report = await home.run('TASK_DELETE "call"')
        logged = (await home.log())[0]
    result: Any = report_json(report)["results"]

    candidates = result[0]["data"]["candidates"]
    places = sorted((one["name"], one["where"]) for one in candidates)
    assert places == [("Call", "at the top"), ("Call", "under “Work”")]
    assert len({one["id"] for one in candidates}) == 2
    assert "candidates" not in str(logged)


CALLS = ("access", "chmod", "mkdir", "open", "readlink", "stat", "symlink", "unlink")
THERE = "~/Documents/a.txt"
OTHER_CASE = ("~/Documents/A.txt", "~/Documents/a.TXT", "~/Documents/A.TXT")
ONTO: dict[str, tuple[str, dict[str, str], str]] = {
    "move a file": ("file.move", {"source": "~/Documents/b.txt"}, "destination"),
    "copy a file": ("file.copy", {"source": "~/Documents/b.txt"}, "destination"),
    "move a folder": ("file.move", {"source": "~/Documents/folder"}, "destination"),
    "copy a folder": ("file.copy", {"source": "~/Documents/folder"}, "destination"),
    "make a folder": ("file.mkdir", {}, "path"),
}


def as_it_stands(name: str, folder: int | None) -> str:
    """Return the name of what stands in the folder under this name in whatever case."""
    if folder is None or folder < 0 or "/" in name:
        return name
    with os.scandir(folder) as entries:
        there = {entry.name for entry in entries}
    return name if name in there else next((other for other in there if other.casefold() == name.casefold()), name)


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Return a home on such a disk."""
    ground = a_ground(tmp_path, in_mode("never"))
    ground.file("a.txt", "theirs\n")
    ground.file("b.txt", "mine\n")
    ground.file("folder/c.txt", "mine too\n")
    for name in CALLS:
        monkeypatch.setattr(os, name, _insensitive(getattr(os, name), at=1 if name == "symlink" else 0))
    rename = vars(syscalls)["_rename"]

    def renamed(old: tuple[int, str], new: tuple[int, str], *flags: int) -> None:
        rename((old[0], as_it_stands(old[1], old[0])), (new[0], as_it_stands(new[1], new[0])), *flags)

    monkeypatch.setattr(syscalls, "_rename", renamed)
    monkeypatch.setattr(syscalls, "beneath", lambda: syscalls.open_below)
    monkeypatch.setattr("sayso.providers.files.local.backend.beneath", lambda: syscalls.open_below)
    return ground


def _insensitive(call: Callable[..., Any], at: int) -> Callable[..., Any]:
    def called(*args: Any, dir_fd: int | None = None, **more: Any) -> Any:
        if dir_fd is None:
            return call(*args, **more)
        given = list(args)
        given[at] = as_it_stands(os.fsdecode(given[at]), dir_fd)
        return call(*given, dir_fd=dir_fd, **more)

    return called


@pytest.mark.req("FS-17", "T-22")
@pytest.mark.parametrize("path", OTHER_CASE)
@pytest.mark.parametrize("deed", ONTO)
async def test_nothing_is_put_over_a_name_in_another_case(ground: Ground, deed: str, path: str):
    operation, more, name = ONTO[deed]
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.take([Proposal(0, "", operation, {**more, name: path})], Origin("tools"), yes())

    assert states(report) == ["failed"], said(report)
    assert ground.tree() == before


@pytest.mark.req("FS-17", "S0-36")
async def test_a_write_to_a_name_in_another_case_keeps_what_it_replaces(ground: Ground):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(f'WRITE_FILE {OTHER_CASE[0]} "new"', approver=yes())
        assert states(report) == ["done"]
        assert (ground.documents / "a.txt").read_text() == "new"
        assert [path.name for path in ground.documents.iterdir() if path.name.casefold() == "a.txt"] == ["a.txt"]
        await home.undo()

    assert ground.tree() == before


@pytest.mark.req("FS-17")
async def test_a_file_whose_name_differs_in_case_and_comes_at_the_last_moment_stays(ground: Ground):
    def come(label: str) -> None:
        if label == "files.write.noted":
            (ground.documents / "Free").write_text("theirs\n")

    async with ground.opened(kill=come) as home:
        report = await home.run(f'WRITE_FILE {FREE} "mine"', approver=yes())

    assert states(report) == ["failed"]
    assert (ground.documents / "Free").read_text() == "theirs\n"
    assert not [path for path in ground.documents.iterdir() if path.name == "free"]
