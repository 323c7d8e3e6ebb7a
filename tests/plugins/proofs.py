"""Note how much each test proves: it did something real, it did it in a simulation, or it did nothing and only read.

A test is *real* if a back end that reaches something outside carried out a step, if it ran a program, or if it needs
one (`needs`). It is *simulated* if only back ends in memory, or those that tests made up, carried out steps. Otherwise
it is *read only*: a text was parsed, a plan was made or a value was computed, and nothing was done.
"""

import builtins
import functools
import inspect
import sys
from collections.abc import Generator
from typing import Any

import pytest

PROPERTY = "proof"
REAL, SIMULATED, READ_ONLY = "real", "simulated", "read only"
PROVIDERS = "sayso.providers."
SIMULATION = "memory"
SIMULATED_MAC = "mac"
"""The fixture that is a `SimulatedMac`."""
RUNS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system"})

_used = set[str]()
"""What the test that runs now has used."""


def pytest_configure() -> None:
    """Watch programs that are started, and the classes of back ends, those that are loaded and those to come."""
    sys.addaudithook(_heard)
    for module in [module for name, module in sys.modules.items() if name.startswith("sayso.")]:
        for value in list(vars(module).values()):
            if isinstance(value, type):
                _watch(value)
    builtins.__build_class__ = _building(builtins.__build_class__)


def _heard(event: str, _: object) -> None:
    if event in RUNS:
        _used.add(REAL)


def _building(build: Any) -> Any:
    """Return what builds a class as before, and watches it."""

    @functools.wraps(build)
    def built(*given: Any, **named: Any) -> Any:
        made = build(*given, **named)
        if isinstance(made, type) and "apply" in vars(made):
            _watch(made)
        return made

    return built


def _watch(cls: type) -> None:
    """Have the class note each step that one of its back ends carries out."""
    apply = vars(cls).get("apply")
    if not inspect.iscoroutinefunction(apply) or hasattr(apply, "watched"):
        return

    @functools.wraps(apply)
    async def noted(self: Any, *given: Any, **named: Any) -> Any:
        ours = cls.__module__.startswith(PROVIDERS)
        simulated = not ours or SIMULATION in (*cls.__module__.split("."), getattr(self, "name", ""))
        _used.add(SIMULATED if simulated else REAL)
        return await apply(self, *given, **named)

    vars(noted)["watched"] = True
    cls.apply = noted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Note, beside the test, what it has used."""
    _used.clear()
    try:
        return (yield)
    finally:
        item.user_properties.append((PROPERTY, kind(item)))


def kind(item: pytest.Item) -> str:
    """Return how much the test that has just ended proves.

    A test on the simulated Mac runs programs, but only stand-ins.
    """
    if SIMULATED_MAC in getattr(item, "fixturenames", ()):
        return SIMULATED
    if REAL in _used or item.get_closest_marker("needs") is not None:
        return REAL
    return SIMULATED if SIMULATED in _used else READ_ONLY
