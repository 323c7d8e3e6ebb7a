"""Carry steps out on a folder of Markdown files: each in one go, checked in the act, and settled by looking."""

import anyio.to_thread

from sayso.core.errors import ProviderError, SaysoError
from sayso.core.plan import CannotTell, Facts, Left, NotDone, Ref, Settled
from sayso.core.ports import Ground
from sayso.core.provider import Capability
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import File, InThreads, Texts, became_of, etag_of
from sayso.providers.notes.folder.reads import Reads
from sayso.providers.notes.folder.vault import Vault, after, read
from sayso.providers.notes.model import AppendNote, CreateNote, CutNote, FolderThere, NoteIs, RemoveNote, Steps

PLACE = "notes"
"""The folder in sayso's own, where none is named."""


def build(ground: Ground) -> "FolderBackend":
    """Return the backend over the folder that the settings name, or one of sayso's own."""
    return FolderBackend(ground)


class FolderBackend(InThreads[Steps]):
    """Notes as files that any editor reads too."""

    name = "folder"

    def __init__(self, ground: Ground) -> None:
        named = str(ground.settings.get("path") or "")
        self._texts = Texts(named or f"{ground.own}/{PLACE}", beneath(), ground.kill)
        self._named = bool(named)
        self._vault = Vault(self._texts, own=not named)
        self.reads = Reads(self._vault, ground.clock, ground.ids)

    def imagine(self, seen: Reads, step: Steps, ref: Ref) -> Reads:
        """Return reads in which `step` has been done."""
        return seen.after(step, ref)

    async def capabilities(self) -> tuple[Capability, ...]:
        """Say where the notes are, and why there."""
        why = "as notes.path says" if self._named else "notes.path names no other folder"
        try:
            folders = await anyio.to_thread.run_sync(self._vault.folders)
        except SaysoError as wrong:
            return (Capability("note folders", "", str(wrong), f"mkdir -p '{self._texts.path}'", asked=self._named),)
        names = ", ".join(f"“{folder}”" for folder in folders[:8]) + (" …" if len(folders) > len(folders[:8]) else "")
        return (Capability("note folders", self._texts.path, f"{why}; folders: {names}"),)

    def _apply(self, step: Steps, expects: Facts) -> Left:
        if isinstance(step, CreateNote):
            for fact in expects:
                if isinstance(fact, FolderThere):
                    self._vault.folder_of(fact.about)
            if not self._vault.must_be_there():
                self._texts.make_folder()
            file = self._texts.make(step.place, after(None, step) or b"", token_of(step))
            return Left((NoteIs(step.id, file.etag),))
        expected = _expected(step, expects)
        file = self._texts.read(step.place)
        if file is None or file.etag != expected:
            raise ProviderError(f"the note “{step.place}” has changed since; nothing was done", "world.changed")
        data = after(file.data, step)
        if data is None:
            self._texts.take_away(step.place, expected, token_of(step))
            return Left()
        now = self._texts.exchange(step.place, expected, data, token_of(step))
        return Left((NoteIs(step.id, now.etag),))

    def _settle(self, step: Steps, expects: Facts) -> Settled:
        if not self._texts.is_there():
            return NotDone("there are no notes yet") if isinstance(step, CreateNote) else _gone()
        expected = "" if isinstance(step, CreateNote) else _expected(step, expects)
        if isinstance(step, RemoveNote):
            return self._settled_away(step, expected)
        now, aside = self._texts.read(step.place), self._texts.aside(step.place, token_of(step))
        if isinstance(step, CreateNote):
            if aside is not None:
                self._texts.discard(step.place, token_of(step))
            return _settled_new(step, now)
        return self._settled_changed(step, expected, now, aside)

    def _settled_away(self, step: RemoveNote, expected: str) -> Settled:
        match became_of(self._texts, step.place, token_of(step), lambda aside: aside.etag == expected):
            case "done":
                return Left()
            case "there":
                return NotDone("the note is still there")
            case "gone":
                return _gone()
            case "changed":
                return NotDone("it had changed meanwhile, and stayed")
            case "taken":
                return CannotTell("another has taken its place")

    def _settled_changed(
        self, step: AppendNote | CutNote, expected: str, now: File | None, aside: File | None
    ) -> Settled:
        if now is None:
            return _gone()
        ours = _bears(now.data, step, expected)
        if aside is not None and aside.etag != expected and ours:
            # Somebody else's file came out of the exchange: it gets its name back.
            self._texts.change_back(step.place, token_of(step))
            return NotDone("the note had changed meanwhile, and stayed as it was")
        if aside is not None:
            self._texts.discard(step.place, token_of(step))
        if ours:
            return Left((NoteIs(step.id, now.etag),))
        if now.etag == expected:
            return NotDone("the note is as it was")
        if aside is not None and aside.etag == expected:
            return Left((NoteIs(step.id, etag_of(after(aside.data, step) or b"")),))
        return CannotTell("the note was changed by somebody, and it cannot be seen by whom")


def token_of(step: Steps) -> str:
    """Return what no other step has: the id it makes, or the mark that was made for it."""
    return step.id if isinstance(step, CreateNote) else f"{step.id} {step.mark}"


def _bears(data: bytes, step: AppendNote | CutNote, expected: str) -> bool:
    """Say whether a file is exactly what it was before with what the step adds, or without what it takes off."""
    text = step.text.encode()
    if isinstance(step, CutNote):
        return etag_of(data + text) == expected
    return data.endswith(text) and etag_of(data[: len(data) - len(text)]) == expected


def _settled_new(step: CreateNote, now: File | None) -> Settled:
    made = after(None, step) or b""
    if now is None:
        return NotDone("the note is not there")
    if now.data == made or read(now.data)[0].id == step.id:
        # The id was made for this step alone; what somebody changed since is theirs, and no undo takes it away.
        return Left((NoteIs(step.id, etag_of(made)),))
    return CannotTell("something else stands where the note was to be")


def _expected(step: Steps, expects: Facts) -> str:
    """Return what a note is expected to hold. Raises `ProviderError` where nothing says so."""
    for fact in expects:
        if isinstance(fact, NoteIs) and fact.about == step.id:
            return fact.sha256
    raise ProviderError("it is not known what this was planned upon; nothing was done", "world.changed")


def _gone() -> CannotTell:
    return CannotTell("the note is gone, and it cannot be seen who removed it")
