"""What each file command promises, shown on real files down the whole path."""

from pathlib import Path

import pytest

from tests.journeys.ground import Ground, a_ground, in_mode, no, only, said, states, yes
from tests.journeys.worlds import alike, copied, moved, removed, with_folders, written


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path, in_mode("never"))
    ground.file("a.txt", "one\n")
    ground.file("b.txt", "two\n")
    ground.file("tree/in/c.sh", "#!/bin/sh\n", mode=0o750)
    (ground.documents / "tree" / "link").symlink_to("in/c.sh")
    return ground


@pytest.mark.req("S0-28")
async def test_a_move_leaves_the_file_at_its_new_place_only(ground: Ground):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run("MOVE_FILE ~/Documents/a.txt ~/Documents/tree/z.txt")

    assert said(report) == ["Moved file"]
    assert ground.tree() == moved(before, "Documents/a.txt", "Documents/tree/z.txt")


@pytest.mark.req("S0-29", "T-22", "FS-17")
@pytest.mark.parametrize("command", ["MOVE_FILE", "COPY_FILE"])
@pytest.mark.parametrize("occupied", ["b.txt", "tree"])
async def test_nothing_is_put_over_or_into_what_is_there(ground: Ground, command: str, occupied: str):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(f"{command} ~/Documents/a.txt ~/Documents/{occupied}", approver=yes())

    assert states(report) == ["failed"]
    assert f"“~/Documents/{occupied}”" in said(report)[0]
    assert ground.tree() == before


@pytest.mark.req("S0-30")
@pytest.mark.parametrize("name", ["a.txt", "tree"])
async def test_a_copy_is_equal_and_the_original_stays(ground: Ground, name: str):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(f"COPY_FILE ~/Documents/{name} ~/Documents/copy")

    assert said(report) == ["Copied file"]
    assert ground.tree() == copied(before, f"Documents/{name}", "Documents/copy")


@pytest.mark.req("S0-31", "T-21")
@pytest.mark.parametrize("name", ["a.txt", "tree"])
async def test_what_is_deleted_lies_in_the_trash_and_comes_back_whole(ground: Ground, name: str):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(f"DELETE_FILE ~/Documents/{name}", approver=yes())
        deleted, trashed = ground.tree(), ground.trashed()

        await home.undo(report.run)

    assert said(report) == ["Deleted file"]
    assert deleted == removed(before, f"Documents/{name}")
    assert len([path for path in trashed if path.startswith("info/")]) == 1
    assert ground.tree() == before
    assert sorted(ground.trashed()) == ["files", "info"]


@pytest.mark.req("S0-31")
async def test_deleting_what_is_not_there_fails_with_a_reason(ground: Ground):
    async with ground.opened() as home:
        report = await home.run("DELETE_FILE ~/Documents/none.txt", approver=yes())

    assert states(report) == ["failed"]
    assert "“~/Documents/none.txt”" in said(report)[0]


@pytest.mark.req("S0-80", "T-33")
@pytest.mark.parametrize("mode", ["always", "destructive", "never"])
async def test_a_delete_asks_in_every_mode_and_a_no_keeps_the_file(tmp_path: Path, mode: str):
    ground = a_ground(tmp_path, in_mode(mode))
    ground.file("a.txt")
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run("DELETE_FILE ~/Documents/a.txt", approver=no())

    assert states(report) == ["declined"]
    assert ground.tree() == before


@pytest.mark.req("T-33")
async def test_a_delete_asks_nobody_once_the_person_has_waived_it(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("never", 'waive_floor = ["file.delete"]\n'))
    ground.file("a.txt")
    async with ground.opened() as home:
        report = await home.run("DELETE_FILE ~/Documents/a.txt")

    assert states(report) == ["done"]


@pytest.mark.req("S0-32")
async def test_a_folder_is_made_with_all_above_it_and_one_that_is_there_is_fine(ground: Ground):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run("CREATE_FOLDER ~/Documents/x/y/z\nCREATE_FOLDER ~/Documents/x/y")

    assert states(report) == ["done", "unchanged"]
    assert said(report)[0] == "Created folder"
    assert alike(with_folders(before, "Documents/x", "Documents/x/y", "Documents/x/y/z"), ground.tree())


