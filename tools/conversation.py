"""Hold a conversation of ten turns with a scripted model on a terminal, and return its lines as HTML."""

import html
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyte

COLUMNS, LINES = 92, 220
SECONDS = 20
_COLOURS = {
    "red": "bad",
    "green": "good",
    "brown": "careful",
    "cyan": "code",
    "brightblack": "faint",
    "brightblue": "prompt",
}

_LISTED = {"text": "", "calls": [{"name": "file_list", "arguments": {"path": "~/Downloads"}}]}
_MOVED = {
    "text": "I make the folder and move both.\n",
    "calls": [
        {"name": "file_mkdir", "arguments": {"path": "~/Documents/Invoices"}},
        {
            "name": "file_move",
            "arguments": {"source": "~/Downloads/invoice-march.txt", "destination": "~/Documents/Invoices/march.txt"},
        },
        {
            "name": "file_move",
            "arguments": {"source": "~/Downloads/invoice-april.txt", "destination": "~/Documents/Invoices/april.txt"},
        },
    ],
}
_DELETED = {"text": "", "calls": [{"name": "file_delete", "arguments": {"path": "~/Downloads/draft-old.txt"}}]}
_TASKS = {
    "text": "",
    "calls": [
        {"name": "task_add", "arguments": {"text": "Ask Ana about the venue"}},
        {"name": "task_add", "arguments": {"text": "Send the April invoice again"}},
    ],
}
_WRITTEN = {
    "text": "",
    "calls": [
        {"name": "file_write", "arguments": {"path": "~/Documents/venue.md", "content": "Ana knows the owner.\n"}}
    ],
}
REPLIES: list[Any] = [
    (
        "I can look after **files**, **mail**, your **calendar**, tasks and notes, and much else:\n\n"
        "- I *propose*, and you decide: what matters stands here as a card first.\n"
        "- `/undo` takes nearly everything back.\n"
    ),
    _LISTED,
    "Three files: two **invoices** of this spring, and `draft-old.txt`, which is empty.\n",
    _MOVED,
    "Both invoices are in `Documents/Invoices` now.\n",
    _DELETED,
    "It is in the Trash.\n",
    (
        "Two things are open in your notes:\n\n"
        "1. **The venue**: somebody has to ask Ana.\n2. **The April invoice**: it came back, and must be sent again.\n"
    ),
    _TASKS,
    "Both are on your list.\n",
    _WRITTEN,
    "Written down.\n",
    "You are welcome. “Till the next time.”\n",
]
NOTES = "# Spring party\nVenue: open, Ana knows somebody.\nThe April invoice came back!\n"
SAID = (
    "hello, what can you do for me?",
    "what is in my Downloads?",
    "put the two invoices into Documents/Invoices",
    "the old draft can go",
    "take that back",
    "/why",
    "what is still open in @Documents/notes.md ?",
    "make tasks of them",
    "and write into Documents/venue.md that Ana knows the owner",
    "thank you!",
)
YES = {"put the two invoices into Documents/Invoices", "the old draft can go", "make tasks of them"}


LOCAL_SAID = (
    "hello!", "what can you do for me?", "add the task Water the plants", "/why", "what is on my list?",
    "tell me one thing about tea", "/pending", "and one about coffee", "take that back", "thank you!",
)  # fmt: skip
LOCAL_SECONDS = 300
"""How long a small model may think about one turn, on a slow machine."""
_LOCAL_SETTINGS = """
[policy]
mode = "always"
allowed_operations = ["task.add", "task.list"]
[model]
name = "openai-compatible:smollm2"
url = "{url}/v1"
budget_turns = 1
context_chars = 1000
"""


def hold(home: Path) -> list[str]:
    """Return the lines of the terminal as HTML, after ten turns and a goodbye."""
    _furnish(home)
    return _converse(home, ("--model", "replay:friend.json"), SAID, SECONDS)


def hold_local(home: Path, python: str, key: str = "sk-of-a-picture") -> list[str]:
    """Return the lines of ten turns with the small model that `make local-model` installs; `python` is its program."""
    server = Path(__file__).parents[1] / "tests" / "harness" / "local_model_server.py"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = (python, str(server), str(port), key)
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as model:
        if model.stdout is None or model.stdin is None:
            raise RuntimeError("the model has no pipes")
        own = home / ".config" / "sayso"
        own.mkdir(0o700, parents=True)
        (own / "config.toml").write_text(_LOCAL_SETTINGS.format(url=model.stdout.readline().strip()), "utf-8")
        try:
            return _converse(home, (), LOCAL_SAID, LOCAL_SECONDS, SAYSO_MODEL_PASSWORD=key)
        finally:
            model.stdin.close()
            model.wait(30)


def _converse(home: Path, words: tuple[str, ...], said: tuple[str, ...], seconds: int, **more: str) -> list[str]:
    """Say these things one after the other in `sayso chat`, and yes where `YES` has them."""
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", **more}
    spawn: Any = pexpect.spawn
    argv = ["-m", "sayso", "chat", *words]
    at = spawn(sys.executable, argv, env=environ, cwd=str(home), dimensions=(LINES, COLUMNS))
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)

    def until(ends: str, words: str = "") -> None:
        while not ((text := _text(screen)).endswith(ends) and (not words or f"\n> {words}" in text)):
            if not select.select([at.child_fd], [], [], seconds)[0]:
                sys.exit(f"the conversation hangs at:\n{text}")
            # The screen below knows no faint letters, so they get a colour that nothing else here has.
            stream.feed(os.read(at.child_fd, 1 << 16).replace(b"\x1b[2m", b"\x1b[90m"))

    until("\n>")
    for sentence in said:
        at.send(f"{sentence}\r")
        if sentence in YES:
            until("[y/N]", sentence)
            at.send("y\r")
        until("\n>", sentence)
    lines = [_line(screen.buffer[number]) for number in range(screen.cursor.y)]
    at.close(force=True)
    return lines


def _text(screen: pyte.Screen) -> str:
    return "\n".join(line.rstrip() for line in screen.display).rstrip()


def _furnish(home: Path) -> None:
    for folder in ("Downloads", "Documents"):
        (home / folder).mkdir()
    for name, text in (("invoice-march.txt", "March: 120"), ("invoice-april.txt", "April: 80"), ("draft-old.txt", "")):
        (home / "Downloads" / name).write_text(text, "utf-8")
    (home / "Documents" / "notes.md").write_text(NOTES, "utf-8")
    (home / "friend.json").write_text(json.dumps(REPLIES), "utf-8")


def _line(cells: Any) -> str:
    """Return one line of the screen, with a span for each run of one style."""
    last = max((place for place in range(COLUMNS) if cells[place].data.strip()), default=-1)
    return "".join(_spans([cells[place] for place in range(last + 1)]))


def _spans(cells: list[Any]) -> Iterator[str]:
    at = 0
    while at < len(cells):
        style, begin = _style(cells, at), at
        while at < len(cells) and _style(cells, at) == style:
            at += 1
        text = html.escape("".join(cell.data for cell in cells[begin:at]))
        yield f'<span class="{style}">{text}</span>' if style else text


def _style(cells: list[Any], place: int) -> str:
    cell = cells[place]
    names = [_COLOURS.get(cell.fg, ""), "bold" * cell.bold, "italics" * cell.italics, "link" * cell.underscore]
    return " ".join(name for name in names if name)
