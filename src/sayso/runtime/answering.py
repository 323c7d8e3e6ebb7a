"""Who answers questions for a program that embeds sayso."""

from collections.abc import Callable

from sayso.core.verdict import Decision, Question


class Nobody:
    """Nobody can answer now: what policy asks about waits."""

    async def ask(self, question: Question) -> Decision | None:
        """Return None."""
        return None


class Client:
    """The embedding program shows the question to its person and says what they answered.

    `decide` gets the whole question and returns True for yes, False for no, None when nobody can
    answer now. It may also return a decision made by the question: `question.yes(by, ids)` for some of it,
    `question.edit(by, proposals)` for other proposals. The decision counts for exactly what the question shows.
    """

    def __init__(self, decide: Callable[[Question], Decision | bool | None], by: str = "client") -> None:
        self._decide = decide
        self._by = by

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision, bound to the question's digest."""
        said = self._decide(question)
        return Decision(said, self._by, question.digest) if isinstance(said, bool) else said
