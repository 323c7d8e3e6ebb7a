"""No path leads out of the roots, to a protected name, or into sayso's own folder, not even in a race."""

import os
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.providers.disk.syscalls import FOLDER, openat2
from sayso.providers.files.local.sandbox import Confinement, OwnedFolders, OwnedNumbers, holds_this, number_of
from sayso.providers.files.model import Copy, Keep, MakeFolders, Rename, Replace, Steps, Write
from tests.descriptors import open_descriptors
from tests.fails import fails
from tests.providers.files.local.desk import TOKEN, Desk, tree
from tests.providers.files.local.kernels import mount


@pytest.fixture
def desk(each_desk: Desk) -> Desk:
    """Return a desk for each way of opening folders: that is what is tried here."""
    return each_desk


@pytest.fixture
def canary(desk: Desk) -> Path:
    secret = desk.outside / "secret.txt"
    secret.write_text("canary")
    return secret


def verbs(path: str, harmless: str) -> list[Steps]:
    moves = [Rename(path, harmless), Rename(harmless, path), Copy(path, harmless, TOKEN), Copy(harmless, path, TOKEN)]
    return [*moves, Keep(path, TOKEN), Write(path, "x", TOKEN), Replace(path, "x", TOKEN), MakeFolders(path, (), TOKEN)]


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
        with fails(Refused, "path.outside_roots"):
            await read(str(file))
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

    with fails(ProviderError, "path.circle"):
        await desk.reads.read("~/Documents/a/x", 100)


@pytest.mark.req("FS-10")
@pytest.mark.parametrize("name", [".ssh/id", ".SSH/id", ".bashrc", "a/../.bashrc", ".bashrc.", "p/.git/hooks/x"])
async def test_denied_names_are_refused_inside_the_roots(desk: Desk, name: str):
    await refused_everywhere(desk, f"~/Documents/{name}")


@pytest.mark.req("FS-11")
@pytest.mark.parametrize("name", ["sayso.db", "trash", "actions/x.py", ""])
async def test_saysos_own_home_is_refused_though_it_lies_in_a_root(tmp_path: Path, name: str):
    desk = Desk(tmp_path, more_roots=(tmp_path,))
    path = desk.own / name

    for attempt in (
        desk.reads.exists(str(path)),
        desk.reads.opened(str(path)),
        desk.do(Write(str(path / "x"), "x", TOKEN)),
    ):
        with fails(Refused, "path.own_home"):
            await attempt


@pytest.mark.req("T-30", "S0-39")
async def test_links_within_the_roots_are_resolved_first(desk: Desk):
    desk.file("real/a.txt", "here")
    (desk.documents / "l").symlink_to("real")

    assert (await desk.reads.look("~/Documents/l/a.txt")).path == str(desk.documents / "real" / "a.txt")
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
    with fails(Refused, "path.changed"):
        await desk.do(Write(str(desk.documents / "b.txt"), "x", TOKEN))

    assert list(desk.outside.iterdir()) == []


async def test_a_root_may_itself_be_a_link(tmp_path: Path):
    data, link = tmp_path / "data", tmp_path / "home" / "Linked"
    for folder in (data, link.parent):
        folder.mkdir()
    link.symlink_to(data)
    desk = Desk(tmp_path, more_roots=(link,))
    (data / "a.txt").write_text("x")

    assert (await desk.reads.look("~/Linked/a.txt")).path == str(data / "a.txt")
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


@contextmanager
def swapping(folder: Path) -> Generator[None]:
    """Let `d` be now a folder, now a link out, as fast as it goes."""
    stop = threading.Event()
    place, real, link = (folder / name for name in ("d", "real", "link"))

    def swap() -> None:
        while not stop.is_set():
            place.rename(real)
            link.rename(place)
            place.rename(link)
            real.rename(place)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        stop.set()
        swapper.join()


