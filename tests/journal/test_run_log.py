"""The daily log of template runs has the record form of S3, one line each, and never stands in the way."""

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sayso.journal.run_log import DailyLog, LogEntry

RECORD = {
    "timestamp": "2025-01-06T10:30:45.123Z",
    "instanceId": "act_abc123",
    "templateId": "send_email",
    "sessionId": "session_xyz",
    "params": {"to": "vendor@acme.com", "subject": "Payment Reminder", "body": "..."},
    "result": {"success": True, "message": "Email sent successfully", "data": {"messageId": "msg_456"}},
    "duration": 1250,
    "error": None,
}


def an_entry(**members: Any) -> LogEntry:
    """Return the entry of the specification's example, with other members."""
    return LogEntry.read(json.dumps(RECORD | members))


def a_log(folder: Path, **options: Any) -> tuple[DailyLog, list[str]]:
    """Return a log and the list of its warnings."""
    warnings: list[str] = []
    return DailyLog(str(folder / ".logs" / "actions"), warnings.append, **options), warnings


def files(folder: Path) -> dict[str, str]:
    """Return the log files' names and texts."""
    return {file.name: file.read_text() for file in (folder / ".logs" / "actions").iterdir()}


@pytest.mark.req("S3-30", "S3-68", "T-80", "C-21", "T-51")
def test_a_run_is_one_line_in_the_file_of_its_day(tmp_path: Path):
    log, warnings = a_log(tmp_path)

    assert log.append(an_entry())
    assert log.append(an_entry(error="boom", timestamp="2025-01-06T23:59:59.999Z"))
    assert log.append(an_entry(timestamp="2025-01-07T00:30:00+01:00"))
    assert log.append(an_entry(timestamp="2025-01-07T00:00:00Z"))

    found = files(tmp_path)
    assert sorted(found) == ["2025-01-06.jsonl", "2025-01-07.jsonl"]
    lines = found["2025-01-06.jsonl"].splitlines()
    assert json.loads(lines[0]) == RECORD
    assert list(json.loads(lines[0])) == list(RECORD)
    assert json.loads(lines[1])["error"] == "boom"
    assert len(lines) == 3
    assert warnings == []


def test_what_was_written_is_read_back_equal(tmp_path: Path):
    log, _ = a_log(tmp_path)
    log.append(an_entry())

    assert log.of_template("send_email") == [an_entry()]


@pytest.mark.req("S3-71", "T-85")
def test_a_templates_records_come_newest_first_over_all_days(tmp_path: Path):
    log, warnings = a_log(tmp_path)
    start = datetime(2025, 1, 6, tzinfo=UTC)
    for number in range(60):
        time = (start + timedelta(hours=number)).isoformat()
        log.append(an_entry(timestamp=time, instanceId=f"act_{number}"))
        log.append(an_entry(timestamp=time, templateId="other"))

    found = log.of_template("send_email")

    assert [entry.instance_id for entry in found] == [f"act_{number}" for number in range(59, 9, -1)]
    assert len(log.of_template("send_email", limit=1000)) == 60
    assert log.of_template("none") == []
    assert warnings == []


@pytest.mark.req("T-85")
def test_damaged_lines_are_skipped_with_a_warning(tmp_path: Path):
    log, warnings = a_log(tmp_path)
    log.append(an_entry(instanceId="act_1"))
    file = tmp_path / ".logs" / "actions" / "2025-01-06.jsonl"
    with file.open("ab") as opened:
        opened.write(b'{"templateId": \n\xff\xfe\n[]\n3\n{}\n\n')
    log.append(an_entry(instanceId="act_2"))

    found = log.of_template("send_email")

    assert [entry.instance_id for entry in found] == ["act_2", "act_1"]
    assert warnings == [f"5 damaged lines in {file} skipped"]


@pytest.mark.req("S3-69")
def test_a_log_that_cannot_be_written_is_a_warning(tmp_path: Path):
    log, warnings = a_log(tmp_path)
    (tmp_path / ".logs").write_text("in the way")

    assert not log.append(an_entry())

    assert len(warnings) == 1
    assert warnings[0].startswith("the log record of act_abc123 could not be written")


@pytest.mark.req("S3-69")
def test_a_time_that_is_none_is_a_warning(tmp_path: Path):
    log, warnings = a_log(tmp_path)

    assert not log.append(an_entry(timestamp="now"))
    assert len(warnings) == 1


@pytest.mark.req("X-15")
def test_only_the_person_can_read_the_log(tmp_path: Path):
    log, _ = a_log(tmp_path)
    log.append(an_entry())

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / ".logs").rglob("*")}
    assert modes == {"actions": 0o700, "2025-01-06.jsonl": 0o600}
    assert stat.S_IMODE((tmp_path / ".logs").stat().st_mode) == 0o700


@pytest.mark.req("AU-03")
@pytest.mark.parametrize("torn", ['{"timestamp": "2025', "x" * 200_000])
def test_a_line_torn_by_a_crash_is_cut_off_and_the_log_goes_on(tmp_path: Path, torn: str):
    log, warnings = a_log(tmp_path)
    log.append(an_entry(instanceId="act_1"))
    file = tmp_path / ".logs" / "actions" / "2025-01-06.jsonl"
    with file.open("a") as opened:
        opened.write(torn)

    log.append(an_entry(instanceId="act_2"))

    assert [json.loads(line)["instanceId"] for line in file.read_text().splitlines()] == ["act_1", "act_2"]
    assert warnings == [f"the last line of {file} was cut off by a crash; its {len(torn)} bytes were removed"]


@pytest.mark.req("AU-03")
def test_a_file_that_is_nothing_but_a_torn_line_starts_anew(tmp_path: Path):
    log, _ = a_log(tmp_path)
    log.append(an_entry())
    file = tmp_path / ".logs" / "actions" / "2025-01-06.jsonl"
    file.write_text('{"torn')

    log.append(an_entry())

    assert [json.loads(line) for line in file.read_text().splitlines()] == [RECORD]


@pytest.mark.req("AU-02")
@pytest.mark.parametrize(
    "odd", ['}\n{"forged":1}', "\u2028\x85\0", "\ud800", "ü" * 5_000_000], ids=["lf", "ls", "half", "10MB"]
)
def test_any_text_is_one_line_and_comes_back(tmp_path: Path, odd: str):
    log, _ = a_log(tmp_path)

    log.append(an_entry(params={"text": odd}))
    log.append(an_entry())

    assert len(files(tmp_path)["2025-01-06.jsonl"].splitlines()) == 2
    assert log.of_template("send_email")[1].params == {"text": odd}


@pytest.mark.req("T-92", "AU-04")
def test_a_secret_param_is_in_no_byte_of_the_log(tmp_path: Path):
    log, _ = a_log(tmp_path, redact=("*.password",))
    leaks = {"success": False, "message": "no: canary-1 canary-2"}

    log.append(
        an_entry(params={"pin[x]": "canary-1", "deep": [{"password": "canary-2"}]}, result=leaks, error="bad canary-1"),
        secret=("pin[x]",),
    )

    (text,) = files(tmp_path).values()
    assert "canary" not in text
    assert json.loads(text)["params"] == {"pin[x]": "[redacted]", "deep": [{"password": "[redacted]"}]}


def test_a_disk_that_fails_leaves_whole_lines(tmp_path: Path):
    def broken(_: int) -> None:
        raise OSError(28, "No space left on device")

    log, warnings = a_log(tmp_path, _sync=broken)

    assert not log.append(an_entry())
    assert "No space left" in warnings[0]
