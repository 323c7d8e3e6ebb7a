"""Write docs/images/: what a person sees at the terminal and on the page, from real runs in a scratch home.

Needs Chromium, and a font that has the robot (Debian: chromium, fonts-noto-color-emoji).

    python -m tools.pictures

The picture of a local model is drawn where `make local-model` has installed it.
"""

import html
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pexpect

from tools.conversation import hold, hold_local
from tools.page_picture import draw_page

IMAGES = Path(__file__).parents[1] / "docs" / "images"
_LOCAL_MODEL = Path(__file__).parents[1] / ".build" / "local-model-venv" / "bin" / "python"
COLUMNS = 92
_LONG = 100
"""Number of lines from which a picture is drawn smaller."""
_CODE = re.compile(r"\x1b\[([0-9;]*)m")
_OTHER = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]|\x07")
_CLASSES = {"1": "bold", "2": "faint", "31": "bad", "32": "good", "33": "careful", "34": "prompt"}
_PAGE = """<!doctype html><meta charset=utf-8><style>
body {{ margin: 0; background: #17181c; color: #d7d9de; font: 15px/1.6 "DejaVu Sans Mono", monospace }}
header {{ background: #25272e; color: #8d919b; text-align: center; padding: 7px }}
pre {{ margin: 0; padding: 18px 22px 22px; font: inherit }}
.bold {{ font-weight: bold; color: #fff }} .faint {{ color: #82868f }} .prompt, .prompt.bold {{ color: #79b8e0 }}
.bad {{ color: #e5736b }} .good {{ color: #7cc47a }} .careful {{ color: #e2b566 }} .code {{ color: #6cc4c4 }}
.italics {{ font-style: italic }} .link {{ text-decoration: underline }}
{more}</style><header>{title}</header><pre>{text}</pre>"""

_LIGHT = """
body { background: #fbfbf9; color: #2b2d33 } header { background: #e9e9e5; color: #6a6e78 }
.bold { color: #000 } .faint { color: #8a8e97 } .prompt, .prompt.bold { color: #1f5f8f } .code { color: #0e6f70 }
.bad { color: #b3261e } .good { color: #2d7a34 } .careful { color: #8a5a00 }
"""


def main() -> None:
    """Draw them."""
    binary = shutil.which("chromium")
    if binary is None:
        sys.exit("there is no Chromium here, which draws the pictures: apt-get install chromium")
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        _draw(binary, home, "ask", [*_marked(_asked(home))])
        _draw(binary, home, "try", [*_marked(_tried(home))])
    with tempfile.TemporaryDirectory() as place:
        held = hold(Path(place))
        _draw(binary, Path(place), "chat", held)
        _draw(binary, Path(place), "chat-light", held, _LIGHT)
    with tempfile.TemporaryDirectory() as place:
        anyio.run(draw_page, Path(place), IMAGES / "page.png", binary)
    python = os.environ.get("LOCAL_MODEL") or str(_LOCAL_MODEL)
    if not Path(python).exists():
        sys.exit("chat-local-model.png is as it was: “make local-model” installs the model that it shows")
    with tempfile.TemporaryDirectory() as place:
        _draw(binary, Path(place), "chat-local-model", hold_local(Path(place), python))


def _asked(home: Path) -> list[str]:
    _run(home, "task add 'Buy wine for Friday'")
    ask = "ask delete the wine task and remind me tomorrow at nine to call Ana"
    done = _run(home, ask, r"\[y/N\]", "y")
    undo = "undo " + re.findall(r"run_\w+", done[-1])[0]
    return [_said(ask), "", *done, "", _said(undo), *_run(home, undo)]


def _tried(home: Path) -> list[str]:
    """Return the end of its proposals and the beginning of what became of them; the whole is longer than a page."""
    shown = _run(home, "try")
    plain = [_CODE.sub("", line) for line in shown]
    begin = next(number for number, line in enumerate(plain) if line.startswith("  8. "))
    end = next(number for number, line in enumerate(plain) if number > begin and line.startswith("✓  8"))
    return shown[begin:end]


def _said(words: str) -> str:
    return f"\x1b[34m$\x1b[0m \x1b[1msayso {words}\x1b[0m"


def _run(home: Path, words: str, prompt: str = "", answer: str = "") -> list[str]:
    """Return the lines that a terminal shows of one command, whose question is answered where it asks one."""
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    argv = ["-m", "sayso", *shlex.split(words)]
    size = (80, COLUMNS)
    spawn: Any = pexpect.spawn
    at = spawn(sys.executable, argv, env=environ, cwd=str(home), encoding="utf-8", dimensions=size)
    shown = ""
    while at.expect([prompt or pexpect.EOF, pexpect.EOF], timeout=60) == 0 and prompt:
        shown += f"{at.before}{at.after}"
        at.sendline(answer)
    lines = _OTHER.sub("", f"{shown}{at.before}").strip().split("\r\n")
    return [line.rpartition("\r")[2] for line in lines]  # what is written over is seen no more


def _marked(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        first, *rest = _CODE.split(line)
        yield html.escape(first) + "".join(
            html.escape(text) if code in {"", "0"} else f'<span class="{_CLASSES[code]}">{html.escape(text)}</span>'
            for code, text in zip(rest[::2], rest[1::2], strict=True)
        )


def _draw(binary: str, home: Path, name: str, lines: Sequence[str], more: str = "") -> None:
    page, picture = home / f"{name}.html", IMAGES / f"{name}.png"
    page.write_text(_PAGE.format(title=f"sayso {name.partition('-')[0]}", text="\n".join(lines), more=more), "utf-8")
    height = 36 + 40 + 24 * len(lines)
    drawn = (
        f"--screenshot={picture}",
        f"--window-size=880,{height}",
        f"--force-device-scale-factor={1.4 if len(lines) < _LONG else 1}",
    )
    argv = (binary, "--headless", "--no-sandbox", "--hide-scrollbars", *drawn, page.as_uri())
    subprocess.run(argv, check=True, capture_output=True, timeout=60)
    print(f"{picture} ({len(lines)} lines)")


if __name__ == "__main__":
    main()