@pytest.mark.req("FS-04", "FS-08")
async def test_nothing_outside_is_read_or_changed_while_a_folder_is_swapped(desk: Desk, canary: Path):
    desk.file("d/secret.txt", "inside")
    (desk.documents / "link").symlink_to(desk.outside)
    before = tree(desk.outside)
    path = str(desk.documents / "d")
    told: set[str] = set()

    with swapping(desk.documents):
        for attempt in range(150):
            new = f"{path}/new{attempt}"
            for act in (
                desk.reads.read(f"{path}/secret.txt", 100),
                desk.reads.list(path, 10),
                desk.do(Write(new, "x", f"{TOKEN}-{attempt}")),
                desk.do(MakeFolders(f"{new}-folder", ("b",), f"{TOKEN}-{attempt}-m")),
            ):
                with suppress(SaysoError):
                    told.add(str(await act))

    assert tree(desk.outside) == before
    assert any("inside" in said for said in told)
    assert not any("canary" in said for said in told)


@dataclass
class Ground:
    """A home with two roots in it, one inside the other, and sayso's own folder in the outer one."""

    base: Path
    confine: Confinement
    stack: ExitStack

    def path(self, name: str) -> str:
        """Return a path below the ground."""
        return str(self.base / name) if name else str(self.base)

    def code(self, deed: Callable[[], object]) -> str:
        """Return the stable word with which it is refused."""
        with pytest.raises(SaysoError) as said:
            deed()
        return said.value.code


def at(path: str | Path) -> os.stat_result:
    """Return what stands at a path."""
    return Path(path).stat()


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    """Return the ground; the home is told through a link, as some systems do."""
    for name in ("real/ana/Documents/inner", "real/ana/Documents/own/trash", "real/ana/Downloads", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home").symlink_to("real")
    home = tmp_path / "home" / "ana"
    roots = [str(home / name) for name in ("Documents", "Documents/inner", "Downloads", "Nowhere", "Downloads")]
    (tmp_path / "real/ana/Documents/a.txt").write_text("a")
    roots.append(str(tmp_path / "real/ana/Documents/a.txt"))
    with ExitStack() as stack:
        confine = Confinement(str(home), OwnedFolders(str(home / "Documents/own"), ()), roots, openat2)
        stack.callback(confine.close)
        yield Ground(tmp_path, confine, stack)


def test_the_roots_are_the_folders_that_exist_each_once(ground: Ground):
    expected = [ground.path(f"real/ana/{name}") for name in ("Documents", "Documents/inner", "Downloads")]

    assert [root.path for root in ground.confine.roots] == expected
    for root in ground.confine.roots:
        assert root.number == number_of(at(root.path))


def test_a_home_that_is_not_there_reaches_nothing_more(tmp_path: Path):
    (tmp_path / "d").mkdir()
    gone, root = str(tmp_path / "gone"), str(tmp_path / "d")
    confine = Confinement(gone, OwnedFolders(str(tmp_path / "own"), ()), [root], openat2)

    assert confine.resolve(f"{root}/x", "home") == f"{root}/x"
    with pytest.raises(Refused):
        confine.resolve(gone, "home")
    confine.close()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("home/ana/Documents/a.txt", "~/Documents/a.txt"),
        ("real/ana/Documents/a.txt", "~/Documents/a.txt"),
        ("real/ana", "~"),
        ("real/anabel", "{base}/real/anabel"),
    ],
)
def test_a_path_is_told_as_a_person_would_write_it(ground: Ground, name: str, shown: str):
    assert ground.confine.show_path(ground.path(name)) == shown.format(base=ground.base)


def test_a_root_may_be_the_home_or_the_top_of_the_disk(ground: Ground):
    for root, said, real in ((ground.path("home/ana"), "~", ground.path("real/ana")), ("/", "/zzz", "/zzz")):
        confine = Confinement(ground.path("home/ana"), OwnedFolders(ground.path("own"), ()), [root], openat2)
        ground.stack.callback(confine.close)

        assert confine.resolve_to_name(said) == real
        assert confine.admit_planned(said) == real


def test_when_it_is_closed_no_root_stays_open(ground: Ground):
    descriptors = [root.descriptor for root in ground.confine.roots]

    ground.confine.close()

    for descriptor in descriptors:
        with pytest.raises(OSError, match="descriptor"):
            os.fstat(descriptor)


