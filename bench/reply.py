"""A chat reply of many `json-action` blocks, in pieces of four characters, as models' interfaces send them."""

import json
from collections.abc import Iterator

PIECE = 4
BLOCK = 1_000
"""Characters of a block with the text before it: 200 of them make a reply of 200 kB."""
FEW = 20
"""Blocks for those who take a second for so many."""
MOSTLY_BLOCKS, HALF, MOSTLY_TEXT = 120, 480, 860
"""How much of that is text for the person."""

_TEXT = "Here is what I would do next about order {n}, before the week ends and the others are back. "
_SAID = "Write to the printers about order {n} and ask for the price of 200 copies; "


def reply(blocks: int, text: int) -> str:
    """Return a reply with so many blocks, `text` characters before each."""
    return "".join(_part(n, text) for n in range(blocks))


def pieces(text: str) -> list[str]:
    """Cut a reply as it comes in."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _part(n: int, text: int) -> str:
    label = f"Add the call to the printers about order {n}"
    around = len(json.dumps({"type": "add_task", "text": "", "label": label})) + len("```json-action\n\n```\n\n\n\n")
    said = _filled(_SAID.format(n=n), BLOCK - text - around)
    action = json.dumps({"type": "add_task", "text": said, "label": label})
    return f"{_filled(_TEXT.format(n=n), text)}\n\n```json-action\n{action}\n```\n\n"


def _filled(said: str, length: int) -> str:
    return (said * (length // len(said) + 1))[:length].rstrip().ljust(length, ".")


def actions(text: str) -> Iterator[str]:
    """Yield the text of each task that a reply proposes, found without any reader."""
    for line in text.splitlines():
        if line.startswith('{"type"'):
            yield json.loads(line)["text"]
