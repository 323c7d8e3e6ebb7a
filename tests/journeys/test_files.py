"""What each file command promises, shown on real files down the whole path."""

import stat
from datetime import timedelta
from pathlib import Path

import pytest

import sayso
from sayso.runtime.system import SystemClock
from sayso.testing.fakes import FakeClock
from tests.journeys.ground import NOON, Ground, a_ground, in_mode, no, only, said, states, yes
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


@pytest.mark.req("S0-77", "T-30")
@pytest.mark.parametrize(
    "path", ["/etc/hosts", "~/Documents/../../etc/x", "~/Documents/out/x", "~/Documents/../x", "~/.config/x"]
)
async def test_a_write_outside_the_folders_is_refused_with_nothing_written(ground: Ground, path: str):
    outside = ground.base / "outside"
    outside.mkdir()
    (ground.documents / "out").symlink_to(outside)
    before, hosts = ground.tree(), Path("/etc/hosts").read_bytes()
    async with ground.opened() as home:
        report = await home.run(f'WRITE_FILE {path} "x"', approver=yes())

    assert states(report) == ["refused"]
    assert (ground.tree(), list(outside.iterdir())) == (before, [])
    assert Path("/etc/hosts").read_bytes() == hosts


@pytest.mark.req("S0-79", "T-32")
async def test_an_operation_that_is_switched_off_is_refused_and_not_offered(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("never", 'allowed_operations = ["file.copy", "notify.*"]\n'))
    ground.file("a.txt")
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(
            'MOVE_FILE ~/Documents/a.txt ~/Documents/b.txt\nDELETE_FILE ~/Documents/a.txt\nNOTIFY "a" "b"',
            approver=yes(),
        )
        offered = [operation.id for operation in home.enabled_operations()]

    assert states(report) == ["refused", "refused", "done"]
    assert "allowed_operations" in said(report)[0]
    assert offered == ["file.copy", "notify.show"]
    assert ground.tree() == before


@pytest.mark.req("S0-83")
async def test_the_safe_set_runs_its_three_and_nothing_else(tmp_path: Path):
    safe = 'allowed_operations = ["notify.show", "url.open", "clipboard.write"]\n'
    ground = a_ground(tmp_path, in_mode("never", safe))
    ground.file("a.txt")
    async with ground.opened() as home:
        report = await home.run(
            'NOTIFY "a" "b"\nCOPY_TO_CLIPBOARD "c"\nWRITE_FILE ~/Documents/b.txt "x"\nOPEN_FILE ~/Documents/a.txt'
        )
        offered = {operation.id for operation in home.enabled_operations()}

    assert states(report) == ["done", "done", "refused", "refused"]
    assert offered == {"notify.show", "url.open", "clipboard.write"}


MODES = {
    "always": ["waiting"] * 4,
    "destructive": ["done", "done", "waiting", "waiting"],
    "never": ["done", "done", "done", "waiting"],
}


@pytest.mark.req("S0-81", "T-33", "T-34")
@pytest.mark.parametrize("mode", MODES)
async def test_the_mode_says_what_is_asked(tmp_path: Path, mode: str):
    ground = a_ground(tmp_path, in_mode(mode))
    ground.file("a.txt")
    ground.file("b.txt")
    texts = (
        'NOTIFY "a" "b"',
        "COPY_FILE ~/Documents/a.txt ~/Documents/c.txt",
        "MOVE_FILE ~/Documents/a.txt ~/Documents/d.txt",
        "DELETE_FILE ~/Documents/b.txt",
    )
    async with ground.opened() as home:
        found = [states(await home.run(text))[0] for text in texts]

    assert found == MODES[mode]


@pytest.mark.req("T-18")
async def test_what_follows_a_failure_goes_on_but_a_delete_of_the_same_is_skipped(ground: Ground):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(
            "COPY_FILE ~/Documents/a.txt ~/Documents/b.txt\n"
            "DELETE_FILE ~/Documents/a.txt\n"
            'WRITE_FILE ~/Documents/new.txt "x"',
            approver=yes(),
        )

    assert states(report) == ["failed", "skipped", "done"]
    assert said(report)[1] == "skipped because step 1 failed"
    assert alike(written(before, "Documents/new.txt", "x"), ground.tree())


@pytest.mark.req("T-18")
async def test_a_delete_is_skipped_when_the_copy_of_it_fails_while_running(ground: Ground):
    def spoil(question: object) -> bool:
        ground.file("copy.txt", "somebody was faster\n")
        return True

    async with ground.opened() as home:
        text = "COPY_FILE ~/Documents/a.txt ~/Documents/copy.txt\nDELETE_FILE ~/Documents/a.txt"
        report = await home.run(text, approver=sayso.Client(spoil))

    assert states(report) == ["failed", "skipped"]
    assert (ground.documents / "a.txt").read_text() == "one\n"
    assert (ground.documents / "copy.txt").read_text() == "somebody was faster\n"


@pytest.mark.req("T-18")
async def test_everything_after_a_failure_stops_where_the_person_wants_that(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("never", "stop_on_error = true\n"))
    async with ground.opened() as home:
        report = await home.run('COPY_FILE ~/Documents/none ~/Documents/c\nWRITE_FILE ~/Documents/new.txt "x"')

    assert states(report) == ["failed", "skipped"]
    assert not (ground.documents / "new.txt").exists()


