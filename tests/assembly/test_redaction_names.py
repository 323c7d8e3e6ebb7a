"""Each name in `audit_redact` is that of an argument, or it is said that it hides nothing."""

from pathlib import Path

import pytest

from sayso.assembly.parts import providers
from sayso.assembly.redaction_names import argument_paths, explain_unknown_names
from sayso.runtime.registry import catalogue

OPERATIONS = catalogue(providers())


@pytest.mark.parametrize(
    "name",
    [
        "body", "mail.send.body", "*.body", "mail.*.body", "*", "cont*", "from", "mail.search.criteria.from",
        "net.fetch.options.headers.authorization",
    ],
)  # fmt: skip
def test_a_name_of_an_argument_or_of_its_member_is_known(tmp_path: Path, name: str):
    assert explain_unknown_names([name], OPERATIONS, tmp_path) == []


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("contents", "did you mean “content”"),
        ("mail.send.bodi", "did you mean “mail.send.body”"),
        ("authorization", "hides nothing"),
        ("Body", "hides nothing; did you mean “body”"),
        ("file.write", "hides nothing"),
        ("*.passwort", "hides nothing"),
    ],
)
def test_any_other_name_is_said_with_those_that_are_near(tmp_path: Path, name: str, near: str):
    (said,) = explain_unknown_names(["body", name], OPERATIONS, tmp_path)

    assert f"“{name}”" in said
    assert near in said


def test_each_argument_has_a_path():
    paths = set(argument_paths(OPERATIONS["file.write"]))

    assert {"file.write.path", "file.write.content"} <= paths
