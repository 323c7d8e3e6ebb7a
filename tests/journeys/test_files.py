"""What each file command promises, shown on real files down the whole path."""

import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

import sayso
from sayso.core.ports import Approver
from sayso.runtime.results import Report
from sayso.runtime.system import SystemClock
from sayso.testing.fakes import FakeClock, Only, Says
from tests.journeys.ground import (
    NOON,
    Ground,
    Tree,
    a_ground,
    alike,
    copied,
    in_mode,
    moved,
    no,
    only,
    removed,
    said,
    states,
    with_folders,
    written,
    yes,
)

Stage = Callable[[Tree], Tree]
D, A = "~/Documents", "Documents/a.txt"
DELETE = f"DELETE_FILE {D}/a.txt"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = a_ground(tmp_path, in_mode("never"))
    ground.file("a.txt", "one\n")
    ground.file("b.txt", "two\n")
    ground.file("tree/in/c.sh", "#!/bin/sh\n", mode=0o750)
    (ground.documents / "tree" / "link").symlink_to("in/c.sh")
    return ground


def with_a(base: Path, mode: str, more: str = "") -> Ground:
    """Return a home in this mode with one file."""
    ground = a_ground(base, in_mode(mode, more))
    ground.file("a.txt")
    return ground


async def run(ground: Ground, text: str, approver: Approver | None = None) -> Report:
    async with ground.opened() as home:
        return await home.run(text, approver=approver)


def row(req: str, *values: object, name: str) -> pytest.ParameterSet:
    return pytest.param(*values, marks=pytest.mark.req(*req.split()), id=name)


def does(req: str, text: str, says: tuple[str, str], becomes: Stage, *, name: str) -> pytest.ParameterSet:
    return row(req, text, says[0].split(), says[1], becomes, name=name)


@pytest.mark.parametrize(
    ("text", "ends", "sentence", "becomes"),
    [
        does("S0-28", f"MOVE_FILE {D}/a.txt {D}/tree/z.txt", ("done", "Moved file"),
            lambda t: moved(t, A, "Documents/tree/z.txt"), name="a moved file is at its new place only"),
        does("S0-30", f"COPY_FILE {D}/a.txt {D}/copy", ("done", "Copied file"),
            lambda t: copied(t, A, "Documents/copy"), name="a copied file is equal and the original stays"),
        does("S0-30", f"COPY_FILE {D}/tree {D}/copy", ("done", "Copied file"),
            lambda t: copied(t, "Documents/tree", "Documents/copy"), name="so is a folder"),
        does("S0-32", f"CREATE_FOLDER {D}/x/y/z\nCREATE_FOLDER {D}/x/y", ("done unchanged", "Created folder"),
            lambda t: with_folders(t, "Documents/x", "Documents/x/y", "Documents/x/y/z"),
            name="a folder is made with all above it, and one that is there is fine"),
        does("S0-36", f'WRITE_FILE {D}/new.txt "é"', ("done", "Wrote file"),
            lambda t: written(t, "Documents/new.txt", "é"), name="a text is written as UTF-8"),
        does("S0-37", f'APPEND_FILE {D}/a.txt "b"', ("done", "Appended to file"),
            lambda t: written(t, A, "one\nb"), name="a text is added at the end with nothing between"),
        does("S0-39 T-17", 'WRITE_FILE ~/Desktop/x~y "1"\nCREATE_FOLDER ~/Desktop/~', ("done done", "Wrote file"),
            lambda t: with_folders(written(t, "Desktop/x~y", "1"), "Desktop/~"),
            name="a tilde in front is the home, and elsewhere a letter"),
    ],
)  # fmt: skip
async def test_a_command_does_this_and_nothing_else(
    ground: Ground, text: str, ends: list[str], sentence: str, becomes: Stage
):
    before = ground.tree()

    report = await run(ground, text)

    assert (states(report), said(report)[0]) == (ends, sentence)
    assert alike(becomes(before), ground.tree())


OCCUPIED = [f"{command} {D}/a.txt {D}/{name}" for command in ("MOVE_FILE", "COPY_FILE") for name in ("b.txt", "tree")]


