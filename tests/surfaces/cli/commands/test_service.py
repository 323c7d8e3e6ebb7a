"""`sayso service` writes a unit of the person's own and starts it, and leaves nothing half done."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso

Systemd = Callable[[int], Path]


@pytest.fixture
def systemd(person: Path, monkeypatch: pytest.MonkeyPatch) -> Systemd:
    """Return what puts a `systemctl` on the PATH that writes down what it is told, and ends with a code."""
    programs = person / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def ending(code: int) -> Path:
        told = person / "told"
        program = programs / "systemctl"
        program.write_text(f'#!/bin/sh\necho "$*" >> "{told}"\n[ "$2" = daemon-reload ] || exit {code}\n')
        program.chmod(0o755)
        return told

    return ending


@pytest.fixture
def unit(person: Path) -> Path:
    return person / ".config/systemd/user/sayso.service"


def test_it_is_installed_and_removed(systemd: Systemd, unit: Path, sit: Sit):
    told = systemd(0)

    installed = sit("service", "install")
    assert installed.end() == 0, installed.text
    shown = sayso("service", "--json").document
    written = unit.read_text()
    removed = sayso("service", "remove")

    assert shown == {"installed": True, "file": str(unit), "content": written}
    assert written.splitlines()[0] == "# written by “sayso service install”"
    assert '"-m" "sayso" "trigger" "run"' in written
    assert removed.code == 0
    assert not unit.exists()
    assert told.read_text().splitlines() == [
        "--user daemon-reload",
        "--user enable --now sayso.service",
        "--user disable --now sayso.service",
        "--user daemon-reload",
    ]


def test_what_cannot_be_started_is_not_installed(systemd: Systemd, unit: Path, sit: Sit):
    systemd(1)

    screen = sit("service", "install")

    assert screen.end() == 2
    assert "so it was not installed" in screen.text
    assert list(unit.parent.iterdir()) == []


def test_a_unit_of_somebody_else_is_left_alone(systemd: Systemd, unit: Path, sit: Sit):
    told = systemd(0)
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\n")

    screen = sit("service", "install")
    removed = sayso("service", "remove")

    assert (screen.end(), removed.code) == (2, 2)
    assert "was not written by sayso" in removed.err
    assert unit.read_text() == "[Service]\n"
    assert not told.exists()


def test_a_program_cannot_install_it(systemd: Systemd, unit: Path):
    told = systemd(0)

    run = sayso("service", "install")

    assert run.code == 3
    assert "type it on your terminal" in run.err
    assert not unit.exists()
    assert not told.exists()


def test_it_shows_what_it_would_write(person: Path, unit: Path):
    run = sayso("service")

    assert run.code == 0
    assert run.out.startswith("Not installed;")
    assert "WantedBy=default.target" in run.out
    assert sayso("service", "remove").out == "No service is installed.\n"
    assert not unit.exists()
