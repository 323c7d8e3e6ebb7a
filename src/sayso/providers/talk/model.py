"""The steps that a talk backend can do, and the facts that it leaves."""

from typing import ClassVar

from sayso.core.plan import Fact, Step
from sayso.core.values import dataclass
from sayso.providers.talk.store import Level, Role


@dataclass(frozen=True, slots=True)
class TalkStep(Step):
    """A step of the talk store."""

    store: ClassVar[str] = "talk"


@dataclass(frozen=True, slots=True)
class AddMessage(TalkStep):
    """Put a message into a chat session."""

    step: ClassVar[str] = "chat.add_message"
    id: str
    session: str
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class CallModel(TalkStep):
    """Ask the model once, with no tools but the listed ones; leaves its reply."""

    step: ClassVar[str] = "agent.call"
    id: str
    prompt: str
    system_prompt: str | None = None
    tools: tuple[str, ...] = ()
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class WriteLog(TalkStep):
    """Write a line into the log."""

    step: ClassVar[str] = "log.write"
    id: str
    level: Level
    message: str


@dataclass(frozen=True, slots=True)
class RunTemplate(TalkStep):
    """Run a template's handler with the parameters of an instance."""

    step: ClassVar[str] = "template.run"
    instance_id: str
    session_id: str
    template_id: str


Steps = AddMessage | CallModel | WriteLog | RunTemplate
STEPS: tuple[type[TalkStep], ...] = (AddMessage, CallModel, WriteLog, RunTemplate)


@dataclass(frozen=True, slots=True)
class Said(Fact):
    """The chat message or log line with this id is written."""

    fact: ClassVar[str] = "talk_said"


@dataclass(frozen=True, slots=True)
class Answered(Fact):
    """What the model replied to the call with this id."""

    fact: ClassVar[str] = "talk_answered"
    text: str


@dataclass(frozen=True, slots=True)
class Ran(Fact):
    """The instance with this id ran."""

    fact: ClassVar[str] = "talk_ran"


FACTS: tuple[type[Fact], ...] = (Said, Answered, Ran)
