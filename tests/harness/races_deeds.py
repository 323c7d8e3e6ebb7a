"""Every file operation as one deed of a race: what is asked for, what is swapped, and what must be so afterwards."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sayso.core.encoding import Json
from tests.harness.races_ground import Ground
from tests.harness.races_swapper import Exchange, Lifted, Move, Taken, Torn

A = "~/Documents/a"
SAME = "mark of new.."
"""As long as every other mark."""


@dataclass(frozen=True, eq=False)
class Deed:
    """One operation; `lands` says where the thing that was seen must be when it was done."""

    name: str
    operation: str
    arguments: Mapping[str, Json]
    moves: tuple[str, ...]
    lands: str = ""
    """`there`: in the folder that was seen; `trash`, `own`; `stays`; empty where nothing that was seen is touched."""
    makes: str = ""
    """The path of what is new, in the arena."""
    back_moves: tuple[str, ...] = ()
    """What is swapped while it is taken back; empty where that is not raced."""
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def reads(self) -> bool:
        """Say whether it only reads."""
        return not self.lands and not self.makes


@dataclass(frozen=True)
class Try:
    """What one attempt is: a deed, or taking it back, while this is swapped."""

    deed: Deed
    move: str
    back: bool


def moves(ground: Ground) -> dict[str, Move]:
    """Return everything that can be swapped, by name."""
    a, out = ground.arena, ground.outside
    return {
        "folder": Exchange(f"{a}/d", f"{a}/aside/d"),
        "another d": Exchange(f"{a}/d", f"{a}/aside/another d"),
        "another e": Exchange(f"{a}/e", f"{a}/aside/another e"),
        "destination": Exchange(f"{a}/e", f"{a}/aside/e"),
        "link": Exchange(f"{a}/d/f.txt", f"{a}/aside/f.txt"),
        "other": Exchange(f"{a}/d/f.txt", f"{a}/aside/other.txt"),
        "hard": Exchange(f"{a}/d/f.txt", f"{a}/aside/hard.txt"),
        "below": Exchange(f"{a}/d/t/u", f"{a}/aside/u"),
        "pipe": Exchange(f"{a}/d/f.txt", f"{a}/aside/pipe"),
        "root": Exchange(f"{ground.home}/Documents", f"{ground.aside}/root"),
        "local": Exchange(f"{ground.home}/.local", f"{ground.aside}/local"),
        "share": Exchange(f"{ground.home}/.local/share", f"{ground.aside}/share"),
        "lifted": Lifted(f"{a}/d/t/u", f"{ground.airlock}/u"),
        "torn": Torn(f"{a}/d", f"{a}/aside/torn", f"{out}/d"),
        "taken in d": Taken(f"{a}/d/new", f"{out}/made"),
        "taken in e": Taken(f"{a}/e/new", f"{out}/made"),
        "landed": Exchange(f"{a}/e/new", f"{a}/aside/other.txt"),
        "made": Exchange(f"{a}/d/new", f"{a}/aside/other.txt"),
        "as a link": Exchange(f"{a}/e/new", f"{a}/aside/f.txt"),
    }


def _file(name: str) -> dict[str, Json]:
    return {"path": f"{A}/{name}"}


def _from(source: str, destination: str) -> dict[str, Json]:
    return {"source": f"{A}/{source}", "destination": f"{A}/{destination}"}


_WITH = {"content": SAME}
_ON_F = ("folder", "another d", "link", "other", "hard", "pipe", "root", "torn")
_TREE = ("folder", "another d", "below", "lifted", "root", "torn")
_INTO = ("destination", "another e", "taken in e", "landed")

DEEDS = (
    Deed("read", "file.read", _file("d/f.txt"), _ON_F),
    Deed("read below", "file.read", _file("d/t/u/two.txt"), _TREE),
    Deed("list", "file.list", _file("d"), ("folder", "torn")),
    Deed("list below", "file.list", _file("d/t/u"), _TREE),
    Deed("find", "file.find", {**_file("d"), "pattern": "*"}, _TREE),
    Deed("open", "file.open", _file("d/f.txt"), _ON_F),
    Deed("reveal", "file.reveal", _file("d/f.txt"), _ON_F),
    Deed("write new", "file.write", {**_file("d/new"), **_WITH},
         ("folder", "another d", "torn", "taken in d"), "", "d/new",
         ("folder", "made", "torn")),
    Deed("write over", "file.write", {**_file("d/f.txt"), **_WITH}, _ON_F, "own", "d/f.txt", ("folder", "other")),
    Deed("append", "file.append", {**_file("d/f.txt"), **_WITH}, _ON_F, "own", "d/f.txt", ("folder", "link")),
    Deed("append to nothing", "file.append", {**_file("d/new"), **_WITH}, ("folder", "taken in d"), "", "d/new"),
    Deed("make folders", "file.mkdir", _file("d/new/x/y"), ("folder", "another d", "torn", "taken in d"), "",
         "d/new/x/y",
         ("folder", "made", "torn")),
    Deed("make folders below", "file.mkdir", _file("d/t/u/new/x"), _TREE, "", "d/t/u/new/x"),
    Deed("move", "file.move", _from("d/f.txt", "e/new"), (*_ON_F, *_INTO), "there", "e/new",
         ("folder", "destination", "landed", "as a link")),
    Deed("rename", "file.move", _from("d/f.txt", "d/new"), (*_ON_F, "taken in d"), "there", "d/new",
         ("folder", "made")),
    Deed("move folder", "file.move", _from("d/t", "e/new"), (*_TREE, *_INTO), "there", "e/new",
         ("folder", "destination")),
    Deed("copy", "file.copy", _from("d/f.txt", "e/new"), (*_ON_F, *_INTO), "stays", "e/new",
         ("destination", "landed", "as a link")),
    Deed("copy folder", "file.copy", _from("d/t", "e/new"), (*_TREE, *_INTO), "stays", "e/new", ("destination",)),
    Deed("delete", "file.delete", _file("d/f.txt"), (*_ON_F, "local", "share"), "trash", "",
         ("folder", "torn", "share")),
    Deed("delete folder", "file.delete", _file("d/t"), (*_TREE, "local", "share"), "trash", "", ("folder", "local")),
    Deed("keep", "keep", _file("d/f.txt"), _ON_F, "own", "", ("folder", "torn")),
)  # fmt: skip


def tries(draw: random.Random) -> Iterator[Try]:
    """Yield every deed with everything that is swapped for it, in another order each time, without end."""
    every = [Try(deed, move, False) for deed in DEEDS for move in deed.moves]
    every += [Try(deed, move, True) for deed in DEEDS for move in deed.back_moves]
    while True:
        draw.shuffle(every)
        yield from every
