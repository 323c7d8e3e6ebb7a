"""Put words together as Markdown."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

MADE = "<!-- Made by `make reference`; change the code and not this page. -->"


def prose(name: str) -> str:
    """Return a text that stands beside this file, written by hand."""
    return Path(__file__).with_name(name).read_text("utf-8")


def cell(value: object) -> str:
    """Return a value as it may stand in a table."""
    return str(value).replace("|", "\\|").replace("\n", " ")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def code(text: object) -> str:
    """Return a short text as code; nothing stays nothing."""
    return f"`{text}`" if str(text) else ""


def fenced(text: str, language: str = "") -> str:
    """Return a block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def shown(document: object) -> str:
    """Return a JSON document as a block."""
    return fenced(json.dumps(document, ensure_ascii=False, indent=2), "json")


def page(title: str, *parts: str) -> str:
    """Return a whole page."""
    return "\n\n".join([MADE, f"# {title}", *(part.strip() for part in parts)]) + "\n"