@pytest.mark.parametrize(
    ("text", "end", "words"),
    [
        *(row("S0-29 T-22 FS-17", text, "failed", f"“{text.split()[2]}”", name=text) for text in OCCUPIED),
        row("S0-31", f"DELETE_FILE {D}/none.txt", "failed", f"“{D}/none.txt”", name="delete what is not there"),
        row("T-19 T-20", f'WRITE_FILE {D}/none/a.txt "x"', "failed", "CREATE_FOLDER", name="write without a folder"),
        row("T-19 T-20", f'APPEND_FILE {D}/none/a.txt "x"', "failed", "CREATE_FOLDER", name="append without a folder"),
        row("T-21 FS-12", f"DELETE_FILE {D}", "refused", "", name="delete a root"),
        row("T-21 FS-12", f"MOVE_FILE {D} ~/Downloads/d", "refused", "", name="move a root"),
        row("X-21", f"OPEN_FILE {D}/tree/in/c.sh", "refused", "", name="open a program"),
        row("X-21", f"OPEN_FILE {D}/report.txt", "refused", "", name="open what is marked as a program"),
        row("X-21", f"OPEN_FILE {D}/harmless.txt", "refused", "", name="open a link to it"),
        row("S0-35 T-30", "REVEAL_IN_FINDER /etc/hostname", "refused", "", name="show what is outside the home"),
    ],
)
async def test_what_may_not_be_changes_nothing_although_the_person_says_yes(
    ground: Ground, text: str, end: str, words: str
):
    ground.file("report.txt", "#!/bin/sh\n", mode=0o755)
    (ground.documents / "harmless.txt").symlink_to("report.txt")
    before = ground.tree()

    report = await run(ground, text, yes())

    assert (states(report), words in said(report)[0]) == ([end], True)
    assert ground.tree() == before


@pytest.mark.req("S0-31", "T-21")
@pytest.mark.parametrize("name", ["a.txt", "tree"])
async def test_what_is_deleted_lies_in_the_trash_and_comes_back_whole(ground: Ground, name: str):
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(f"DELETE_FILE {D}/{name}", approver=yes())
        deleted, trashed = ground.tree(), ground.trashed()

        await home.undo(report.run)

    assert said(report) == ["Deleted file"]
    assert deleted == removed(before, f"Documents/{name}")
    assert len([path for path in trashed if path.startswith("info/")]) == 1
    assert ground.tree() == before
    assert sorted(ground.trashed()) == ["files", "info"]


@pytest.mark.req("S0-80", "T-33")
@pytest.mark.parametrize("mode", ["always", "destructive", "never"])
async def test_a_delete_asks_in_every_mode_and_a_no_keeps_the_file(tmp_path: Path, mode: str):
    ground = with_a(tmp_path, mode)
    before = ground.tree()

    assert states(await run(ground, DELETE, no())) == ["declined"]
    assert ground.tree() == before


@pytest.mark.req("T-33")
async def test_a_delete_asks_nobody_once_the_person_has_waived_it(tmp_path: Path):
    ground = with_a(tmp_path, "never", 'waive_floor = ["file.delete"]\n')

    assert states(await run(ground, DELETE)) == ["done"]


@pytest.mark.req("S0-33", "S0-34", "S0-35", "T-28", "T-30")
async def test_opening_and_showing_reach_the_desktop_with_the_whole_path(ground: Ground):
    (ground.home / "elsewhere.txt").touch()
    a, elsewhere = f"{ground.documents}/a.txt", f"{ground.home}/elsewhere.txt"

    report = await run(ground, f"OPEN_FILE {D}/a.txt\nOPEN_FILE {D}/a.txt TextEdit\nREVEAL_IN_FINDER ~/elsewhere.txt")

    assert states(report) == ["done"] * 3
    assert [sentence.partition(" (")[0] for sentence in said(report)] == [*["Opened file"] * 2, "Revealed in Finder"]
    assert [row.body["plan"]["changes"][0]["do"] for row in ground.rows()] == [
        {"step": "desktop.open_file", "path": a, "app": "", "passive": True},
        {"step": "desktop.open_file", "path": a, "app": "TextEdit", "passive": True},
        {"step": "desktop.reveal_file", "path": elsewhere},
    ]


