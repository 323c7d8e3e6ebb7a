"""The reference is what the code says now."""

import ast

import pytest

from sayso.assembly.parts import PROVIDERS
from sayso.config.schema import KEYS
from sayso.surfaces.cli.main import TABLE
from tools import index
from tools.pages.codes import codes_in, sentence
from tools.reference import FOLDER, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_the_code_has_it(name: str):
    kept = (FOLDER / name).read_text("utf-8")

    assert kept == PAGES[name](), f"docs/reference/{name} is not current: make reference"


def test_the_index_of_operations_steps_and_facts_is_current():
    assert index.FILE.read_text("utf-8") == index.written(), "make reference"


def test_no_page_is_left_over():
    kept = {file.name for file in FOLDER.iterdir()}

    assert kept == {*PAGES, "index.md"}


def test_every_setting_is_documented():
    page = (FOLDER / "settings.md").read_text("utf-8")

    for key in KEYS:
        section = page.partition(f"\n## [{key.section}]\n")[2].partition("\n## ")[0]
        assert f"| `{key.name}` | " in section, key.full
        assert key.says in section, key.full


def test_every_operation_and_every_command_has_its_part():
    operations = (FOLDER / "operations.md").read_text("utf-8").splitlines()
    commands = (FOLDER / "commands.md").read_text("utf-8").splitlines()

    for provider in PROVIDERS:
        for operation in provider.operations:
            assert f"### {operation.id}" in operations
    for name in TABLE:
        assert f"## sayso {name}" in commands


def test_a_code_is_found_with_what_is_said_beside_it():
    source = """
def go():
    why = "it is off"
    deny(why, "lamp.off")
raise ProviderError(f"no “{name}”", "lamp.missing")
print("a.b")
"""

    assert list(codes_in(source)) == [("lamp.off", {"it is off"}), ("lamp.missing", {"no “…”"})]


def test_what_is_put_into_a_sentence_is_left_out():
    said = ast.parse('f"{a}{b} of {c}"', mode="eval").body

    assert sentence(said) == "… of …"
