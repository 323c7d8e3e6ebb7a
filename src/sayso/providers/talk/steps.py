"""The closed union of what a talk backend can do, each step one exchange under an id made before."""

from typing import ClassVar

from sayso.core.plan import Step
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
