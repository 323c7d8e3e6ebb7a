"""A value that `audit_redact` names is stored nowhere, and a name that hides nothing is said."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.cli.conftest import Sit
from tests.surfaces.cli.person import sayso


def having(text: str, own: Path) -> list[str]:
    """Return the names of sayso's files, except what it keeps of files to undo, that contain a text in any case."""
    files = [file for file in own.rglob("*") if file.is_file() and not file.is_relative_to(own / "trash")]
    return [file.name for file in files if text.encode() in file.read_bytes().lower()]


def test_a_value_whose_argument_is_named_alone_is_stored_nowhere(settings: Callable[[str], None], person: Path):
    settings('[policy]\naudit_redact = ["content"]\n')

    run = sayso("run", "--dialect", "lines", text='WRITE_FILE "~/Documents/new.txt" "hide-4711-me"\n')

    own = person.parent / "sayso"
    assert run.code == 0
    assert [file for file in own.rglob("*") if file.is_file() and b"hide-4711-me" in file.read_bytes()] == []
    assert (person / "Documents" / "new.txt").read_text().strip() == "hide-4711-me"


@pytest.mark.req("T-92", "AU-04")
@pytest.mark.parametrize(
    ("name", "line", "state"),
    [
        ("to", 'MAIL_SEND "Z3cr3t@e.org, bob@b.example" "s" "b"', "done"),
        ("cc", 'MAIL_SEND "ana@e.org" "s" "b" "Z3cr3t@e.org, bob@b.example"', "done"),
        ("to", 'MAIL_COMPOSE "a@x.example,Z3cr3t@e.org" "s" "b"', "done"),
        ("to", 'MAIL_SEND "Z3cr3t bad, bob@b.example" "s" "b"', "failed"),
        ("url", 'OPEN_URL "https://user:Z3cr3t@e.example/"', "done"),
        ("url", 'OPEN_URL "https://e.example/?token=Z3cr3t"', "done"),
        ("url", 'OPEN_URL "https://Z3cr3t.example/"', "done"),
        ("path", 'WRITE_FILE "~/Documents/Z3cr3t" "x"', "done"),
        ("path", 'FILE_READ "~/Documents/./Z3cr3t"', "failed"),
        ("content", 'WRITE_FILE "~/Documents/a" "Z3cr3t"', "done"),
        ("content", 'WRITE_FILE "~/Documents/a" "Z3cr3t', "invalid"),
        ("content", 'FILE_WRITE "~/Documents/a" "Z3cr3t" "one too many"', "invalid"),
    ],
)
def test_no_part_and_no_other_form_of_a_redacted_value_is_in_any_byte(
    settings: Callable[[str], None], person: Path, name: str, line: str, state: str
):
    kinds = "".join(f'[{store}]\nkind = "memory"\n' for store in ("browser", "mail"))
    settings(f'[policy]\nmode = "never"\nwaive_floor = ["mail.send"]\naudit_redact = ["{name}"]\n{kinds}')

    run = sayso("run", "--dialect", "lines", "--now", "--json", text=f"{line}\n")

    own = person.parent / "sayso"
    kept = having("z3cr3t", own)
    assert run.document["results"][0]["state"] == state, run.document
    assert kept == []
    assert sayso("log", "verify").code == 0


def test_the_stored_spelling_of_a_redacted_task_is_not_in_the_log(settings: Callable[[str], None], person: Path):
    settings('[policy]\naudit_redact = ["text", "target"]\n')
    codes = [sayso("task", *words).code for words in (("add", "Buy a Z3cr3t"), ("done", "buy a z3cr3t"))]

    assert codes == [0, 0]
    assert [name for name in having("z3cr3t", person.parent / "sayso") if not name.startswith("tasks")] == []


def test_an_action_whose_values_were_not_kept_cannot_be_undone_and_says_why(
    settings: Callable[[str], None], person: Path
):
    settings('[policy]\naudit_redact = ["path"]\n')
    run = sayso("run", "--dialect", "lines", "--json", text='WRITE_FILE "~/Documents/new.txt" "x"\n')

    undo = sayso("undo", run.document["results"][0]["id"], "--yes")

    assert "its values were not kept" in " ".join(undo.err.split())
    assert (person / "Documents" / "new.txt").exists()


def test_an_action_whose_undo_has_nothing_of_the_value_can_be_undone(settings: Callable[[str], None], person: Path):
    settings('[policy]\naudit_redact = ["content"]\n')
    run = sayso("run", "--dialect", "lines", "--json", text='WRITE_FILE "~/Documents/new.txt" "hide-4711-me"\n')

    undo = sayso("undo", run.document["results"][0]["id"], "--yes")

    assert (undo.code, (person / "Documents" / "new.txt").exists()) == (0, False)


def test_an_operation_with_the_name_of_a_redacted_argument_runs(settings: Callable[[str], None], person: Path):
    settings('[policy]\naudit_redact = ["query"]\n[mail]\nkind = "memory"\n')

    assert sayso("run", "--dialect", "lines", text='MAIL_QUERY "from:ana"\n').code == 0
    assert person.is_dir()


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
    assert "you mean “content”" in " ".join(refused.text.split())
    assert "nothing was changed" in refused.text
    assert ("hides nothing" in before.err, "hides nothing" in after.err) == (False, True)
    assert (checked.code, "hides nothing" in checked.out) == (1, True)
