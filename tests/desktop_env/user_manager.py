"""A real `systemd --user` in namespaces of its own, whether or not this machine was started by systemd; needs root.

Run as a program inside those namespaces, it starts the manager, runs a command in its session, and ends with its code.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.desktop_env.session import wait_for
from tests.patience import patience

NEEDED = ("systemctl", "unshare", "mount", "script")
MANAGER = "/usr/lib/systemd/systemd"
ROOT = Path(__file__).parent.parent.parent
UNIFIED = ("/sys/fs/cgroup/unified", "/sys/fs/cgroup")
APART = ("unshare", "--mount", "--pid", "--cgroup", "--fork", "--kill-child")
RUNTIME = "/run/user/0"


def run_in_session(argv: Sequence[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command in the session of a new manager, in a control group of its own that is removed afterwards."""
    group = next(Path(place) for place in UNIFIED if Path(place, "cgroup.procs").exists()) / f"sayso-{os.getpid()}"
    group.mkdir()
    enters = f'echo $$ > {group}/cgroup.procs && exec "$@"'
    inside = [sys.executable, "-m", "tests.desktop_env.user_manager", *argv]
    try:
        return subprocess.run(
            ["sh", "-c", enters, "sh", *APART, *inside],
            cwd=ROOT, env=dict(environ), text=True, capture_output=True, check=False, timeout=4 * patience(),
        )  # fmt: skip
    finally:
        for folder, _, _ in os.walk(group, topdown=False):
            wait_for(lambda folder=folder: _remove(Path(folder)), "an empty control group")


def why_not() -> str:
    """Return why a manager cannot be started here; empty if it can."""
    if os.geteuid() != 0:
        return "only root can make the namespaces of a user manager"
    if not Path(MANAGER).exists():
        return "systemd is not installed"
    mounts = ("mount", "-t", "cgroup2", "none", "/sys/fs/cgroup")
    probe = subprocess.run([*APART, *mounts], capture_output=True, check=False)
    return f"no control groups can be mounted here: {probe.stderr.decode().strip()}" if probe.returncode else ""


def _remove(group: Path) -> bool:
    try:
        group.rmdir()
    except OSError:
        return False
    return True


def _mount(kind: str, place: str) -> None:
    subprocess.run(["mount", "-t", kind, "none", place], check=True)


def _is_up() -> bool:
    told = subprocess.run(["systemctl", "--user", "is-system-running"], capture_output=True, text=True, check=False)
    return told.stdout.strip() in {"running", "degraded"}


def main(argv: Sequence[str]) -> int:
    """Start the manager, run the command, and return its code; all ends with this process."""
    for kind, place in (("tmpfs", "/run"), ("cgroup2", "/sys/fs/cgroup"), ("proc", "/proc")):
        _mount(kind, place)
    Path("/run/systemd/system").mkdir(parents=True)
    Path(RUNTIME).mkdir(parents=True, mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = RUNTIME
    with subprocess.Popen([MANAGER, "--user", "--unit=default.target"], stdin=subprocess.DEVNULL) as manager:
        wait_for(_is_up, "the manager of the session")
        code = subprocess.run(argv, check=False).returncode
        manager.kill()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