@pytest.mark.req("T-20", "T-34")
async def test_writing_over_other_content_asks_and_the_old_comes_back_whole(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("destructive"))
    ground.file("a.txt", "one\n", mode=0o604)
    before = ground.tree()
    async with ground.opened() as home:
        waiting = await home.run(f'WRITE_FILE {D}/a.txt "two"')
        unwritten = ground.tree()
        await home.approve(waiting.run, yes())
        over = ground.tree()

        await home.undo(waiting.run)

    assert states(waiting) == ["waiting"]
    assert unwritten == before
    assert alike(written(before, A, "two"), over)
    assert ground.tree() == before


@pytest.mark.req("T-20", "T-34")
async def test_a_new_file_asks_nobody_in_mode_destructive_and_the_same_content_is_no_change(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("destructive"))
    report = await run(ground, f'WRITE_FILE {D}/a.txt "one"')
    before = ground.tree()

    again = await run(ground, f'WRITE_FILE {D}/a.txt "one"')

    assert (states(report), states(again)) == (["done"], ["unchanged"])
    assert ground.tree() == before


@pytest.mark.req("T-19")
@pytest.mark.parametrize("missing", ["create", "error"])
async def test_appending_to_a_missing_file_makes_it_and_says_so_or_fails_as_the_person_wants(
    tmp_path: Path, missing: str
):
    ground = a_ground(tmp_path, in_mode("never", 'append_missing = "error"\n' if missing == "error" else ""))

    outcome = only(await run(ground, f'APPEND_FILE {D}/new.txt "b"'))

    if missing == "error":
        assert outcome.record.state == "failed"
        assert not (ground.documents / "new.txt").exists()
    else:
        assert (outcome.record.marks.message, outcome.data["created"]) == ("Appended to file", True)
        assert (ground.documents / "new.txt").read_bytes() == b"b"


@pytest.mark.req("S0-77", "T-30")
@pytest.mark.parametrize("path", ["/etc/hosts", f"{D}/../../etc/x", f"{D}/out/x", f"{D}/../x", "~/.config/x"])
async def test_a_write_outside_the_folders_is_refused_with_nothing_written(ground: Ground, path: str):
    ground.outside.mkdir()
    (ground.documents / "out").symlink_to(ground.outside)
    before, hosts = ground.tree(), Path("/etc/hosts").read_bytes()

    report = await run(ground, f'WRITE_FILE {path} "x"', yes())

    assert states(report) == ["refused"]
    assert (ground.tree(), list(ground.outside.iterdir())) == (before, [])
    assert Path("/etc/hosts").read_bytes() == hosts


@pytest.mark.parametrize(
    ("allowed", "text", "ends"),
    [
        row("S0-79 T-32", '"file.copy", "notify.show"', f'MOVE_FILE {D}/a.txt {D}/b.txt\n{DELETE}\nNOTIFY "a" "b"',
            ["refused", "refused", "done"], name="all but two are switched off"),
        row("S0-83", '"notify.show", "url.open", "clipboard.write"',
            f'WRITE_FILE {D}/b.txt "x"\nOPEN_FILE {D}/a.txt\nNOTIFY "a" "b"\nCOPY_TO_CLIPBOARD "c"',
            ["refused", "refused", "done", "done"], name="the safe set"),
        row("S0-79 T-32", '"notify.*"', f'{DELETE}\nNOTIFY "a" "b"', ["refused", "done"], name="a domain"),
    ],
)  # fmt: skip
async def test_an_operation_that_is_switched_off_is_refused_and_not_offered(
    tmp_path: Path, allowed: str, text: str, ends: list[str]
):
    ground = with_a(tmp_path, "never", f"allowed_operations = [{allowed}]\n")
    before = ground.tree()
    async with ground.opened() as home:
        report = await home.run(text, approver=yes())
        offered = [f'"{operation.id}"' for operation in home.enabled_operations()]

    assert states(report) == ends
    assert "allowed_operations" in said(report)[0]
    assert set(offered) == set(allowed.replace("*", "show").split(", "))
    assert ground.tree() == before


