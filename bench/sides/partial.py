"""Read a short reply so many times with a parser of unfinished JSON, which sees only the open block, at each piece."""

import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from bench.reply import FEW, MOSTLY_BLOCKS, pieces, reply
from bench.serving import serve

Parser = Callable[[str], Any]
OPENING, CLOSING = "```json-action\n", "\n```"


def parser(name: str) -> Parser:
    """Return a parser by the name of its package; each takes the beginning of an object and returns what it holds."""
    module: Any = import_module(MODULES[name])
    match name:
        case "jiter":
            return lambda text: module.from_json(text.encode(), partial_mode="trailing-strings")
        case "langchain-core":
            return module.parse_partial_json
        case _:
            return module.loads


MODULES = {
    "jiter": "jiter",
    "partial-json-parser": "partial_json_parser",
    "langchain-core": "langchain_core.utils.json",
    "json-repair": "json_repair",
}


def read(parts: Sequence[str], parse: Parser) -> int:
    """Tell text as it comes and look into the open block at each piece; return how many blocks there were."""
    shown: list[str] = []
    found: list[Any] = []
    held, inside = "", False
    for part in parts:
        held += part
        if inside:
            end = held.find(CLOSING, max(0, len(held) - len(part) - len(CLOSING)))
            if end < 0:
                parse(held.rstrip("`"))
                continue
            found.append(json.loads(held[:end]))
            held, inside = held[end + len(CLOSING) :], False
        elif (begin := held.find(OPENING)) >= 0:
            shown.append(held[:begin])
            held, inside = held[begin + len(OPENING) :], True
        elif "`" not in held:
            shown.append(held)
            held = ""
    return len(found)


def main(name: str) -> None:
    """Read the reply n times; the answer is how many blocks were found."""
    parse, parts = parser(name), pieces(reply(FEW, MOSTLY_BLOCKS))
    serve(lambda n: sum(read(parts, parse) for _ in range(n)))


if __name__ == "__main__":
    main(sys.argv[1])
