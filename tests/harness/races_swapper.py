"""A process that swaps things while sayso works: continuously, at its own pace, or between two system calls."""

import ctypes
import errno
import mmap
import os
import select
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sayso.providers.disk import syscalls

_EXCHANGE = 2
_HERE = -100
_BURST = 16
"""How many swaps are done in a row, where there is no pause between them, before an order is looked for."""

_libc: Any = ctypes.CDLL(None, use_errno=True)


def _which(path: str) -> int:
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0


class Move(Protocol):
    """Something that is swapped to and fro."""

    def turn(self) -> bool:
        """Do the next swap; say whether it could be done."""
        ...

    def home(self) -> None:
        """Bring everything back to how it was at first, as far as it is still there."""
        ...


@dataclass
class Exchange:
    """Two names that change what they stand for, in one call of the kernel."""

    one: str
    other: str
    first: tuple[int, int] = (0, 0)
    """Which things the two stood for, before they were exchanged for the first time."""

    def turn(self) -> bool:
        """Exchange them."""
        before = (0, 0) if any(self.first) else (_which(self.one), _which(self.other))
        if _libc.renameat2(_HERE, os.fsencode(self.one), _HERE, os.fsencode(self.other), _EXCHANGE) != 0:
            return False
        if any(before):
            self.first = before
        return True

    def home(self) -> None:
        """Exchange them once more where one stands for what the other did.

        How often it was done tells nothing: somebody else may have exchanged one of them with a third in between.
        """
        one, other = self.first
        if any(self.first) and (_which(self.one) == other or _which(self.other) == one):
            self.turn()
        self.first = (0, 0)


@dataclass
class Torn:
    """A folder that is renamed away, a link out put in its place, and the same back: four calls, with gaps between."""

    here: str
    aside: str
    target: str
    at: int = 0

    def turn(self) -> bool:
        """Do the next of the four."""
        try:
            if self.at == 0:
                os.rename(self.here, self.aside)
            elif self.at == 1:
                os.symlink(self.target, self.here)
            elif self.at == 2:
                os.unlink(self.here)
            else:
                os.rename(self.aside, self.here)
        except OSError:
            return False
        self.at = (self.at + 1) % 4
        return True

    def home(self) -> None:
        """Go on until the folder is back."""
        while self.at and self.turn():
            pass
        self.at = 0


@dataclass
class Lifted:
    """A folder that is carried out of everything, while somebody may be in it, and back."""

    inside: str
    outside: str
    out: bool = False

    def turn(self) -> bool:
        """Carry it to the other side."""
        ends = (self.outside, self.inside) if self.out else (self.inside, self.outside)
        try:
            os.rename(*ends)
        except OSError:
            return False
        self.out = not self.out
        return True

    def home(self) -> None:
        """Carry it back in."""
        if self.out:
            self.turn()
        self.out = False


@dataclass
class Taken:
    """A free name that is now and then taken by a link out."""

    place: str
    target: str
    there: bool = False
    robbed: int = 0
    """How often somebody has put something over the link, or taken it away."""

    def turn(self) -> bool:
        """Take the name, or leave it."""
        try:
            if self.there:
                self._leave()
            else:
                os.symlink(self.target, self.place)
        except OSError:
            return False
        self.there = not self.there
        return True

    def home(self) -> None:
        """Leave the name."""
        if self.there:
            self._leave()
        self.there = False

    def _leave(self) -> None:
        """Take away the link, and never what somebody else has put there by now."""
        try:
            mine = os.readlink(self.place) == self.target
        except OSError as wrong:
            if wrong.errno not in (errno.EINVAL, errno.ENOENT):
                raise
            mine = False
        if mine:
            os.unlink(self.place)
        self.robbed += not mine


@dataclass
class Swapper:
    """The process, and what it is told: `go`, then `kick` as often as one likes, then `rest`."""

    moves: Mapping[str, Move]
    _mouth: socket.socket = field(init=False)
    _count: memoryview = field(init=False)
    _pid: int = field(init=False)

    def __post_init__(self) -> None:
        """Start the process."""
        self._mouth, ears = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._count = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("Q")
        self._pid = os.fork()
        if self._pid == 0:
            self._mouth.close()
            try:
                _serve(ears, self._count, self.moves)
            finally:
                os._exit(0)
        ears.close()

    @property
    def robbed(self) -> int:
        """Return how often something was put over what the process had made."""
        return self._count[1]

    @property
    def swaps(self) -> int:
        """Return how many swaps were done so far; it stands in memory that both processes see."""
        return self._count[0]

    def go(self, move: str, pause: float) -> None:
        """Let it swap, with a pause of so many seconds between; with less than none, only when it is kicked."""
        self._mouth.send(f"{move}\0{pause}".encode())

    def kick(self) -> None:
        """Let one more swap happen now, and come back after it."""
        self._told(b"kick")

    def rest(self) -> None:
        """Let it bring everything back and wait."""
        self._told(b"rest")

    def end(self) -> None:
        """Let it end."""
        self._mouth.close()
        os.waitpid(self._pid, 0)

    def _told(self, word: bytes) -> None:
        self._mouth.send(word)
        if not self._mouth.recv(8):
            raise ChildProcessError("the swapper has died")


def _serve(ears: socket.socket, count: memoryview, moves: Mapping[str, Move]) -> None:
    while order := ears.recv(256):
        name, _, pause = order.decode().partition("\0")
        _swap(ears, count, moves[name], float(pause))


def _swap(ears: socket.socket, count: memoryview, move: Move, pause: float) -> None:
    """Swap until told to rest."""
    while True:
        for _ in range(0 if pause < 0 else 1 if pause else _BURST):
            count[0] += move.turn()
        while select.select([ears], [], [], pause if pause >= 0 else None)[0]:
            word = ears.recv(8)
            if word != b"kick":
                move.home()
                if isinstance(move, Taken):
                    count[1] += move.robbed
                    move.robbed = 0
                ears.send(b".")
                return
            count[0] += move.turn()
            ears.send(b".")


_NAMING = (
    "access", "chmod", "listdir", "lstat", "mkdir", "open", "readlink",
    "rename", "rmdir", "scandir", "stat", "symlink", "unlink", "utime",
)  # fmt: skip


def put(where: object, **new: object) -> None:
    """Put something else under names of a module or class, for the rest of this process."""
    for name, value in new.items():
        setattr(where, name, value)


@dataclass
class Gaps:
    """The gaps between the calls of one attempt; `come_in` is called at those that were chosen."""

    come_in: Callable[[], None]
    at: int = 0
    chosen: frozenset[int] = field(default_factory=frozenset[int])
    armed: bool = False
    entered: int = 0

    def choose(self, numbers: frozenset[int]) -> None:
        """Begin to count, and let the other in at these numbers."""
        self.at, self.chosen, self.armed = 0, numbers, True

    def done(self) -> int:
        """Stop; return how many gaps there were."""
        self.armed = False
        return self.at

    def __call__(self) -> None:
        """Be a gap."""
        if not self.armed:
            return
        self.at += 1
        if self.at in self.chosen:
            self.entered += 1
            self.come_in()

    def put_everywhere(self) -> None:
        """Put a gap before each call of this process that names something, for good."""
        put(os, **{name: self._before(getattr(os, name)) for name in _NAMING})
        kernel: Callable[[], Any] = vars(syscalls)["_libc"]

        def libc() -> Any:
            self()
            return kernel()

        put(syscalls, _libc=libc)

    def _before(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **more: Any) -> Any:
            self()
            return call(*args, **more)

        return called