LINKS = {
    "home/ana/Documents/l": "a.txt",
    "home/ana/Documents/d": "inner",
    "home/ana/Documents/far": "../Downloads",
    "home/ana/l": "Documents/a.txt",
    "to_documents": "real/ana/Documents",
    "to_own": "real/ana/Documents/own",
    "to_home": "real/ana",
}
OUTSIDE = "path.outside_roots"


@pytest.mark.parametrize(
    ("path", "reach", "resolved", "to_its_name"),
    [
        ("~/Documents/l", "roots", "Documents/a.txt", "Documents/l"),
        ("~/Documents/d", "roots", "Documents/inner", "Documents/d"),
        ("~/Documents/d/x", "roots", "Documents/inner/x", "Documents/inner/x"),
        ("~/Documents/inner/../a.txt", "roots", "Documents/a.txt", "Documents/a.txt"),
        ("~/Documents/x..y/a", "roots", "Documents/x..y/a", "Documents/x..y/a"),
        ("~/Documents/far/a", "roots", "Downloads/a", "Downloads/a"),
        ("~/Documents/far/../a.txt", "roots", "path.form", "path.form"),
        ("{base}/home/ana/Documents/far/../a.txt", "roots", "path.form", "path.form"),
        ("~/l", "roots", "Documents/a.txt", OUTSIDE),
        ("{base}/to_documents", "roots", "Documents", "Documents"),
        ("{base}/to_own", "roots", "path.own_home", OUTSIDE),
        ("~/picture", "roots", OUTSIDE, OUTSIDE),
        ("{base}/to_home", "roots", OUTSIDE, OUTSIDE),
        ("{base}/outside", "home", OUTSIDE, OUTSIDE),
        ("~/picture", "home", "picture", "picture"),
        ("{base}/to_home", "home", ".", "."),
    ],
)
def test_a_path_is_resolved_whole_or_up_to_its_last_name(
    ground: Ground, path: str, reach: Literal["roots", "home"], resolved: str, to_its_name: str
):
    for link, target in LINKS.items():
        (ground.base / link).symlink_to(ground.base / target if "/" not in link else target)

    def found(resolve: Callable[[str, Literal["roots", "home"]], str]) -> str:
        try:
            return os.path.relpath(resolve(path.format(base=ground.base), reach), ground.base / "real/ana")
        except Refused as refused:
            return refused.code

    assert found(ground.confine.resolve) == resolved
    assert found(ground.confine.resolve_to_name) == to_its_name


@pytest.mark.req("FS-03")
def test_a_link_to_nothing_anywhere_on_the_way_is_seen(ground: Ground):
    documents = Path(ground.path("real/ana/Documents"))
    (documents / "dead").symlink_to("nothing")
    (documents / "alive").symlink_to("inner")
    (ground.base.parent / f"{ground.base.name}-dead").symlink_to("nothing")

    for path in ("~/Documents/dead", "~/Documents/dead/x/y", f"{ground.base}-dead/x"):
        assert ground.confine.leads_nowhere(path), path
    for path in ("~/Documents/alive/x", "~/Documents/none", "~"):
        assert not ground.confine.leads_nowhere(path), path


@pytest.mark.req("FS-10", "FS-11")
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("real/ana/Documents/own", "path.own_home"),
        ("real/ana/Documents/OWN/x", "path.own_home"),
        ("real/ana/Documents/.sayso-1000/kept", "path.own_home"),
        ("real/ana/Documents/.bashrc", "path.denied_name"),
        ("outside", "path.outside_roots"),
        ("real/ana", "path.outside_roots"),
        *[(f"real/ana/Documents/a{chr(code)}b", "path.undecodable") for code in (0xD800, 0xDCFF, 0xDFFF)],
    ],
    ids=ascii,
)
def test_a_resolved_path_is_refused_with_its_word(ground: Ground, name: str, code: str):
    assert ground.code(lambda: ground.confine.admit(ground.path(name), "~/x", "roots")) == code


@pytest.mark.parametrize("name", ["a.txt", "\ud7ff", "\ue000", "inner/x", "sayso-x", "x.sayso-"], ids=ascii)
def test_an_ordinary_resolved_path_is_taken_as_it_is(ground: Ground, name: str):
    path = ground.path(f"real/ana/Documents/{name}")

    assert ground.confine.admit(path, "~/x", "roots") == path


