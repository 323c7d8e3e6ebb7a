"""After a crash the disk is asked what became of a step, and the answer is never a lie."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.core.plan import Applied, CannotTell, NotDone
from sayso.providers.files.local.steps import KILL_POINTS
from sayso.providers.files.model import Copy, Keep, Rename, Replace, Trash, Unchanged, Write
from tests.providers.files.local.desk import TOKEN, Desk, free

ROOT = Path(__file__).parents[4]
STEPS = tuple(sorted({label.split(".")[1] for label in KILL_POINTS}))


FIRST = ("replace", "rename")
"""Every step dies at one of its kill points in the first ring, on the whole path; these at all of them."""


@pytest.mark.req("CR-01", "S0-36")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("steps", [FIRST, pytest.param(STEPS, marks=pytest.mark.thorough)], ids=["two", "all"])
def test_a_death_at_any_kill_point_is_settled_truthfully(steps: tuple[str, ...], tmp_path: Path):
    run = [sys.executable, "-m", "tests.providers.files.local.dying", str(tmp_path), *steps]

    told = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)

    deaths = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(deaths) == sum(label.split(".")[1] in steps for label in KILL_POINTS)
    for death in deaths:
        step = death["label"].split(".")[1]
        assert death["died"] == -9, death
        assert death["said"] == ("Applied" if death["changed"] else "NotDone"), death
        assert not death["settling_changed"], death
        assert death["undone"] in {True, None}, death
        if death["said"] == "NotDone" and step not in {"unkeep", "exchange", "remove_folders", "restore"}:
            assert death["kept"] == [], death
            assert death["infos"] == [], death


async def test_a_file_that_looks_right_without_the_token_is_not_taken_for_ours(desk: Desk):
    path = desk.documents / "a.txt"
    facts = await desk.room(path)
    path.write_text("new\n")

    settled = await desk.backend.settle(Write(str(path), "new\n", TOKEN), facts)

    assert isinstance(settled, CannotTell)


@pytest.mark.parametrize("what", ["replaced by another", "gone"])
async def test_what_was_made_and_then_taken_by_somebody_cannot_be_told(desk: Desk, what: str):
    path = desk.documents / "a.txt"
    step = Write(str(path), "new\n", TOKEN)
    await desk.do(step, await desk.room(path))
    path.rename(desk.outside / "taken")
    if what == "replaced by another":
        path.write_text("new\n")

    assert isinstance(await desk.backend.settle(step, ()), CannotTell)


async def test_a_move_whose_thing_is_nowhere_cannot_be_told(desk: Desk):
    source, target = desk.file("a"), desk.documents / "b"
    facts = await desk.facts(source)
    source.rename(desk.outside / "elsewhere")

    settled = await desk.backend.settle(Rename(str(source), str(target)), facts)

    assert isinstance(settled, CannotTell)


async def test_a_delete_whose_thing_is_nowhere_leaves_no_note_about_it_in_the_trash(desk: Desk):
    source = desk.file("a")
    facts = await desk.facts(source)
    trash = desk.home / ".local/share/Trash"
    for folder in ("files", "info"):
        (trash / folder).mkdir(mode=0o700, parents=True)
    (trash / "info/a.token.trashinfo").write_text("[Trash Info]\n")
    source.rename(desk.outside / "elsewhere")

    settled = await desk.backend.settle(Trash(str(source), str(trash / "files/a.token")), facts)

    assert isinstance(settled, CannotTell)
    assert not list((trash / "info").iterdir())


async def test_a_move_done_and_then_edited_is_done_and_its_way_back_will_refuse(desk: Desk):
    source, target = desk.file("a"), desk.documents / "b"
    facts = await desk.facts(source)
    source.rename(target)
    target.write_text("edited after the crash")

    settled = await desk.backend.settle(Rename(str(source), str(target)), facts)

    assert isinstance(settled, Applied)
    assert [fact.size for fact in settled.facts if isinstance(fact, Unchanged)] == [4]


async def test_steps_whose_folder_is_gone_are_settled_without_a_fault(desk: Desk):
    facts = await desk.facts(desk.file("d/a"))
    path = str(desk.documents / "d/a")
    for name in ("a",):
        (desk.documents / "d" / name).unlink()
    (desk.documents / "d").rmdir()
    entry = str(desk.home / ".local/share/Trash/files/a")

    for step in (
        Write(path, "x", TOKEN),
        Replace(path, "x", TOKEN),
        Copy(path, path + "2", TOKEN),
        Keep(path, TOKEN),
        Trash(path, entry),
    ):
        assert isinstance(await desk.backend.settle(step, facts), CannotTell)


async def test_a_half_built_thing_is_tidied_away_and_another_steps_is_not(desk: Desk):
    path = desk.file("a.txt")
    left = await desk.do(Keep(str(path), TOKEN), await desk.facts(path))

    settled = await desk.backend.settle(Write(str(path), "x", TOKEN), free(path))

    assert isinstance(settled, CannotTell)
    assert Path(desk.own / "trash" / TOKEN / "item").exists()
    assert left.facts


async def test_a_step_that_never_began_was_not_done(desk: Desk):
    path = desk.file("a.txt")
    facts = await desk.facts(path)

    for step in (Keep(str(path), TOKEN), Replace(str(path), "x", TOKEN)):
        assert isinstance(await desk.backend.settle(step, facts), NotDone)


async def test_what_is_not_what_was_built_is_never_tidied_away(desk: Desk):
    target = desk.documents / "a"
    place = desk.own / "trash" / TOKEN
    step = Write(str(target), "new\n", TOKEN)

    def die_after(label: str) -> None:
        if label == "files.write.noted":
            raise KeyboardInterrupt

    desk.kill = die_after
    desk.open()
    with pytest.raises(KeyboardInterrupt):
        await desk.do(step, await desk.room(target))
    (place / "theirs").write_text("the only copy")
    (place / "theirs").rename(place / "item")

    assert isinstance(await desk.backend.settle(step, ()), CannotTell)
    assert (place / "item").read_text() == "the only copy"
