"""A store is built when it is first asked for; what nothing serves says why."""

from dataclasses import replace

import pytest

from sayso.core.ports import Ground
from sayso.core.provider import Provider
from sayso.runtime.backends import Backends, elsewhere, unavailable
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.runtime.shelf_operations import SHELF

BUILT: list[str] = []
OFFERED = replace(SHELF, backends={"memory": f"{__name__}:build"})


def build(ground: Ground) -> str:
    BUILT.append(ground.home)
    return "a shelf"


def test_nothing_is_imported_or_built_before_it_is_asked_for() -> None:
    backends = Backends([OFFERED], {"shelf": "memory"}, _ground)

    before = list(BUILT)
    served = "shelf" in backends
    once, twice = backends["shelf"], backends["shelf"]

    assert (before, served, once is twice) == ([], True, True)
    assert (len(backends), list(backends)) == (1, ["shelf"])
    assert BUILT == ["/home/ana"]
    assert backends.get("mail") is None


@pytest.mark.req("X-05")
@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({}, "nothing is set up for it"),
        ({"shelf": ""}, "nothing is set up"),
        ({"shelf": "imap"}, "there is no kind “imap”"),
    ],
)
def test_what_nothing_serves_says_why_and_what_to_set(kinds: dict[str, str], words: str) -> None:
    whys = unavailable([OFFERED, Provider("mail", ())], kinds)

    assert words in whys["shelf"]
    assert "`[shelf] kind` may be: memory" in whys["shelf"]
    assert "none yet" in whys["mail"]
    assert "shelf" not in Backends([OFFERED], kinds, _ground)


def _ground(provider: Provider) -> Ground:
    return Ground({"store": provider.store}, "/home/ana", "/own", (), FakeClock(), NumberedIds())


def test_a_kind_of_another_system_is_told_from_one_that_there_is_not() -> None:
    part = replace(OFFERED, elsewhere={"macos": "darwin"})

    assert elsewhere(part, "imap", "linux") == ""
    assert elsewhere(part, "macos", "linux") == "“macos” is for macOS, and this is Linux"
    assert elsewhere(part, "macos", "darwin") == "“macos” is not in this version of sayso"
    assert "`[shelf] kind` may be: memory" in unavailable([part], {"shelf": "macos"})["shelf"]