def test_a_step_names_its_path_resolved_or_from_the_home(ground: Ground):
    confine, documents = ground.confine, ground.path("real/ana/Documents")
    Path(documents, "l").symlink_to("a.txt")

    assert confine.admit_planned(f"{documents}/a.txt") == f"{documents}/a.txt"
    assert confine.admit_planned("~/Documents/l") == f"{documents}/l"
    assert ground.code(lambda: confine.admit_planned("~")) == "path.outside_roots"
    for odd in (f"{documents}/inner/../a.txt", f"{documents}//a.txt", f"/{documents}/a.txt", f"{documents}/a/"):
        assert ground.code(lambda odd=odd: confine.admit_planned(odd)) == "path.changed"


def test_a_folder_is_opened_by_its_innermost_root(ground: Ground):
    confine, real = ground.confine, ground.path("real/ana")

    with ExitStack() as stack:
        opened = confine.folder(f"{real}/Documents/inner", stack)
        assert os.fstat(opened).st_ino == at(f"{real}/Documents/inner").st_ino
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(opened)
    for path, root in (
        (f"{real}/Documents/inner/x", f"{real}/Documents/inner"),
        (f"{real}/Documents/x", f"{real}/Documents"),
        (f"{real}/x", real),
    ):
        assert confine.root_of(path).path == root
    assert ground.code(lambda: confine.root_of(ground.path("outside"))) == "path.outside_roots"


def replaced(link: Path) -> None:
    link.unlink()
    link.mkdir()


def test_a_root_that_was_moved_away_or_replaced_is_no_root(ground: Ground):
    downloads, moved = Path(ground.path("real/ana/Downloads")), ground.base / "moved"
    for change in (lambda: downloads.rename(moved), lambda: downloads.symlink_to(moved), lambda: replaced(downloads)):
        change()

        assert ground.code(lambda: ground.confine.root_of(str(downloads))) == "path.changed"
    assert ground.code(lambda: ground.confine.root_of(f"{downloads}/x")) == "path.changed"


def test_a_spot_is_a_name_in_its_folder_and_a_root_is_its_own(ground: Ground):
    documents = ground.path("real/ana/Documents")

    spot, top, free = (ground.confine.spot(documents + name, ground.stack) for name in ("/a.txt", "", "/free"))

    path = f"{documents}/a.txt"
    assert (spot.name, spot.path, spot.about, spot.said) == ("a.txt", path, path, "~/Documents/a.txt")
    assert (top.name, top.path, top.said) == (".", documents, "~/Documents")
    assert free.stat() is None
    assert ground.code(lambda: ground.confine.folder(f"{documents}/free", ground.stack)) == "path.missing"
    assert spot.stat() == at(path)
    assert os.fstat(top.folder).st_ino == at(documents).st_ino


@pytest.mark.req("FS-11")
def test_saysos_own_is_known_under_another_name(ground: Ground):
    documents = Path(ground.path("real/ana/Documents"))
    confine, stack = ground.confine, ground.stack
    own_files = ("token", "actions/mine.py", "actions/trash/more.py", "trash/kept.txt")
    for name in own_files:
        (documents / "own" / name).parent.mkdir(parents=True, exist_ok=True)
        (documents / "own" / name).write_text("own")
    (documents / "own/actions/l").symlink_to("mine.py")
    for number, name in enumerate((*own_files, "actions/l")):
        os.link(documents / "own" / name, documents / f"hard{number}", follow_symlinks=False)

    for name in ("hard0", "hard1", "hard2"):
        assert ground.code(lambda name=name: confine.spot(str(documents / name), stack)) == "path.own_home"
    for name in ("hard3", "hard4", "a.txt"):
        assert confine.spot(str(documents / name), stack).name == name
    for name in ("own", "own/actions"):
        assert ground.code(lambda name=name: confine.folder(str(documents / name), stack)) == "path.own_home"


