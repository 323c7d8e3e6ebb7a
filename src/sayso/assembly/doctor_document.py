"""What `sayso doctor --json` prints, which the page reads and sends as it is."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from sayso.runtime.results import Document


class OtherDocument(Document, frozen=True):
    """Another backend for the same store, and why it is not used."""

    backend: str
    why: str
    fix: str | None


class FindingDocument(Document, frozen=True):
    """The result of one check; what is about no store has no members about a store."""

    about: str
    how: str
    says: str
    fix: str | None
    store: str | UnsetType = UNSET
    backend: str | UnsetType | None = UNSET
    why: str | UnsetType | None = UNSET
    others: Sequence[OtherDocument] | UnsetType = UNSET


class DoctorDocument(Document, frozen=True):
    """What works here and how to mend what does not."""

    usable: bool
    findings: Sequence[FindingDocument]
