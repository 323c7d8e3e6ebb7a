"""What somebody else wrote down of what they did beside sayso, and how a home would look without it."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.kills_worlds import World, is_at


@dataclass
class Diary:
    """What is somebody else's, and what of the home they took away to another place."""

    mine: dict[str, tuple[int, int, int]] = field(default_factory=dict[str, tuple[int, int, int]])
    taken: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    at: list[str] = field(default_factory=list[str])
    """Every path that they had to do with."""


def diary_in(path: Path) -> Diary:
    """Read what somebody else wrote down; nothing when there is no such file."""
    diary = Diary()
    for line in path.read_text().splitlines() if path.exists() else ():
        told = json.loads(line)
        if "mine" in told:
            diary.mine[told["mine"]] = (told["inode"], told["mode"], told["time"])
            diary.at.append(told["mine"])
        elif "gone" in told:
            del diary.mine[told["gone"]]
        elif "into" in told:
            diary.at.append(told["into"])
        else:
            diary.taken.append((told["taken"], told["to"]))
            diary.at.append(told["taken"])
            diary.mine = {path: one for path, one in diary.mine.items() if not is_at(path, told["taken"])}
    return diary


def as_if_alone(whole: World, diary: Diary) -> World:
    """Return a home without what is somebody else's, and with what they took away where it was.

    Where the folder is gone from which they took it, it is left out.
    """
    seen = {path: thing for path, thing in whole.items() if path not in diary.mine and not is_at(path, ".local")}
    for was, now in reversed(diary.taken):
        if was.rpartition("/")[0] in seen:
            seen = {was + path.removeprefix(now) if is_at(path, now) else path: thing for path, thing in seen.items()}
        else:
            seen = {path: thing for path, thing in seen.items() if not is_at(path, now)}
    return seen


def homeless(whole: World, diary: Diary) -> bool:
    """Say whether they took something from a folder that is gone by now."""
    return any(was.rpartition("/")[0] not in whole for was, _ in diary.taken)
