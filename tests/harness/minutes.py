"""Kill a host of triggers before a due time, start it again after, and see in real minutes that it is run once."""

import json
import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.harness.long_run import Planted, Run, start_run

ONCE, OFTEN = "diary", "tick"
EARLY = timedelta(seconds=20)
"""How long before the due time a host must be there."""
MISSED = timedelta(minutes=2, seconds=5)
"""How long after it a host is started again: what is more than two minutes late was missed."""
PATIENCE = 100.0
"""Seconds in which a host that runs must have been told of a whole minute."""
SETTINGS = """\
[policy]
roots = ["~/Documents"]
[[trigger]]
name = "diary"
says = "It is time for the diary"
schedule = "{minute} {hour} * * *"
zone = "UTC"
lines = 'APPEND_FILE "~/Documents/diary.txt" "x"'
[[trigger]]
name = "tick"
says = "A minute is over"
schedule = "* * * * *"
missed = "skip"
lines = 'CREATE_FOLDER "~/Documents/tick"'
"""
PLANTED: Planted = {"forgotten": lambda: None}
"""The second host's word that it took care of the due time is taken back, as if it had never been written."""


class Hosted:
    """`sayso trigger run` in a process of its own, and what it told."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.told: list[dict[str, Any]] = []
        self._left = b""
        self.program = subprocess.Popen(
            [sys.executable, "-m", "sayso", "trigger", "run", "--json"], stdout=subprocess.PIPE, env=environ
        )

    def until(self, seen: Callable[[], bool]) -> bool:
        """Read until something holds; say whether it did in time."""
        assert self.program.stdout is not None
        end = time.monotonic() + PATIENCE
        while not seen():
            ready, _, _ = select.select([self.program.stdout], [], [], min(1.0, max(0.0, end - time.monotonic())))
            data = os.read(self.program.stdout.fileno(), 1 << 16) if ready else b""
            if (ready and not data) or time.monotonic() > end:
                return False
            *lines, self._left = (self._left + data).split(b"\n")
            self.told += [json.loads(line) for line in lines]
        return True

    def events(self, trigger: str) -> list[str]:
        """Return what it told of a trigger."""
        return [row["event"] for row in self.told if row["trigger"] == trigger]

    def killed(self) -> None:
        """Kill it, as a cut of the power would."""
        self.program.send_signal(signal.SIGKILL)
        self.program.wait()
        assert self.program.stdout is not None
        self.program.stdout.close()


class Minutes:
    """Three hosts over one due time; the journal and the file are read by nobody of sayso's."""

    def __init__(self, run: Run, base: Path) -> None:
        self._run = run
        self._home, self._own = base / "home", base / "sayso"
        (self._home / "Documents").mkdir(parents=True)
        self._own.mkdir(mode=0o700)
        self.due = (datetime.now(UTC) + EARLY + timedelta(minutes=1)).replace(second=0, microsecond=0)
        (self._own / "config.toml").write_text(SETTINGS.format(minute=self.due.minute, hour=self.due.hour))
        self._environ = {**os.environ, "HOME": str(self._home), "SAYSO_HOME": str(self._own)}

    def seen_through(self) -> None:
        """Do all of it."""
        first = self._host()
        if not first.until(lambda: bool(self._kept().get("seen"))) or datetime.now(UTC) >= self.due:
            self._run.gap("the first host was not there before the due time")
            first.killed()
            return
        first.killed()
        before, early = self._kept(), first.events(ONCE)
        _wait_for(self.due + MISSED)
        second = self._host()
        second.until(lambda: second.events(ONCE).count("ran") > 0)
        second.killed()
        if self._run.planted == "forgotten":
            self._put_back(before)
        third = self._host()
        # It looks at the diary before it looks at what ticks, so that it has looked at both by then.
        if not third.until(lambda: third.events(OFTEN).count("ran") > 0):
            self._run.gap("the third host never looked")
        third.killed()
        self._judged(early, second.events(ONCE), third.events(ONCE))

    def _judged(self, first: list[str], second: list[str], third: list[str]) -> None:
        written = self._home / "Documents" / "diary.txt"
        count = written.read_text().count("x") if written.exists() else 0
        told = Counter([*first, *second, *third])
        self._run.counts = {"missed, run now": told["missed"], "ran": told["ran"], "written": count}
        self._run.coverage = {"due": self.due.isoformat(), "hosts": [first, second, third]}
        for what, is_so in {
            f"the host that was killed before the due time told {first}": first == [],
            f"the host after it told {second}": second == ["missed", "ran"],
            f"one more host told {third}": third == [],
            f"it was written {count} times": count == 1,
        }.items():
            if not is_so:
                self._run.breach(what)

    def _host(self) -> Hosted:
        return Hosted(self._environ)

    def _kept(self) -> dict[str, Any]:
        """Return what the journal keeps of the diary."""
        database = self._own / "sayso.db"
        if not database.exists():
            return {}
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)) as journal:
            try:
                row = journal.execute("SELECT body FROM trigger_state WHERE name = ?", [ONCE]).fetchone()
            except sqlite3.OperationalError:
                return {}  # its tables are not there yet
        return json.loads(row[0]) if row else {}

    def _put_back(self, body: dict[str, Any]) -> None:
        with closing(sqlite3.connect(self._own / "sayso.db", timeout=10)) as journal, journal:
            journal.execute("UPDATE trigger_state SET body = ? WHERE name = ?", [json.dumps(body), ONCE])


def _wait_for(moment: datetime) -> None:
    """Wait until the clock shows a moment; it is real time that this run is about."""
    while (left := (moment - datetime.now(UTC)).total_seconds()) > 0:
        time.sleep(min(left, 1.0))


def main() -> int:
    """Run it, and say what was seen."""
    run = start_run("minutes", PLANTED, 1)
    base = Path(tempfile.mkdtemp(prefix="sayso-minutes-"))
    try:
        Minutes(run, base).seen_through()
    finally:
        shutil.rmtree(base)
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
