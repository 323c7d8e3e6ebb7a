"""Whatever Python sayso starts, or has started for it, takes its modules from nowhere but where they are installed."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.providers.accounts.keyring import Keyring
from sayso.providers.programs.own_python import LOADS_CODE, module_command
from sayso.providers.programs.run import ProgramCall, ProgramRunner, launch
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.trigger_host import of_person
from sayso.templates.library import load_file
from sayso.templates.runner import create_action
from tests.desktop_env import user_manager
from tests.desktop_env.session import wait_for
from tests.house import python_files
from tests.patience import patience
from tests.surfaces.cli.person import sayso
from tests.templates.actions import handled

SOURCE = Path(__file__).parent.parent / "src" / "sayso"
MAY = {"providers/programs/own_python.py"}
INTERPRETER = {"executable", "_base_executable", "orig_argv"}
WORDS = re.compile(r"-m|-[IPE]+|python\d[\d.]*")
"""Words that are said to an interpreter, or are its name."""


def ways_to_name_python(source: str) -> Iterator[str]:
    """Yield what in this source names the interpreter, or says something to it."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name, value=ast.Name(id="sys")) if name in INTERPRETER:
                yield f"sys.{name}"
            case ast.ImportFrom(module="sys", names=names):
                yield from (f"sys.{name.name}" for name in names if name.name in INTERPRETER)
            case ast.Constant(value=str(word)) if WORDS.fullmatch(word):
                yield word
            case _:
                pass


def test_only_one_module_names_the_interpreter():
    naming = {
        str(file.relative_to(SOURCE)): found
        for file in python_files(SOURCE, ".")
        if (found := sorted(set(ways_to_name_python(file.read_text(encoding="utf-8")))))
    }

    assert set(naming) == MAY, naming


@pytest.mark.parametrize(
    "planted",
    [
        "import sys\nrun([sys.executable, 'x'])",
        "from sys import executable",
        "import sys as s\nf(s.executable, '-m', 'sayso')",
        "ProgramCall('python3', ('x.py',))",
        "words = ('-I', file)",
    ],
)
def test_each_way_is_seen(planted: str):
    assert list(ways_to_name_python(planted))


PLANTED = ("json", "msgspec", "anyio", "re", "os", "site", "keyring", "select", "sitecustomize", "usercustomize")
CATCHES = 'import os\nopen({file!r}, "a").write(__name__ + chr(10))\nraise SystemExit(77)\n'


