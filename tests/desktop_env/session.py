"""A throw-away session of a person: a home of its own, and the programs that were started in it."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from tests.patience import patience

T = TypeVar("T")

PATIENCE = patience()
"""Seconds after which what does not come about is taken for broken."""
COMPLAINTS = "complaints.txt"
"""What all programs of a session complain of, in its home."""
NOBODY = "nobody"
"""Whom programs are run as that refuse to be run by root."""


def wait_for(condition: Callable[[], T | None], what: str = "what was waited for", seconds: float = PATIENCE) -> T:
    """Return what `condition` returns as soon as that is something; raises `TimeoutError` that says what was missed."""
    for _ in range(int(seconds * 100)):
        if found := condition():
            return found
        time.sleep(0.01)
    raise TimeoutError(f"{what} did not come about within {seconds:g} seconds")


class Session:
    """A home, an environment that leads there and nowhere else, and what runs in it; `close` ends and removes all."""

    def __init__(self, user: str | None = None) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="desk-"))
        self.user = user if os.geteuid() == 0 else None
        """Whom the programs belong to, where that is not who runs the tests."""
        self.environment = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        self.environment |= {"HOME": str(self.home), "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local"}
        places = {"RUNTIME_DIR": "run", "DATA_HOME": ".local/share", "CONFIG_HOME": ".config", "CACHE_HOME": ".cache"}
        for name, place in places.items():
            (self.home / place).mkdir(mode=0o700, parents=True)
            self.environment[f"XDG_{name}"] = str(self.home / place)
        self._started: list[subprocess.Popen[bytes]] = []
        self.afterwards: list[Callable[[], None]] = []
        """What removes what a program left outside of the home, called once all have ended."""
        self.own()

    @property
    def runtime(self) -> Path:
        """Return the folder of the sockets."""
        return Path(self.environment["XDG_RUNTIME_DIR"])

    def own(self) -> None:
        """Give everything in the home to the user of the session; to be called again for what is added later."""
        if self.user:
            for path in (self.home, *self.home.rglob("*")):
                shutil.chown(path, pwd.getpwnam(self.user).pw_uid, pwd.getpwnam(self.user).pw_gid)

    def start(
        self, *argv: str | Path, pass_fds: tuple[int, ...] = (), reads_all: bool = False, **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a program that stays until it ends by itself, is ended, or the tests are.

        With `reads_all` it may read what whoever runs the tests keeps private, as if it were of the same user.
        """
        reads = ("--inh-caps", "+dac_override", "--ambient-caps", "+dac_override") if reads_all and self.user else ()
        as_user = ("setpriv", "--pdeathsig", "KILL", *self._as_user(), *reads, "--")
        with (self.home / COMPLAINTS).open("ab") as complaints:
            process = subprocess.Popen(
                [*as_user, *map(str, argv)],
                cwd=self.home,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                pass_fds=pass_fds,
            )
        self._started.append(process)
        return process

    def complaints(self) -> str:
        """Return the last that programs complained of, for whoever has to find out why one did not do its work."""
        return (self.home / COMPLAINTS).read_text(errors="replace")[-1000:]

    def start_and_read(self, *argv: str | Path, **environment: str) -> str:
        """Start a program that is handed the number of a descriptor (`%fd`) to tell one line on; return that line."""
        reading, writing = os.pipe()
        process = self.start(
            *(str(word).replace("%fd", str(writing)) for word in argv),
            pass_fds=(writing,),
            reads_all=False,
            **environment,
        )
        os.close(writing)
        with os.fdopen(reading) as pipe:
            line = pipe.readline().strip()
        if not line:
            raise RuntimeError(f"{argv[0]} ended with {process.wait()} before it said where it listens")
        return line

    def run(
        self, *argv: str | Path, data: bytes = b"", check: bool = True, environment: Mapping[str, str] | None = None
    ) -> str:
        """Run a program of somebody else's to its end and return what it says; for what leaves no process behind."""
        done = subprocess.run(
            [*map(str, argv)],
            env={**self.environment, **(environment or {})},
            input=data,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        if check and done.returncode:
            raise RuntimeError(f"{argv[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="surrogateescape")

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """End one program, politely and then not."""
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self) -> None:
        """End every program, last first, and remove the home."""
        for process in reversed(self._started):
            self.end(process)
        # Whoever is still there would write on while the home is removed.
        wait_for(self._end_strays, "the end of every process")
        for remove in self.afterwards:
            remove()
        shutil.rmtree(self.home, ignore_errors=True)

    def processes(self, program: str = "") -> list[int]:
        """Return the processes that have the home of this session in their environment; of one program, if named."""
        ours, found = f"HOME={self.home}".encode(), list[int]()
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdecimal() and ours in (entry / "environ").read_bytes().split(b"\0"):
                    found += [int(entry.name)] if program in {"", (entry / "comm").read_text().strip()} else []
        return found

    def _end_strays(self) -> bool:
        """End what others started here and left behind; return whether there was none."""
        strays = self.processes()
        for process in strays:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return not strays

    def _as_user(self) -> tuple[str, ...]:
        return ("--reuid", self.user, "--regid", "nogroup", "--clear-groups") if self.user else ()
