"""The steps of the talk store, and the facts that are true after them."""

from typing import ClassVar

from msgspec import UNSET, UnsetType

from sayso.core.plan import NOTHING, Fact, Reach, Step, unknown
from sayso.providers.talk.store import Level, Role


class MessageWritten(Fact, frozen=True):
    """The chat message or log line with this id is written."""

    fact: ClassVar[str] = "talk_said"
    owner: ClassVar[str] = "talk"


class ModelReplied(Fact, frozen=True):
    """The model's reply to the call with this id."""

    fact: ClassVar[str] = "talk_answered"
    owner: ClassVar[str] = "talk"
    text: str


class TemplateRan(Fact, frozen=True):
    """The template instance with this id ran."""

    fact: ClassVar[str] = "talk_ran"
    owner: ClassVar[str] = "talk"


class TalkStep(Step, frozen=True):
    """A step of the talk store."""

    store: ClassVar[str] = "talk"

    def result(self, reply: str) -> Fact:
        """Return the fact that is true after this step; `reply` is the model's reply if the step is a `CallModel`."""
        raise NotImplementedError


class AddMessage(TalkStep, frozen=True):
    """Add a message to a chat session."""

    step: ClassVar[str] = "chat.add_message"
    reach: ClassVar[Reach] = NOTHING
    id: str
    session: str
    role: Role
    content: str

    def result(self, reply: str) -> Fact:
        """Return the fact that the message was written."""
        return MessageWritten(self.id)


class CallModel(TalkStep, frozen=True):
    """Ask the model once, with only the listed tools; its reply is in the fact `ModelReplied`."""

    step: ClassVar[str] = "agent.call"
    reach: ClassVar[Reach] = unknown("the question, to the language model")
    id: str
    prompt: str
    system_prompt: str | None = None
    tools: tuple[str, ...] = ()
    max_tokens: int | None = None
    session: str | UnsetType = UNSET

    def result(self, reply: str) -> Fact:
        """Return the fact with the model's reply."""
        return ModelReplied(self.id, reply)


class WriteLog(TalkStep, frozen=True):
    """Write a line into the log."""

    step: ClassVar[str] = "log.write"
    reach: ClassVar[Reach] = NOTHING
    id: str
    level: Level
    message: str
    session: str | UnsetType = UNSET

    def result(self, reply: str) -> Fact:
        """Return the fact that the line was written."""
        return MessageWritten(self.id)


class RunTemplate(TalkStep, frozen=True):
    """Run a template's handler with the parameters of an instance."""

    step: ClassVar[str] = "template.run"
    reach: ClassVar[Reach] = NOTHING
    instance_id: str
    session_id: str
    template_id: str

    def result(self, reply: str) -> Fact:
        """Return the fact that the instance ran."""
        return TemplateRan(self.instance_id)


Steps = AddMessage | CallModel | WriteLog | RunTemplate
