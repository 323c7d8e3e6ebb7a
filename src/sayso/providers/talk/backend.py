"""Questions answered from what is known here; chat, actions of the person's own and calls of a model are not served."""

from dataclasses import dataclass
from typing import NoReturn

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, ChangeRef, Facts, NotDone
from sayso.core.ports import BackendContext, QuestionAnswerer
from sayso.providers.talk.model import Steps
from sayso.providers.talk.store import Instance, Talk, Template


def build(context: BackendContext) -> "QuestionBackend":
    """Build it on what answers questions."""
    return QuestionBackend(context.answers)


def _not_here() -> NoReturn:
    raise ProviderError(
        "not available on this system: “talk”: questions are answered here, and nothing else of it is set up; "
        "`[talk] kind` may be: memory",
        "unavailable",
    )


@dataclass(frozen=True)
class QuestionReads(Talk):
    """The reads in one session."""

    answers: QuestionAnswerer | None
    name: str = ""

    def in_session(self, session: str) -> "QuestionReads":
        return QuestionReads(self.answers, session)

    def session(self) -> str:
        _not_here()

    def model(self) -> str:
        _not_here()

    def new_id(self) -> str:
        _not_here()

    async def templates(self) -> tuple[Template, ...]:
        return ()

    async def instance(self, instance_id: str, session_id: str) -> Instance | None:
        _not_here()

    async def answer(self, question: str) -> str:
        if self.answers is None:
            _not_here()
        return await self.answers.answer(question, self.name)


class QuestionBackend:
    """Serves questions; it changes nothing."""

    name = "here"
    imagines = True
    note = ""
    private = True

    def __init__(self, answers: QuestionAnswerer | None) -> None:
        self.reads = QuestionReads(answers)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Refuse it: no plan for it is ever made here."""
        _not_here()

    async def settle(self, step: Steps, expects: Facts) -> NotDone:
        """Say that it was not done: nothing is ever begun here."""
        return NotDone()

    def imagine(self, seen: QuestionReads, step: Steps, ref: ChangeRef) -> QuestionReads:
        """Return the same reads."""
        return seen
