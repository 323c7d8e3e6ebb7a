"""Confinement to the roots: resolve a path, check that it may be reached, and open it without following any link."""

import os
import re
import stat
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from functools import cached_property

from msgspec import Struct

from sayso.core.errors import ProviderError, Refused
from sayso.core.quotes import quoted
from sayso.policy.paths import find_denied_name, may_be_within, normal, within
from sayso.providers.disk.denied_places import (
    MOUNT_TABLE,
    SECOND,
    DeniedPlaces,
    FolderState,
    MountNames,
    Number,
    folder_state,
    is_settled,
    read_mounts,
)
from sayso.providers.disk.syscalls import FOLDER, Beneath, in_words, path_changed_error
from sayso.providers.files import errors
from sayso.providers.files.paths import resolve_links
from sayso.providers.files.store import Reach

_HOLD = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY
_QUIET = getattr(os, "O_NOATIME", 0)


class Spot(Struct, frozen=True):
    """One name in an open folder.

    `path` is its absolute path. `about` is its name in facts: `path`, or `kept:` and a token for what is in the undo
    store. `said` is the path that a person is shown. `name` is `.` for a root, because the folder above a root must not
    be opened.
    """

    folder: int
    name: str
    path: str
    about: str
    said: str
    unguessed: bool = False
    """Whether the name contains a token of sayso's; no other program puts anything under such a name."""

    @property
    def is_ours(self) -> bool:
        """Return whether the place is in the undo store, which no other program uses."""
        return self.about.startswith("kept:")

    def stat(self) -> os.stat_result | None:
        """Return the status of what is there, without following a link, or None."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


def kind_of(found: os.stat_result, said: str) -> str:
    """Return `file`, `folder` or `link`. Raises `Refused` for a device, pipe or socket."""
    if stat.S_ISREG(found.st_mode):
        return "file"
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    if stat.S_ISLNK(found.st_mode):
        return "link"
    raise Refused(f"{quoted(said)} is not a file, folder or link, but a device, pipe or socket", "path.special")


def same(one: os.stat_result | None, other: os.stat_result | None) -> bool:
    """Return whether both exist and are the same file, folder or link."""
    return one is not None and other is not None and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def hold(spot: Spot, stack: ExitStack) -> tuple[os.stat_result, int] | None:
    """Return the status of what is there, and a descriptor that prevents its inode number from being reused."""
    found = spot.stat()
    if found is None:
        return None
    kind_of(found, spot.said)
    try:
        held = os.open(spot.name, _HOLD, dir_fd=spot.folder)
    except FileNotFoundError:
        return None
    stack.callback(os.close, held)
    return os.fstat(held), held


def open_file(spot: Spot, expected: os.stat_result, stack: ExitStack) -> int:
    """Open a file for reading, without blocking and without changing its times.

    Raises `Refused` if it is not the file that was found before.
    """
    try:
        opened = os.open(spot.name, _READ | _QUIET, dir_fd=spot.folder)
    except PermissionError:
        opened = os.open(spot.name, _READ, dir_fd=spot.folder)
    stack.callback(os.close, opened)
    if not same(os.fstat(opened), expected):
        raise path_changed_error(spot.said)
    return opened


def open_folder(spot: Spot, expected: os.stat_result, stack: ExitStack) -> int:
    """Open a folder. Raises `Refused` if it is not the folder that was found before."""
    opened = os.open(spot.name, FOLDER, dir_fd=spot.folder)
    stack.callback(os.close, opened)
    if not same(os.fstat(opened), expected):
        raise path_changed_error(spot.said)
    return opened


def follow_links(path: str, said: str) -> str:
    """Return where the absolute `path` leads on this disk. Raises `ProviderError`."""
    return resolve_links(path, said, lambda link: _target(link, said))


def _target(path: str, said: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError as wrong:
        if len(os.fsencode(path)) >= os.pathconf("/", "PC_PATH_MAX"):
            raise ProviderError(f"{quoted(said)} is too long a path", "path.too_long") from wrong
        return None


def mount_of(folder: int) -> int:
    """Return a number that two folders share exactly when a rename between them can work.

    Two mounts of one file system have different numbers, although their device is the same.
    """
    try:
        with open(f"/proc/self/fdinfo/{folder}", "rb") as info:
            found = re.search(rb"^mnt_id:\s*([0-9]+)", info.read(), re.MULTILINE)
    except OSError:
        found = None
    return int(found[1]) if found else os.fstat(folder).st_dev


def top_of(path: str, folder: int) -> str:
    """Return the mount point of the open folder `folder`, which is at `path`."""
    mounts = _mounts()
    wanted = mount_of(folder)
    if wanted in mounts:
        return mounts[wanted]
    device = os.fstat(folder).st_dev
    top = path
    while top != "/" and os.stat(os.path.dirname(top)).st_dev == device:
        top = os.path.dirname(top)
    return top


def mounts_within(path: str) -> list[str]:
    """Return the mount points at `path` or below it; none where the system has no table of mounts."""
    start = path.rstrip("/") + "/"
    return sorted({place for place in _mounts().values() if (place + "/").startswith(start)})


def _mounts() -> dict[int, str]:
    try:
        table = os.open(MOUNT_TABLE, os.O_RDONLY)
    except OSError:
        return {}
    try:
        return {row.id: row.point for row in read_mounts(table)}
    finally:
        os.close(table)


_KEPT = "trash"


class OwnedNumbers:
    """Device and inode of everything that belongs to sayso, and of the files in denied places, at one moment."""

    def __init__(self, places: tuple[str, ...], near: frozenset[Number], denied: DeniedPlaces | None = None) -> None:
        self._places = places
        self._denied = denied
        self.near = near
        """The numbers of sayso's folders and of what is directly in them."""

    def __contains__(self, number: Number) -> bool:
        """Return whether the number is that of one of sayso's folders, or of something directly in one."""
        return number in self.near

    def has(self, found: os.stat_result) -> bool:
        """Return whether a thing belongs to sayso, or is a hard link to a file in a denied place."""
        return self.is_own(found) or self._is_denied(found)

    def refuse(self, found: os.stat_result, said: str) -> None:
        """Raise `Refused` for a thing that `has` finds."""
        if self.is_own(found):
            raise errors.own(said)
        if self._is_denied(found):
            raise errors.denied_place(said, "a file in a protected place")

    def _is_denied(self, found: os.stat_result) -> bool:
        return found.st_nlink > 1 and stat.S_ISREG(found.st_mode) and number_of(found) in self._in_denied_places

    @cached_property
    def _in_denied_places(self) -> frozenset[Number]:
        return self._denied.numbers() if self._denied is not None else frozenset()

    def is_own(self, found: os.stat_result) -> bool:
        """Return whether a thing has one of these numbers, or is a hard link to a file deeper in sayso's folders.

        Files in the undo store are left out: they were the person's, and a hard link to one of them outside the store
        is still the person's file.
        """
        if number_of(found) in self.near:
            return True
        return found.st_nlink > 1 and stat.S_ISREG(found.st_mode) and number_of(found) in self._deeper

    @cached_property
    def _deeper(self) -> frozenset[Number]:
        return frozenset(number for place in self._places for number in _below(place))


