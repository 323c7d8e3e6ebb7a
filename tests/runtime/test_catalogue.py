"""The catalogue is one; a store is built when it is first asked for; what nothing serves says why."""

from dataclasses import replace

import pytest

from sayso.core.errors import SetupError
from sayso.core.ports import Ground, Provider
from sayso.runtime.catalogue import Backends, catalogue, codec, unavailable
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.runtime.shelf import SHELF

BUILT: list[str] = []
OFFERED = replace(SHELF, backends={"memory": f"{__name__}:build"})


def build(ground: Ground) -> str:
    BUILT.append(ground.home)
    return "a shelf"


def test_two_providers_cannot_declare_the_same_operation() -> None:
    with pytest.raises(SetupError, match=r"two providers declare the operation “shelf\.put”"):
        catalogue([SHELF, replace(SHELF, store="other")])


def test_the_codec_knows_every_step_and_fact() -> None:
    assert set(codec([SHELF]).steps) == {"shelf.put", "shelf.take"}


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