@pytest.mark.req("X-14")
async def test_every_attempt_has_its_row(ground: Ground):
    async with ground.opened() as home:
        await home.run("COPY_FILE ~/Documents/a.txt ~/Documents/c.txt", session="s1")
        await home.run("DELETE_FILE ~/Documents/a.txt", approver=no(), session="s1")
        await home.run('WRITE_FILE /etc/x "x"\nCOPY_FILE ~/none ~/Documents/d', session="s1")
        await home.run("MOVE_FILE ~/Documents/none ~/Documents/d", session="s1")
        await home.run("FLY_TO moon", session="s1")
        await home.run("COPY_FILE ~/Documents/a.txt ~/Documents/d.txt", dry_run=True, session="s1")
        await home.undo()

    found = [(row.operation, row.state) for row in ground.rows()]
    assert found == [
        ("file.copy", "undone"),
        ("file.delete", "declined"),
        ("file.write", "refused"),
        ("file.copy", "refused"),
        ("file.move", "failed"),
        (None, "invalid"),
        ("file.copy", "planned"),
        ("undo", "done"),
    ]


@pytest.mark.req("X-14")
async def test_what_nobody_answered_in_time_is_recorded_as_expired(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("always", 'waiting_expires = "1s"\n'))
    ground.file("a.txt")
    async with ground.opened() as home:
        report = await home.run("MOVE_FILE ~/Documents/a.txt ~/Documents/b.txt")
    async with ground.opened(clock=FakeClock(SystemClock().now() + timedelta(hours=1))) as home:
        waiting = await home.pending()

    assert states(report) == ["waiting"]
    assert waiting == []
    assert [row.state for row in ground.rows()] == ["expired"]


@pytest.mark.req("X-15")
async def test_whatever_sayso_keeps_is_the_persons_alone(ground: Ground):
    async with ground.opened() as home:
        await home.run(
            'WRITE_FILE ~/Documents/a.txt "x"\nDELETE_FILE ~/Documents/b.txt\nCOPY_FILE ~/Documents/tree ~/Documents/t',
            approver=yes(),
        )
        await home.undo()
        found = {path: stat.S_IMODE(path.lstat().st_mode) for path in ground.own.iterdir()}
        places = {path: stat.S_IMODE(path.lstat().st_mode) for path in (ground.own / "trash").iterdir()}

    made = {path: mode for path, mode in found.items() if path.name != "config.toml"}
    assert {path.name: oct(mode) for path, mode in made.items() if path.is_file() and mode != 0o600} == {}
    assert {path.name: oct(mode) for path, mode in made.items() if path.is_dir() and mode != 0o700} == {}
    assert set(places.values()) == {0o700}


@pytest.mark.req("X-21")
@pytest.mark.parametrize("name", ["x.command", "x.sh", "x.SH", "x.terminal", "x.pkg", "x.app", "x.scpt"])
async def test_what_the_system_would_run_is_written_and_not_opened(ground: Ground, name: str):
    async with ground.opened() as home:
        report = await home.run(f'WRITE_FILE ~/Documents/{name} "echo"\nOPEN_FILE ~/Documents/{name}', approver=yes())

    assert states(report) == ["done", "refused"]
    assert (ground.documents / name).read_text() == "echo"


@pytest.mark.req("X-21")
async def test_a_file_that_is_marked_as_a_program_is_not_opened_by_whatever_way(ground: Ground):
    ground.file("report.txt", "#!/bin/sh\n", mode=0o755)
    (ground.documents / "harmless.txt").symlink_to("report.txt")
    async with ground.opened() as home:
        report = await home.run("OPEN_FILE ~/Documents/report.txt\nOPEN_FILE ~/Documents/harmless.txt", approver=yes())

    assert states(report) == ["refused", "refused"]


@pytest.mark.req("T-21", "FS-12")
@pytest.mark.parametrize("command", ["DELETE_FILE ~/Documents", "MOVE_FILE ~/Documents ~/Downloads/d"])
async def test_a_folder_that_actions_may_reach_stays_where_it_is(ground: Ground, command: str):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(command, approver=yes())

    assert states(report) == ["refused"]
    assert ground.tree() == before


@pytest.mark.req("UN-01", "T-63")
async def test_times_and_modes_come_back_with_an_undo(ground: Ground):
    before = ground.tree()
    text = (
        "CREATE_FOLDER ~/Documents/new\nMOVE_FILE ~/Documents/a.txt ~/Documents/new/a.txt\n"
        'APPEND_FILE ~/Documents/new/a.txt "more"\nCOPY_FILE ~/Documents/tree ~/Documents/new/tree\n'
        'DELETE_FILE ~/Documents/b.txt\nWRITE_FILE ~/Documents/tree/in/c.sh "x"'
    )
    async with ground.opened() as home:
        report = await home.run(text, approver=yes())
        assert states(report) == ["done"] * 6

        undone = await home.undo(report.run)

    assert states(undone) == ["done"] * 6
    assert ground.tree() == before
    assert (ground.documents / "a.txt").stat().st_mtime_ns == NOON


@pytest.mark.req("S0-24", "S0-26", "T-17", "X-14")
@pytest.mark.parametrize("path", ["../x", "x", "$HOME/x", "~root/x", "file:///x", '"~/Documents/a\\nb"', '""'])
async def test_a_path_that_is_none_fails_alone_and_the_other_lines_run(ground: Ground, path: str):
    async with ground.opened() as home:
        report = await home.run(f'WRITE_FILE {path} "x"\nWRITE_FILE ~/Documents/new.txt "x"')

    assert states(report) == ["invalid", "done"]
    assert [row.state for row in ground.rows()] == ["invalid", "done"]


@pytest.mark.req("T-18")
async def test_a_delete_is_skipped_when_its_path_stood_in_a_line_that_could_not_be_read(ground: Ground):
    async with ground.opened() as home:
        report = await home.run("COPY_FILE ~/Documents/a.txt copy.txt\nDELETE_FILE ~/Documents/a.txt", approver=yes())

    assert states(report) == ["invalid", "skipped"]
    assert (ground.documents / "a.txt").exists()
