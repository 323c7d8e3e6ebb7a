"""Another user of the files at work beside sayso: makes, changes and removes things, and records what it did.

A program of its own that knows nothing of sayso. It is told what to do line by line on standard input and says a line
when that is done. In the diary beside the home stands, line by line, what of it all is theirs.
"""

import json
import os
import random
import select
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.kills_worlds import World, is_at

BESIDE = ("Documents", "Documents/sub", "Downloads")
"""Where they work on things of their own."""
PACE = 0.003
"""Seconds between two of their deeds, at most."""
MOST = 8
"""How many things of their own they have beside, at most."""


def main() -> None:
    """Do what is asked on standard input until it ends."""
    somebody, asked, busy = Outsider(Path(), random.Random(0)), b"", False
    while True:
        ready, _, _ = select.select([0], [], [], somebody.rng.uniform(0, PACE) if busy else None)
        if not ready:
            somebody.work()
            continue
        piece = os.read(0, 65536)
        if not piece:
            return
        *lines, asked = (asked + piece).split(b"\n")
        for line in lines:
            what, *words = json.loads(line)
            somebody = Outsider(Path(words[0]), random.Random(words[1])) if what == "come" else somebody
            somebody.told(what, words)
            busy = what == "work"
            os.write(1, b"done\n")


@dataclass
class Outsider:
    """One person's other programs, on one ground; `rng` decides what they do."""

    base: Path
    rng: random.Random
    own: list[str] = field(default_factory=list[str])
    count: int = 0

    def told(self, what: str, words: list[str]) -> None:
        """Do what they are told to do about a deed."""
        if what == "occupy":
            self.occupy(words[0], words[1])
        elif what == "take":
            self.take(words[0])
        elif what == "into":
            self.into(words[0])

    def work(self) -> None:
        """Do something beside: make, change or remove a thing of one's own."""
        deeds = [self._make, self._change, self._remove] if self.own else [self._make]
        self.rng.choice(deeds if len(self.own) < MOST else deeds[1:])()

    def _make(self) -> None:
        self.count += 1
        path = f"{self.rng.choice(BESIDE)}/theirs {self.count}"
        if self.rng.random() < 0.5:
            self._home(path).mkdir()
        else:
            self._home(path).write_text(f"theirs, number {self.count}\n")
        self.own.append(path)
        self._is_mine(path)

    def _change(self) -> None:
        path = self.rng.choice(self.own)
        if self._home(path).is_dir():
            self._home(path).chmod(self.rng.choice((0o700, 0o750, 0o755)))
        else:
            with self._home(path).open("a") as file:
                file.write("and more\n")
        self._is_mine(path)

    def _remove(self) -> None:
        path = self.own.pop(self.rng.randrange(len(self.own)))
        if self._home(path).is_dir():
            self._home(path).rmdir()
        else:
            self._home(path).unlink()
        self._note({"gone": path})

    def occupy(self, path: str, kind: str) -> None:
        """Stand at this path: take away what is there, and put something there that looks the same."""
        place = self._home(path)
        model = self.take(path)
        if not place.parent.is_dir():
            return
        if model is not None and model.is_dir():
            shutil.copytree(model, place, symlinks=True)
        elif model is not None:
            shutil.copy2(model, place)
        elif kind == "d":
            place.mkdir()
        else:
            place.write_text("one\n")
        for mine in (place, *(place.rglob("*") if place.is_dir() else ())):
            self._is_mine(str(mine.relative_to(self.base / "home")))

    def take(self, path: str) -> Path | None:
        """Take away what is at this path, and return where it is now; None when nothing is there."""
        place = self._home(path)
        if not os.path.lexists(place):
            return None
        self.count += 1
        there = f"Downloads/taken {self.count}"
        place.rename(self._home(there))
        self._note({"taken": path, "to": there})
        return self._home(there)

    def into(self, path: str) -> None:
        """Put something into the folder at this path, if there is one."""
        if self._home(path).is_dir():
            self.count += 1
            inside = f"{path}/theirs {self.count}"
            self._home(inside).write_text("in here\n")
            self._note({"into": path})
            self._is_mine(inside)

    def _is_mine(self, path: str) -> None:
        found = self._home(path).lstat()
        time = 0 if stat.S_ISDIR(found.st_mode) or stat.S_ISLNK(found.st_mode) else found.st_mtime_ns
        self._note({"mine": path, "inode": found.st_ino, "mode": stat.S_IMODE(found.st_mode), "time": time})

    def _note(self, line: dict[str, object]) -> None:
        with (self.base / "diary").open("a") as diary:
            diary.write(json.dumps(line) + "\n")

    def _home(self, path: str) -> Path:
        return self.base / "home" / path


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


if __name__ == "__main__":
    main()
