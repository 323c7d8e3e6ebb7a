"""The programs in examples run and do what they say, and a package of somebody else adds a provider."""

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


@pytest.fixture
def person(scratch_home: Path) -> Path:
    """Return a home with an invoice among the downloads."""
    for name in ("Documents", "Downloads"):
        (scratch_home / name).mkdir()
    (scratch_home / "Downloads" / "invoice.pdf").write_text("420 euros", "utf-8")
    (scratch_home / "Downloads" / "old.zip").write_text("old", "utf-8")
    return scratch_home


def tree(home: Path) -> list[str]:
    """Return the person's files and folders."""
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


def test_a_reply_is_carried_out_and_taken_back(person: Path):
    before = tree(person)

    ran = python("examples/embed.py")

    assert ran.stdout.splitlines() == ["done - Created folder", "done - Wrote file"], ran.stderr
    assert tree(person) == before


def test_the_program_decides(person: Path):
    before = tree(person)

    ran = python("examples/decide_in_your_program.py")

    assert ran.stdout.splitlines()[:2] == [
        "1. Move “~/Downloads/invoice.pdf” to “~/Documents/invoice.pdf”",
        "2. Delete “~/Downloads/old.zip”; it goes to the Trash",
    ]
    assert ran.stdout.splitlines()[-2:] == ["file.move declined", "file.delete declined"]
    assert tree(person) == before


def test_what_was_previewed_waits_and_is_decided_later(person: Path):
    ran = python("examples/preview_then_run.py")

    assert ran.stdout.splitlines() == [
        "Would move “~/Downloads/invoice.pdf” to “~/Documents/invoice.pdf” (you would be asked)",
        "Moved file",
    ]
    assert (person / "Documents" / "invoice.pdf").read_text("utf-8") == "420 euros"


def test_an_agent_stops_where_the_person_must_decide_and_goes_on_after_it(person: Path):
    before = tree(person)

    ran = python("examples/agent_that_waits.py")

    assert ran.stdout.splitlines() == ["waiting: ['file_delete']", "It is done: Deleted file"], ran.stderr
    assert tree(person) == before
