"""Things move whole, only where nothing stands, and come back as they were."""

import os
import socket
from pathlib import Path
from typing import cast

import pytest

from sayso.core.errors import ProviderError, Refused, Uncertain
from sayso.core.plan import CannotTell, CannotUndo, Codec, step_json
from sayso.providers.disk.syscalls import exchange
from sayso.providers.files import FILES
from sayso.providers.files.local.steps import KILL_POINTS
from sayso.providers.files.model import (
    Copy,
    ExchangeFiles,
    Free,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    Steps,
    Trash,
    Unkeep,
)
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, names, tree
from tests.providers.files.local.dying import scene


@pytest.mark.req("S0-29", "T-22", "FS-17")
async def test_a_taken_destination_is_never_put_over(desk: Desk):
    source, target = desk.file("a.txt"), desk.file("b.txt", "theirs\n")
    before = tree(desk.documents)

    with pytest.raises(ProviderError) as said:
        await desk.do(Rename(str(source), str(target)), await desk.facts(source))

    assert said.value.code == "world.changed"
    assert "b.txt" in str(said.value)
    assert tree(desk.documents) == before


@pytest.mark.req("FS-14")
async def test_a_file_that_was_changed_since_is_left_alone_and_the_sentence_says_how(desk: Desk):
    source, target = desk.file("a.txt"), desk.documents / "b.txt"
    facts = await desk.facts(source)
    source.write_text("edited since")
    before = tree(desk.documents)

    with fails(ProviderError, "world.changed", match=r"a\.txt” has changed since it was looked at: it is now 12 bytes"):
        await desk.do(Rename(str(source), str(target)), facts)

    assert tree(desk.documents) == before


async def test_a_folder_cannot_go_into_itself(desk: Desk):
    desk.file("a/x")
    folder, inside = str(desk.documents / "a"), str(desk.documents / "a" / "b")

    for step in (Rename(folder, inside), Copy(folder, inside, TOKEN)):
        with pytest.raises(ProviderError, match="lies inside"):
            await desk.do(step)


@pytest.mark.req("FS-12", "T-21")
async def test_a_root_stays_where_it_is(desk: Desk):
    root = str(desk.documents)
    before = tree(desk.base)

    for step in (
        Rename(root, root + "2"),
        Keep(root, TOKEN),
        Trash(root, "/nowhere/files/x"),
        RemoveFolders(root, TOKEN),
    ):
        with pytest.raises(Refused) as said:
            await desk.do(step)
        assert said.value.code in {"path.is_root", "path.outside_roots"}

    assert tree(desk.base) == before


@pytest.mark.req("FS-02")
async def test_a_link_moves_and_is_kept_as_a_link_and_its_target_stays_intact(desk: Desk):
    secret = desk.outside / "secret"
    secret.write_text("canary")
    link = desk.documents / "l"
    link.symlink_to(secret)
    target = desk.documents / "m"
    before = tree(desk.outside)

    await desk.do(Rename(str(link), str(target)), await desk.facts(link), await desk.room(target))
    left = await desk.do(Keep(str(target), TOKEN), await desk.facts(target))
    await desk.do(Unkeep(str(link), TOKEN), tuple(f for f in left.facts if f.about.startswith("kept:")))

    assert link.readlink() == secret
    assert tree(desk.outside) == before


async def test_what_is_kept_does_not_come_back_over_something_new(desk: Desk):
    source = desk.file("a.txt")
    left = await desk.do(Keep(str(source), TOKEN), await desk.facts(source))
    source.write_text("newer")

    with fails(ProviderError, "world.changed"):
        await desk.do(Unkeep(str(source), TOKEN), left.facts)

    assert source.read_text() == "newer"
    assert (desk.own / "trash" / TOKEN / "item").read_text() == "old\n"


async def test_a_trash_entry_elsewhere_is_refused(desk: Desk):
    source = desk.file("a.txt")
    (desk.outside / "files").mkdir()

    with fails(Refused, "path.outside_roots"):
        await desk.do(Trash(str(source), f"{desk.outside}/files/a.txt"), await desk.facts(source))

    assert source.exists()


