"""The administrator's file: trusted only when it is root's, and never loosening."""

import os
from pathlib import Path
from typing import Any

import pytest

from sayso.config.administrator import administered, restricted
from sayso.core.errors import SetupError
from sayso.policy.switches import allows
from tests.policy.given import with_policy


def a_file(folder: Path, text: str, mode: int = 0o644) -> Path:
    """Return a file of an administrator who is the one running the tests."""
    file = folder / "policy.toml"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_it_is_read_when_it_is_the_administrators(tmp_path: Path):
    file = a_file(tmp_path, '[policy]\nmode = "always"\n[limits]\nwaiting = 5\n')

    assert administered(file, os.getuid()) == {"policy.mode": "always", "limits.waiting": 5}


def test_without_a_file_nothing_is_set(tmp_path: Path):
    assert administered(tmp_path / "policy.toml") == {}


def test_a_file_of_anybody_else_stops_everything(tmp_path: Path):
    file = a_file(tmp_path, "")

    with pytest.raises(SetupError, match="owned by root") as raised:
        administered(file, os.getuid() + 1)

    assert raised.value.code == "config.administrator"


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666])
def test_a_file_that_others_may_write_stops_everything(tmp_path: Path, mode: int):
    with pytest.raises(SetupError, match="chmod go-w"):
        administered(a_file(tmp_path, "", mode), os.getuid())


def test_what_is_no_plain_file_stops_everything(tmp_path: Path):
    os.mkfifo(tmp_path / "policy.toml")

    with pytest.raises(SetupError, match="is not a plain file"):
        administered(tmp_path / "policy.toml", os.getuid())


def test_a_mistake_in_it_is_named_with_the_file(tmp_path: Path):
    with pytest.raises(SetupError, match=r"policy\.toml"):
        administered(a_file(tmp_path, "[policy]\nmod = 1"), os.getuid())


@pytest.mark.parametrize(
    ("key", "own", "other", "holds"),
    [
        ("policy.mode", "never", "always", "always"),
        ("policy.mode", "always", "never", "always"),
        ("policy.mode", "never", "destructive", "destructive"),
        ("policy.paused", False, True, True),
        ("policy.paused", True, False, True),
        ("policy.strict_apps", False, False, False),
        ("policy.stop_on_error", False, True, True),
        ("policy.confirm_destructive_clicks", False, True, True),
        ("policy.allowed_apps", ("Mail", "Notes"), ("mail", "Safari"), ("Mail",)),
        ("policy.allowed_apps", ("Mail",), (), ()),
        ("policy.waive_floor", ("file.delete", "mail.send"), ("mail.send",), ("mail.send",)),
        ("policy.waiting_expires", 10, 20, 10),
        ("policy.grant_expires", 20, 10, 10),
        ("policy.undo_keep", 20, 10, 10),
        ("policy.undo_bytes", 10, 20, 10),
        ("policy.audit_keep", 10, 20, 20),
        ("policy.audit_redact", ("body",), ("content", "body"), ("body", "content")),
        ("policy.append_missing", "create", "error", "error"),
        ("policy.append_missing", "error", "create", "error"),
        ("policy.confirm_sites", ("a.org",), ("b.org",), ("a.org", "b.org")),
        ("limits.actions_per_run", 5000, 10, 10),
        ("limits.argument_bytes", 5, 10, 5),
    ],
)
def test_the_stricter_of_the_two_holds(key: str, own: Any, other: Any, holds: Any):
    assert restricted({key: own}, {key: other}) == {key: holds}
    assert restricted({key: own}, {}) == {key: own}


@pytest.mark.parametrize("own", [("*",), ("file.*",), ("file.*", "notify.show"), (), ("*.delete", "url.open")])
@pytest.mark.parametrize("other", [("*",), ("*.delete", "notify.*"), ("file.delete",), (), ("file.[dm]*",)])
def test_an_operation_runs_only_when_both_allow_it(own: tuple[str, ...], other: tuple[str, ...]):
    name = "policy.allowed_operations"
    together: Any = restricted({name: own}, {name: other})[name]

    for operation in ("file.delete", "file.move", "file.copy", "notify.show", "url.open", "task.delete"):
        one, two = (allows(with_policy(allowed_operations=globs), operation) for globs in (own, other))
        assert allows(with_policy(allowed_operations=together), operation) is (one and two)
