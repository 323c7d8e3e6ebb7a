"""The backend that only answers questions (`system.query`); chats, templates and `agent.call` are not supported."""

from dataclasses import dataclass
from typing import NoReturn

from sayso.core.errors import ProviderError
from sayso.core.plan import Applied, ChangeRef, Facts, NotDone
from sayso.core.ports import BackendContext, QuestionAnswerer
from sayso.providers.talk.model import Steps
from sayso.providers.talk.store import Instance, Talk, Template


def build(context: BackendContext) -> "QuestionBackend":
    """Return a backend that uses the home's question answerer."""
    return QuestionBackend(context.answers)


def _unavailable() -> NoReturn:
    raise ProviderError(
        "not available on this system: “talk”: questions are answered here, and nothing else of it is set up; "
        "`[talk] kind` may be: memory",
        "unavailable",
    )


@dataclass(frozen=True)
class QuestionReads(Talk):
    """What operations can read in one session: only answers to questions, and an empty list of templates.

    All other methods raise `ProviderError`.
    """

    answers: QuestionAnswerer | None
    name: str = ""

    def in_session(self, session: str) -> "QuestionReads":
        return QuestionReads(self.answers, session)

    def session(self) -> str:
        _unavailable()

    def model(self) -> str:
        _unavailable()

    def new_id(self) -> str:
        _unavailable()

    async def templates(self) -> tuple[Template, ...]:
        return ()

    async def instance(self, instance_id: str, session_id: str) -> Instance | None:
        _unavailable()

    async def answer(self, question: str) -> str:
        if self.answers is None:
            _unavailable()
        return await self.answers.answer(question, self.name)


class QuestionBackend:
    """Answers questions and changes nothing."""

    name = "here"
    imagines = True
    note = ""
    private = True

    def __init__(self, answers: QuestionAnswerer | None) -> None:
        self.reads = QuestionReads(answers)

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Raise `ProviderError`, because this backend supports no step."""
        _unavailable()

    async def settle(self, step: Steps, expects: Facts) -> NotDone:
        """Return that the step was not done, because this backend never begins a step."""
        return NotDone()

    def imagine(self, seen: QuestionReads, step: Steps, ref: ChangeRef) -> QuestionReads:
        """Return the same object; no step changes what can be read."""
        return seen