@pytest.fixture
def planted(scratch_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder and home of a person, full of modules that are named like libraries.

    The variables of the environment that lead Python to modules lead there too.
    """
    says = CATCHES.format(file=str(scratch_home / "caught"))
    for name in PLANTED:
        (scratch_home / f"{name}.py").write_text(says)
    (scratch_home / "sayso").mkdir()
    (scratch_home / "sayso" / "__init__.py").write_text(says)
    monkeypatch.chdir(scratch_home)
    return scratch_home


def caught(folder: Path) -> str:
    """Return the names of the planted modules that were imported."""
    file = folder / "caught"
    return file.read_text() if file.exists() else ""


def a_runner(folder: Path) -> ProgramRunner:
    """Return a runner of a process whose environment leads Python to the planted modules."""
    environ = {**os.environ, "PYTHONPATH": str(folder), "PYTHONSTARTUP": str(folder / "json.py")}
    return ProgramRunner(environ, RandomIds())


def test_the_planted_modules_are_caught_where_python_is_not_isolated(planted: Path):
    subprocess.run([sys.executable, "-m", "sayso", "--version"], check=False, timeout=patience())

    assert caught(planted) == "sayso\n"


def test_the_command_of_the_service_imports_nothing_of_the_folder_it_starts_in(planted: Path):
    lines = of_person(os.environ).content.decode().splitlines()
    unit = dict(line.split("=", 1) for line in lines if "=" in line)
    environ = {**os.environ, "PYTHONPATH": str(planted), "PYTHONSTARTUP": str(planted / "json.py")}

    argv = [*shlex.split(unit["ExecStart"]), "--once", "--json"]
    ran = subprocess.run(argv, env=environ, capture_output=True, check=False, timeout=patience())

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert caught(planted) == ""
    assert unit["WorkingDirectory"] == "/"
    assert {"LD_PRELOAD", "LD_AUDIT", "PYTHONPATH", "PYTHONSTARTUP"} < set(unit["UnsetEnvironment"].split())


async def test_what_asks_the_keyring_imports_nothing_of_them(planted: Path):
    assert (await Keyring(a_runner(planted)).there()).how in {"there", "none"}
    assert caught(planted) == ""


async def test_a_handler_and_what_supervises_it_import_nothing_of_them(planted: Path):
    template = load_file(create_action(planted / "own" / "actions", "mine").file)

    ended = await handled(template, params=template.fill_parameters({"whom": "Ana"}))
    kept = await a_runner(planted).run(ProgramCall("true", kept=True, whole=True, folder=str(planted)))

    assert (ended.error, kept.code) == (None, 0)
    assert caught(planted) == ""


async def test_what_starts_a_program_that_stays_imports_nothing_of_them(planted: Path):
    stays = ProgramCall("touch", (str(planted / "started"),), whole=True, folder=str(planted))

    await launch(a_runner(planted), stays)

    wait_for((planted / "started").exists)
    assert caught(planted) == ""


def test_the_server_for_agents_imports_nothing_of_the_folder_that_an_agent_starts_it_in(planted: Path):
    program = shutil.which("sayso", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("sayso is not installed as a program beside this Python")

    ran = subprocess.run([program, "mcp"], input=b"", capture_output=True, check=False, timeout=patience())

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert caught(planted) == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_starts_no_program_of_sayso(shell: str):
    script = sayso("completion", shell).out

    assert not re.search(r"python|\$\(sayso|`sayso|sayso __", script)


def test_the_environment_of_python_is_not_read(tmp_path: Path):
    shows = "import sys, json; print(json.dumps([sys.flags.ignore_environment, sys.flags.safe_path]))"
    (tmp_path / "this.py").write_text("raise SystemExit('planted')")

    python, *options, _, _ = module_command("this")
    said = subprocess.run(
        [python, *options, "-c", shows], cwd=tmp_path, capture_output=True, check=True, env={"PYTHONPATH": "."}
    )

    assert json.loads(said.stdout) == [1, True]
    assert "PYTHONPATH" in LOADS_CODE


SESSION = """
set -e
script -qec "$SAYSO service install" /dev/null > installed.txt
until $SAYSO doctor --json | grep -q "is installed: "
do test -e "/proc/$(systemctl --user show -P MainPID sayso)"; done
systemd-analyze --user verify .config/systemd/user/sayso.service
pid=$(systemctl --user show -P MainPID sayso)
grep -E "^(Umask|NoNewPrivs|Seccomp):" "/proc/$pid/status"
readlink "/proc/$pid/cwd"
tr '\\0' '\\n' < "/proc/$pid/environ" | grep -cE "^(PYTHONPATH|LD_PRELOAD)=" || true
$SAYSO service remove
"""


@pytest.mark.needs(*user_manager.NEEDED)
def test_a_real_user_manager_runs_the_service_which_imports_nothing_of_the_persons_home(planted: Path):
    if why := user_manager.why_not():
        pytest.skip(why)
    own = planted.parent / "sayso"
    own.mkdir(mode=0o700)
    (own / "config.toml").write_text('[[trigger]]\nname="n"\nsays="Over"\nschedule="0 0 * * *"\nwords="x"\n')
    environ = {**os.environ, "SAYSO": shlex.join(module_command("sayso"))}
    environ.pop("XDG_CONFIG_HOME", None)
    sets = f"systemctl --user set-environment PYTHONPATH={shlex.quote(str(planted))}"

    ran = user_manager.run_in_session(["sh", "-c", f"{sets}; cd ~\n{SESSION}"], environ)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines() == [
        "Umask:\t0077",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
        "/",
        "0",
        "✓ the service is ended and removed; your triggers stay",
    ]
    assert caught(planted) == ""
