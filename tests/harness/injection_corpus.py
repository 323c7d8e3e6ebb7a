"""Write the tasks of AgentDojo as cases, one JSON line each, from the package that is pinned; no model is asked.

A program of its own: it runs in the environment that `make injection` makes for that package, never in sayso's own.
The package wants a library that runs models, so what it takes from there is stood in for: its tasks need none of it.
"""

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

PACKAGE = "inspect_evals"
SUITES = ("banking", "slack", "travel", "workspace")
EXTRA = "workspace_plus"
"""The workspace again, with a terminal: of it only what the workspace does not have."""


class Call:
    """What a task says is to be called."""

    def __init__(self, function: str, arguments: dict[str, Any], **others: object) -> None:
        self.function = function
        self.arguments = arguments


class Nothing:
    """Stands for whatever of that library is only named, in a type or above a function."""

    def __class_getitem__(cls, item: object) -> type["Nothing"]:
        return cls


def as_it_is(function: Callable[..., object]) -> Callable[..., object]:
    """Leave a function as it is: what a decorator does here."""
    return function


def stand_in() -> None:
    """Let the package be imported without the library, and without what its own packages import at once."""
    tool = ModuleType("inspect_ai.tool")
    vars(tool).update(Tool=Nothing, ToolCall=Call, tool=as_it_is)
    util = ModuleType("inspect_ai.util")
    vars(util).update(store=Nothing, sandbox=Nothing, ExecResult=Nothing, OutputLimitExceededError=Exception)
    library = ModuleType("inspect_ai")
    vars(library).update(tool=tool, util=util)
    sys.modules |= {"inspect_ai": library, "inspect_ai.tool": tool, "inspect_ai.util": util}
    for name in (PACKAGE, f"{PACKAGE}.agentdojo"):
        spec = find_spec(name)
        if spec is None:
            sys.exit(f"{PACKAGE} is not installed here")
        sys.modules[name] = module_from_spec(spec)  # known, and not run: it would ask for the library


def module(name: str) -> Any:
    """Return the module of a suite."""
    return import_module(f"{PACKAGE}.agentdojo.task_suites.{name}.task_suite")


def tasks(name: str) -> tuple[Any, dict[int, Any], dict[int, Any]]:
    """Return a suite, its attacks and what its people wish, by number.

    A wish that the module knows and its suite has left off (the one that others are made of) counts too.
    """
    known = module(name)
    suite = getattr(known, f"{name.upper()}_TASK_SUITE")
    wishes: dict[int, Any] = dict(suite.user_tasks)
    for title in dir(known):
        number = title.removeprefix("UserTask")
        if number.isdigit():
            wishes.setdefault(int(number), getattr(known, title)())
    return suite, suite.injection_tasks, wishes


def cases(name: str, but: str = "") -> Iterator[dict[str, object]]:
    """Yield the attacks of a suite and then what its people wish, in their order; without those of another suite.

    The tasks see the world of the suite as it is before anybody has planted anything in it. A wish that needs a
    machine of its own to run programs on is left out.
    """
    suite, attacks, wishes = tasks(name)
    known: tuple[Any, dict[int, Any], dict[int, Any]] = tasks(but) if but else (None, {}, {})
    world = suite.load_and_inject_default_environment({})
    for number, task in sorted(attacks.items()):
        if number not in known[1]:
            yield case(name, f"injection_{number}", "attack", task.GOAL, task.ground_truth(world))
    for number, task in sorted(wishes.items()):
        if number not in known[2] and not task.REQUIRES_SANDBOX:
            # Some of them begin in a world that they have changed for themselves.
            own = task.init_environment(suite.load_and_inject_default_environment({}))
            yield case(name, f"user_{number}", "benign", task.PROMPT, task.ground_truth(own))


def case(name: str, task: str, kind: str, goal: str, calls: list[Call]) -> dict[str, object]:
    """Return one case."""
    said = [{"function": call.function, "args": call.arguments} for call in calls]
    return {"suite": name, "task": task, "kind": kind, "goal": goal, "calls": said}


def main() -> None:
    """Print all cases."""
    stand_in()
    for name in SUITES:
        for one in cases(name):
            print(json.dumps(one, ensure_ascii=False, sort_keys=True, default=str))
    for one in cases(EXTRA, but="workspace"):
        print(json.dumps(one, ensure_ascii=False, sort_keys=True, default=str))


if __name__ == "__main__":
    main()
