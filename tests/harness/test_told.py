"""A long run says what it did in one JSON line, and by its exit code whether a promise held."""

import json

import pytest

from tests.harness.told import CAUGHT, CLEAN, UNUSABLE, begun


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SEED", "N", "MIN", "BREAK"):
        monkeypatch.delenv(name, raising=False)


def test_a_run_says_seed_counts_and_coverage_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SEED", "7")
    run = begun("kills", {}, 5)
    run.count("kills", 5)
    run.coverage["boundaries"] = 3

    assert run.ended() == CLEAN

    line = json.loads(capsys.readouterr().out)
    assert (line["run"], line["seed"], line["n"], line["break"]) == ("kills", 7, 5, None)
    assert (line["counts"], line["coverage"], line["broken"]) == ({"kills": 5}, {"boundaries": 3}, 0)


def test_a_breach_ends_a_run_as_caught_and_too_few_tries_as_unusable(capsys: pytest.CaptureFixture[str]):
    broken, thin = begun("kills", {}, 5), begun("kills", {}, 5)
    broken.breach("a file is lost")
    broken.gap("no undo was killed")
    thin.gap("no undo was killed")

    assert (broken.ended(), thin.ended()) == (CAUGHT, UNUSABLE)
    assert "a file is lost" in capsys.readouterr().err


def test_the_planted_bug_that_is_named_is_planted(monkeypatch: pytest.MonkeyPatch):
    planted: list[str] = []
    monkeypatch.setenv("BREAK", "early")

    run = begun("kills", {"early": lambda: planted.append("early"), "late": lambda: planted.append("late")}, 5)

    assert (run.planted, planted) == ("early", ["early"])


@pytest.mark.parametrize(("name", "value", "said"), [("BREAK", "no-such", "early"), ("N", "many", "whole numbers")])
def test_what_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str):
    monkeypatch.setenv(name, value)

    with pytest.raises(SystemExit, match=said):
        begun("kills", {"early": lambda: None}, 5)


def test_a_run_of_minutes_ends_by_the_clock_and_not_by_the_count(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MIN", "2")
    run = begun("soak", {}, 1_000)

    assert not run.over(5_000)
    run.began -= 120
    assert run.over(0)
