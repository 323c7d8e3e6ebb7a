"""The catalogue is one, and knows by name what is imported later."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from sayso.core.errors import SetupError
from sayso.core.lazy import LazySequence
from sayso.core.ports import BackendContext
from sayso.core.provider import Availabilities, Provider
from sayso.runtime.registry import Backends, catalogue, codec, unavailable
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.runtime.shelf import SHELF

FAR_OPERATIONS = {"shelf.put": "no.such.module:put", "far.away": "no.such.module:away"}
FAR = replace(SHELF, store="far", operations=LazySequence(FAR_OPERATIONS))


def test_two_providers_cannot_declare_the_same_operation() -> None:
    with pytest.raises(SetupError, match=r"two providers declare the operation “shelf\.put”"):
        catalogue([SHELF, replace(SHELF, store="other")])


def test_the_codec_knows_every_step_and_fact() -> None:
    assert set(codec([SHELF]).steps) == {"shelf.put", "shelf.take"}


def test_what_is_imported_later_cannot_be_declared_twice_either() -> None:
    with pytest.raises(SetupError, match=r"two providers declare the operation “shelf\.put”"):
        catalogue([SHELF, FAR])


def test_nothing_is_imported_to_know_what_there_is() -> None:
    known = catalogue([FAR])

    assert (list(known), "far.away" in known, known.get("far.off")) == (["shelf.put", "far.away"], True, None)
    with pytest.raises(ImportError):
        known["far.away"]


BUILT: list[str] = []
OFFERED = replace(SHELF, backends={"memory": f"{__name__}:build"})


def build(ground: BackendContext) -> str:
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
def test_a_kind_that_there_is_not_is_named_with_those_there_are() -> None:
    why = unavailable([OFFERED], {"shelf": "imap"}, {})["shelf"]

    assert why == "“shelf”: there is no kind “imap”; `[shelf] kind` may be: memory"
    assert "shelf" not in Backends([OFFERED], {"shelf": "imap"}, _ground)


def no_shelf_here(environ: Mapping[str, str]) -> Availabilities:
    return Availabilities({}, f"no shelf in {environ['ROOM']}", "build one")


@pytest.mark.req("X-05")
@pytest.mark.parametrize(
    ("part", "words"),
    [
        (OFFERED, "“shelf”: nothing in this version of sayso serves it"),
        (replace(OFFERED, fits=f"{__name__}:no_shelf_here"), "“shelf”: no shelf in the hall; build one"),
    ],
)
@pytest.mark.parametrize("kinds", [{}, {"shelf": ""}])
def test_what_nothing_serves_says_why_in_this_session_and_what_to_do(
    part: Provider, kinds: dict[str, str], words: str
) -> None:
    assert unavailable([part], kinds, {"ROOM": "the hall"}) == {"shelf": words}
    assert "shelf" not in Backends([part], kinds, _ground)


def _ground(provider: Provider) -> BackendContext:
    return BackendContext({"store": provider.store}, "/home/ana", "/own", (), FakeClock(), NumberedIds())