@pytest.mark.req("S0-81", "T-33", "T-34")
@pytest.mark.parametrize(
    ("mode", "ends"),
    [
        ("always", ["waiting"] * 4),
        ("destructive", ["done", "done", "waiting", "waiting"]),
        ("never", ["done", "done", "done", "waiting"]),
    ],
)
async def test_the_mode_says_what_is_asked(tmp_path: Path, mode: str, ends: list[str]):
    ground = with_a(tmp_path, mode)
    ground.file("b.txt")
    texts = ('NOTIFY "a" "b"', f"COPY_FILE {D}/a.txt {D}/c", f"MOVE_FILE {D}/a.txt {D}/d", f"DELETE_FILE {D}/b.txt")
    async with ground.opened() as home:
        found = [states(await home.run(text))[0] for text in texts]

    assert found == ends


@pytest.mark.req("T-18")
async def test_what_follows_a_failure_goes_on_but_a_delete_of_the_same_is_skipped(ground: Ground):
    before = ground.tree()

    report = await run(ground, f'COPY_FILE {D}/a.txt {D}/b.txt\n{DELETE}\nWRITE_FILE {D}/new.txt "x"', yes())

    assert states(report) == ["failed", "skipped", "done"]
    assert said(report)[1] == "skipped because step 1 failed"
    assert alike(written(before, "Documents/new.txt", "x"), ground.tree())


@pytest.mark.req("T-18")
async def test_a_delete_is_skipped_when_the_copy_of_it_fails_while_running(ground: Ground):
    def spoil(question: object) -> bool:
        ground.file("copy.txt", "somebody was faster\n")
        return True

    report = await run(ground, f"COPY_FILE {D}/a.txt {D}/copy.txt\n{DELETE}", sayso.Client(spoil))

    assert states(report) == ["failed", "skipped"]
    assert (ground.documents / "a.txt").read_text() == "one\n"
    assert (ground.documents / "copy.txt").read_text() == "somebody was faster\n"


@pytest.mark.req("T-18")
async def test_a_delete_is_skipped_when_its_path_stood_in_a_line_that_could_not_be_read(ground: Ground):
    report = await run(ground, f"COPY_FILE {D}/a.txt copy.txt\n{DELETE}", yes())

    assert states(report) == ["invalid", "skipped"]
    assert (ground.documents / "a.txt").exists()


@pytest.mark.req("T-18")
async def test_everything_after_a_failure_stops_where_the_person_wants_that(tmp_path: Path):
    ground = a_ground(tmp_path, in_mode("never", "stop_on_error = true\n"))

    report = await run(ground, f'COPY_FILE {D}/none {D}/c\nWRITE_FILE {D}/new.txt "x"')

    assert states(report) == ["failed", "skipped"]
    assert not (ground.documents / "new.txt").exists()


@pytest.mark.req("X-14")
async def test_every_attempt_has_its_row(ground: Ground):
    async with ground.opened() as home:
        await home.run(f"COPY_FILE {D}/a.txt {D}/c.txt", session="s1")
        await home.run(DELETE, approver=no(), session="s1")
        for text in (f'WRITE_FILE /etc/x "x"\nCOPY_FILE ~/none {D}/d', f"MOVE_FILE {D}/none {D}/d", "FLY_TO moon"):
            await home.run(text, session="s1")
        await home.run(f"COPY_FILE {D}/a.txt {D}/d.txt", dry_run=True, session="s1")
        await home.undo()

    assert [(row.operation, row.state) for row in ground.rows()] == [
        ("file.copy", "undone"), ("file.delete", "declined"), ("file.write", "refused"), ("file.copy", "refused"),
        ("file.move", "failed"), (None, "invalid"), ("file.copy", "planned"), ("undo", "done"),
    ]  # fmt: skip


@pytest.mark.req("X-14")
async def test_what_nobody_answered_in_time_is_recorded_as_expired(tmp_path: Path):
    ground = with_a(tmp_path, "always", 'waiting_expires = "1s"\n')
    report = await run(ground, f"MOVE_FILE {D}/a.txt {D}/b.txt")
    async with ground.opened(clock=FakeClock(SystemClock().now() + timedelta(hours=1))) as home:
        waiting = await home.pending()

    assert (states(report), waiting) == (["waiting"], [])
    assert [row.state for row in ground.rows()] == ["expired"]


