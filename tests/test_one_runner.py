"""Only the runner starts programs: nothing else in sayso has a way to, and none goes through a shell."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house import python_files

SOURCE = Path(__file__).parent.parent / "src" / "sayso"
MAY = {
    "providers/programs/run.py": "the runner",
    "providers/programs/supervisor.py": "the runner's small program, for what may run long",
    "providers/programs/detach.py": "the runner's small program, for what stays",
    "providers/mcp/keeper.py": "a small program that the runner starts, for a server that several processes use",
    "providers/browser/cdp/broker.py": "a small program that the runner starts, for a browser that is told by a pipe",
    "testing/macos/osascript.py": "what stands in for osascript in tests, which starts a JavaScript engine",
    "surfaces/cli/editor.py": "the person's own editor, on their own terminal",
}
MODULES = {"subprocess", "multiprocessing", "pty", "webbrowser", "popen2", "commands", "sh", "plumbum"}
OS = ("system", "popen", "exec", "spawn", "posix_spawn", "fork", "startfile")
ANYIO = {"run_process", "open_process", "to_process", "create_subprocess_exec", "create_subprocess_shell"}
CONCURRENT = {"ProcessPoolExecutor", "subprocess_exec", "subprocess_shell"}


def ways_to_start_a_program(source: str) -> Iterator[str]:
    """Yield what in this source could start a program."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names):
                yield from (name.name for name in names if name.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (name.name for name in names if starts(name.name, module))
            case ast.Attribute(attr=name):
                if starts(name, "os") if is_named(node.value, "os") else name in ANYIO | CONCURRENT:
                    yield name
            case ast.keyword(arg="shell", value=ast.Constant(value=True)):
                yield "shell=True"
            case ast.Constant(value="subprocess"):
                yield "subprocess"
            case _:
                pass


def starts(name: str, module: str) -> bool:
    """Say whether this name of a module starts a program."""
    if module.partition(".")[0] in MODULES:
        return True
    return name in ANYIO | CONCURRENT or (module in {"os", "posix"} and name.startswith(OS))


def is_named(node: ast.expr, name: str) -> bool:
    """Say whether an expression is this module."""
    return isinstance(node, ast.Name) and node.id == name


@pytest.mark.req("AP-07", "X-07", "S0-53", "SE-04")
def test_only_the_runner_and_the_editor_start_programs():
    starting = {
        str(file.relative_to(SOURCE)): found
        for file in python_files(SOURCE, ".")
        if (found := sorted(set(ways_to_start_a_program(file.read_text(encoding="utf-8")))))
    }

    assert set(starting) <= set(MAY), starting
    assert "shell=True" not in {way for ways in starting.values() for way in ways}


@pytest.mark.parametrize(
    "planted",
    [
        "import subprocess",
        "import subprocess as quiet",
        "from subprocess import run",
        "import asyncio\nasync def a(): await asyncio.create_subprocess_exec('x')",
        "import asyncio.subprocess\nasyncio.create_subprocess_shell('x')",
        "import anyio\nasync def a(): await anyio.run_process(['x'])",
        "from anyio import open_process",
        "import os\nos.system('x')",
        "import os\nos.execvp('x', [])",
        "import os\nos.spawnl(0, 'x')",
        "from os import posix_spawn",
        "from os import popen",
        "import pty",
        "import multiprocessing.context",
        "f(shell=True)",
        "__import__('subprocess')",
        "loop.subprocess_exec(None, 'x')",
    ],
)
def test_each_way_is_seen(planted: str):
    assert list(ways_to_start_a_program(planted))


@pytest.mark.parametrize("harmless", ["import os\nos.close(3)", "runner.run(call)", "path.open()", "'a subprocess'"])
def test_what_starts_nothing_is_not_seen(harmless: str):
    assert not list(ways_to_start_a_program(harmless))
