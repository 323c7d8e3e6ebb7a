"""The stand-ins for other programs of a Mac: each notes how it was called and does the least that is seen of it.

It is a program of its own, started as `programs.py FOLDER PROGRAM ARGUMENT…`.
"""

import fcntl
import json
import plistlib
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Table = dict[str, Any]
WORDS_PER_SECOND = 3
FAILED = 1
FIRST_PID, FIRST_START = 5_000_000, 1_790_000_000
"""No process of the machine that runs the tests has such an id."""


def main(folder: Path, program: str, arguments: list[str]) -> int:
    """Do what the program would do, and return its exit code."""
    given = sys.stdin.read() if program == "say" else ""
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = folder / "state.json"
        state: Table = json.loads(file.read_text(encoding="utf-8"))
        state["calls"].append([program, *arguments])
        does: dict[str, Callable[[Table, list[str], str], tuple[int, float]]] = {
            "open": open_,
            "say": say,
            "shortcuts": shortcuts,
            "launchctl": launchctl,
        }
        code, seconds = does[program](state, arguments, given)
        new = folder / "state.new"
        new.write_text(json.dumps(state), encoding="utf-8")
        new.replace(file)
    time.sleep(seconds)
    return code


def open_(state: Table, arguments: list[str], given: str) -> tuple[int, float]:
    """Fail if there is nothing at the path, as `open` does; bring the application to the front if one is named."""
    path = arguments[-1]
    if path.startswith("/") and not Path(path).exists() and not any(app["path"] == path for app in state["apps"]):
        sys.stderr.write(f"The file {path} does not exist.\n")
        return FAILED, 0
    if "-a" in arguments:
        wanted = arguments[arguments.index("-a") + 1]
        found = next((app for app in state["apps"] if wanted in {app["path"], app["name"]}), None)
        if found is None:
            sys.stderr.write(f"Unable to find application named '{wanted}'\n")
            return FAILED, 0
        started(state, found["name"], () if found["running"] else (FIRST_WINDOW,))
    if "-R" in arguments:
        reveal(state, Path(path))
    return 0, 0


def reveal(state: Table, path: Path) -> None:
    """Have Finder show the folder of a path in a window in front, with what is at the path selected."""
    finder = next(app for app in state["apps"] if app["name"] == "Finder")
    for app in state["apps"]:
        app["frontmost"] = app is finder
    state["counter"] += 1
    folder = {"#": "folder", "name": path.parent.name, "url": path.parent.as_uri() + "/"}
    finder["finderWindows"].insert(
        0,
        {"#": "finderWindow", "@": state["counter"], "id": state["counter"], "name": folder["name"], "target": folder},
    )
    finder["revealed"] = [{"#": "documentFile", "name": path.name, "url": path.as_uri()}]


FIRST_WINDOW = (100, 100, 800, 600)


def started(state: Table, name: str, windows: Sequence[tuple[int, int, int, int]], title: str = "") -> None:
    """Have an application run in front, with these windows besides those that it has."""
    for app in state["apps"]:
        app["frontmost"] = app["name"] == name
    app = next(app for app in state["apps"] if app["name"] == name)
    if not app["running"] or not app["pid"]:
        state["counter"] += 1
        app.update(running=True, pid=FIRST_PID + state["counter"], started=FIRST_START + state["counter"])
    for left, top, width, height in windows:
        state["counter"] += 1
        app["ui"].append(
            {
                "#": "window",
                "number": state["counter"],
                "name": title or name,
                "position": [left, top],
                "size": [width, height],
                "role": "AXWindow",
                "subrole": "AXStandardWindow",
            }
        )


def say(state: Table, arguments: list[str], given: str) -> tuple[int, float]:
    """Take as long as it takes to say the text."""
    state["spoken"].append(" ".join(arguments) or given)
    return 0, len(given.split()) / WORDS_PER_SECOND


def shortcuts(state: Table, arguments: list[str], given: str) -> tuple[int, float]:
    """List the shortcuts, or run one with the content of its input file."""
    match arguments:
        case ["list"]:
            sys.stdout.writelines(f"{name}\n" for name in state["shortcuts"])
            return 0, 0
        case ["run", *options, name] if name in state["shortcuts"]:
            shortcut: Table = state["shortcuts"][name]
            if options[:1] == ["--input-path"]:
                shortcut["input"] = Path(options[1]).read_bytes().decode()
            shortcut["runs"] = shortcut.get("runs", 0) + 1
            sys.stderr.write(shortcut.get("error", ""))
            return (FAILED if "error" in shortcut else 0), shortcut.get("seconds", 0)
        case _:
            sys.stderr.write("Error: The operation couldn’t be completed. Couldn’t find shortcut\n")
            return FAILED, 0


def launchctl(state: Table, arguments: list[str], given: str) -> tuple[int, float]:
    """Load an agent or end one; none is loaded while one of its name is, nor at once after that one was ended."""
    agents: Table = state["agents"]
    match arguments:
        case ["bootstrap", _, file]:
            label = str(plistlib.loads(Path(file).read_bytes()).get("Label", ""))
            if not label or label in agents:
                if label and agents[label] is None:
                    del agents[label]
                sys.stderr.write("Bootstrap failed: 5: Input/output error\n")
                return 5, 0
            agents[label] = Path(file).read_text(encoding="utf-8")
            return 0, 0
        case ["bootout", service] if agents.get(service.rpartition("/")[2]) is not None:
            agents[service.rpartition("/")[2]] = None
            return 0, 0
        case _:
            sys.stderr.write("Boot-out failed: 3: No such process\n")
            return 3, 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
