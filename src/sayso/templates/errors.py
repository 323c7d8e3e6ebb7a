"""Say in plain words, and of which field, what msgspec complains about in something that a person wrote."""

import re
from collections.abc import Mapping
from types import MappingProxyType

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "str": "a text",
        "int": "a number",
        "float": "a number",
        "bool": "True or False",
        "array": "a list",
        "object": "a mapping",
        "null": "None",
    }
)
_OTHER_KIND = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH = re.compile(r"Expected `str` of length ([<>])= ([0-9]+)")


def worded(wrong: str, root: str, rules: Mapping[str, str]) -> str:
    """Return a complaint as a clause about a field beneath `root`; `rules` are the words for some, by their ends."""
    what, _, path = wrong.partition(" - at `$")
    field = f"{root}{path.rstrip('`')}"
    name = what.rpartition("`")[0].rpartition("`")[2]
    if "missing required field" in what:
        return f"missing {field}.{name}"
    if "unknown field" in what:
        return f"“{field}” has no field “{name}”"
    rule = next((words for end, words in rules.items() if field.endswith(end)), None)
    return f"“{field}”: {rule if rule is not None and 'got' not in what else _plain(what)}"


def _plain(what: str) -> str:
    kinds = _OTHER_KIND.fullmatch(what)
    if kinds is not None:
        return f"it must be {_kind(kinds[1])}, and is {_kind(kinds[2])}"
    length = _LENGTH.fullmatch(what)
    if length is None:
        return f"{what[:1].lower()}{what[1:]}"
    if length[1] == "<":
        return f"it is longer than {int(length[2]):,} characters"
    return "it is empty" if length[2] == "1" else f"it is shorter than {length[2]} characters"


def _kind(names: str) -> str:
    return " or ".join(dict.fromkeys(_KINDS.get(name, name) for name in names.split(" | ")))
