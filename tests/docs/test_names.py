"""What a page or a message calls by its name is there: commands, their options, settings, operations, targets."""

import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from sayso.assembly.parts import providers
from sayso.config.schema import BY_NAME, SECTIONS
from sayso.runtime.registry import catalogue
from sayso.surfaces.cli.app import command_called, parser_for
from sayso.surfaces.cli.main import TABLE
from tests.docs.test_links import PAGES, each
from tests.house import ROOT

CODE = [path for path in sorted((ROOT / "src").rglob("*.py")) if "“sayso " in path.read_text("utf-8")]
TABLES = frozenset({"preset", "trigger", "shortcuts", "lamps"})
"""Parts of the settings that are no sections of keys, and the section of the package that a page makes."""

_SPAN = re.compile(r"`([^`\n]+)`|“(sayso [^”\n]+)”")
_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DOTTED = re.compile(r"[a-z]+\.(?!(?:py|db|json|toml|md|key)$)[a-z_*]+")
_ENDS = re.compile(r" *(?:[|;&<>…#)]|\.\.\.|\$\().*")


def spans(text: str) -> Iterator[str]:
    """Yield what a page sets apart as code or quotes as a command."""
    for code, said in _SPAN.findall(_BLOCK.sub("", text)):
        yield code or said


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command of sayso that a page names or shows."""
    blocks = [block.splitlines() for block in _BLOCK.findall(text)]
    typed = [line for lines in blocks for line in lines if line.startswith("$ ") or "$ " not in "\n".join(lines)]
    lines = [*spans(text), *typed]
    for line in lines:
        if found := re.match(r"(?:\$ )?(?:echo .*\| )?sayso (.+)", line.strip()):
            plain = re.sub(r"\{[^}]*\}", "X", _ENDS.sub("", found[1])).replace("'", "").replace('"', "")
            yield shlex.split(plain)


def faults(words: list[str], known: dict[str, str]) -> Iterator[str]:
    """Yield what is wrong with a command: it, its deed or an option of it is not there; `known` are their helps."""
    name, rest = words[0], words[1 : words.index("--") if "--" in words else None]  # then follows another's command
    if not re.fullmatch(r"[a-z]+", name):
        return
    if name not in known:
        yield f"there is no command “sayso {name}”"
        return
    options = set(re.findall(r"--[a-z-]+", known[name]))
    yield from (f"sayso {name} has no option {word}" for word in rest if word.startswith("--") and word not in options)
    deeds = re.findall(r"[a-z]+(?:\|[a-z]+)+", known[name].partition("\n\n")[0])
    if rest and deeds and re.fullmatch(r"[a-z]+", rest[0]) and rest[0] not in deeds[0].split("|"):
        yield f"sayso {name} does no “{rest[0]}”"


@pytest.fixture(scope="module")
def known() -> dict[str, str]:
    return {name: parser_for(name, command_called(name)).format_help() for name in TABLE}


@each([*PAGES, *CODE])
def test_commands_and_their_options_are_there(page: Path, known: dict[str, str]):
    wrong = [fault for words in commands(page.read_text("utf-8")) if words for fault in faults(words, known)]

    assert wrong == []


@each([page for page in PAGES if page.name != "errors.md"])
def test_settings_and_operations_are_there(page: Path):
    operations = catalogue(providers())
    domains = {id_.partition(".")[0] for id_ in operations}
    steps = [step.step for provider in providers() for step in provider.steps]
    known = [*BY_NAME, *operations, *steps]

    named = {span for span in spans(page.read_text("utf-8")) if _DOTTED.fullmatch(span)}
    ours = {one for one in named if one.partition(".")[0] in {*SECTIONS, *domains}}

    assert {one for one in ours if not any(fnmatchcase(name, one) for name in known)} == set()


@each(PAGES)
def test_sections_and_targets_are_there(page: Path):
    text = page.read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+(?: [a-z-]+)*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    known = {target for line in targets for target in line.split()}

    sections = {found for span in spans(text) for found in re.findall(r"^\[+([a-z]{2,})\]+", span)}
    made = {found for span in spans(text) for found in re.findall(r"(?:^| )make ([a-z-]+)", span)}

    assert sections - {*SECTIONS, *TABLES} == set()
    assert made - known == set()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("`sayso launch`", "there is no command “sayso launch”"),
        ("`sayso run --quickly`", "sayso run has no option --quickly"),
        ("“sayso log keep”", "sayso log does no “keep”"),
    ],
)
def test_what_is_not_there_is_noticed(line: str, said: str, known: dict[str, str]):
    assert [fault for words in commands(line) for fault in faults(words, known)] == [said]
