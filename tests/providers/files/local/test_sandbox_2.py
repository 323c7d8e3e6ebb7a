"""No path leads out of the roots, to a denied name, or into sayso's own, not even in a race."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.providers.files.model import Copy, Keep, MakeFolders, Rename, Replace, Steps, Write
from tests.providers.files.local.desk import TOKEN, Desk, tree


@pytest.fixture
def canary(desk: Desk) -> Path:
    secret = desk.outside / "secret.txt"
    secret.write_text("canary")
    return secret


def verbs(path: str, harmless: str) -> list[Steps]:
    return [
        Rename(path, harmless),
        Rename(harmless, path),
        Copy(path, harmless, TOKEN),
        Copy(harmless, path, TOKEN),
        Keep(path, TOKEN),
        Write(path, "x", TOKEN),
        Replace(path, "x", TOKEN),
        MakeFolders(path, (), TOKEN),
    ]


async def refused_everywhere(desk: Desk, path: str) -> None:
    harmless = str(desk.file("harmless"))
    before, outside = tree(desk.documents), tree(desk.outside)

    for read in (desk.reads.look, desk.reads.opened, desk.reads.exists, desk.reads.free, desk.reads.gap):
        with pytest.raises(SaysoError):
            await read(path)
    for look in (desk.reads.read, desk.reads.list):
        with pytest.raises(SaysoError):
            await look(path, 100)
    for step in verbs(path, harmless):
        with pytest.raises(SaysoError):
            await desk.do(step)

    assert tree(desk.documents) == before
    assert tree(desk.outside) == outside


@pytest.mark.req("FS-01", "S0-77", "T-30")
@pytest.mark.usefixtures("canary")
@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "~/x", "{documents}_evil/x", "{documents}/../../outside/secret.txt", "~/Documents/a/../../x",
     "file:///etc/passwd", "$HOME/x", "~root/x", "x", "../x", "C:\\x", "{outside}/secret.txt"],
)  # fmt: skip
async def test_what_is_outside_is_refused_by_every_verb(desk: Desk, path: str):
    await refused_everywhere(desk, path.format(documents=desk.documents, outside=desk.outside))


@pytest.mark.req("FS-02", "FS-07", "S0-77", "T-30")
async def test_links_that_lead_out_are_refused(desk: Desk, canary: Path):
    (desk.documents / "d").symlink_to(desk.outside)
    (desk.documents / "one").symlink_to("two")
    (desk.documents / "two").symlink_to(desk.outside)
    file = desk.documents / "l"
    file.symlink_to(canary)

    await refused_everywhere(desk, str(desk.documents / "d" / "secret.txt"))
    await refused_everywhere(desk, str(desk.documents / "one" / "secret.txt"))
    for read in (desk.reads.opened, desk.reads.free):
        with pytest.raises(Refused) as said:
            await read(str(file))
        assert said.value.code == "path.outside_roots"
    with pytest.raises(Refused):
        await desk.reads.read(str(file), 100)
    assert (await desk.reads.look(str(file))).kind == "link"


@pytest.mark.req("FS-06")
async def test_magic_links_lead_nowhere(desk: Desk, canary: Path):
    opened = os.open(canary, os.O_RDONLY)
    try:
        for number, target in enumerate((f"/proc/self/root{canary}", f"/dev/fd/{opened}", "/proc/self/cwd")):
            link = desk.documents / f"m{number}"
            link.symlink_to(target)
            with pytest.raises(Refused):
                await desk.reads.read(str(link), 100)
    finally:
        os.close(opened)


async def test_links_that_never_end_are_said(desk: Desk):
    (desk.documents / "a").symlink_to("b")
    (desk.documents / "b").symlink_to("a")

    with pytest.raises(ProviderError) as said:
        await desk.reads.read("~/Documents/a/x", 100)

    assert said.value.code in {"path.circle", "path.loop"}


@pytest.mark.req("FS-10")
@pytest.mark.parametrize("name", [".ssh/id", ".SSH/id", ".bashrc", "a/../.bashrc", ".bashrc.", "p/.git/hooks/x"])
async def test_denied_names_are_refused_inside_the_roots(desk: Desk, name: str):
    await refused_everywhere(desk, f"~/Documents/{name}")


@pytest.mark.req("FS-11")
@pytest.mark.parametrize("name", ["sayso.db", "trash", "actions/x.py", ""])
async def test_saysos_own_home_is_refused_though_it_lies_in_a_root(tmp_path: Path, name: str):
    desk = Desk(tmp_path, more_roots=(tmp_path,))

    for read in (desk.reads.exists, desk.reads.opened):
        with pytest.raises(Refused) as said:
            await read(str(desk.own / name))
        assert said.value.code.startswith("path.own_home")
    with pytest.raises(Refused) as said:
        await desk.do(Write(str(desk.own / name / "x"), "x", TOKEN))

    assert said.value.code.startswith("path.own_home")


@pytest.mark.req("T-30", "S0-39")
async def test_links_within_the_roots_are_resolved_first(desk: Desk):
    desk.file("real/a.txt", "here")
    (desk.documents / "l").symlink_to("real")

    item = await desk.reads.look("~/Documents/l/a.txt")

    assert item.path == str(desk.documents / "real" / "a.txt")
    assert (await desk.reads.read("~/Documents/l/a.txt", 10)).text == "here"


@pytest.mark.req("T-30", "FS-02")
async def test_going_back_after_a_link_is_refused_where_it_could_mean_two_places(desk: Desk):
    desk.file("a.txt")
    far = desk.documents / "far" / "deep"
    far.mkdir(parents=True)
    (desk.documents / "far" / "a.txt").write_text("another")
    (desk.documents / "sub").symlink_to(far)
    (desk.documents / "plain").mkdir()

    for read in (desk.reads.look, desk.reads.opened, desk.reads.exists):
        with pytest.raises(Refused, match="could mean two places"):
            await read(str(desk.documents / "sub" / ".." / "a.txt"))

    assert (await desk.reads.look(str(desk.documents / "plain" / ".." / "a.txt"))).path == str(desk.documents / "a.txt")


async def test_a_step_whose_way_became_a_link_is_refused(desk: Desk, canary: Path):
    path = desk.file("d/secret.txt")
    facts = await desk.facts(path)
    (desk.documents / "d").rename(desk.documents / "e")
    (desk.documents / "d").symlink_to(desk.outside)

    for step in verbs(str(path), str(desk.file("harmless"))):
        with pytest.raises(SaysoError):
            await desk.do(step, facts)

    assert canary.read_text() == "canary"
    assert [file.name for file in desk.outside.iterdir()] == ["secret.txt"]


async def test_a_root_that_is_swapped_is_refused(desk: Desk):
    desk.file("a.txt")
    desk.documents.rename(desk.home / "Other")
    desk.documents.symlink_to(desk.outside)

    with pytest.raises(Refused):
        await desk.reads.look(str(desk.documents / "a.txt"))
    with pytest.raises(Refused) as said:
        await desk.do(Write(str(desk.documents / "b.txt"), "x", TOKEN))

    assert said.value.code == "path.changed"
    assert list(desk.outside.iterdir()) == []


async def test_a_root_may_itself_be_a_link(tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "Linked").symlink_to(tmp_path / "data")
    desk = Desk(tmp_path, more_roots=(tmp_path / "home" / "Linked",))
    (tmp_path / "data" / "a.txt").write_text("x")

    item = await desk.reads.look("~/Linked/a.txt")

    assert item.path == str(tmp_path / "data" / "a.txt")
    assert (await desk.reads.look("~/Linked")).kind == "folder"


@pytest.mark.req("T-30")
async def test_showing_reaches_the_home_folder_and_nothing_else(desk: Desk):
    (desk.home / "picture").write_text("x")

    assert (await desk.reads.look("~/picture", reach="home")).kind == "file"
    assert (await desk.reads.look("~", reach="home")).kind == "folder"
    with pytest.raises(Refused):
        await desk.reads.look("~/picture")
    with pytest.raises(Refused):
        await desk.reads.look(str(desk.outside), reach="home")


def swapping(desk: Desk, stop: threading.Event) -> Callable[[], None]:
    """Let `d` be now a folder, now a link out, as fast as it goes."""
    here, real, link = (desk.documents / name for name in ("d", "real", "link"))

    def swap() -> None:
        while not stop.is_set():
            here.rename(real)
            link.rename(here)
            here.rename(link)
            real.rename(here)

    return swap


@pytest.mark.req("FS-04", "FS-08")
async def test_nothing_outside_is_read_or_changed_while_a_folder_is_swapped(desk: Desk, canary: Path):
    desk.file("d/secret.txt", "inside")
    (desk.documents / "link").symlink_to(desk.outside)
    before = tree(desk.outside)
    stop = threading.Event()
    swapper = threading.Thread(target=swapping(desk, stop))
    swapper.start()
    path = str(desk.documents / "d")
    told: set[str] = set()

    try:
        for attempt in range(500):
            new = f"{path}/new{attempt}"
            for act in (
                desk.reads.read(f"{path}/secret.txt", 100),
                desk.reads.list(path, 10),
                desk.do(Write(new, "x", f"{TOKEN}-{attempt}")),
                desk.do(MakeFolders(f"{new}-folder", ("b",), f"{TOKEN}-{attempt}-m")),
            ):
                with suppress(SaysoError):
                    told.add(str(await act))
    finally:
        stop.set()
        swapper.join()

    assert tree(desk.outside) == before
    assert any("inside" in said for said in told)
    assert not any("canary" in said for said in told)


async def test_a_link_outside_the_roots_is_outside_wherever_it_leads(desk: Desk):
    desk.file("a.txt")
    (desk.home / "l").symlink_to(desk.documents / "a.txt")

    with pytest.raises(Refused) as said:
        await desk.reads.look("~/l")

    assert said.value.code == "path.outside_roots"
