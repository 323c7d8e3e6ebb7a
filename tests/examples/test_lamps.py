"""A package of somebody else adds a provider, and it takes the one path like every other."""

import json
from pathlib import Path

import pytest

from tests.examples.installed import LAMPS, beside_sayso, python


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Return the PYTHONPATH on which the package is installed."""
    return beside_sayso(LAMPS, tmp_path / "site")


@pytest.fixture
def own(scratch_home: Path) -> Path:
    """Return sayso's own folder, made."""
    folder = scratch_home.parent / "sayso"
    folder.mkdir(mode=0o700)
    return folder


def test_a_lamp_is_turned_on_in_the_line_dialect_and_taken_back(path: str, own: Path):
    ran = python("-m", "tests.examples.turning", path=path)

    assert ran.stderr == ""
    found = json.loads(ran.stdout)
    off, on = {"desk": 0, "hall": 0}, {"desk": 40, "hall": 0}
    assert found["seen"] == [off, on, off]
    assert found["states"] == [["done", "unchanged", "failed"], ["done"]]
    assert found["log"] == ["undo", "lamp.on", "lamp.off", "lamp.on"]


@pytest.mark.req("S2-47")
def test_the_model_is_told_of_the_new_operations(path: str, own: Path):
    prompt = python("-m", "sayso", "prompt", "--dialect", "lines", path=path).stdout

    assert '- LAMP_ON "name" [<brightness>] - Turn a lamp on' in prompt.splitlines()
    assert '- LAMP_OFF "name" - Turn a lamp off' in prompt.splitlines()


def test_the_package_has_its_own_section_in_the_settings(path: str, own: Path):
    (own / "config.toml").write_text('[lamps]\nnames = ["cellar"]\n', "utf-8")
    (own / "reply.txt").write_text('LAMP_ON "cellar"\n', "utf-8")

    ran = python("-m", "sayso", "run", str(own / "reply.txt"), "--dialect", "lines", "--json", path=path)

    assert json.loads(ran.stdout)["results"][0]["message"] == "Turned on the lamp"


def test_without_the_package_its_section_is_unknown(own: Path):
    (own / "config.toml").write_text('[lamps]\nnames = ["cellar"]\n', "utf-8")

    ran = python("-m", "sayso", "operations")

    assert ran.returncode == 2
    assert "there is no section [lamps]" in ran.stderr


def test_what_the_settings_of_the_package_may_not_say_ends_in_one_sentence(path: str, own: Path):
    (own / "config.toml").write_text("[lamps]\nnames = 3\n", "utf-8")
    (own / "reply.txt").write_text('LAMP_ON "cellar"\n', "utf-8")

    ran = python("-m", "sayso", "run", str(own / "reply.txt"), "--dialect", "lines", "--json", path=path)

    assert "names in [lamps] must be a list of texts" in ran.stdout


def test_its_own_tests_pass():
    ran = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(LAMPS / "pyproject.toml"), str(LAMPS))

    assert ran.returncode == 0, ran.stdout
