"""The stand-in for `osascript`: it runs a script in a JavaScript engine, over the simulated Mac of a folder.

It is a program of its own that needs nothing but Python's library, and is started as `osascript.py FOLDER ARGUMENT…`.
The engine asks it for what JavaScript cannot do, such as to move a file, by one line of JSON on its standard output.
"""

import base64
import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Table = dict[str, Any]
"""An object of JSON."""
RUNTIME = Path(__file__).with_name("runtime")
ASKING = r"""
const ascii = (value) => JSON.stringify(value)
    .replace(/[^ -~]/g, (one) => "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
const host = (asked) => { emit(ascii(asked)); return JSON.parse(take()); };
"""
ENGINES = {"jsc": ("jsc",), "node": ("node",)}
ENGINE = "SIMULATED_MAC_ENGINE"
"""The environment variable with the name of the engine; `jsc` where it is not set."""
FAILED = 1


def main(folder: Path, arguments: list[str]) -> int:
    """Run a script as `osascript` would, and return its exit code."""
    language, scripts, rest = read_arguments(arguments)
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = json.loads((folder / "state.json").read_text())
        state["calls"].append(["osascript", *arguments])
        if language != "JavaScript":
            write_state(folder, state)
            return applescript(state, "\n".join(scripts))
        write_state(folder, state)
        answer = run("\n".join(scripts), rest, state, folder)
        write_state(folder, answer["state"])
    code, output, error = result_of(answer)
    sys.stderr.write(error)
    sys.stdout.write(output)
    return code


def result_of(answer: Table) -> tuple[int, str, str]:
    """Return the exit code, the output and the error of `osascript` for what the engine returned."""
    if "error" in answer:
        return FAILED, "", f"0:0: execution error: Error: {answer['error']} ({answer['number']})\n"
    return 0, answer["result"] + "\n", ""


def read_arguments(arguments: list[str]) -> tuple[str, list[str], list[str]]:
    """Return the language, the scripts, and the arguments of the script."""
    language, scripts, rest = "AppleScript", list[str](), list(arguments)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if option == "-l":
            language = rest.pop(0)
        elif option == "-e":
            scripts.append(rest.pop(0))
        else:
            raise SystemExit(f"osascript: illegal option -- {option[1:]}")
    if not scripts and rest:
        scripts.append(Path(rest.pop(0)).read_text(encoding="utf-8"))
    return language, scripts, rest


def applescript(state: Table, script: str) -> int:
    """Answer an AppleScript with what the simulation was told to answer; it does not run the language."""
    known = state["applescripts"].get(script)
    if known is None:
        sys.stderr.write("0:0: syntax error: the simulator runs no AppleScript (-2740)\n")
        return FAILED
    time.sleep(known.get("seconds", 0))
    sys.stdout.write(known.get("output", ""))
    sys.stderr.write(known.get("error", ""))
    return known.get("code", 0)


def run(script: str, argv: list[str], state: Table, folder: Path) -> Table:
    """Run the script in the engine and return its result or error, and the state after it."""
    program = folder / f"program-{os.getpid()}.js"
    engine = os.environ.get(ENGINE) or (folder / "engine").read_text().strip()
    text = driver(engine, script, argv, state, json.loads((folder / "tables.json").read_text()))
    program.write_text(text, encoding="ascii")
    process = subprocess.Popen(
        [*ENGINES[engine], str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    try:
        return converse(process, folder)
    finally:
        program.unlink()
        process.communicate()


def converse(process: subprocess.Popen[str], folder: Path) -> Table:
    """Answer the engine until it has returned the result of the script."""
    asking, answering = process.stdout, process.stdin
    if asking is None or answering is None:
        raise SystemExit("osascript: the engine has no pipes")
    for line in asking:
        asked: Table = json.loads(line)
        if "state" in asked:
            return asked
        answering.write(json.dumps(serve(asked, folder)) + "\n")
        answering.flush()
    raise SystemExit("osascript: the engine ended without a result")


def driver(engine: str, script: str, argv: list[str], state: Table, tables: Table) -> str:
    """Return the program for the engine: the simulation, then the script, which sees only what JXA has."""
    data = json.dumps({"state": state, "tables": tables, "argv": argv, "script": script, "body": body()})
    return f"const IT = JSON.parse({json.dumps(data)});\n" + (RUNTIME / "engines" / f"{engine}.js").read_text()


def body() -> str:
    """Return the body of the function that makes a simulation."""
    names = ("objects", "standard", "objc", *sorted(file.stem for file in (RUNTIME / "apps").glob("*.js")), "main")
    parts = [
        (RUNTIME / ("apps" if (RUNTIME / "apps" / f"{name}.js").exists() else ".") / f"{name}.js") for name in names
    ]
    runtime = "\n".join(part.read_text(encoding="utf-8") for part in parts)
    return f"{ASKING}\n{runtime}\nreturn {{ globals, begin, finish, ascii }};"


def serve(asked: Table, folder: Path) -> Table:
    """Do what JavaScript cannot do, and return the answer."""
    match asked["ask"]:
        case "sleep":
            time.sleep(asked["seconds"])
            return {}
        case "read":
            try:
                return {"text": Path(asked["path"]).read_text(encoding="utf-8")}
            except OSError:
                return {"text": None}
        case "base64":
            return {"base64": base64.b64encode(asked["text"].encode("utf-8", "surrogatepass")).decode()}
        case "text":
            return {"text": base64.b64decode(asked["base64"]).decode("utf-8", "surrogatepass")}
        case "trash":
            return trash(Path(asked["path"]), folder, renames=bool(asked.get("renames")))
        case other:
            raise SystemExit(f"osascript: the simulator cannot {other}")


def trash(path: Path, folder: Path, *, renames: bool) -> Table:
    """Move a file into the simulated Trash, under another name where one of its name is there, as macOS does."""
    into = folder / "home" / ".Trash"
    into.mkdir(parents=True, exist_ok=True)
    if not os.path.lexists(path):
        return {"why": f"“{path.name}” couldn’t be moved to the trash because it doesn’t exist.", "code": 4}
    target, number = into / (f"another {path.name}" if renames else path.name), 1
    while os.path.lexists(target):
        number += 1
        target = into / f"{path.stem} {number}{path.suffix}"
    try:
        path.rename(target)
    except OSError as error:
        return {"why": error.strerror, "code": 513}
    return {"path": str(target)}


def write_state(folder: Path, state: Table) -> None:
    """Write the state in one piece."""
    new = folder / f"state.{os.getpid()}"
    new.write_text(json.dumps(state))
    new.replace(folder / "state.json")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
