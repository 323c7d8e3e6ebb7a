"""A step is done only when everything it expects holds, also what it does not touch."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import AsLeft
from sayso.providers.disk.syscalls import Beneath
from sayso.providers.files.facts import Free, SameFolder, Unchanged
from sayso.providers.files.local.confine import Confinement
from sayso.providers.files.local.expect import Expectations
from sayso.providers.files.local.measure import Measure
from sayso.providers.files.local.owned import Owned
from sayso.providers.files.steps import Rename
from tests.providers.files.local.desk import Desk


async def test_facts_about_other_paths_are_held_too(desk: Desk):
    source, target, other = desk.file("a"), desk.documents / "b", desk.file("c")
    step = Rename(str(source), str(target))
    facts = await desk.facts(other)
    other.write_text("changed")

    for wrong in (
        facts,
        (Free(str(other)),),
        (SameFolder(str(desk.documents), 1, 1),),
        (SameFolder(str(other), 1, 1),),
        (SameFolder(str(desk.documents / "none"), 1, 1),),
    ):
        with pytest.raises(ProviderError) as said:
            await desk.do(step, wrong)
        assert said.value.code == "world.changed"
    assert source.exists()

    await desk.do(step, await desk.facts(other), (Free(str(desk.documents / "none/x")),))

    assert target.exists()


async def test_a_folder_that_was_swapped_is_not_put_into(desk: Desk):
    source = desk.file("a")
    (desk.documents / "d").mkdir()
    room = await desk.room(desk.documents / "d/b")
    (desk.documents / "d").rename(desk.documents / "e")
    (desk.documents / "d").mkdir()

    with pytest.raises(ProviderError, match="another folder"):
        await desk.do(Rename(str(source), str(desk.documents / "d/b")), room)


async def test_a_link_on_the_way_to_a_fact_is_a_refusal(desk: Desk):
    source = desk.file("a")
    (desk.documents / "d").symlink_to(desk.outside)

    with pytest.raises(SaysoError):
        await desk.do(Rename(str(source), str(desk.documents / "b")), (Free(str(desk.documents / "d/x")),))


async def test_a_fact_that_nobody_resolved_is_a_bug(desk: Desk):
    source = desk.file("a")

    with pytest.raises(TypeError):
        await desk.do(Rename(str(source), str(desk.documents / "b")), (AsLeft(str(source), "unchanged", 0),))


@dataclass
class Held:
    """A confinement of two roots, one in the other, and what a step holds open in it."""

    confine: Confinement
    stack: ExitStack
    documents: Path

    def expecting(self, *names: str) -> Expectations:
        """Return what a step expects that touches these paths in the outer root."""
        spots = [self.confine.spot(str(self.documents / name), self.stack) for name in names]
        return Expectations(self.confine, Measure(self.confine), self.stack, *spots)


@pytest.fixture
def held(tmp_path: Path, way: Beneath) -> Iterator[Held]:
    """Return the ground for expecting something without a step."""
    documents = tmp_path / "home/Documents"
    (documents / "inner").mkdir(parents=True)
    roots = [str(documents), str(documents / "inner")]
    with ExitStack() as stack:
        confine = Confinement(str(tmp_path / "home"), Owned(str(tmp_path / "own"), ()), roots, way)
        stack.callback(confine.close)
        yield Held(confine, stack, documents)


def folder(path: Path, at: Path | None = None) -> SameFolder:
    """Return that a folder is the one that stands at `path`, or that it is the one at another."""
    found = (at or path).stat()
    return SameFolder(str(path), found.st_dev, found.st_ino)


def code(deed: Callable[[], object]) -> str:
    """Return the stable word with which something ends, nothing when it goes well."""
    try:
        deed()
    except SaysoError as said:
        return said.code
    return ""


@pytest.mark.req("FS-04")
def test_the_folder_that_a_step_holds_open_is_the_one_that_counts(held: Held):
    place = held.documents / "d"
    place.mkdir()
    then = folder(place)
    expecting = held.expecting("d/a")
    place.rename(held.documents / "e")
    place.mkdir()

    assert code(lambda: expecting.check((then,))) == ""
    assert code(lambda: expecting.check((folder(place),))) == "world.changed"


@pytest.mark.req("FS-04")
def test_a_thing_that_a_step_holds_open_is_looked_at_there(held: Held):
    place = held.documents / "d"
    place.mkdir()
    (place / "a").write_text("a")
    expecting = held.expecting("d/a")
    place.rename(held.documents / "e")

    assert code(lambda: expecting.check((Free(str(place / "a")),))) == "world.changed"
    assert code(lambda: held.expecting().check((Free(str(place / "a")),))) == ""


def test_a_root_that_a_step_touches_is_not_taken_for_the_folder_around_it(held: Held):
    around, inner = held.documents, held.documents / "inner"

    for names in (("inner", "copy"), ("copy", "inner")):
        expecting = held.expecting(*names)

        assert code(lambda now=expecting: now.check((folder(around), folder(inner)))) == ""
        assert code(lambda now=expecting: now.check((folder(around, at=inner),))) == "world.changed"


def test_a_kept_place_that_is_not_open_lies_in_no_root_even_where_all_of_the_disk_is_one(tmp_path: Path, way: Beneath):
    with ExitStack() as stack:
        confine = Confinement(str(tmp_path), Owned(str(tmp_path / "own"), ()), ["/"], way)
        stack.callback(confine.close)
        expecting = Expectations(confine, Measure(confine), stack)

        assert code(lambda: expecting.check((Free("kept:abc/item"),))) == ""
        assert code(lambda: expecting.check((SameFolder("kept:abc/item", 1, 1),))) == "world.changed"


def test_in_a_place_that_no_root_holds_or_that_is_gone_nothing_stands(held: Held):
    nothing = [str(held.documents / name) for name in ("gone/x", "free")]
    for about in ("/nowhere/at/all", "kept:abc/item", *nothing):
        expecting = held.expecting()

        assert code(lambda now=expecting, path=about: now.check((Free(path),))) == ""
        for fact in (SameFolder(about, 1, 1), Unchanged(about, "file", 1, 1, size=0, mtime_ns=0, sha256="")):
            assert code(lambda now=expecting, fact=fact: now.check((fact,))) == "world.changed"


@pytest.mark.req("FS-04")
def test_a_fact_behind_a_link_that_was_put_there_since_is_refused(held: Held, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    (held.documents / "d").symlink_to(tmp_path / "outside")
    (held.documents / "l").symlink_to(held.documents / "inner")

    for name in ("d/x", "l/x"):
        assert code(lambda about=f"{held.documents}/{name}": held.expecting().check((Free(about),))) == "path.changed"


def test_what_is_gone_is_said_to_be_gone_by_the_name_a_person_knows(held: Held):
    spot = held.confine.spot(str(held.documents / "a"), held.stack)

    with pytest.raises(ProviderError, match=r"“~/Documents/a”.* it is gone") as said:
        held.expecting("a").seen(spot)

    assert said.value.code == "world.changed"