class OwnedSnapshot(Struct, frozen=True):
    """What was read about sayso's folders, `at` a time on the monotonic clock, in nanoseconds."""

    near: frozenset[Number]
    at: int
    states: list[FolderState | None]
    """The folders' states then; empty when the snapshot must not be used again."""

    def holds(self, states: list[FolderState | None], now: int) -> bool:
        """Return whether the snapshot is still valid for folders with these states."""
        return self.states == states and 0 <= now - self.at < SECOND


class OwnedFolders:
    """The folders and files that belong to sayso, which no action may reach."""

    def __init__(self, own: str, also: Iterable[str], denied: DeniedPlaces | None = None) -> None:
        self.folder = os.path.realpath(own)
        self.denied = denied
        self._places = tuple(dict.fromkeys([self.folder, *also]))
        self._known: OwnedSnapshot | None = None

    def may_hold(self, real: str) -> bool:
        """Return whether a resolved path may be in one of sayso's folders, judged by names alone."""
        return may_be_within(real, self._places)

    def lies_in(self, real: str) -> bool:
        """Return whether one of sayso's folders is at or below a resolved path."""
        return any(within(place, [real]) for place in self._places)

    def numbers(self) -> OwnedNumbers:
        """Return the current numbers of sayso's folders; unchanged folders are not read again within a second."""
        states = [folder_state(place) for place in self._places]
        known = self._known
        if known is None or not known.holds(states, time.monotonic_ns()):
            known = self._known = _read(self._places, states)
        return OwnedNumbers(self._places, known.near, self.denied)


