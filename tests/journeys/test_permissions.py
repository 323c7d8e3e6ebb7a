"""What the person may not do is said, at the end where it is missing, and nothing is changed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Root may do everything; without these powers it is held to the modes like any person.
WITHOUT_POWERS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all")


def run(text: str) -> dict[str, object]:
    held = WITHOUT_POWERS if os.geteuid() == 0 else ()
    words = (*held, sys.executable, "-m", "sayso", "run", "-", "--dialect", "lines", "--yes", "--json")
    ended = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    return json.loads(ended.stdout)["results"][0]


@pytest.mark.needs("setpriv")
@pytest.mark.parametrize("closed", ["from", "to"])
def test_a_move_out_of_or_into_a_closed_folder_names_both_ends(scratch_home: Path, closed: str) -> None:
    for folder in ("from", "to"):
        (scratch_home / "Documents" / folder).mkdir(parents=True)
    (scratch_home / "Documents/from/a").write_text("x")
    (scratch_home / "Documents" / closed).chmod(0o555)

    result = run("MOVE_FILE ~/Documents/from/a ~/Documents/to/a")
    (scratch_home / "Documents" / closed).chmod(0o755)

    assert (result["state"], result["code"]) == ("failed", "path.not_permitted")
    assert "“~/Documents/from/a” or “~/Documents/to/a”" in str(result["error"])
    assert (scratch_home / "Documents/from/a").read_text() == "x"


@pytest.mark.needs("setpriv")
def test_a_file_that_may_not_be_read_is_said_and_not_copied(scratch_home: Path) -> None:
    (scratch_home / "Documents").mkdir()
    (scratch_home / "Documents/a").write_text("x")
    (scratch_home / "Documents/a").chmod(0)

    result = run("COPY_FILE ~/Documents/a ~/Documents/b")

    assert result["state"] == "failed"
    assert "~/Documents/a" in str(result["error"])
    assert [path.name for path in (scratch_home / "Documents").iterdir()] == ["a"]
