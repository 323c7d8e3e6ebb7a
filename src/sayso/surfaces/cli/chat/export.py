"""Write a conversation with its outcomes into a new Markdown file that only the person can read."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from sayso.assembly import Home
from sayso.core.conversation import Exchange
from sayso.core.errors import SetupError
from sayso.core.quotes import quoted, visible
from sayso.core.record import Record
from sayso.surfaces.cli.render import SIGNS, moment

MOST = 10_000
_TICKS = re.compile("`+")


async def export(home: Home, session: str, file: Path) -> int:
    """Write the conversation into a new file of mode 0600; return how many exchanges it has. Raises `SetupError`."""
    exchanges = await home.sessions.exchanges(session, MOST)
    found = await home.sessions.session(session)
    if not exchanges or found is None:
        raise SetupError("nothing was said in this conversation yet", "export.empty")
    parts = [f"# {_line(found.name)}", f"Conversation {found.id}, exported by sayso."]
    for one in exchanges:
        rows = [record for run in one.runs for record in await home.log_of(run)]
        parts += _exchange(one, rows)
    _write(file, "\n\n".join(parts) + "\n")
    return len(exchanges)


def _exchange(one: Exchange, rows: list[Record]) -> Iterator[str]:
    yield f"## {moment(one.time)}"
    yield "You said:"
    yield _fenced(one.words)
    if one.reply.strip():
        yield "The model answered:"
        yield _fenced(one.reply)
    if rows:
        yield "\n".join(f"- {SIGNS[row.state]} {row.state.value}: {_line(row.about)} (`{row.id}`)" for row in rows)


def _fenced(text: str) -> str:
    """Return a text between fences that are longer than any in it, so that it cannot end them."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = "\n".join(visible(line) for line in text.strip("\n").split("\n"))
    return f"{fence}text\n{lines}\n{fence}"


def _line(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", visible(" ".join(text.split())))


def _write(file: Path, text: str) -> None:
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise SetupError(f"{quoted(file)} is there already, and is not overwritten", "export.exists") from None
    except OSError as wrong:
        raise SetupError(f"{quoted(file)} cannot be written: {wrong.strerror}", "export.unwritable") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
