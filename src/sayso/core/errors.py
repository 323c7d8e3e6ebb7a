"""Errors sorted by who can act on them: the model, the person, or nobody here.

```
SaysoError
├── ProposalError    the model can mend it: the sentence goes back to the model
├── SetupError       the person can mend it: a setting, a permission, a missing program
└── ProviderError    the world said no: a file is gone, a server is down
    └── Uncertain    … and it cannot be said whether the effect happened
Refused              not an error but an outcome: policy, limits or confinement said no
```

Every one carries `code`, a stable word such as `path.outside_roots`, and a sentence that may be shown to a person.
"""

from msgspec import Struct


class Candidate(Struct, frozen=True):
    """One of the things that may have been meant: what it is called, and what tells it from the others."""

    name: str
    id: str = ""
    """What may be written in place of the name; empty where nothing but the name is taken."""
    where: str = ""
    """Where it stands, for a reader: “under “Work””, “in Recipes”."""


class SaysoError(Exception):
    """What goes wrong in a foreseen way; `str()` is one sentence without a secret or a traceback."""

    def __init__(self, sentence: str, code: str = "error", candidates: tuple[Candidate, ...] = ()) -> None:
        super().__init__(sentence)
        self.code = code
        self.candidates = candidates
        """What may have been meant instead, where the sentence names some."""


class ProposalError(SaysoError):
    """What was proposed cannot be meant as it stands; the model can propose something better."""

    def __init__(self, sentence: str, code: str = "proposal.invalid", candidates: tuple[Candidate, ...] = ()) -> None:
        super().__init__(sentence, code, candidates)


class SetupError(SaysoError):
    """Something on this machine must be set up or mended by the person."""

    def __init__(self, sentence: str, code: str = "setup") -> None:
        super().__init__(sentence, code)


class ProviderError(SaysoError):
    """The world said no, and nothing was changed."""

    def __init__(self, sentence: str, code: str = "provider.failed", candidates: tuple[Candidate, ...] = ()) -> None:
        super().__init__(sentence, code, candidates)


class Uncertain(ProviderError):
    """The world stopped answering in the middle: the effect may or may not have happened."""

    def __init__(self, sentence: str, code: str = "provider.uncertain") -> None:
        super().__init__(sentence, code)


class Refused(SaysoError):
    """Policy, a limit or confinement said no; an outcome, raised where it is found out."""

    def __init__(self, sentence: str, code: str, rule: str = "confinement") -> None:
        super().__init__(sentence, code)
        self.rule = rule


class Stale(SaysoError):
    """Another process moved the same journal row first; whoever gets this has lost and must not act."""

    def __init__(self, sentence: str = "somebody else has already decided or settled this") -> None:
        super().__init__(sentence, "journal.stale")


class Spent(Stale):
    """A standing permission that was to be used is revoked or used up by now; whoever gets this must ask."""
