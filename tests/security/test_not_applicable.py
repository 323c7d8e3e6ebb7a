"""A case is left out only as long as sayso lacks what the case is about."""

import re
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from sayso.assembly.parts import providers
from sayso.config.schema import BY_NAME
from sayso.runtime.registry import catalogue

_MARK = re.compile(r"\breq\(([^)]*)\)")
_CASE = re.compile(r'"([A-Z]{2}-[0-9]{2})"')

LIST = Path(__file__).with_name("not_applicable.txt")
OTHER_IDS = Path(__file__).parents[1] / "other_ids.txt"


class Entry(NamedTuple):
    """One case that is left out, and what would make it apply."""

    case: str
    what: str
    name: str
    reason: str


def entries(text: str) -> list[Entry]:
    """Return the entries of a list."""
    lines = [line.split(None, 2) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found: list[Entry] = []
    for case, lacked, reason in lines:
        what, _, name = lacked.partition(":")
        found.append(Entry(case, what, name, reason))
    return found


def applies(entry: Entry) -> bool:
    """Say whether what the case is about is there by now."""
    operations = catalogue(providers())
    match entry.what:
        case "module":
            return has_module(entry.name)
        case "operation":
            return any(fnmatch(id_, entry.name) for id_ in operations)
        case "argument":
            return any(
                parameter.name == entry.name for operation in operations.values() for parameter in operation.parameters
            )
        case "setting":
            return entry.name in BY_NAME
        case "backend":
            (part,) = (part for part in providers() if part.store == entry.name)
            return bool(part.backends.keys() - {"memory"})
        case _:
            raise ValueError(f"“{entry.what}” is not a thing that can be lacking")


def has_module(name: str) -> bool:
    """Say whether there is such a module, without importing more than what holds it."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


ENTRIES = entries(LIST.read_text("utf-8"))


@pytest.mark.parametrize("entry", ENTRIES, ids=[f"{entry.case}-{entry.name}" for entry in ENTRIES])
def test_what_is_left_out_is_still_lacking(entry: Entry):
    known = OTHER_IDS.read_text("utf-8").split()

    assert entry.case in known
    assert len(entry.reason) > 10
    assert not applies(entry), f"{entry.case} applies by now: test it, and take the line away"


@pytest.mark.parametrize(
    "there", ["module:sayso.policy", "operation:file.*", "argument:content", "setting:policy.mode", "backend:files"]
)
def test_what_is_there_is_noticed(there: str):
    what, name = there.split(":")

    assert applies(Entry("FS-01", what, name, ""))


def marked() -> set[str]:
    """Return every case that a test, or a file of cases, says it proves."""
    tests = LIST.parents[1]
    texts = [file.read_text("utf-8") for file in tests.rglob("test_*.py")]
    found = {case for text in texts for mark in _MARK.findall(text) for case in _CASE.findall(mark)}
    return found.union(
        *(_CASE.findall(file.read_text("utf-8")) for file in (tests / "cases" / "security").glob("*.json"))
    )


@pytest.mark.parametrize("group", ["FS", "TO", "UN", "CR", "AU", "SE", "AV"])
def test_every_case_has_a_test_or_stands_in_the_list(group: str):
    cases = [case for case in OTHER_IDS.read_text("utf-8").split() if case.startswith(f"{group}-")]

    assert cases
    assert sorted(set(cases) - marked() - {entry.case for entry in ENTRIES}) == []