@pytest.mark.req("T-21")
def test_a_root_what_holds_one_and_what_holds_sayso_stay_where_they_are(ground: Ground):
    stay, ana = ground.confine.must_not_be_a_root, ground.path("real/ana")

    for path in (f"{ana}/Documents", f"{ana}/Documents/inner", ana, "/proc"):
        assert ground.code(lambda path=path: stay(path)) == "path.is_root"
    assert ground.code(lambda: stay(f"{ana}/Documents/own")) == "path.own_home"
    stay(f"{ana}/Documents/a.txt")
    stay(f"{ana}/Documents/inner/x")


def test_a_mount_has_a_number_of_its_own_also_where_it_shows_the_same_disk(ground: Ground):
    again = ground.path("real/ana/Downloads")
    mount("--bind", ground.path("outside"), again)
    try:
        real, outside, twice, proc = (
            os.open(path, FOLDER) for path in (ground.path("real"), ground.path("outside"), again, "/proc")
        )
        numbers = [ground.confine.device(opened) for opened in (real, outside, twice, outside, proc)]
        devices = [os.fstat(real).st_dev, os.fstat(proc).st_dev]
        for opened in (real, outside, twice, proc):
            os.close(opened)
    finally:
        subprocess.run(["umount", again], check=True)

    assert numbers[0] == numbers[1] == numbers[3] == devices[0]
    assert numbers[2] < 0
    assert numbers[4] == devices[1]


def test_a_folder_among_ones_own_is_found_from_any_depth_below_and_none_above_the_top(ground: Ground):
    documents = Path(ground.path("real/ana/Documents"))
    own = OwnedFolders(str(documents / "own"), ()).numbers()
    (documents / "own/a/b").mkdir(parents=True)
    (documents / "1/2/3").mkdir(parents=True)

    def held(folder: Path, top: Path = documents, among: OwnedNumbers = own) -> bool:
        opened = os.open(folder, FOLDER)
        before = open_descriptors()
        try:
            return holds_this(opened, number_of(at(top)), among)
        finally:
            assert open_descriptors() <= before
            os.close(opened)

    for name in ("own", "own/a/b"):
        assert held(documents / name)
    for folder, top in (
        (documents / "inner", documents),
        (documents, documents),
        (ground.base / "outside", Path("/proc")),
        (documents / "own/a", documents / "own/a"),
    ):
        assert not held(folder, top)
    for name in ("1/2/3", "1/2", "1", "."):
        assert held(documents / "1/2/3", among=OwnedNumbers((), frozenset({number_of(at(documents / name))})))


def test_a_folder_that_lost_its_way_up_counts_as_ones_own(ground: Ground):
    place = ground.path("real/ana/Downloads")
    mount("-t", "tmpfs", "tmpfs", place)
    opened = os.open(place, FOLDER)
    ground.stack.callback(os.close, opened)
    subprocess.run(["umount", "-l", place], check=True)

    assert holds_this(opened, number_of(at(place)), OwnedNumbers((), frozenset())) is True


def test_a_folder_too_deep_to_look_above_it_is_refused_in_a_sentence(ground: Ground):
    place = Path(ground.path("real/ana/Documents"))
    deep = os.open(place, FOLDER)
    for _ in range(1400):
        os.mkdir("d", dir_fd=deep)
        lower = os.open("d", FOLDER, dir_fd=deep)
        os.close(deep)
        deep = lower
    os.close(deep)

    try:
        assert ground.code(lambda: ground.confine.folder(f"{place}{'/d' * 1400}", ground.stack)) == "path.too_long"
        assert ground.confine.folder(f"{place}{'/d' * 1000}", ground.stack) > 0
    finally:
        subprocess.run(["rm", "-rf", f"{place}/d"], check=True)


def test_at_the_top_of_the_disk_a_name_is_found_and_no_other_root_goes_further_than_its_own(ground: Ground):
    whole = Confinement(str(ground.base), OwnedFolders(ground.path("own"), ()), ["/"], openat2)

    assert whole.spot("/usr", ground.stack).stat() == os.lstat("/usr")
    assert whole.root_of("/usr/bin").path == "/"
    assert ground.code(lambda: ground.confine.root_of(ground.path("real/ana2/x"))) == "path.outside_roots"
