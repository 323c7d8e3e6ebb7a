"""A sayso that dies over opening an application tells afterwards what became of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from sayso.core.plan import Applied, CannotTell, Change, NotDone, Settlement
from sayso.providers.apps import APPS
from sayso.providers.apps.x11.build import build
from sayso.testing.harness import Trial
from tests.desktop_env import windows
from tests.desktop_env.session import Session
from tests.providers.apps.grounds import ground

pytestmark = pytest.mark.needs("xclock", "wmctrl")


class Died(BaseException):
    """It ends here."""


def dies_at(point: str) -> Callable[[str], None]:
    def die(here: str) -> None:
        if here == point:
            raise Died

    return die


@pytest.fixture
def desk(x_desktop: Session) -> Iterator[Session]:
    windows.entry(x_desktop, "Clock", "xclock")
    yield x_desktop
    windows.clear(x_desktop)


def trial(home: Path, point: str) -> Trial:
    return Trial(APPS, build(replace(ground(home), kill=dies_at(point))))


async def became(desk: Session, change: Change) -> Settlement:
    """Return what a sayso that is started afterwards finds."""
    return await Trial(APPS, build(ground(desk.home))).backend.settle(change.do, change.expects)


@pytest.mark.req("CR-01")
async def test_what_was_opened_is_known_to_be_ours(desk: Session):
    tried = trial(desk.home, "app.open.after")
    (change,) = (await tried.plan("app.open", name="Clock")).changes

    with pytest.raises(Died):
        await tried.backend.apply(change.do, change.expects)

    assert isinstance(await became(desk, change), Applied)
    assert len(windows.listed(desk)) == 1


@pytest.mark.req("CR-01")
async def test_what_was_not_begun_is_known_not_to_be_done(desk: Session):
    tried = trial(desk.home, "app.open.before")
    (change,) = (await tried.plan("app.open", name="Clock")).changes

    with pytest.raises(Died):
        await tried.backend.apply(change.do, change.expects)

    assert isinstance(await became(desk, change), NotDone)


@pytest.mark.req("CR-01")
async def test_what_somebody_else_opened_meanwhile_is_not_claimed(desk: Session):
    tried = trial(desk.home, "app.open.before")
    (change,) = (await tried.plan("app.open", name="Clock")).changes

    with pytest.raises(Died):
        await tried.backend.apply(change.do, change.expects)
    windows.start(desk, "xclock")

    assert isinstance(await became(desk, change), CannotTell)