@pytest.mark.req("X-15")
async def test_whatever_sayso_keeps_is_the_persons_alone(ground: Ground):
    async with ground.opened() as home:
        text = f'WRITE_FILE {D}/a.txt "x"\nDELETE_FILE {D}/b.txt\nCOPY_FILE {D}/tree {D}/t'
        await home.run(text, approver=yes())
        await home.undo()
        made = [path for path in ground.own.iterdir() if path.name != "config.toml"]
        modes = {path.name: (path.is_dir(), stat.S_IMODE(path.lstat().st_mode)) for path in made}
        places = {stat.S_IMODE(path.lstat().st_mode) for path in (ground.own / "trash").iterdir()}

    assert {name: oct(mode) for name, (folder, mode) in modes.items() if mode != (0o700 if folder else 0o600)} == {}
    assert places == {0o700}


@pytest.mark.req("X-21")
@pytest.mark.parametrize("name", ["x.command", "x.sh", "x.SH", "x.terminal", "x.pkg", "x.app", "x.scpt"])
async def test_what_the_system_would_run_is_written_and_not_opened(ground: Ground, name: str):
    report = await run(ground, f'WRITE_FILE {D}/{name} "echo"\nOPEN_FILE {D}/{name}', yes())

    assert states(report) == ["done", "refused"]
    assert (ground.documents / name).read_text() == "echo"


@pytest.mark.req("UN-01", "T-63", "S0-22")
async def test_times_and_modes_come_back_with_an_undo(ground: Ground):
    before = ground.tree()
    text = (
        f"CREATE_FOLDER {D}/new\nMOVE_FILE {D}/a.txt {D}/new/a.txt\n"
        f'APPEND_FILE {D}/new/a.txt "more"\nCOPY_FILE {D}/tree {D}/new/tree\n'
        f'DELETE_FILE {D}/b.txt\nWRITE_FILE {D}/tree/in/c.sh "x"'
    )
    async with ground.opened() as home:
        report = await home.run(text, approver=yes())
        undone = await home.undo(report.run)

    assert states(report) == states(undone) == ["done"] * 6
    assert ground.tree() == before
    assert (ground.documents / "a.txt").stat().st_mtime_ns == NOON


@pytest.mark.req("S0-24", "S0-26", "T-17", "X-14")
@pytest.mark.parametrize("path", ["../x", "x", "$HOME/x", "~root/x", "file:///x", f'"{D}/a\\nb"', '""'])
async def test_a_path_that_is_none_fails_alone_and_the_other_lines_run(ground: Ground, path: str):
    report = await run(ground, f'WRITE_FILE {path} "x"\nWRITE_FILE {D}/new.txt "x"')

    assert states(report) == [row.state for row in ground.rows()] == ["invalid", "done"]


REPEATED = f"CREATE_FOLDER {D}/A\nCREATE_FOLDER {D}/A\n{DELETE}"


@pytest.mark.req("T-23")
async def test_while_all_of_it_waits_no_step_is_called_done_before_the_earlier_one_that_would_do_it(tmp_path: Path):
    ground = with_a(tmp_path, "destructive")
    async with ground.opened() as home:
        report = await home.run(REPEATED)
        await home.decline(report.run)

    assert states(report) == ["waiting"] * 3
    assert [row.state for row in ground.rows()] == ["declined"] * 3
    assert not (ground.documents / "A").exists()


@pytest.mark.parametrize(
    ("yes_to", "ends"),
    [(True, ["done", "unchanged", "done"]), (Only((1, 2)), ["declined", "done", "done"])],
    ids=["all of it", "all but the first"],
)
async def test_a_repeated_step_finds_nothing_left_to_do_or_does_what_was_shown_of_it(
    tmp_path: Path, yes_to: bool | Only, ends: list[str]
):
    ground, person = with_a(tmp_path, "destructive"), Says(yes_to)

    report = await run(ground, REPEATED, person)

    assert states(report) == ends
    assert [card.index for card in person.questions[0].cards] == [0, 1, 2]
    assert (ground.documents / "A").is_dir()


async def test_what_is_so_already_without_the_earlier_steps_is_unchanged_at_once(tmp_path: Path):
    ground = with_a(tmp_path, "destructive")
    (ground.documents / "A").mkdir()

    report = await run(ground, f"CREATE_FOLDER {D}/B\n{REPEATED}")

    assert states(report) == ["waiting", "unchanged", "unchanged", "waiting"]