@pytest.mark.req("S0-33", "S0-34", "S0-35", "T-28")
async def test_opening_and_showing_reach_the_desktop_with_the_whole_path(ground: Ground):
    async with ground.opened() as home:
        report = await home.run(
            "OPEN_FILE ~/Documents/a.txt\nOPEN_FILE ~/Documents/a.txt TextEdit\nREVEAL_IN_FINDER ~/Documents/tree"
        )

    assert states(report) == ["done"] * 3
    assert [sentence.partition(" (")[0] for sentence in said(report)] == [
        "Opened file",
        "Opened file",
        "Revealed in Finder",
    ]
    assert [row.body["plan"]["changes"][0]["do"] for row in ground.rows()] == [
        {"step": "desktop.open_file", "path": f"{ground.documents}/a.txt", "app": ""},
        {"step": "desktop.open_file", "path": f"{ground.documents}/a.txt", "app": "TextEdit"},
        {"step": "desktop.reveal_file", "path": f"{ground.documents}/tree"},
    ]


@pytest.mark.req("S0-35", "T-30")
async def test_showing_reaches_the_whole_home_and_no_further(ground: Ground):
    (ground.home / "elsewhere.txt").touch()
    async with ground.opened() as home:
        report = await home.run("REVEAL_IN_FINDER ~/elsewhere.txt\nREVEAL_IN_FINDER /etc/hostname")

    assert states(report) == ["done", "refused"]


@pytest.mark.req("S0-36")
async def test_a_text_is_written_as_utf_8(ground: Ground):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run('WRITE_FILE ~/Documents/new.txt "é"')

    assert said(report) == ["Wrote file"]
    assert (ground.documents / "new.txt").read_bytes() == b"\xc3\xa9"
    assert alike(written(before, "Documents/new.txt", "é"), ground.tree())


@pytest.mark.req("T-20", "T-34")
async def test_writing_over_other_content_asks_and_the_old_comes_back_whole(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("destructive"))
    ground.file("a.txt", "one\n", mode=0o604)
    before = ground.tree()
    async with ground.opened() as home:
        waiting = await home.run('WRITE_FILE ~/Documents/a.txt "two"')
        unwritten = ground.tree()
        await home.approve(waiting.run, yes())
        over = ground.tree()

        await home.undo(waiting.run)

    assert states(waiting) == ["waiting"]
    assert unwritten == before
    assert alike(written(before, "Documents/a.txt", "two"), over)
    assert ground.tree() == before


@pytest.mark.req("T-20", "T-34")
async def test_a_new_file_asks_nobody_in_mode_destructive_and_the_same_content_is_no_change(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("destructive"))
    async with ground.opened() as home:
        report = await home.run('WRITE_FILE ~/Documents/a.txt "one"')
        before = ground.tree()

        again = await home.run('WRITE_FILE ~/Documents/a.txt "one"')

    assert states(report) == ["done"]
    assert states(again) == ["unchanged"]
    assert ground.tree() == before


@pytest.mark.req("T-19", "T-20")
@pytest.mark.parametrize("command", ["WRITE_FILE", "APPEND_FILE"])
async def test_a_file_without_a_folder_to_stand_in_is_not_made(ground: Ground, command: str):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(f'{command} ~/Documents/none/a.txt "x"')

    assert states(report) == ["failed"]
    assert "CREATE_FOLDER" in said(report)[0]
    assert ground.tree() == before


@pytest.mark.req("S0-37")
async def test_a_text_is_added_at_the_end_with_nothing_between(ground: Ground):
    async with ground.opened() as home:
        report = await home.run('APPEND_FILE ~/Documents/a.txt "b"')

    assert said(report) == ["Appended to file"]
    assert (ground.documents / "a.txt").read_bytes() == b"one\nb"


@pytest.mark.req("T-19")
async def test_appending_to_a_missing_file_makes_it_and_says_so(ground: Ground):
    async with ground.opened() as home:
        outcome = only(await home.run('APPEND_FILE ~/Documents/new.txt "b"'))

    assert outcome.record.marks.message == "Appended to file"
    assert outcome.data["created"] is True
    assert (ground.documents / "new.txt").read_bytes() == b"b"


@pytest.mark.req("T-19")
async def test_appending_to_a_missing_file_fails_where_the_person_wants_that(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("never", 'append_missing = "error"\n'))
    async with ground.opened() as home:
        report = await home.run('APPEND_FILE ~/Documents/new.txt "b"')

    assert states(report) == ["failed"]
    assert not (ground.documents / "new.txt").exists()


@pytest.mark.req("S0-39", "T-17")
async def test_a_tilde_in_front_is_the_home_and_elsewhere_a_letter(ground: Ground):
    async with ground.opened() as home:
        report = await home.run('WRITE_FILE ~/Desktop/x~y "1"\nCREATE_FOLDER ~/Desktop/~')

    assert states(report) == ["done", "done"]
    assert sorted(path.name for path in (ground.home / "Desktop").iterdir()) == ["x~y", "~"]
