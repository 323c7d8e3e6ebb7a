"""Each name that a script uses is one of the tables, of the simulated Objective-C, of JavaScript, or its own."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sayso.providers.macos.engine import SCRIPTS
from sayso.testing.macos.mac import HERE, TABLES

CONTROLS = {
    "applications": (),
    "browser": ("safari", "chrome"),
    "calendar": ("calendar", "reminders"),
    "clipboard_read": (),
    "clipboard_write": (),
    "common": (),
    "mail": ("mail",),
    "mail_write": ("mail",),
    "notes_change": ("notes",),
    "notes_read": ("notes",),
    "notify": ("osascript",),
    "trash": (),
    "volume": ("osascript",),
    "windows": ("system_events",),
}
"""The tables of the applications that each script controls."""
GIVEN = {"mail": frozenset({"starred"})}
"""Names in the objects that Python gives a script as data."""
JAVASCRIPT = frozenset(
    [
        "add",
        "assign",
        "concat",
        "endsWith",
        "entries",
        "errorNumber",
        "every",
        "filter",
        "find",
        "findIndex",
        "flat",
        "floor",
        "forEach",
        "from",
        "get",
        "getDate",
        "getFullYear",
        "getHours",
        "getMinutes",
        "getMonth",
        "getSeconds",
        "getTime",
        "has",
        "includes",
        "indexOf",
        "join",
        "keys",
        "lastIndexOf",
        "length",
        "map",
        "max",
        "message",
        "padStart",
        "parse",
        "replace",
        "round",
        "set",
        "setDate",
        "slice",
        "some",
        "sort",
        "splice",
        "split",
        "startsWith",
        "stringify",
        "toLowerCase",
        "trimEnd",
        "values",
    ]
)
SPECIFIERS = frozenset({"before", "byId", "byName", "currentApplication", "properties", "push", "whose"})
"""What specifiers have in every application."""
COMMENTS = re.compile(r"//[^\n]*")
STRINGS = re.compile(r'"[^"\n]*"')
AFTER_DOT = re.compile(r"(?<!\.)\.([A-Za-z_]\w*)")
BRACES = re.compile(r"\{([^{}]*)\}")
KEYS = re.compile(r"(?:^|,)\s*(\w+)\s*(?=:|,|$)")
MEMBERS = re.compile(r"^ *(\w+)(?:: |\([^()]*\) \{$)", re.MULTILINE)
DATA = re.compile(r"\bdata\.(\w+)")
BRIDGED = re.compile(r"(?:^|[ ,{(.$\"])([A-Za-z_]\w*)")


@cache
def terms(name: str) -> frozenset[str]:
    """Return the names that a table has: properties, elements, commands and their parameters, classes to be made."""
    table: dict[str, Any] = tomllib.loads((TABLES / f"{name}.toml").read_text("utf-8"))
    found = {*table["commands"], *(one for named in table["commands"].values() for one in named)}
    for cls, has in table["classes"].items():
        found |= {cls[0].upper() + cls[1:], *has.get("properties", ()), *has.get("elements", ())}
    return frozenset(found)


def used(script: str) -> set[str]:
    """Return the names that a script uses of something else: those after a dot that are not keys of its own objects."""
    text = STRINGS.sub('""', COMMENTS.sub("", script))
    keys = {key for braces in BRACES.findall(text) for key in KEYS.findall(braces)}
    return set(AFTER_DOT.findall(text)) - keys - set(MEMBERS.findall(text)) - set(DATA.findall(text))


def bridge() -> set[str]:
    """Return the names that the simulated Objective-C has, and those of the standard additions."""
    runtime = HERE / "runtime"
    both = "".join((runtime / f"{name}.js").read_text("utf-8") for name in ("objc", "standard"))
    return set(BRIDGED.findall(COMMENTS.sub("", both))) | {"includeStandardAdditions"}


def unknown_in(name: str, script: str) -> set[str]:
    """Return the names of a script that nothing knows."""
    tables = {one for table in CONTROLS[name] for one in terms(table)}
    return used(script) - tables - bridge() - JAVASCRIPT - SPECIFIERS - GIVEN.get(name, frozenset())


def test_the_applications_of_every_script_are_listed():
    assert {file.stem for file in SCRIPTS.glob("*.js")} == set(CONTROLS)


@pytest.mark.req("S1-14")
@pytest.mark.parametrize("name", CONTROLS)
def test_every_name_that_a_script_uses_is_known(name: str):
    assert unknown_in(name, (SCRIPTS / f"{name}.js").read_text("utf-8")) == set()


def test_a_name_that_no_table_has_is_found():
    script = 'function main() { const app = Application("Notes"); app.notes.favourite(); /x/.test(app.name()); }'

    assert unknown_in("notes_read", script) == {"favourite", "test"}


def test_no_name_of_one_application_passes_for_one_of_another():
    assert unknown_in("notes_read", "app.outgoingMessages()") == {"outgoingMessages"}


def test_tables_are_in_the_form_that_is_checked():
    for file in Path(TABLES).glob("*.toml"):
        assert terms(file.stem)
