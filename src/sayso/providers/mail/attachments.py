"""Save an attachment in the person's folders, and delete it again if nobody has changed it."""

import os
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from sayso.core.errors import ProviderError, Refused, SaysoError, Uncertain
from sayso.core.plan import Applied, CannotTell, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext
from sayso.core.quotes import quoted
from sayso.policy.paths import normal, within
from sayso.providers.disk.denied_places import protected_by_mount
from sayso.providers.disk.syscalls import beneath, in_words, path_changed_error
from sayso.providers.disk.textfiles import TextFile, Texts, became_of
from sayso.providers.mail.model import MailFile, RemoveSaved, SaveAttachment, SaveFolder, Saving
from sayso.providers.mail.store import MOST_FILE, AttachmentFile, SavePlace, digest_of

Fetch = Callable[[str, int], Awaitable[AttachmentFile]]
"""Fetches attachment `number` of a message from the store."""


class AttachmentSaver(Struct, frozen=True):
    """Saves attachments in the person's folders, and nowhere else."""

    context: BackendContext

    async def free_path(self, path: str, name: str) -> SavePlace:
        """Return the free place at which to save a file: `path`, or `name` in it if `path` is a folder.

        Raises `Refused` if the path is outside the roots, and `ProviderError` if it is taken or has no folder.
        """
        return await to_thread.run_sync(lambda: self._free_path(path, name))

    async def execute(self, step: Saving, expects: Facts, fetch: Fetch) -> Applied:
        """Do a step. If it raises `ProviderError`, nothing was done."""
        if isinstance(step, RemoveSaved):
            return await to_thread.run_sync(lambda: self._remove_file(step, expects))
        file = await fetch(step.id, step.number)
        if digest_of(file.data) != step.sha256:
            raise ProviderError(
                f"{quoted(file.name)} is not what it was when it was shown; nothing was saved", "world.changed"
            )
        return await to_thread.run_sync(lambda: self._save_file(step, expects, file.data))

    async def settle(self, step: Saving, expects: Facts) -> Settlement:
        """Return whether an interrupted step was done, as far as the disk shows it."""
        return await to_thread.run_sync(lambda: self._settle_saved(step, expects))

    def _free_path(self, path: str, name: str) -> SavePlace:
        if ".." in path.split("/"):
            raise Refused(f"{quoted(path)} goes back with “..”; write it without", "path.form")
        text = normal(path, self.context.home)
        is_folder = path.endswith("/") or self._is_folder(text)
        folder, _, last = (text, "", name) if is_folder else text.rpartition("/")
        real = os.path.realpath(folder or "/")
        self._must_reach(real, path)
        if not Path(real).is_dir():
            raise ProviderError(
                f"{quoted(path)} would be in a folder that does not exist; make {quoted(folder)} first",
                "path.no_folder",
            )
        place = f"{real.rstrip('/')}/{last}"
        if os.path.lexists(place):
            raise ProviderError(
                f"{quoted(place)} is taken; what is there is never overwritten. Give another name", "path.taken"
            )
        return SavePlace(place, (_folder_fact(real, Path(real).stat()),))

    def _is_folder(self, text: str) -> bool:
        """Return whether a path is a folder inside the roots."""
        real = os.path.realpath(text)
        return within(real, self._roots()) and Path(real).is_dir()

    def _roots(self) -> list[str]:
        return [os.path.realpath(root) for root in self.context.roots]

    def _must_reach(self, real: str, written: str) -> None:
        if not within(real, self._roots()):
            raise Refused(f"{quoted(written)} lies outside the folders that actions may reach", "path.outside_roots")
        other = protected_by_mount(real, self.context.own)
        if other is not None:
            raise Refused(
                f"{quoted(written)} is another name of {quoted(other)}, which no action may touch", "path.denied_place"
            )

    def _texts(self, path: str, expects: Facts = ()) -> tuple[Texts, str]:
        """Return the folder and the file name of a path that was resolved during planning.

        Raises `Refused` if the path now leads elsewhere or out of the roots. A change in the folder is refused if the
        folder is not the expected one.
        """
        folder, _, name = path.rpartition("/")
        wanted = next((fact for fact in expects if isinstance(fact, SaveFolder)), None)

        def is_meant(found: os.stat_result) -> bool:
            return wanted is None or _folder_fact(wanted.about, found) == wanted

        texts = Texts(folder or "/", beneath(), self.context.kill, MOST_FILE, is_meant)
        if texts.path != (folder or "/"):
            raise path_changed_error(path)
        self._must_reach(texts.path, path)
        return texts, name

    def _save_file(self, step: SaveAttachment, expects: Facts, data: bytes) -> Applied:
        texts, name = self._texts(step.path, expects)
        file = texts.make(name, data, step.token)
        if digest_of(file.data) != step.sha256:
            raise Uncertain(
                f"{quoted(step.path)} was changed while it was saved; look at what is in it", "world.changed"
            )
        return Applied((_fact(step.path, file),))

    def _remove_file(self, step: RemoveSaved, expects: Facts) -> Applied:
        texts, name = self._texts(step.path)
        expected = expected_file(step.path, expects)
        now = texts.read(name)
        if now is None or _fact(step.path, now) != expected:
            raise ProviderError(f"{quoted(step.path)} has changed since it was saved; it stays", "world.changed")
        texts.take_away(name, now.etag, step.token)
        return Applied()

    def _settle_saved(self, step: Saving, expects: Facts) -> Settlement:
        try:
            texts, name = self._texts(step.path)
            if isinstance(step, RemoveSaved):
                return _settle_removed(texts, step, expected_file(step.path, expects))
            now, aside = texts.read(name), texts.aside(name, step.token)
            if aside is not None:
                texts.discard(name, step.token)
        except OSError as error:
            return CannotTell(str(in_words(error, step.path)))
        except SaysoError as error:
            return CannotTell(str(error))
        if aside is not None or now is None:
            return NotDone("the file was not saved")
        same = digest_of(now.data) == step.sha256
        return CannotTell(
            f"{quoted(step.path)} is there{' and holds what was to be saved' if same else ''}; by whom cannot be seen"
        )


def expected_file(path: str, expects: Facts) -> MailFile:
    """Return the fact that is expected of a saved file. Raises `ProviderError` if there is none."""
    for fact in expects:
        if isinstance(fact, MailFile) and fact.about == path:
            return fact
    raise ProviderError(f"it is not known what was saved as {quoted(path)}; it stays", "world.changed")


def _folder_fact(path: str, found: os.stat_result) -> SaveFolder:
    access = f"{stat.S_IMODE(found.st_mode):o} {found.st_uid}:{found.st_gid}"
    return SaveFolder(path, f"{found.st_dev}:{found.st_ino}", access)


def _fact(path: str, file: TextFile) -> MailFile:
    device, inode = file.number
    return MailFile(path, digest_of(file.data), f"{device}:{inode}", str(file.changed_ns))


def _settle_removed(texts: Texts, step: RemoveSaved, expected: MailFile) -> Settlement:
    name = step.path.rpartition("/")[2]
    match became_of(texts, name, step.token, lambda aside: _fact(step.path, aside) == expected):
        case "done":
            return Applied()
        case "there":
            return NotDone("the file is still there")
        case "gone":
            return CannotTell(f"{quoted(step.path)} is gone, and it cannot be seen who removed it")
        case "changed":
            return NotDone("it had changed meanwhile, and stayed")
        case "taken":
            return CannotTell("another has taken its place")