def number_of(found: os.stat_result) -> Number:
    """Return the device and inode of a thing."""
    return found.st_dev, found.st_ino


def holds_this(folder: int, top: Number, own: OwnedNumbers) -> bool:
    """Return whether an open folder, or a folder above it up to `top`, is one of sayso's own (`own`).

    The folders above a mount point are checked too. Raises `OSError` for a folder nested more deeply than a path can
    express, about 1,300 levels.
    """
    now = number_of(os.fstat(folder))
    way = ".."
    while now not in own:
        if now == top:
            return False
        above = number_of(os.stat(way, dir_fd=folder))
        if above == now:
            # Only the root of the whole system is its own parent. Any other such folder means that the path changed
            # meanwhile.
            return now != number_of(os.stat("/"))
        now = above
        way += "/.."
    return True


def _read(places: tuple[str, ...], states: list[FolderState | None]) -> OwnedSnapshot:
    begun, now = time.monotonic_ns(), time.clock_gettime_ns(time.CLOCK_REALTIME)
    near: set[Number] = set()
    links = [place for place in places for _ in _links_in(place, near)]
    return OwnedSnapshot(frozenset(near), begun, lasting(states, now, links=bool(links)))


def lasting(states: list[FolderState | None], now: int, *, links: bool) -> list[FolderState | None]:
    """Return the states by which a snapshot may be validated; none if a change could leave all states the same.

    The target of a link can change without any change to the folder that holds the link.
    """
    return states if not links and all(is_settled(state, now) for state in states) else []


def _links_in(place: str, near: set[Number]) -> Iterator[str]:
    """Add to `near` the numbers of a folder, of what is in it, and of files that its links lead to. Yield the links."""
    with suppress(OSError):
        near.add(number_of(os.stat(place)))
        with os.scandir(place) as entries:
            for entry in entries:
                if linked := entry.is_symlink():
                    yield entry.name
                with suppress(OSError):
                    inner = entry.stat()
                    if not (linked and stat.S_ISDIR(inner.st_mode)):
                        near.add(number_of(inner))


def _below(place: str) -> Iterator[Number]:
    for folder, inner, names in os.walk(place):
        if folder == place and _KEPT in inner:
            inner.remove(_KEPT)
        for name in names:
            with suppress(OSError):
                yield number_of(os.lstat(os.path.join(folder, name)))


_NO_TEXT = re.compile("[\ud800-\udfff]")


class OpenRoot(Struct, frozen=True):
    """A folder that may be reached; it has been open since the start."""

    path: str
    descriptor: int
    number: Number
    within: str
    """The beginning of every path in the folder."""


class OtherNames(Struct, frozen=True):
    """The other names of what is in one folder: paths of the folder by other mounts, and targets of denied links."""

    owned: OwnedFolders
    path: str
    paths: tuple[str, ...]
    targets: tuple[str, ...]

    def denied(self, inner: str = "") -> str | None:
        """Return the protected path that is another name of the folder, or of `inner` in it; None if there is none."""
        path = f"{self.path}/{inner}".rstrip("/")
        if within(path, self.targets):
            return path
        for folder in self.paths:
            other = f"{folder}/{inner}".rstrip("/")
            if find_denied_name(other) is not None or self.owned.may_hold(other):
                return other
        return None


