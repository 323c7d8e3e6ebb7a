"""A base for backends that keep each entry, such as a note or an event, in a text file of its own.

A subclass defines how a step changes the text of a file. This module does the steps, and settles them after a crash.
"""

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar, Protocol, TypeVar

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.quotes import quoted
from sayso.providers.disk.textfiles import InThreads, TextFile, Texts, became_of, etag_of


class EntryStep(Protocol):
    """What all steps of a backend for entries have in common."""

    removes: ClassVar[bool]
    """Whether the step removes the file."""

    @property
    def place(self) -> str:
        """Return the path of the file, relative to the backend's folder."""
        ...


S = TypeVar("S", bound=EntryStep)


class EntryFiles(InThreads[S]):
    """Does steps on text files; a subclass defines what they mean for its kind of entry."""

    entry: ClassVar[str]
    """The word for one entry in messages, such as “note”."""
    texts: Texts

    @abstractmethod
    def token(self, step: S) -> str:
        """Return a text that is unique to this step; it names the file that an interrupted step leaves behind."""

    @abstractmethod
    def after(self, step: S, text: str | None) -> str | None:
        """Return the text of the file after a step; None means no file.

        The same step and text must always give the same result.
        """

    @abstractmethod
    def expected_etag(self, step: S, expects: Facts) -> str | None:
        """Return the ETag that the file should have before the step; None if there should be no file.

        Raises `ProviderError`.
        """

    @abstractmethod
    def facts(self, step: S, etag: str | None) -> Facts:
        """Return the facts that are true after a step; `etag` is that of the file then, None if there is no file."""

    @abstractmethod
    def check(self, step: S, expects: Facts, text: str | None) -> None:
        """Make missing folders. Raises `ProviderError` if the step cannot be done although the ETag is as expected."""

    @abstractmethod
    def is_result(self, step: S, text: str, expected: str) -> bool:
        """Return whether the step made this text from the text with the expected ETag."""

    @abstractmethod
    def is_new(self, step: S, text: str) -> bool:
        """Return whether this text is recognizably the entry that the step created, even if it was changed since."""

    def imagine(self, seen: Any, step: S, ref: ChangeRef) -> Any:
        """Return a view of the entries as they would be after `step`."""
        return seen.after(step, ref)

    def _apply(self, step: S, expects: Facts) -> Applied:
        expected = self.expected_etag(step, expects)
        file = None if expected is None else self.texts.read(step.place)
        if expected is not None and (file is None or file.etag != expected):
            raise ProviderError(
                f"the {self.entry} in {quoted(step.place)} has changed since; nothing was done", "world.changed"
            )
        self.check(step, expects, text_of(file.data) if file else None)
        if expected is None:
            made = self.texts.make(step.place, self._bytes_after(step, None), self.token(step))
            return Applied(self.facts(step, made.etag))
        if step.removes:
            self.texts.take_away(step.place, expected, self.token(step))
            return Applied(self.facts(step, None))
        now = self.texts.exchange(step.place, expected, self._bytes_after(step, file), self.token(step))
        return Applied(self.facts(step, now.etag))

    def _bytes_after(self, step: S, file: TextFile | None) -> bytes:
        return bytes_of(self.after(step, text_of(file.data) if file else None) or "")

    def _settle(self, step: S, expects: Facts) -> Settlement:
        expected = self.expected_etag(step, expects)
        if not self.texts.is_there():
            return NotDone(f"there are no {self.entry}s yet") if expected is None else self._cannot_tell()
        if step.removes and expected is not None:
            return self._settle_removed(step, expected)
        now, aside = self.texts.read(step.place), self.texts.aside(step.place, self.token(step))
        if expected is None:
            return self._settle_created(step, now, aside)
        return self._settle_changed(step, expected, now, aside)

    def _settle_removed(self, step: S, expected: str) -> Settlement:
        match became_of(self.texts, step.place, self.token(step), partial(_has_etag, expected)):
            case "done":
                return Applied(self.facts(step, None))
            case "there":
                return NotDone(f"the {self.entry} is still there")
            case "gone":
                return self._cannot_tell()
            case "changed":
                return NotDone(f"the {self.entry} had changed meanwhile, and stayed")
            case "taken":
                return CannotTell(f"another {self.entry} has taken its place")

    def _settle_created(self, step: S, now: TextFile | None, aside: TextFile | None) -> Settlement:
        if aside is not None:
            self.texts.discard(step.place, self.token(step))
        made = self._bytes_after(step, None)
        if now is None:
            return NotDone(f"the {self.entry} is not there")
        if now.data == made or self.is_new(step, text_of(now.data)):
            # The facts describe what the step made, so that undo fails instead of removing what somebody changed since.
            return Applied(self.facts(step, etag_of(made)))
        return CannotTell(f"something else is where the {self.entry} was to be")

    def _settle_changed(self, step: S, expected: str, now: TextFile | None, aside: TextFile | None) -> Settlement:
        def is_ours(file: TextFile | None) -> bool:
            return file is not None and self.is_result(step, text_of(file.data), expected)

        if aside is not None and now is not None and expected not in {aside.etag, now.etag} and not is_ours(aside):
            # Another program changed the file just before this step exchanged it, so the exchange set that program's
            # version aside. The two are exchanged back only if the file in place is still the one that this step wrote.
            if not is_ours(now):
                return CannotTell(f"the {self.entry} is neither as it was before nor as it was meant to become")
            self.texts.change_back(step.place, self.token(step))
            return NotDone(f"the {self.entry} had changed meanwhile, and stayed as it was")
        if aside is not None:
            self.texts.discard(step.place, self.token(step))
        if now is None:
            return self._cannot_tell()
        if now.etag == expected:
            return NotDone(f"the {self.entry} is as it was")
        if aside is not None and aside.etag == expected:
            return Applied(self.facts(step, etag_of(self._bytes_after(step, aside))))
        if is_ours(now):
            return Applied(self.facts(step, now.etag))
        return CannotTell(f"the {self.entry} was changed by somebody, and it cannot be seen by whom")

    def _cannot_tell(self) -> CannotTell:
        return CannotTell(f"the {self.entry} is gone, and it cannot be seen who removed it")


def text_of(data: bytes) -> str:
    """Return a file's content as text; invalid bytes are kept, so that `bytes_of` restores them unchanged."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return the bytes of a text that `text_of` returned."""
    return text.encode("utf-8", "surrogateescape")


def _has_etag(etag: str, file: TextFile) -> bool:
    return file.etag == etag
