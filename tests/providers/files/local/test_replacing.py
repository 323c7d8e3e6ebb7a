"""A file is written over by exchange: the old one is kept whole and comes back with its inode."""

import os
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import CannotTell
from sayso.providers.disk.syscalls import exchange
from sayso.providers.files.steps import Exchange, Replace
from tests.providers.files.local.desk import TOKEN, Desk, tree

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

    await desk.do(Exchange(str(path), TOKEN), left.facts)

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

    with pytest.raises(ProviderError) as said:
        await desk.do(Replace(str(path), "new", TOKEN), facts)

    assert said.value.code == "world.changed"
    assert path.read_text() == "mine"

    left = await desk.do(Replace(str(path), "new", TOKEN), await desk.facts(path))
    path.write_text("mine again")

    with pytest.raises(ProviderError) as said:
        await desk.do(Exchange(str(path), TOKEN), left.facts)

    assert said.value.code == "world.changed"
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

    with pytest.raises(ProviderError) as said:
        await desk.do(Replace(str(path), "new", TOKEN), await desk.facts(path))

    assert said.value.code == "world.changed"
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
