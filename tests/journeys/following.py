"""A model that knows nothing but the notes it is given: it says things in any dialect, and follows a note."""

import json
import re

from sayso.assembly import Home
from sayso.core.ports import Approver
from sayso.dialects.base import FeedbackNote
from sayso.runtime.results import Report

INSTEAD = "Write this instead:\n"


def block(*texts: str) -> str:
    return "Sure.\n" + "".join(f"```json-action\n{text}\n```\n" for text in texts)


def actions(*texts: str) -> str:
    return f'```json\n{{"actions": [{", ".join(texts)}]}}\n```\n'


def commands(*texts: str) -> str:
    return f'{{"commands": [{", ".join(texts)}], "needs_clarification": false, "clarification_reason": null}}'


def plain(*texts: str) -> str:
    return "\n".join(texts)


def calls(*texts: str) -> str:
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


WRAP = {"lines": plain, "tools": calls, "blocks": block, "actions": actions, "commands": commands}
"""How single proposals become a reply of their dialect."""


def follow(dialect: str, sentence: str) -> str:
    """Return what a model writes that knows nothing but this sentence."""
    if INSTEAD in sentence:
        return sentence.partition(INSTEAD)[2]
    told, _, form = sentence.rpartition("Write it again")
    place, _, form = form.partition(": ")
    key = re.search(r"as “(\w+)”", place)
    if key is None:
        return WRAP[dialect](form.replace("whole number", "1"))
    meant = (
        re.search(r"id ([\w-]+)\)", told)
        or re.search(r"Close names: “([^”]+)”", told)
        or re.search(r"did you mean “([^”]+)”", told)
        or re.search(r"Available templates: (\w+)", told)
    )
    assert meant is not None, sentence
    value = json.dumps(meant.group(1))
    if dialect == "lines":
        return form.replace(f'"{key.group(1)}"', value).replace(" " + key.group(1), " " + value)
    said = form.replace(f'"{key.group(1)}": text', f'"{key.group(1)}": {value}')
    return said if dialect == "actions" else WRAP[dialect](said)


async def turn(
    home: Home, dialect: str, text: str, approver: Approver | None = None, *, dry_run: bool = False
) -> tuple[Report, tuple[FeedbackNote, ...]]:
    """Take one reply down the path, and return what becomes of it with the notes for the next turn."""
    report = await home.run(text, dialect, approver=approver, dry_run=dry_run, session="chat")
    return report, home.notes_for(home.read(text, dialect), report)
