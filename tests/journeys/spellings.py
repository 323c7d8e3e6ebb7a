"""Every way we know to write a path that leads out, made from parts: where from, what parts names, where to."""

import posixpath
import unicodedata
from collections.abc import Iterator

BACK = (
    "..", ".../..", "...", "....", ".. ", "..\u200b", ".\u200b.", "..;", ". .", "..\u00a0", "%2e%2e", "%2E.",
    "%252e%252e",
    "..%00", "\uff0e\uff0e", "\u2025", "\u2024\u2024", "..\\", "..%5c", "..%2f..", "..%c0%af..", "..\u2215..",
    "..\u2044..", "..\uff0f..", ".\u0307.", "./..", "..//.", "a/../..", "d/..", "./d/../..",
)  # fmt: skip
"""What one part of a program may take for “one up”, and another for a name."""
BEFORE = (
    "file://", "file:", "file://localhost", "FILE:///", "fd:", "C:", "C:\\", "c:/", "\\\\?\\",
    "\\\\?\\UNC\\localhost\\c$\\", "\\\\.\\",
    "\\\\localhost\\c$\\", "//localhost/c$", "\\", "~\\", "~root/..", "~+", "~-", "$HOME/../..", "${HOME}/..",
    "%HOME%/../..", "$PWD", "`pwd`", "$(pwd)", "~/$HOME", " ", "\u3000", "\ufeff", "\u202e", "//", "///",
    "/./", "/../",
    "/proc/self/root", "/proc/self/root/proc/self/root", "/proc/1/root", "/proc/thread-self/root",
    "/dev/../proc/self/root",
    "smb://localhost", "http://localhost", "trash:///", "x-special/nautilus",
)  # fmt: skip
"""What may stand before an absolute path."""
AFTER = ("/", "/.", "//", "/./.", " ", ".", "::$DATA", ":stream", "%00", "%20", "?x", "#x", "/../", "\u200b", "~")
DEEP = 3
"""How far below the folder that everything is in a document lies: `home`, `Documents`, its name."""


def leading_out(outside: str, home: str) -> Iterator[str]:
    """Yield spellings that lead, or may be taken to lead, to what lies in the folder `outside`."""
    last = posixpath.basename(outside)
    for target in (f"{outside}/canary.txt", f"{outside}/new", outside):
        name = target.removeprefix(outside)
        yield from (before + target for before in BEFORE)
        yield from (target + after for after in AFTER)
        yield from ("/".join(["~/Documents", *[back] * DEEP, last]) + name for back in BACK)
        yield f"{home}_evil/x"
        yield f"~/Documents/{'a/../' * 700}{'../' * DEEP}{last}{name}"
        yield f"~/Documents/{'x' * 250}/{'../' * (DEEP + 1)}{last}{name}"
        yield f"~/Documents{'/' * 3000}{'../' * DEEP}{last}{name}"
        yield unicodedata.normalize("NFD", f"~/Doc\u00faments/../../{last}{name}")
        yield target.upper()
        yield "".join(f"{char}\u0301" if char == "o" else char for char in target)
    yield from ("~/DOCUMENTS/../../outside/canary.txt", "~/documents/a.txt", "~/Documents /../../outside/new")
    yield f"~/Documents/{'long' * 1100}"
    yield "~/Documents/" + "/".join(["deep"] * 1100)


LINKS = {
    "Documents/d": "{outside}",
    "Documents/top": "/",
    "Documents/up": "../..",
    "Documents/chain": "up/./outside",
    "Documents/loop": "loop",
    "Documents/ring1": "ring2/x",
    "Documents/ring2": "ring1",
    "Documents/procroot": "/proc/self/root",
    "Documents/cwd": "/proc/self/cwd",
    "Documents/held": "/proc/self/fd/{held}",
    "Documents/devheld": "/dev/fd/{held}",
    "Documents/new link": "{outside}/made",
    "Documents/evil": "../../home_evil",
    "Documents/home": "{home}",
    "Documents/dots": "./././up//outside/.",
}
"""Links that somebody left within reach; `{held}` is a descriptor of this very process that is open outside."""
THROUGH = (
    "d/canary.txt", "d/new", "d/in/deep.txt", "d/in/../canary.txt", "d/../outside/canary.txt", "d/../a.txt",
    "top{outside}/canary.txt",
    "up/outside/canary.txt", "chain/canary.txt", "chain/new/x", "loop", "loop/x", "ring1/x",
    "procroot{outside}/canary.txt",
    "cwd/canary.txt", "cwd/new", "held/canary.txt", "held/new", "devheld/canary.txt", "new link",
    "new link/x", "evil/x",
    "home/Documents_evil/x", "home/x", "dots/canary.txt", "d/.", "d//canary.txt", "./d/./new",
)  # fmt: skip
STRAIGHT = (
    "/proc/self/fd/{held}/canary.txt",
    "/dev/fd/{held}/new",
    "/proc/self/cwd/canary.txt",
    "/proc/thread-self/fd/{held}",
)


def through_links() -> Iterator[str]:
    """Yield paths that go through those links, and straight ones to what this process holds open."""
    yield from (f"~/Documents/{path}" for path in THROUGH)
    yield from STRAIGHT
