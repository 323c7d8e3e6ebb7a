"""The simulated Mac of a test; a test that asks for `mac` counts as simulated."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

from sayso.core.encoding import Json
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.macos import SimulatedMac
from tests.mac_env.resident import resident

Suite = TypeVar("Suite", bound=type)


@pytest.fixture(scope="session")
def one_engine() -> Iterator[None]:
    """Have all scripts that run in `jsc` run in one process of it."""
    with resident() as engine:
        SimulatedMac.through = engine.command
        yield
        SimulatedMac.through = ()


@pytest.fixture
def mac(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SimulatedMac]:
    """Return a simulated Mac, on the engine that is the fixture's parameter; scripts may name only what it has."""
    engine = getattr(request, "param", "jsc")
    if shutil.which(engine) is None:
        pytest.skip(f"needs {engine}; tools/system-packages installs it")
    if engine == "jsc":
        request.getfixturevalue("one_engine")
    made = SimulatedMac(tmp_path / "mac", engine)
    yield made
    assert made.unknown == []


def in_node(suite: Suite) -> Suite:
    """Have the tests of a suite use a Mac whose scripts run in node, before a release."""
    for mark in (pytest.mark.parametrize("mac", ["node"], indirect=True), pytest.mark.needs("node")):
        suite = mark(suite)
    return pytest.mark.thorough(suite)


def on(
    mac: SimulatedMac, settings: Mapping[str, Json] | None = None, kill: KillPoint = no_kill_point
) -> BackendContext:
    """Return what a back end on this Mac is built from."""
    own = str(mac.folder / "own")
    return BackendContext(
        settings or {}, str(mac.home), own, (str(mac.home),), FakeClock(), RandomIds(), kill, environ=mac.environ
    )
