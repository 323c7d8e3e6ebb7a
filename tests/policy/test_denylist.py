"""The list of names that no action may touch."""

import json
from pathlib import Path

import pytest

from sayso.policy.denylist import DENIED, IN_HOME
from sayso.policy.paths import find_denied_name, why_denied

WHOLE: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "cases" / "denied_with_all_in_them.json").read_text(encoding="utf-8")
)

ENTRIES = (Path(__file__).parent / "cases" / "denied_entries.txt").read_text(encoding="utf-8").splitlines()


def test_every_name_has_a_reason():
    assert [name for name, why in [*DENIED.items(), *IN_HOME.items()] if not why.strip()] == []


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.req("FS-10")
def test_nothing_goes_from_the_list_without_being_missed(entry: str):
    name = entry.replace("*", "x")

    assert find_denied_name(f"/home/ana/Documents/{name}") == entry
    assert find_denied_name(f"/home/ana/Documents/{name}/y") == entry
    assert why_denied(entry)


def test_nothing_comes_to_the_list_without_being_written_down():
    assert sorted(DENIED) == sorted(ENTRIES)
    assert list(IN_HOME) == ["bin"]


@pytest.mark.parametrize("name", WHOLE["programs, builds, keys"])
@pytest.mark.req("FS-10")
def test_what_a_program_runs_builds_fetches_or_lets_in_by_is_denied_with_all_in_it(name: str):
    assert find_denied_name(f"/home/ana/Documents/x/{name}") is not None
    assert find_denied_name(f"/home/ana/Documents/x/{name}/y/z") is not None


@pytest.mark.parametrize("name", WHOLE["repositories"])
@pytest.mark.req("FS-10")
def test_nothing_in_a_repository_is_touched(name: str):
    assert find_denied_name(f"/home/ana/Documents/repo/{name}") == ".git"
    assert find_denied_name(f"/home/ana/Documents/repo/{name.upper()}") == ".git"
