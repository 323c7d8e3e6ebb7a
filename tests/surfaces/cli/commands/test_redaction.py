"""A value that `audit_redact` names is stored nowhere, and a name that hides nothing is said."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso


def test_a_value_whose_argument_is_named_alone_is_stored_nowhere(settings: Callable[[str], None], person: Path):
    settings('[policy]\naudit_redact = ["content"]\n')

    run = sayso("run", "--dialect", "lines", text='WRITE_FILE "~/Documents/new.txt" "hide-4711-me"\n')

    own = person.parent / "sayso"
    assert run.code == 0
    assert [file for file in own.rglob("*") if file.is_file() and b"hide-4711-me" in file.read_bytes()] == []
    assert (person / "Documents" / "new.txt").read_text().strip() == "hide-4711-me"


@pytest.mark.usefixtures("person")
def test_a_name_that_hides_nothing_is_refused_where_it_is_set_and_said_where_it_stands(
    settings: Callable[[str], None], sit: Sit
):
    refused = sit("config", "set", "policy.audit_redact", "contents")
    codes = [refused.end(), sit("config", "set", "policy.audit_redact", "content").end()]
    before = sayso("sessions")
    settings('[policy]\naudit_redact = ["contents"]\n')

    after, checked = sayso("sessions"), sayso("doctor")

    assert (codes, before.code, after.code) == ([2, 0], 0, 0)
    assert "you mean “content”" in refused.text.replace("\n", "")
    assert "nothing was changed" in refused.text
    assert ("hides nothing" in before.err, "hides nothing" in after.err) == (False, True)
    assert (checked.code, "hides nothing" in checked.out) == (1, True)
