"""What the operations on files plan, refuse and answer, and how it is worded."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec.structs import replace

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.plan import Answer, ChangeRef, OpenFile, Plan, ResultRef, facts_json, step_json
from sayso.policy.programs import RUN
from sayso.providers.files import errors
from sayso.providers.files.memory import MemoryFiles
from sayso.providers.files.model import Free, Rename
from sayso.providers.files.operations import about_links, move, place_for, size_in_words, things, why_run
from sayso.providers.files.store import Files, FreePlace, Item
from tests.fails import fails
from tests.providers.files.batches import OPERATIONS
from tests.providers.files.staged import HOME, MemoryStage

FOLDER = Path(__file__).parents[2] / "cases" / "files"


def cases(*operations: str) -> list[Any]:
    """Return the cases of these operations (of all when none is named), each with what it proves."""
    found: list[Any] = []
    for file in sorted(FOLDER.glob("*.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        if not operations or case["operation"] in operations:
            found.append(pytest.param(case, id=file.stem, marks=pytest.mark.req(*case["proves"])))
    return found


def world(case: Mapping[str, Any]) -> MemoryStage:
    """Plant the world of a case: a text is a file; an object a folder, a link or a file that is special."""
    stage = MemoryStage(options=case.get("settings", {}))
    for name, what in case["world"].items():
        path = f"{HOME}/{name}"
        match what:
            case str():
                stage.file(path, what.encode())
            case {"folder": device}:
                stage.folder(path, device)
                stage.disk.disks_without_trash |= {3} & {device}
            case {"link": target}:
                stage.link(path, target)
            case {"hex": data}:
                stage.file(path, bytes.fromhex(data))
            case {"program": text}:
                stage.file(path, text.encode())
                stage.change(path, mode=0o755)
            case {"names": names}:
                stage.file(path, b"shared\n")
                stage.change(path, names=names)
            case _:
                raise ValueError(f"{name}: {what}")
    return stage


async def outcome(case: Mapping[str, Any]) -> dict[str, Any]:
    """Run the operation of a case and return what came of it, as JSON; what a plan leaves empty is left out."""
    operation = OPERATIONS[case["operation"]]
    arguments, problems = operation.check(case["arguments"])
    assert problems == []
    stage = world(case)
    before = stage.tree()
    try:
        found = await operation.function(stage.backend().reads, **arguments)
    except SaysoError as problem:
        return {"error": str(problem), "code": problem.code, "is": type(problem).__name__}
    assert stage.tree() == before
    if isinstance(found, Answer):
        return {"summary": found.summary, "data": found.data, "text": found.text}
    return _plan(found)


def _plan(plan: Plan) -> dict[str, Any]:
    shown = {
        "summary": plan.summary,
        "message": plan.said_when_done,
        "do": [step_json(change.do) for change in plan.changes],
        "undo": [step_json(change.undo) for change in plan.changes],
        "expects": [sorted(facts_json(change.expects)) for change in plan.changes],
        "loses": list(plan.loses),
        "asks": plan.asks,
        "warns": list(plan.warns),
        "preview": plan.preview.split("\n") if plan.preview else [],
        "data": dict(plan.data),
    }
    return json.loads(json.dumps({key: value for key, value in shown.items() if value not in ([], False, "")}))


@pytest.mark.parametrize("case", cases())
async def test_an_operation_does_what_its_case_says(case: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch):
    # The words of the cases are those of Linux, wherever they are tried.
    monkeypatch.setattr(sys, "platform", "linux")

    found = await outcome(case)

    assert found == case["expected"], f"what came of it:\n{json.dumps(found, indent=2, ensure_ascii=False)}"


def test_every_operation_has_cases():
    named = {case.values[0]["operation"] for case in cases()}

    assert named == set(OPERATIONS)


SAID = "~/Documents/a.txt"
ONE: list[Callable[[str], SaysoError]] = [
    *(errors.missing, errors.path_taken_error, errors.not_a_folder, errors.not_a_file, errors.link_circle),
    *(errors.path_changed_error, errors.not_yet, errors.dangling, errors.is_root, errors.outside, errors.own),
]
TWO: list[Callable[[str, str], SaysoError]] = [errors.no_folder, errors.inside_itself, errors.name_denied_error]


@pytest.mark.req("T-19")
def test_a_sentence_names_what_it_is_about_and_has_a_code_of_its_own():
    made = [*[make(SAID) for make in ONE], *[make(SAID, "x.git") for make in TWO]]

    assert [error for error in made if f"“{SAID}”" not in str(error)] == []
    assert [error for error in made[len(ONE) :] if "“x.git”" not in str(error)] == []
    assert len({error.code for error in made}) == len(made)
    assert "CREATE_FOLDER" in str(errors.no_folder(SAID, "~/Documents"))


READS = ("file.list", "file.find", "file.read")


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("limit", [0, -1, 10**9, True, "5"])
def test_a_limit_beyond_bounds_does_not_pass_the_door(name: str, limit: object):
    _, problems = OPERATIONS[name].check({"path": "~/Documents", "pattern": "x", "limit": limit})

    assert "limit" in [problem.argument for problem in problems]


@pytest.mark.parametrize("name", READS)
@pytest.mark.req("X-08")
def test_what_they_find_is_text_of_strangers(name: str):
    operation = OPERATIONS[name]

    assert (operation.kind, operation.asks, operation.outside) == ("read", "none", True)


@pytest.mark.parametrize("size", [9_999, 10_000, 10_001])
async def test_ten_thousand_characters_are_read_unless_more_are_asked_for(size: int):
    stage = MemoryStage()
    stage.file(f"{stage.root}/long", "é".encode() * size)

    answer = await OPERATIONS["file.read"].function(stage.backend().reads, path="~/Documents/long")

    assert isinstance(answer, Answer)
    assert len(answer.text) == min(size, 10_000)
    assert answer.data["truncated"] == (size > 10_000)
    assert answer.data["total_bytes"] == 2 * size


async def opened_after_writing(stage: MemoryStage, name: str) -> Plan:
    backend: Any = stage.backend()
    written = await OPERATIONS["file.write"].function(backend.reads, path=f"~/Documents/{name}", content="echo")
    assert isinstance(written, Plan)
    seen = backend.imagine(backend.reads, written.changes[0].do, ChangeRef(0, 0))
    plan = await OPERATIONS["file.open"].function(seen, path=f"~/Documents/{name}")
    assert isinstance(plan, Plan)
    return plan


@pytest.mark.req("X-21")
async def test_a_script_that_was_just_written_is_not_opened():
    with fails(Refused, "open.executable"):
        await opened_after_writing(MemoryStage(), "x.command")


@pytest.mark.parametrize(("platform", "manager"), [("darwin", "Finder"), ("linux", "the file manager")])
async def test_the_file_manager_is_called_as_its_system_calls_it(
    platform: str, manager: str, monkeypatch: pytest.MonkeyPatch
):
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"a")
    monkeypatch.setattr(sys, "platform", platform)

    plan = await OPERATIONS["file.reveal"].function(stage.backend().reads, path="~/Documents/a.txt")

    assert isinstance(plan, Plan)
    assert plan.summary == f"Show “~/Documents/a.txt” in {manager}"


@pytest.mark.req("S0-33", "S0-96")
async def test_a_document_that_was_just_written_is_opened_as_that_step_left_it():
    stage = MemoryStage()

    plan = await opened_after_writing(stage, "tomorrow-tasks.md")

    path = f"{stage.root}/tomorrow-tasks.md"
    assert [change.do for change in plan.changes] == [OpenFile(path, passive=False)]
    assert plan.changes[0].expects == (ResultRef(path, "unchanged", 0, 0),)


@pytest.mark.parametrize(
    ("name", "arguments", "path", "holds"),
    [
        ("file.write", {"content": "é"}, "new", b"\xc3\xa9"),
        ("file.write", {"content": "other\n"}, "a", b"other\n"),
        ("file.append", {"content": "b"}, "a", b"a\nb"),
        ("file.append", {"content": "b"}, "new", b"b"),
        ("file.append", {"content": ""}, "new", b""),
    ],
)
@pytest.mark.req("S0-36", "S0-37", "T-19", "T-20")
async def test_text_is_written_and_taken_back(name: str, arguments: dict[str, Any], path: str, holds: bytes):
    stage = MemoryStage()
    stage.file(f"{stage.root}/a", b"a\n")
    before = stage.tree()
    plan = await OPERATIONS[name].function(stage.backend().reads, path=f"~/Documents/{path}", **arguments)
    assert isinstance(plan, Plan)
    (change,) = plan.changes

    left = await stage.backend().apply(change.do, change.expects)

    assert stage.content(f"{stage.root}/{path}") == holds
    await stage.backend().apply(change.undo, left.facts)
    assert stage.tree() == before


@pytest.fixture
def moves() -> MemoryStage:
    made = MemoryStage()
    made.file(f"{HOME}/Documents/a", b"alpha")
    made.folder(f"{HOME}/Documents/f")
    made.file(f"{HOME}/Documents/f/x", b"inner")
    made.folder(f"{HOME}/Documents/stick", 3)
    return made


async def plan(moves: MemoryStage, name: str, **arguments: Any) -> Plan:
    found: Plan | Answer = await OPERATIONS[name].function(moves.backend().reads, **arguments)
    assert isinstance(found, Plan)
    return found


@pytest.mark.parametrize("source", ["a", "f"])
@pytest.mark.parametrize("target", ["new", "stick/new"], ids=["same disk", "another disk"])
@pytest.mark.parametrize("name", ["file.move", "file.copy"])
@pytest.mark.req("S0-28", "S0-30")
async def test_what_was_moved_or_copied_comes_back(moves: MemoryStage, name: str, source: str, target: str):
    before = moves.tree()
    wish = await plan(moves, name, source=f"~/Documents/{source}", destination=f"~/Documents/{target}")
    backend = moves.backend()

    lefts = [await backend.apply(change.do, change.expects) for change in wish.changes]

    assert (f"{source}" in moves.tree()) == (name == "file.copy")
    assert target in moves.tree()
    for change, left in reversed(list(zip(wish.changes, lefts, strict=True))):
        await backend.apply(change.undo, left.facts)
    assert moves.tree() == before


@pytest.mark.parametrize("trash", [True, False])
@pytest.mark.req("S0-31", "T-21")
async def test_what_was_deleted_comes_back(moves: MemoryStage, trash: bool):
    moves.disk.disks_without_trash = set() if trash else {1}
    before = moves.tree()
    (change,) = (await plan(moves, "file.delete", path="~/Documents/f")).changes
    backend = moves.backend()

    left = await backend.apply(change.do, change.expects)

    assert "f" not in moves.tree()
    await backend.apply(change.undo, left.facts)
    assert moves.tree() == before


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("file.move", {"source": f"{HOME}/Documents/a", "destination": "~/Documents/b"}, "Move “~/Documents/a” to "),
        ("file.copy", {"source": "~/Documents/a", "destination": f"{HOME}/Documents/b"}, " to “~/Documents/b”"),
        ("file.delete", {"path": f"{HOME}/Documents/a"}, "Delete “~/Documents/a”"),
        ("file.mkdir", {"path": f"{HOME}/Documents/new"}, "Create folder “~/Documents/new”"),
        ("file.write", {"path": f"{HOME}/Documents/a", "content": "b"}, "Replace the content of “~/Documents/a”"),
        ("file.append", {"path": f"{HOME}/Documents/a", "content": "b"}, "at the end of “~/Documents/a”"),
        ("file.open", {"path": f"{HOME}/Documents/a"}, "Open “~/Documents/a”"),
    ],
)
async def test_a_path_in_the_home_is_said_with_a_tilde_however_it_was_written(
    moves: MemoryStage, name: str, arguments: dict[str, str], said: str
):
    assert said in (await plan(moves, name, **arguments)).summary


async def test_a_move_to_another_disk_expects_the_same_file_twice(moves: MemoryStage):
    copied, taken = (await plan(moves, "file.move", source="~/Documents/a", destination="~/Documents/stick/a")).changes

    assert copied.expects[0] == taken.expects[0]


def test_sizes_and_counts_are_exact():
    assert [size_in_words(size) for size in (0, 1, 12345)] == ["0 bytes", "1 byte", "12,345 bytes"]
    assert [things(count) for count in (0, 1, 2000)] == ["0 things", "1 thing", "2,000 things"]


@pytest.mark.parametrize("said", ["~/Documents/a", "/home/ana/Documents/a", "~/Documents/b/../a", "~/Documents//a/"])
def test_a_path_that_leads_where_it_reads_needs_no_word(said: str):
    assert about_links(MemoryStage().backend().reads, said, "/home/ana/Documents/a") == ()


@pytest.mark.parametrize("said", ["~/Documents/l", "/home/ana/l/a", "~/Docs/a"])
def test_a_path_that_leads_elsewhere_says_where(said: str):
    warned = about_links(MemoryStage().backend().reads, said, "/home/ana/Documents/a")

    assert warned == (f"“{said}” leads to “/home/ana/Documents/a”",)


def test_a_path_in_another_folder_of_the_same_name_says_where_it_leads():
    reads = MemoryStage().backend().reads

    assert about_links(reads, "~/Documents/a", "/mnt/eve/Documents/a")
    assert about_links(reads, "~/a", "/home/ana/Documents/a")


class CaseBlind(MemoryFiles):
    """Reads of a disk on which `a` and `A` are one."""

    async def look(self, path: str, *, reach: str = "roots") -> Item:
        found = await super().look(path.lower().replace("documents", "Documents"))
        return replace(found, path=path.replace("~", HOME))

    async def exists(self, path: str) -> bool:
        return await super().exists(path.lower().replace("documents", "Documents"))

    async def free(self, path: str) -> FreePlace:
        return await super().free(path.lower().replace("documents", "Documents"))


def blind(stage: MemoryStage) -> Files:
    return CaseBlind(stage.disk, stage.context)


async def test_a_name_that_differs_only_in_case_is_a_move_where_case_does_not_count():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")

    plan = await move.function(blind(stage), source="~/Documents/a.txt", destination="~/Documents/A.txt")

    assert isinstance(plan, Plan)
    (change,) = plan.changes
    assert change.do == Rename(f"{stage.root}/a.txt", f"{stage.root}/A.txt")
    assert sorted(fact.fact for fact in change.expects) == ["same_folder", "unchanged"]


@pytest.mark.req("T-22")
async def test_another_name_of_the_same_file_is_taken():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")
    stage.change(f"{stage.root}/a.txt", names=2)

    with fails(ProviderError, "path.taken"):
        await move.function(blind(stage), source="~/Documents/a.txt", destination="~/Documents/A.txt")


async def test_a_file_where_the_folder_should_be_is_named():
    stage = MemoryStage()
    stage.file(f"{stage.root}/a.txt", b"alpha")

    with fails(ProviderError, "path.not_a_folder"):
        await place_for(stage.backend().reads, "~/Documents/a.txt/b")


class Huge(MemoryFiles):
    """Reads of a disk whose folders hold more than is ever listed."""

    async def look(self, path: str, *, reach: str = "roots") -> Item:
        return replace(await super().look(path), entries=100_001)


@pytest.mark.req("FS-10")
async def test_too_many_names_to_look_at_do_not_become_protected_ones():
    stage = MemoryStage()
    stage.folder(f"{stage.root}/x")
    files: Files = Huge(stage.disk, stage.context)

    with fails(Refused, "path.denied_name"):
        await move.function(files, "~/Documents/x", "~/Documents/.config")

    assert isinstance(await move.function(files, "~/Documents/x", "~/Documents/config"), Plan)


def item(name: str, mode: int = 0o644, kind: Literal["file", "folder", "link"] = "file") -> Item:
    path = f"/home/ana/Documents/{name}"
    return Item(path, kind, 1, 0, 0, 0, mode, 1, Free(path))


@pytest.mark.parametrize("ending", [*RUN, ".COMMAND", ".Sh", ".sh.", ".app. ", ".command\u200b", ".\uff33\uff28"])
@pytest.mark.req("X-21")
def test_these_endings_are_never_opened(ending: str):
    assert why_run(item(f"x{ending}"), f"~/Documents/x{ending}")


@pytest.mark.parametrize("bit", [0o100, 0o010, 0o001])
@pytest.mark.req("X-21")
def test_any_execute_bit_of_a_file_counts(bit: int):
    assert why_run(item("tool", 0o644 | bit), "~/Documents/tool")
    assert not why_run(item("folder", 0o755, "folder"), "~/Documents/folder")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.pdf", "a.png", "a.html", "a.sh.txt", "app", "a.b.csv", "résumé"])
def test_what_is_only_shown_is_opened(name: str):
    assert why_run(item(name), f"~/Documents/{name}") is None


@pytest.mark.req("X-21")
def test_neither_the_name_of_a_link_nor_its_target_hides_the_other():
    shown = item("notes.txt")

    assert why_run(shown, "~/Documents/notes.command")
    assert why_run(replace(shown, path="/home/ana/Documents/x.command"), "~/Documents/notes.txt")
