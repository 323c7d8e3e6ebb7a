"""The steps that a talk backend can do, and the facts that it leaves."""

from typing import ClassVar

from sayso.core.plan import Fact, Step
from sayso.providers.talk.store import Level, Role


class MessageWritten(Fact, frozen=True):
    """The chat message or log line with this id is written."""

    fact: ClassVar[str] = "talk_said"


class ModelReplied(Fact, frozen=True):
    """What the model replied to the call with this id."""

    fact: ClassVar[str] = "talk_answered"
    text: str


class TemplateRan(Fact, frozen=True):
    """The instance with this id ran."""

    fact: ClassVar[str] = "talk_ran"


class TalkStep(Step, frozen=True):
    """A step of the talk store."""

    store: ClassVar[str] = "talk"

    def result(self, reply: str) -> Fact:
        """Return the fact that this step leaves; `reply` is what the model said, where it was asked."""
        raise NotImplementedError


class AddMessage(TalkStep, frozen=True):
    """Put a message into a chat session."""

    step: ClassVar[str] = "chat.add_message"
    id: str
    session: str
    role: Role
    content: str

    def result(self, reply: str) -> Fact:
        """Return that the message is in the chat."""
        return MessageWritten(self.id)


class CallModel(TalkStep, frozen=True):
    """Ask the model once, with no tools but the listed ones; leaves its reply."""

    step: ClassVar[str] = "agent.call"
    id: str
    prompt: str
    system_prompt: str | None = None
    tools: tuple[str, ...] = ()
    max_tokens: int | None = None

    def result(self, reply: str) -> Fact:
        """Return what the model replied."""
        return ModelReplied(self.id, reply)


class WriteLog(TalkStep, frozen=True):
    """Write a line into the log."""

    step: ClassVar[str] = "log.write"
    id: str
    level: Level
    message: str

    def result(self, reply: str) -> Fact:
        """Return that the line is in the log."""
        return MessageWritten(self.id)


class RunTemplate(TalkStep, frozen=True):
    """Run a template's handler with the parameters of an instance."""

    step: ClassVar[str] = "template.run"
    instance_id: str
    session_id: str
    template_id: str

    def result(self, reply: str) -> Fact:
        """Return that the instance ran."""
        return TemplateRan(self.instance_id)


Steps = AddMessage | CallModel | WriteLog | RunTemplate