async def test_a_taken_entry_is_said_and_leaves_no_note(desk: Desk):
    source = desk.file("a.txt")
    item = await desk.reads.look(str(source))
    entry = await desk.reads.trash_entry(item)
    assert entry is not None
    Path(entry).parent.mkdir(parents=True)
    Path(entry).write_text("theirs")

    with fails(ProviderError, "world.changed"):
        await desk.do(Trash(str(source), entry), (item.fact,))

    assert source.exists()
    assert list((desk.home / ".local/share/Trash/info").iterdir()) == []


async def test_a_tree_of_folders_is_taken_away_and_one_with_a_file_is_not(desk: Desk):
    (desk.documents / "a/b").mkdir(parents=True)
    desk.file("c/d/file")

    left = await desk.do(RemoveFolders(str(desk.documents / "a"), TOKEN), await desk.facts(desk.documents / "a"))
    with pytest.raises(ProviderError, match="more than folders"):
        await desk.do(RemoveFolders(str(desk.documents / "c"), TOKEN + "2"), await desk.facts(desk.documents / "c"))

    assert left.facts == (Free(str(desk.documents / "a")),)
    assert names(desk.documents) == ["c"]


@pytest.mark.req("FS-06")
async def test_a_pipe_is_refused_and_nothing_waits_for_it(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    os.mkfifo(desk.documents / "pipe")
    with socket.socket(socket.AF_UNIX) as ear:
        monkeypatch.chdir(desk.documents)
        ear.bind("ear")

    for name in ("pipe", "ear"):
        with fails(Refused, "path.special"):
            await desk.do(Rename(str(desk.documents / name), str(desk.documents / "x")))


@pytest.mark.req("FS-11")
async def test_a_folder_that_holds_saysos_own_home_is_not_moved(tmp_path: Path):
    desk = Desk(tmp_path, more_roots=(tmp_path,))

    with pytest.raises(Refused) as said:
        await desk.do(Rename(str(desk.own), str(desk.documents / "own")))

    assert said.value.code.startswith("path.own_home")


async def test_a_way_back_whose_time_is_over_says_so(desk: Desk):
    source = desk.file("a.txt")
    left = await desk.do(Keep(str(source), TOKEN), await desk.facts(source))
    desk.clock.advance(days=91)
    desk.backend.prune()

    with fails(ProviderError, "undo.expired", match=r"is gone: it is kept for \d+ days at most"):
        await desk.do(Unkeep(str(source), TOKEN), left.facts)


async def test_folders_that_cannot_be_brought_back_are_said_to_lie_aside(desk: Desk):
    top = desk.documents / "a"
    left = await desk.do(MakeFolders(str(top), ("b",), TOKEN), await desk.room(top))
    item = desk.own / "trash" / (TOKEN + "2") / "item"

    def come(label: str) -> None:
        if label == "files.remove_folders.renamed":
            (item / "b" / "mine").write_text("x")
            top.write_text("theirs")

    desk.kill = come
    desk.open()

    with pytest.raises(Uncertain, match="is now at"):
        await desk.do(RemoveFolders(str(top), TOKEN + "2"), left.facts)

    assert (item / "b" / "mine").read_text() == "x"
    assert top.read_text() == "theirs"


@pytest.mark.req("UN-01")
async def test_a_copied_folder_whose_file_was_edited_since_is_not_taken_away(desk: Desk):
    desk.file("a/b/todo.md", "- [ ] pay rent\n")
    source, target = desk.documents / "a", desk.documents / "copy"
    left = await desk.do(Copy(str(source), str(target), TOKEN), await desk.facts(source), await desk.room(target))
    todo = target / "b" / "todo.md"
    todo.write_text("- [x] pay rent\n")

    with fails(ProviderError, "world.changed"):
        await desk.do(Keep(str(target), TOKEN + "2"), left.facts)

    assert todo.read_text() == "- [x] pay rent\n"


async def test_a_copied_folder_in_which_things_came_and_went_again_is_as_it_was_left(desk: Desk):
    desk.file("a/b/todo.md")
    source, target = desk.documents / "a", desk.documents / "copy"
    left = await desk.do(Copy(str(source), str(target), TOKEN), await desk.facts(source), await desk.room(target))
    todo = target / "b" / "todo.md"
    replaced = await desk.do(Replace(str(todo), "new\n", TOKEN + "2"), await desk.facts(todo))
    await desk.do(ExchangeFiles(str(todo), TOKEN + "2"), replaced.facts)
    moved = await desk.do(Rename(str(todo), str(target / "done.md")), await desk.facts(todo))
    await desk.do(Rename(str(target / "done.md"), str(todo)), moved.facts)

    await desk.do(Keep(str(target), TOKEN + "3"), left.facts)

    assert not target.exists()


async def test_a_folder_that_came_back_is_known_by_every_file_in_it(desk: Desk):
    todo = desk.file("a/todo.md", "- [ ] rent\n")
    folder = desk.documents / "a"
    kept = await desk.do(Keep(str(folder), TOKEN), await desk.facts(folder))
    left = await desk.do(Unkeep(str(folder), TOKEN), kept.facts)
    todo.write_text("- [x] rent\n")

    with fails(ProviderError, "world.changed"):
        await desk.do(Keep(str(folder), TOKEN + "2"), left.facts)

    assert todo.read_text() == "- [x] rent\n"


async def test_a_folder_that_is_only_moved_may_be_worked_in_meanwhile(desk: Desk):
    todo = desk.file("a/todo.md", "- [ ] rent\n")
    source, target = desk.documents / "a", desk.documents / "b"
    left = await desk.do(Rename(str(source), str(target)), await desk.facts(source))
    (target / "todo.md").write_text("- [x] rent\n")

    await desk.do(Rename(str(target), str(source)), left.facts)

    assert todo.read_text() == "- [x] rent\n"


AT_NAME = -100
"""AT_FDCWD: a path stands for itself."""


@pytest.mark.req("S0-36", "T-20")
async def test_the_new_content_stands_and_the_old_file_comes_back_with_its_inode_and_time(desk: Desk):
    path = desk.file("a.txt")
    path.chmod(0o640)
    os.setxattr(path, "user.colour", b"green")
    before = tree(desk.documents)

    left = await desk.do(Replace(str(path), "new\n", TOKEN), await desk.facts(path))

    assert path.read_text() == "new\n"
    assert path.stat().st_mode & 0o7777 == 0o640
    assert os.getxattr(path, "user.colour") == b"green"
    assert (desk.own / "trash" / TOKEN / "item").read_text() == "old\n"
    assert [fact.about for fact in left.facts] == [str(path), f"kept:{TOKEN}"]

    await desk.do(ExchangeFiles(str(path), TOKEN), left.facts)

    assert tree(desk.documents) == before


@pytest.mark.req("S0-37")
async def test_appending_puts_nothing_in_between(desk: Desk):
    path = desk.file("a.txt", "a\n")

    await desk.do(Replace(str(path), "b", TOKEN, append=True), await desk.facts(path))

    assert path.read_bytes() == b"a\nb"


@pytest.mark.req("FS-14", "UN-01")
async def test_a_file_edited_since_is_not_written_over_nor_taken_back(desk: Desk):
    path = desk.file("a.txt")
    facts = await desk.facts(path)
    path.write_text("mine")

    with fails(ProviderError, "world.changed"):
        await desk.do(Replace(str(path), "new", TOKEN), facts)

    assert path.read_text() == "mine"

    left = await desk.do(Replace(str(path), "new", TOKEN), await desk.facts(path))
    path.write_text("mine again")

    with fails(ProviderError, "world.changed"):
        await desk.do(ExchangeFiles(str(path), TOKEN), left.facts)

    assert path.read_text() == "mine again"


@pytest.mark.req("UN-02")
@pytest.mark.parametrize("how", ["in place", "by another file"])
async def test_an_edit_between_check_and_exchange_is_put_back(tmp_path: Path, how: str):
    path = tmp_path / "home/Documents/a.txt"

    def edit(label: str) -> None:
        if label == "files.replace.noted":
            if how == "in place":
                path.write_text("OLD\n")
            else:
                path.with_name("other").write_text("edited")
                path.with_name("other").rename(path)

    desk = Desk(tmp_path, kill=edit)
    desk.file("a.txt")

    with fails(ProviderError, "world.changed"):
        await desk.do(Replace(str(path), "new", TOKEN), await desk.facts(path))

    assert path.read_text() in {"OLD\n", "edited"}
    assert list((desk.own / "trash").iterdir()) == []


@pytest.mark.req("UN-02")
async def test_when_it_cannot_be_put_back_nothing_is_lost(tmp_path: Path):
    path = tmp_path / "home/Documents/a.txt"

    def edit(label: str) -> None:
        if label == "files.replace.noted":
            path.with_name("other").write_text("edited")
            path.with_name("other").rename(path)
        if label == "files.replace.exchanged":
            path.unlink()

    desk = Desk(tmp_path, kill=edit)
    desk.file("a.txt")

    with pytest.raises(Uncertain):
        await desk.do(Replace(str(path), "new", TOKEN), await desk.facts(path))

    assert (desk.own / "trash" / TOKEN / "item").read_text() == "edited"


@pytest.mark.req("UN-02", "FS-14")
async def test_a_file_exchanged_to_and_fro_meanwhile_is_never_called_unchanged(tmp_path: Path):
    path, beside = tmp_path / "home/Documents/a.txt", tmp_path / "home/Documents/theirs.txt"

    def to_and_fro(label: str) -> None:
        if label in {"files.replace.noted", "files.replace.exchanged"}:
            exchange(AT_NAME, str(path), AT_NAME, str(beside))

    desk = Desk(tmp_path, kill=to_and_fro)
    desk.file("a.txt")
    desk.file("theirs.txt", "theirs\n")
    facts = await desk.facts(path)
    step = Replace(str(path), "new", TOKEN)

    with pytest.raises(Uncertain, match="another program"):
        await desk.do(step, facts)
    settled = await desk.backend.settle(step, facts)

    item = desk.own / "trash" / TOKEN / "item"
    assert isinstance(settled, CannotTell)
    assert str(item) in settled.why
    assert (path.read_text(), item.read_text(), beside.read_text()) == ("old\n", "theirs\n", "new")


@pytest.mark.req("FS-05")
async def test_another_name_of_the_file_keeps_the_old_content(desk: Desk):
    path = desk.file("a.txt")
    other = desk.outside / "other"
    os.link(path, other)
    item = await desk.reads.opened(str(path))

    await desk.do(Replace(str(path), "new", TOKEN), (item.fact,))

    assert item.links == 2
    assert other.read_text() == "old\n"


async def test_a_link_or_folder_that_came_there_is_not_written_over(desk: Desk):
    (desk.outside / "x").write_text("canary")
    (desk.documents / "l").symlink_to(desk.outside / "x")
    (desk.documents / "d").mkdir()

    for name in ("l", "d"):
        with pytest.raises(ProviderError):
            await desk.do(Replace(str(desk.documents / name), "new", TOKEN))

    assert (desk.outside / "x").read_text() == "canary"


async def test_new_content_does_not_run_with_the_owners_powers(desk: Desk):
    path = desk.file("run")
    path.chmod(0o4755)

    await desk.do(Replace(str(path), "new", TOKEN), await desk.facts(path))

    assert path.stat().st_mode & 0o7777 == 0o755


NAMES = [step.step.removeprefix("file.") for step in FILES.steps]


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_comes_by_each_of_its_kill_points(name: str, tmp_path: Path):
    step, expects, _ = await scene(name, tmp_path)
    seen: list[str] = []

    await Desk(tmp_path, kill=seen.append).do(cast("Steps", step), expects)

    assert list(dict.fromkeys(seen)) == [label for label in KILL_POINTS if label.startswith(f"files.{name}.")]


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_that_fails_before_anything_began_changes_nothing(name: str, tmp_path: Path):
    step, expects, _ = await scene(name, tmp_path)
    path = str(getattr(step, step.paths[-1]))
    elsewhere = Codec(FILES.steps, ()).step({**step_json(step), step.paths[-1]: path + "/no/x"})
    assert not isinstance(elsewhere, CannotUndo)
    desk = Desk(tmp_path)

    with pytest.raises(ProviderError):
        await desk.backend.apply(cast("Steps", elsewhere), expects)

    assert not Path(path + "/no").exists()


async def test_a_name_that_is_too_long_is_said(desk: Desk):
    source = desk.file("a")

    with fails(ProviderError, "path.too_long", match="too long"):
        await desk.do(Rename(str(source), str(desk.documents / ("x" * 256))))

    assert source.exists()
