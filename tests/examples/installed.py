"""Put the example package beside sayso, as an installer would: its sources and its entry point on the path."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.house import ROOT

LAMPS = ROOT / "examples" / "lamps"


def beside_sayso(package: Path, folder: Path) -> str:
    """Write what an installer writes about `package` into `folder`; return the PYTHONPATH that finds both."""
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, "utf-8")
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n{name} = {where}\n" for group, names in groups for name, where in names.items()]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    return f"{package / 'src'}{os.pathsep}{folder}"


def python(*words: str, path: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run this Python without a terminal, in the environment of the test and what else is named."""
    own = {**os.environ, **environ, **({"PYTHONPATH": path} if path else {})}
    return subprocess.run(
        [sys.executable, *words],
        env=own,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
