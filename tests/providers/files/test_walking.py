"""A path is followed name by name and link by link."""

import pytest

from sayso.core.errors import ProviderError
from sayso.core.plan import Ref
from sayso.providers.files.imagined import Imagined, after
from sayso.providers.files.known import Known
from sayso.providers.files.steps import MakeFolders, Rename, Steps
from sayso.providers.files.walking import Walker, Way
from tests.providers.files.staged import HOME, MemoryStage

D = f"{HOME}/Documents"


@pytest.fixture
def stage() -> MemoryStage:
    made = MemoryStage()
    made.folder(f"{D}/f")
    made.folder(f"{D}/f/g")
    made.link(f"{D}/l", "f")
    made.link(f"{D}/f/up", "../f/g")
    made.link(f"{D}/f/far", f"{D}/l/g")
    made.link(f"{D}/one", "two")
    made.link(f"{D}/two", "one")
    return made


def walker(stage: MemoryStage, *steps: Steps) -> Walker:
    tree = Imagined()
    for step in steps:
        tree = after(tree, step, Ref(0, 0))
    return Walker(Known(stage.backend().reads), tree)


@pytest.mark.parametrize(
    ("said", "path", "rest"),
    [
        ("~/Documents/f/g", "f/g", ()),
        ("~/Documents/l/g", "f/g", ()),
        ("~/Documents/f/up/new", "f/g/new", ()),
        ("~/Documents/f/far/new", "f/g/new", ()),
        (f"{D}/f/../f/./g//", "f/g", ()),
        ("~/Documents/no/a/b", "no", ("a", "b")),
    ],
)
async def test_it_leads_to_the_resolved_path(stage: MemoryStage, said: str, path: str, rest: tuple[str, ...]):
    way = await walker(stage).way(said, follow=False)

    assert way is not None
    assert (way.path, way.rest) == (f"{D}/{path}", rest)


async def test_the_last_name_is_followed_only_if_asked(stage: MemoryStage):
    steps = walker(stage)

    assert await steps.way("~/Documents/l", follow=False) == Way(f"{D}/l")
    assert await steps.way("~/Documents/l", follow=True) == Way(f"{D}/f", (), linked=True, last_linked=True)


async def test_a_made_folder_is_gone_through(stage: MemoryStage):
    way = await walker(stage, MakeFolders(f"{D}/new", ("a",), "k")).way("~/Documents/new/a/b", follow=False)

    assert way == Way(f"{D}/new/a/b")


async def test_a_folder_that_was_moved_away_stops_the_way(stage: MemoryStage):
    way = await walker(stage, Rename(f"{D}/f", f"{D}/h")).way("~/Documents/l/g", follow=False)

    assert way is not None
    assert (way.whole, way.rest) == (f"{D}/f/g", ("g",))


@pytest.mark.parametrize("said", ["/etc/passwd", "~/elsewhere", "~", "/"])
async def test_what_cannot_be_reached_is_left_to_the_real_world(stage: MemoryStage, said: str):
    assert await walker(stage).way(said, follow=False) is None


@pytest.mark.req("FS-09")
async def test_links_that_lead_in_a_circle_end(stage: MemoryStage):
    with pytest.raises(ProviderError) as caught:
        await walker(stage).way("~/Documents/one", follow=True)

    assert caught.value.code == "path.circle"
