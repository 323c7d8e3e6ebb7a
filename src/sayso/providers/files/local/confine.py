"""Keep every path within the roots: resolve it, judge what it resolved to, and open exactly that, by descriptor."""

import os
import re
import weakref
from collections.abc import Iterable
from contextlib import ExitStack

from sayso.core.errors import Refused
from sayso.core.values import dataclass
from sayso.policy.paths import denied_name, normal, within
from sayso.providers.disk.syscalls import FOLDER, Beneath
from sayso.providers.disk.wrong import changed_on_the_way, in_words
from sayso.providers.files import trouble
from sayso.providers.files.local.mounts import mount_of, mounted_at_or_within
from sayso.providers.files.local.owned import Number, Numbers, Owned, holds_this, number_of
from sayso.providers.files.local.resolve import resolved
from sayso.providers.files.local.spot import Spot
from sayso.providers.files.store import Reach

_NO_TEXT = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that may be reached, held open since the start."""

    path: str
    descriptor: int
    number: Number
    within: str
    """How every path in it begins."""


class Confinement:
    """The roots of one backend, and the only way from a path to a descriptor."""

    def __init__(self, home: str, owned: Owned, roots: Iterable[str], beneath: Beneath) -> None:
        self._home = home
        self._beneath = beneath
        self._real_home = os.path.realpath(home)
        self.owned = owned
        self._open: dict[str, Root] = {}
        real = [os.path.realpath(root) for root in roots]
        self._roots = tuple(root for path in dict.fromkeys(real) if (root := self._opened(path)))
        self._homes = (*self._roots, *(root for root in [self._opened(self._real_home)] if root))
        self._paths: dict[Reach, list[str]] = {
            "roots": [root.path for root in self._roots],
            "home": [root.path for root in self._homes],
        }
        self._innermost = sorted(self._homes, key=lambda root: len(root.path), reverse=True)
        self._mounts: dict[int, int] = {}
        self.close = weakref.finalize(self, _close, [root.descriptor for root in self._open.values()])

    @property
    def roots(self) -> tuple[Root, ...]:
        """Return the roots that exist."""
        return self._roots

    def said(self, path: str) -> str:
        """Return `path` as a person would write it."""
        for home in (self._real_home, self._home):
            if path.startswith(home) and (len(path) == len(home) or path[len(home)] == "/"):
                return "~" + path[len(home) :]
        return path

    def resolve(self, path: str, reach: Reach = "roots") -> str:
        """Return where `path`, as it was said, leads with every link followed. Raises `Refused`."""
        return self.judged(resolved(self._meant(path), path), path, reach)

    def resolve_to_name(self, path: str, reach: Reach = "roots") -> str:
        """Return the same with the last name left as it is: a link stays the link. Raises `Refused`."""
        folder, name = os.path.split(self._meant(path))
        whole = resolved(folder, path).rstrip("/") + "/" + name
        roots = self._paths[reach]
        if not within(whole, roots) and (real := resolved(whole, path)) in roots:
            # A root may itself be a link that stands outside of every root.
            whole = real
        return self.judged(whole, path, reach)

    def _meant(self, path: str) -> str:
        """Return `path` without `~` and `..`. Raises `Refused` when a link before a `..` gives it a second meaning."""
        text = normal(path, self._home)
        if ".." in path.split("/"):
            step_by_step = self._home + path[1:] if path.startswith("~") else path
            if resolved(step_by_step, path) != resolved(text, path):
                raise trouble.two_places(path)
        return text

    def leads_nowhere(self, path: str) -> bool:
        """Say whether a link on the way leads to what is not there."""
        parts = normal(path, self._home).split("/")
        above = ["/".join(parts[: count + 1]) for count in range(1, len(parts))]
        return any(os.path.islink(place) and not os.path.exists(place) for place in above)

    def judged(self, real: str, said: str, reach: Reach) -> str:
        """Return the resolved path `real` if it may be reached; `said` is what is told of it. Raises `Refused`."""
        if not within(real, self._paths[reach]):
            raise trouble.outside(said)
        name = denied_name(real)
        if self.owned.may_hold(real) or (name is not None and name.startswith(".sayso-")):
            raise trouble.own(said)
        if name is not None:
            raise trouble.denied(said, name)
        if _NO_TEXT.search(real):
            raise Refused(f"“{said}” leads through a name that is no text", "path.undecodable")
        return real

    def planned(self, path: str) -> str:
        """Return the path of a step, which was resolved when it was planned and must be so still. Raises `Refused`."""
        if path == "~" or path.startswith("~/"):
            path = self.resolve_to_name(path)
        if os.path.normpath(path) != path or path.startswith("//"):
            raise changed_on_the_way(path)
        return self.judged(path, self.said(path), "roots")

    def folder(self, real: str, stack: ExitStack) -> int:
        """Open the folder at the judged path `real`, following no link. Raises `Refused`, `ProviderError`."""
        return self._folder(real, stack, self.owned.numbers())

    def _folder(self, real: str, stack: ExitStack, own: Numbers) -> int:
        root = self.root_of(real)
        try:
            opened = self._beneath(root.descriptor, real[len(root.path) :].strip("/"))
            stack.callback(os.close, opened)
            held = holds_this(opened, root.number, own)
        except OSError as wrong:
            raise in_words(wrong, self.said(real)) from wrong
        if held:
            raise trouble.own(self.said(real))
        return opened

    def spot(self, real: str, stack: ExitStack) -> Spot:
        """Return the name at the judged path `real` in its opened folder; sayso's own has no other name either."""
        own, said = self.owned.numbers(), self.said(real)
        if real in self._open:
            return Spot(self._folder(real, stack, own), ".", real, real, said)
        folder, _, name = real.rpartition("/")
        spot = Spot(self._folder(folder or "/", stack, own), name, real, real, said)
        found = spot.stat()
        if found is not None and own.has(found):
            raise trouble.own(said)
        return spot

    def root_of(self, real: str) -> Root:
        """Return the innermost root that holds `real`, if it is still the folder it was at the start."""
        for root in self._innermost:
            if real == root.path or real.startswith(root.within):
                break
        else:
            raise trouble.outside(self.said(real))
        try:
            now = os.stat(root.path, follow_symlinks=False)
        except OSError as gone:
            raise changed_on_the_way(self.said(root.path)) from gone
        if number_of(now) != root.number:
            raise changed_on_the_way(self.said(root.path))
        return root

    def must_not_be_a_root(self, real: str) -> None:
        """Refuse to take away a root, what holds one, or the place where another disk begins (T-21)."""
        if any(within(root.path, [real]) for root in self._roots) or real in mounted_at_or_within(real):
            raise Refused(f"“{self.said(real)}” is a folder that stays where it is", "path.is_root")
        if self.owned.lies_in(real):
            raise trouble.own(self.said(real))

    def device(self, folder: int) -> int:
        """Return a number that two folders share when things can be renamed from one to the other.

        It is the device; where one file system is mounted twice, the other mounts get numbers below zero.
        """
        device, mount = os.fstat(folder).st_dev, mount_of(folder)
        return device if self._mounts.setdefault(device, mount) == mount else -mount

    def _opened(self, path: str) -> Root | None:
        if path not in self._open:
            try:
                descriptor = os.open(path, FOLDER)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                return None
            within_it = path.rstrip("/") + "/"
            self._open[path] = Root(path, descriptor, number_of(os.fstat(descriptor)), within_it)
        return self._open[path]


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
