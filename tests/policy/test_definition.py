"""The digest of a definition is the same in every process, and changes with whatever the operation is or does."""

import subprocess
import sys
from dataclasses import replace

import pytest

from sayso.core.arguments import Line
from sayso.core.operation import Operation
from sayso.core.plan import Plan
from sayso.policy.definition import definition
from tests.policy.given import MOVE


async def _some(name: Line, kind: Line = "a") -> Plan:
    """Do a thing."""
    return Plan("one of these" if name in {"a", "b", "c"} else f"{name} {kind} {[one + 1 for one in (1, 2)]}")


async def _other(name: Line, kind: Line = "a") -> Plan:
    """Do a thing."""
    return Plan("one of these" if name in {"a", "b", "d"} else f"{name} {kind} {[one + 1 for one in (1, 2)]}")


async def _inner(name: Line, kind: Line = "a") -> Plan:
    """Do a thing."""
    return Plan("one of these" if name in {"a", "b", "c"} else f"{name} {kind} {[one + 1 for one in (1, 3)]}")


async def _said(name: Line, kind: Line = "a") -> Plan:
    """Do another thing."""
    return Plan("one of these" if name in {"a", "b", "c"} else f"{name} {kind} {[one + 1 for one in (1, 2)]}")


async def _default(name: Line, kind: Line = "b") -> Plan:
    """Do a thing."""
    return Plan("one of these" if name in {"a", "b", "c"} else f"{name} {kind} {[one + 1 for one in (1, 2)]}")


async def _many(name: Line) -> Plan:
    """Do a thing."""
    return Plan("one of these" if name in {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} else name)


SOME = Operation("thing.do", "write", "mode", _some)
MANY = Operation("thing.do", "write", "mode", _many)


@pytest.mark.req("AV-11")
@pytest.mark.parametrize(
    "other",
    [
        replace(SOME, id="thing.done"),
        replace(SOME, kind="destructive"),
        replace(SOME, asks="none"),
        replace(SOME, outside=True),
        replace(SOME, reach="home"),
        *(replace(SOME, function=one) for one in (_other, _inner, _said, _default)),
    ],
)
def test_whatever_is_changed_changes_the_digest(other: Operation):
    assert definition(other) != definition(SOME)


def test_the_digest_is_the_same_for_the_same_definition():
    assert definition(replace(SOME)) == definition(SOME)


def test_the_digest_is_the_same_in_every_process():
    code = "import tests.policy.test_definition as here; print(here.definition(here.MANY))"

    printed = {_printed(code, seed) for seed in ("1", "2", "3")}

    assert printed == {definition(MANY)}


def _printed(code: str, seed: str) -> str:
    environ = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    return run.stdout.strip()


def test_an_operation_of_the_shipped_ones_has_one():
    assert definition(MOVE).startswith("sha256:")
