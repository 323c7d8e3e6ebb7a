"""`sayso doctor` says what works, and how to mend what does not."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.cli.person import sayso

Settings = Callable[[str], None]


def test_a_fresh_home_is_usable(person: Path):
    run = sayso("doctor")

    assert run.code == 0
    assert "✓ files" in run.out
    assert "is yours alone (0700)" in " ".join(run.out.split())
    assert "Desktop is not there and is left out" in " ".join(run.out.split())
    assert "✓ journal        nothing in it was altered" in run.out
    assert "there is no terminal here" in " ".join(run.out.split())


def test_what_was_asked_for_and_is_broken_is_said_with_its_mending(person: Path, settings: Settings):
    settings('[mail]\nkind = "apple"\n')

    run = sayso("doctor", "--json")

    assert run.code == 1
    assert run.document["usable"] is False
    (broken,) = [one for one in run.document["findings"] if one["how"] == "broken"]
    assert broken["about"] == "mail"
    assert "mail.kind" in broken["fix"]


def test_a_simulation_is_called_one(person: Path, settings: Settings):
    settings('[desktop]\nkind = "memory"\n')

    findings = sayso("doctor", "--json").document["findings"]

    (desktop,) = [one for one in findings if one["about"] == "desktop"]
    assert "simulation" in desktop["says"]


def test_a_home_that_others_may_look_into_is_broken(person: Path):
    sayso("doctor")
    Path(os.environ["SAYSO_HOME"]).chmod(0o755)

    run = sayso("doctor")

    assert run.code == 1
    assert "chmod 700" in run.out


def by_name(document: Any) -> dict[str, Any]:
    return {one["about"]: one for one in document["findings"]}


@pytest.mark.req("CR-08")
def test_a_damaged_journal_is_one_finding_among_the_others(person: Path, settings: Settings):
    settings("")
    database = Path(os.environ["SAYSO_HOME"]) / "sayso.db"
    database.write_bytes(b"no database at all" * 300)

    run = sayso("doctor", "--json")

    assert run.code == 1
    assert [one["about"] for one in run.document["findings"] if one["how"] == "broken"] == ["journal"]
    found = by_name(run.document)
    assert {"settings", "policy", "folders", "confinement", "files", "mail", "questions"} <= set(found)
    assert "is damaged (file is not a database)" in found["journal"]["says"]
    assert f"'{database}'" in found["journal"]["fix"]
    assert "log verify" not in run.out
    assert database.read_bytes() == b"no database at all" * 300


@pytest.mark.parametrize("text", ["[policy\n", "[policy]\nmod = 1\n", '[policy]\nmode = "sometimes"\n'])
def test_settings_that_cannot_be_read_are_one_finding_among_the_others(person: Path, settings: Settings, text: str):
    sayso("log")
    settings(text)

    run = sayso("doctor", "--json")

    assert run.code == 1
    (broken,) = [one for one in run.document["findings"] if one["how"] == "broken"]
    assert broken["about"] == "settings"
    assert "config.toml" in broken["says"]
    assert "config.toml.old" in broken["fix"]
    found = by_name(run.document)
    assert {"privacy", "folders", "confinement", "files", "mail", "journal", "questions"} <= set(found)
    assert found["journal"]["how"] == "good"


def test_both_may_be_broken_at_once(person: Path, settings: Settings):
    settings("[policy\n")
    (Path(os.environ["SAYSO_HOME"]) / "sayso.db").write_bytes(b"no database at all" * 300)

    run = sayso("doctor")

    assert run.code == 1
    assert "✗ settings" in run.out
    assert "✗ journal" in run.out


def test_a_fresh_home_whose_settings_cannot_be_read_has_no_journal_yet(person: Path, settings: Settings):
    settings("[policy\n")

    found = by_name(sayso("doctor", "--json").document)

    assert found["journal"]["how"] == "note"
    assert not (Path(os.environ["SAYSO_HOME"]) / "sayso.db").exists()


def test_the_demonstration_runs_without_an_answer():
    run = sayso("try")

    assert run.code == 0
    assert "Traceback" not in run.err
