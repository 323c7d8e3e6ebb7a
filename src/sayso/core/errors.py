"""All errors, sorted by who can act on them: the model, the person, or nobody on this computer.

```
SaysoError
├── ProposalError    the model can correct it: the sentence is sent back to the model
├── SetupError       the person can fix it: a setting, a permission, a missing program
└── ProviderError    the action failed: a file is gone, a server is down
    └── Uncertain    … and nobody knows whether the effect happened
Refused              an outcome rather than a fault: policy, limits or confinement forbid the action
```

Each error has a stable `code` such as `path.outside_roots` and a sentence that may be shown to a person.
"""

from msgspec import Struct


class Candidate(Struct, frozen=True):
    """One possible meaning of an ambiguous or unknown name, with the details that tell it from the others."""

    name: str
    id: str = ""
    """What a proposal may write instead of the name, such as an id; empty when only the name is accepted."""
    where: str = ""
    """Where it is, as shown to a person: “under “Work””, “in Recipes”."""


class SaysoError(Exception):
    """The base of all expected errors; `str()` is one sentence without secrets or a traceback."""

    def __init__(self, sentence: str, code: str = "error", candidates: tuple[Candidate, ...] = ()) -> None:
        super().__init__(sentence)
        self.code = code
        self.candidates = candidates
        """The candidates that the sentence names, if any."""


class ProposalError(SaysoError):
    """The proposal makes no sense as written; the model can propose something better."""

    def __init__(self, sentence: str, code: str = "proposal.invalid", candidates: tuple[Candidate, ...] = ()) -> None:
        super().__init__(sentence, code, candidates)


class SetupError(SaysoError):
    """The person must set up or fix something on this computer."""

    def __init__(self, sentence: str, code: str = "setup") -> None:
        super().__init__(sentence, code)


class ProviderError(SaysoError):
    """The action failed in a file system, application or server, and nothing was changed."""

    def __init__(self, sentence: str, code: str = "provider.failed", candidates: tuple[Candidate, ...] = ()) -> None:
        super().__init__(sentence, code, candidates)


class Uncertain(ProviderError):
    """The connection or application failed in the middle: the effect may or may not have happened."""

    def __init__(self, sentence: str, code: str = "provider.uncertain") -> None:
        super().__init__(sentence, code)


class Refused(SaysoError):
    """Policy, a limit or confinement forbids the action. It is reported as an outcome, not as a fault."""

    def __init__(self, sentence: str, code: str, rule: str = "confinement") -> None:
        super().__init__(sentence, code)
        self.rule = rule


class Stale(SaysoError):
    """Another process changed the same journal row first; the caller must not act on what it had read."""

    def __init__(self, sentence: str = "somebody else has already decided or settled this") -> None:
        super().__init__(sentence, "journal.stale")


class Spent(Stale):
    """The standing permission was revoked or used up in the meantime; the caller must ask the person."""
