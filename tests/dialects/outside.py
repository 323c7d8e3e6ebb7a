"""What of a chat reply stands outside its blocks: a second reading of fences, whole lines at a time, for plain replies.

It knows no streaming and none of sayso's code; it is held against what a reader shows of each beginning of a reply.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[\w.+-]*)")
_ODD = re.compile(r"```|~~~")


@dataclass(frozen=True)
class Outside:
    """The text outside of blocks, without blanks and newlines, and where its end stands."""

    said: str
    place: str
    """`text`, `code` in an ordinary code fence, or `block` in a block that is still open."""


def is_plain(text: str) -> bool:
    """Say whether all fences of a reply have a line of their own, and no other line holds their signs."""
    lines = [line.strip(" \t\r") for line in text.split("\n")]
    return not re.match(r"\s*[{\[]", text) and all(
        _FENCE.fullmatch(line) or not (_ODD.search(line) or line.endswith("`")) for line in lines
    )


def outside(beginning: str, tags: frozenset[str]) -> Outside:
    """Return what of a beginning of a plain reply is for the person; `tags` are those of blocks."""
    kept: list[str] = []
    mark, block = "", ""
    *lines, last = beginning.split("\n")
    held: list[str] = []
    for line in lines:
        bare = line.strip(" \t\r")
        fence = _FENCE.fullmatch(bare)
        if not mark:
            mark, block = (fence["mark"], fence["info"] if fence["info"] in tags else "") if fence else ("", "")
        elif fence and not fence["info"] and fence["mark"].startswith(mark):
            if block == "json" and not is_envelope("\n".join(held[1:])):
                kept += [*held, line]
            mark, held = "", []
            kept += [] if block else [line]
            block = ""
            continue
        (held if block else kept).append(line)
    place = "block" if block else "code" if mark else "text"
    said = "\n".join(kept if block else [*kept, last])
    return Outside("".join(said.split()), place)


def is_envelope(content: str) -> bool:
    """Say whether a `json` block is an envelope of actions, or would be one but for a fault in its JSON."""
    try:
        value: Any = json.loads(content)
    except ValueError:
        return re.search(r"actions\W{1,3}\[.*templateId", content, re.DOTALL) is not None
    if not isinstance(value, dict):
        return False
    members = cast("dict[str, Any]", value)
    actions = members.get("actions")
    if actions == []:
        return members.keys() <= {"type", "actions", "content"}
    return isinstance(actions, list) and "templateId" in str(cast("object", actions))


def may_begin_a_block(held: str, tags: frozenset[str]) -> bool:
    """Say whether what a reader holds back, without blanks, can still become the opening line of a block."""
    marks = re.match(r"`+|~+", held)
    run = marks.end() if marks else 0
    return not held or (
        run > 0 and (held[run:] == "" or (run >= 3 and any(tag.startswith(held[run:]) for tag in tags)))
    )


def beginnings(text: str) -> Iterator[str]:
    """Yield every beginning of a text."""
    for end in range(1, len(text) + 1):
        yield text[:end]