class Confinement:
    """The roots of one backend. No other code turns a path into a descriptor."""

    def __init__(self, home: str, owned: OwnedFolders, roots: Iterable[str], beneath: Beneath) -> None:
        self._home = home
        self._beneath = beneath
        self._real_home = os.path.realpath(home)
        self.owned = owned
        self._open: dict[str, OpenRoot] = {}
        real = [os.path.realpath(root) for root in roots]
        self._roots = tuple(root for path in dict.fromkeys(real) if (root := self._find_root(path)))
        self._homes = (*self._roots, *(root for root in [self._find_root(self._real_home)] if root))
        self._paths: dict[Reach, list[str]] = {
            "roots": [root.path for root in self._roots],
            "home": [root.path for root in self._homes],
        }
        self._innermost = sorted(self._homes, key=lambda root: len(root.path), reverse=True)
        self._mounts: dict[int, int] = {}
        self._names = MountNames()
        descriptors = [root.descriptor for root in self._open.values()]
        self.close = weakref.finalize(self, _close, [*descriptors, *self._names.descriptors])

    @property
    def roots(self) -> tuple[OpenRoot, ...]:
        """Return the roots that existed at the start."""
        return self._roots

    def show_path(self, path: str) -> str:
        """Return `path` with `~` for the person's home."""
        for home in (self._real_home, self._home):
            if path.startswith(home) and (len(path) == len(home) or path[len(home)] == "/"):
                return "~" + path[len(home) :]
        return path

    def resolve(self, path: str, reach: Reach = "roots") -> str:
        """Return where `path` leads after following every link. Raises `Refused`."""
        return self.admit(follow_links(self._resolve_typed(path), path), path, reach)

    def resolve_to_name(self, path: str, reach: Reach = "roots") -> str:
        """Return where `path` leads without following its last name. Raises `Refused`."""
        folder, name = os.path.split(self._resolve_typed(path))
        whole = follow_links(folder, path).rstrip("/") + "/" + name
        roots = self._paths[reach]
        if not within(whole, roots) and (real := follow_links(whole, path)) in roots:
            # A root can be reached by a link that is outside every root.
            whole = real
        return self.admit(whole, path, reach)

    def _resolve_typed(self, path: str) -> str:
        """Return `path` without `~` and `..`. Raises `Refused` when a link before a `..` makes it ambiguous."""
        text = normal(path, self._home)
        if ".." in path.split("/"):
            step_by_step = self._home + path[1:] if path.startswith("~") else path
            if follow_links(step_by_step, path) != follow_links(text, path):
                raise errors.two_places(path)
        return text

    def leads_nowhere(self, path: str) -> bool:
        """Return whether a link on the path leads to nothing."""
        parts = normal(path, self._home).split("/")
        above = ["/".join(parts[: count + 1]) for count in range(1, len(parts))]
        return any(os.path.islink(place) and not os.path.exists(place) for place in above)

    def admit(self, real: str, said: str, reach: Reach) -> str:
        """Return the resolved path `real` if it may be reached; errors show it as `said`. Raises `Refused`."""
        if not within(real, self._paths[reach]):
            raise errors.outside(said)
        name = find_denied_name(real)
        if self.owned.may_hold(real) or (name is not None and name.startswith(".sayso-")):
            raise errors.own(said)
        if name is not None:
            raise errors.name_denied_error(said, name)
        other = names.denied() if (names := self.other_names(real)) is not None else None
        if other is not None:
            raise errors.own(said) if self.owned.may_hold(other) else errors.denied_place(said, self.show_path(other))
        if _NO_TEXT.search(real):
            raise Refused(f"{quoted(said)} leads through a name that is not text", "path.undecodable")
        return real

    def mounts_below(self, real: str) -> dict[str, bool]:
        """Return the mount points below a resolved folder, and whether each is another name of a protected place."""
        named = {point: self.other_names(point) for point in self._names.points_below(real)}
        return {point: names is not None and names.denied() is not None for point, names in named.items()}

    def other_names(self, real: str) -> OtherNames | None:
        """Return the other names of what is at a resolved path, or below it; None if it has none."""
        paths = self._names.of(real)
        links = self.owned.denied.targets() if self.owned.denied is not None else ()
        targets = tuple(target for target in links if within(target, [real]) or within(real, [target]))
        return OtherNames(self.owned, real, paths, targets) if paths or targets else None

    def admit_planned(self, path: str, reach: Reach = "roots") -> str:
        """Return the path of a step or fact if it is absolute, resolved and may be reached. Raises `Refused`."""
        if path == "~" or path.startswith("~/"):
            path = self.resolve_to_name(path)
        if os.path.normpath(path) != path or path.startswith("//"):
            raise path_changed_error(path)
        return self.admit(path, self.show_path(path), reach)

    def folder(self, real: str, stack: ExitStack) -> int:
        """Open the folder at the admitted path `real` without following links. Raises `Refused` or `ProviderError`."""
        return self._folder(real, stack, self.owned.numbers())

    def _folder(self, real: str, stack: ExitStack, own: OwnedNumbers) -> int:
        root = self.root_of(real)
        try:
            opened = self._beneath(root.descriptor, real[len(root.path) :].strip("/"))
            stack.callback(os.close, opened)
            held = holds_this(opened, root.number, own)
        except OSError as wrong:
            raise in_words(wrong, self.show_path(real)) from wrong
        if held:
            raise errors.own(self.show_path(real))
        return opened

    def spot(self, real: str, stack: ExitStack) -> Spot:
        """Return the `Spot` for the admitted path `real`, with its folder opened.

        Refuses hard links to sayso's own files.
        """
        own, said = self.owned.numbers(), self.show_path(real)
        if real in self._open:
            return Spot(self._folder(real, stack, own), ".", real, real, said)
        folder, _, name = real.rpartition("/")
        spot = Spot(self._folder(folder or "/", stack, own), name, real, real, said)
        found = spot.stat()
        if found is not None:
            own.refuse(found, said)
        return spot

    def root_of(self, real: str) -> OpenRoot:
        """Return the innermost root that holds `real`.

        Raises `Refused` if the root is not the same folder as at the start.
        """
        for root in self._innermost:
            if real == root.path or real.startswith(root.within):
                break
        else:
            raise errors.outside(self.show_path(real))
        try:
            now = os.stat(root.path, follow_symlinks=False)
        except OSError as gone:
            raise path_changed_error(self.show_path(root.path)) from gone
        if number_of(now) != root.number:
            raise path_changed_error(self.show_path(root.path))
        return root

    def must_not_be_a_root(self, real: str) -> None:
        """Raise `Refused` for what must not be moved (T-21).

        That is a root, a mount point, a folder of sayso's own, or a folder that holds a root or a folder of sayso's
        own.
        """
        if any(within(root.path, [real]) for root in self._roots) or real in mounts_within(real):
            raise Refused(f"{quoted(self.show_path(real))} is a folder that must stay where it is", "path.is_root")
        if self.owned.lies_in(real):
            raise errors.own(self.show_path(real))

    def device(self, folder: int) -> int:
        """Return a number that two folders share when things can be renamed from one to the other.

        The number is the device. When one file system is mounted twice, the second mount gets a negative number.
        """
        device, mount = os.fstat(folder).st_dev, mount_of(folder)
        return device if self._mounts.setdefault(device, mount) == mount else -mount

    def _find_root(self, path: str) -> OpenRoot | None:
        if path not in self._open:
            try:
                descriptor = os.open(path, FOLDER)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                return None
            within_it = path.rstrip("/") + "/"
            self._open[path] = OpenRoot(path, descriptor, number_of(os.fstat(descriptor)), within_it)
        return self._open[path]


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
