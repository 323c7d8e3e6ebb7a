"""Read the cases of the file operations, and run one on a world in memory."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sayso.core.codec import facts_json, step_json
from sayso.core.errors import SaysoError
from sayso.core.plan import Answer, Plan
from sayso.providers.files import FILES
from tests.providers.files.staged import HOME, MemoryStage

FOLDER = Path(__file__).parents[2] / "cases" / "files"
OPERATIONS = {operation.id: operation for operation in FILES.operations}


def cases(*operations: str) -> list[Any]:
    """Return the cases of these operations (of all when none is named), each with what it proves."""
    found: list[Any] = []
    for file in sorted(FOLDER.glob("*.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        if not operations or case["operation"] in operations:
            found.append(pytest.param(case, id=file.stem, marks=pytest.mark.req(*case["proves"])))
    return found


def world(case: Mapping[str, Any]) -> MemoryStage:
    """Plant the world of a case: a text is a file; an object a folder, a link or a file that is special."""
    stage = MemoryStage(options=case.get("settings", {}))
    for name, what in case["world"].items():
        path = f"{HOME}/{name}"
        match what:
            case str():
                stage.file(path, what.encode())
            case {"folder": device}:
                stage.folder(path, device)
                stage.disk.disks_without_trash |= {3} & {device}
            case {"link": target}:
                stage.link(path, target)
            case {"hex": data}:
                stage.file(path, bytes.fromhex(data))
            case {"program": text}:
                stage.file(path, text.encode())
                stage.change(path, mode=0o755)
            case {"names": names}:
                stage.file(path, b"shared\n")
                stage.change(path, names=names)
            case _:
                raise ValueError(f"{name}: {what}")
    return stage


async def outcome(case: Mapping[str, Any]) -> dict[str, Any]:
    """Run the operation of a case and return what came of it, as JSON; what a plan leaves empty is left out."""
    operation = OPERATIONS[case["operation"]]
    arguments, problems = operation.check(case["arguments"])
    assert problems == []
    stage = world(case)
    before = stage.tree()
    try:
        found = await operation.function(stage.backend().reads, **arguments)
    except SaysoError as problem:
        return {"error": str(problem), "code": problem.code, "is": type(problem).__name__}
    assert stage.tree() == before
    if isinstance(found, Answer):
        return {"summary": found.summary, "data": found.data, "text": found.text}
    return _plan(found)


def _plan(plan: Plan) -> dict[str, Any]:
    shown = {
        "summary": plan.summary,
        "message": plan.said_when_done,
        "do": [step_json(change.do) for change in plan.changes],
        "undo": [step_json(change.undo) for change in plan.changes],
        "expects": [sorted(facts_json(change.expects)) for change in plan.changes],
        "loses": list(plan.loses),
        "asks": plan.asks,
        "warns": list(plan.warns),
        "preview": plan.preview.split("\n") if plan.preview else [],
        "data": dict(plan.data),
    }
    return json.loads(json.dumps({key: value for key, value in shown.items() if value not in ([], False, "")}))
