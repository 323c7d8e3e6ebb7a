"""A model's text is words, never code; whatever script they are in survives the whole way."""

import json
from pathlib import Path

import pytest

import sayso
from sayso.core.proposal import Origin, Proposal
from sayso.runtime.results import row_json


@pytest.mark.req("S0-01", "T-14")
async def test_program_code_in_a_reply_is_reported_and_never_run(scratch_home: Path, tmp_path: Path) -> None:
    (scratch_home / "x").write_text("still here")
    reply = f"import os; os.remove('{scratch_home}/x')\n$(rm -rf ~)\nrm -rf ~/x\n```python\nopen('y','w')\n```"

    async with sayso.open_home(str(tmp_path / "own")) as home:
        report = await home.run(reply)

    errors = [outcome.record.marks.error or "" for outcome in report.outcomes]
    assert len(errors) == 4
    assert all(error.startswith("Unknown command: ") for error in errors)
    assert [path.name for path in scratch_home.iterdir()] == ["x"]


@pytest.mark.req("S0-41", "S0-20", "C-04")
async def test_a_mail_body_by_heredoc_has_all_its_lines(scratch_home: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[mail]\nkind = "memory"\n')
    reply = 'SEND_EMAIL "ana@example.org" "Subject" <<END\nfirst line\nsecond line\nEND\n'

    async with sayso.open_home(str(own)) as home:
        report = await home.run(reply, dry_run=True)

    (outcome,) = report.outcomes
    assert outcome.record.operation == "mail.compose"
    assert outcome.record.arguments == {
        "to": "ana@example.org",
        "subject": "Subject",
        "body": "first line\nsecond line\n",
    }


@pytest.mark.req("X-19")
async def test_emoji_and_every_script_survive_label_path_content_and_log(scratch_home: Path, tmp_path: Path) -> None:
    (scratch_home / "Documents").mkdir()
    name, words, label = "Übung 漢字 🌻.txt", "naïve ☕ \U0001f469\u200d\U0001f680 עברית\n", "Schreib’s auf 🖊️"
    proposal = Proposal(0, "", "file.write", {"path": f"~/Documents/{name}", "content": words}, label=label)

    async with sayso.open_home(str(tmp_path / "own")) as home:
        await home.take([proposal], Origin("lines"))
        (record,) = await home.log()
        row = json.loads(json.dumps(row_json(record)))

    assert (scratch_home / "Documents" / name).read_bytes() == words.encode()
    assert (row["label"], row["arguments"]["path"], row["state"]) == (label, f"~/Documents/{name}", "done")
