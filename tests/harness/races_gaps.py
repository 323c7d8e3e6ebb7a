"""Let another process come in between any two calls of the kernel that name something.

The calls are counted while an attempt runs; at those that were chosen the other process does a swap first. So a
moment of a millionth of a second is met as surely as one of a second, on one core as on many.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sayso.providers.disk import syscalls

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
