"""Real windows under sway for tests, and what `swaymsg` says of them."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tests.desktop_env.session import Session, wait_for

Four = tuple[int, int, int, int]
LOOKS = 8
"""How many looks in a row must show the same of a window that is at rest."""


def tree(session: Session) -> dict[str, Any]:
    """Return the tree of containers (`swaymsg -t get_tree`)."""
    return json.loads(session.run("swaymsg", "-t", "get_tree", "-r"))


def listed(session: Session) -> dict[int, dict[str, Any]]:
    """Return every window with its container, its workspace in it."""
    return {node["id"]: node for node in _leaves(tree(session), "")}


def _leaves(node: dict[str, Any], workspace: str) -> Iterator[dict[str, Any]]:
    workspace = node["name"] if node["type"] == "workspace" else workspace
    if node.get("pid"):
        yield {**node, "workspace": workspace}
    for child in (*node["nodes"], *node["floating_nodes"]):
        yield from _leaves(child, workspace)


def start(session: Session, *argv: str) -> int:
    """Start a program and return its window, once sway lists it and it has come to rest."""
    process = session.start(*argv)

    def new() -> int:
        return next((id_ for id_, node in listed(session).items() if node["pid"] == process.pid), 0)

    window = wait_for(new, f"a window of {argv[0]}")
    wait_for(lambda: listed(session)[window]["visible"], "a window that can be seen")
    looks: list[Four] = []

    def rests() -> bool:
        looks.append(bounds(session, window))
        return len(looks) >= LOOKS and len(set(looks[-LOOKS:])) == 1

    wait_for(rests, "a window at rest")
    return window


def bounds(session: Session, window: int) -> Four:
    """Return left, top, right, bottom of a window, without its title."""
    rect = listed(session)[window]["rect"]
    return rect["x"], rect["y"], rect["x"] + rect["width"], rect["y"] + rect["height"]


def tell(session: Session, window: int, command: str) -> None:
    """Give a command about a window."""
    session.run("swaymsg", "-r", f"[con_id={window}] {command}")


def floating(session: Session, window: int, to: Four) -> None:
    """Let a window float at these bounds, and wait until it stays there."""
    left, top, right, bottom = to
    size = f"resize set {right - left} px {bottom - top} px"
    looks: list[bool] = []

    def stays() -> bool:
        there = bounds(session, window) == to
        looks.append(there)
        if not there:
            tell(session, window, f"floating enable, {size}, move absolute position {left} px {top} px")
        return len(looks) >= LOOKS and all(looks[-LOOKS:])

    wait_for(stays, "a floating window")


def clear(session: Session) -> None:
    """End the program of every window, late ones too, and go back to the first workspace."""

    def empty() -> bool:
        for process in {node["pid"] for node in listed(session).values()} - {os.getpid()}:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return not listed(session)

    wait_for(empty, "an empty screen")
    session.run("swaymsg", "workspace 1")
