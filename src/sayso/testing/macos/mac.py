"""The simulated Mac: a folder with the state of its applications and programs that act on it."""

import json
import os
import shlex
import tomllib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from sayso.providers.programs.own_python import script_command
from sayso.testing.macos.programs import started

HERE = Path(__file__).parent
TABLES = HERE / "tables"
PROGRAMS = {
    "osascript": "osascript",
    "open": "programs",
    "say": "programs",
    "shortcuts": "programs",
    "launchctl": "programs",
}
"""The programs of this Mac, and the module that stands in for each."""
ENGINES = ("jsc", "node")
PLAIN = ("TextEdit", "Calculator")
"""Applications that are installed and that no script controls."""


class SimulatedMac:
    """A Mac whose state is in `folder`; its programs are found with `environ`.

    `engine` is the JavaScript engine that runs scripts: `jsc` or `node`.
    """

    through: ClassVar[tuple[str, ...]] = ()
    """A command that gets the one that stands in for `osascript`, and may answer a call in its place."""

    def __init__(self, folder: Path, engine: str = "jsc") -> None:
        self.folder = folder
        self.engine = engine
        self.home = folder / "home"
        self.bin = folder / "bin"
        for one in (self.home, self.bin):
            one.mkdir(parents=True)
        (folder / "engine").write_text(engine)
        tables = first_tables()
        (folder / "tables.json").write_text(tables)
        self._write(first_state(json.loads(tables).values()))
        for program, module in PROGRAMS.items():
            self._install(program, HERE / f"{module}.py", *(() if program == module else (program,)))

    @property
    def environ(self) -> Mapping[str, str]:
        """Return an environment in which the programs of this Mac are found before all others."""
        return self.environ_of(self.folder)

    @staticmethod
    def environ_of(folder: Path) -> Mapping[str, str]:
        """Return that environment for the Mac in this folder."""
        path = f"{folder / 'bin'}:{os.environ.get('PATH', os.defpath)}"
        return {"PATH": path, "HOME": str(folder / "home"), "LANG": "C.UTF-8"}

    @property
    def state(self) -> dict[str, Any]:
        """Return the whole state, as it is now."""
        return json.loads((self.folder / "state.json").read_text(encoding="utf-8"))

    def change(self, how: Callable[[dict[str, Any]], None]) -> None:
        """Change the state, as a person at this Mac would."""
        state = self.state
        how(state)
        self._write(state)

    def app(self, name: str) -> dict[str, Any]:
        """Return the record of an application."""
        return next(app for app in self.state["apps"] if app["name"] == name)

    def plant(self, name: str, **properties: object) -> None:
        """Set properties or elements of an application, such as `running=True`."""

        def planting(state: dict[str, Any]) -> None:
            next(app for app in state["apps"] if app["name"] == name).update(properties)

        self.change(planting)

    def install(self, name: str, folder: str = "/Applications", bundle: str = "") -> None:
        """Install an application of which only name, place and windows can be seen; it is controlled by nobody."""
        app = installed({"name": name, "bundle": bundle or f"org.example.{name}", "folder": folder, "plain": True})
        self.change(lambda state: state["apps"].append(app))

    def run(self, name: str, *windows: tuple[int, int, int, int], title: str = "") -> None:
        """Have an application run in front, with windows at left, top, width and height."""
        self.change(lambda state: started(state, name, windows, title))

    def windows(self, name: str) -> list[dict[str, Any]]:
        """Return the windows of an application, in the order in which System Events lists them."""
        return self.app(name)["ui"]

    def fault(self, app: str, fault: str, **details: object) -> None:
        """Have an application fail from now on.

        `fault` is `denied`, `hang` (with `seconds`, it is slow to say so), `swallow`, `stale`, `reorder`, `slow` (with
        `seconds`) or `number` (with `number`, and `once` for one call only); `on` limits it to one command, and `after`
        is how many calls still work.
        """
        self.change(lambda state: state["faults"].append({"app": app, "fault": fault, "after": 0, **details}))

    def copy(self, text: str, **types: str) -> None:
        """Put a text on the clipboard, and further types with their data in base64; `_` stands for `.` in a type."""
        item = {"public.utf8-plain-text": b64encode(text.encode()).decode()}
        item |= {type_.replace("_", "."): data for type_, data in types.items()}
        self.change(lambda state: state["clipboard"].update(items=[item]))

    @property
    def clipboard(self) -> str:
        """Return the text of the clipboard; empty if it has none."""
        items = self.state["clipboard"]["items"]
        return b64decode(items[0].get("public.utf8-plain-text", "")).decode() if items else ""

    @property
    def calls(self) -> list[list[str]]:
        """Return the argument vectors of all programs that were run, in order."""
        return self.state["calls"]

    @property
    def unknown(self) -> list[str]:
        """Return what scripts named and the tables do not have; a test is wrong if there is anything."""
        return self.state["unknown"]

    def _write(self, state: dict[str, Any]) -> None:
        (self.folder / "state.json").write_text(json.dumps(state), encoding="utf-8")

    def _install(self, program: str, file: Path, *words: str) -> None:
        through = self.through if program == "osascript" else ()
        command = shlex.join((*through, *script_command(str(file), str(self.folder), *words)))
        path = self.bin / program
        path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        path.chmod(0o755)


@cache
def first_tables() -> str:
    """Return the tables of all applications, by their names, as JSON."""
    tables = [tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted(TABLES.glob("*.toml"))]
    return json.dumps({table["name"]: table for table in tables})


def installed(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of an application that is installed and does not run."""
    return {
        "#": "application",
        "name": table["name"],
        "bundle": table["bundle"],
        "path": f"{table.get('folder', '/System/Applications')}/{table['name']}.app",
        "running": table.get("running", False),
        "pid": 0,
        "frontmost": False,
        "started": 0,
        "ui": [],
        **({"kind": "plain"} if table.get("plain") else {}),
        **table.get("start", {}),
    }


def first_state(tables: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the state of a Mac on which the applications of the tables are installed and none is running."""
    plain = ({"name": name, "bundle": f"com.apple.{name}", "plain": True} for name in PLAIN)
    apps = [installed(table) for table in (*tables, *plain)]
    return {
        "apps": apps,
        "counter": 0,
        "faults": [],
        "log": [],
        "calls": [],
        "unknown": [],
        "applescripts": {},
        "clipboard": {"items": [], "changes": 1},
        "notifications": [],
        "spoken": [],
        "volume": {"level": 50, "muted": False},
        "shortcuts": {},
        "agents": {},
        "accessibility": True,
        "idle": 3.5,
        "monitors": [{"name": "Built-in Display", "edges": [0, 0, 1920, 1080]}],
    }
