"""What an operation may look at for chat, model, log, templates and questions: the reads of the talk store."""

from typing import Literal, Protocol

from msgspec import Struct

from sayso.providers.talk.parameters import TemplateParameter

Role = Literal["user", "assistant", "system"]
Level = Literal["info", "warn", "error"]


class Template(Struct, frozen=True):
    """One of the person's own actions, as a list shows it."""

    id: str
    name: str = ""
    description: str = ""
    parameters: tuple[TemplateParameter, ...] | None = None
    """Its parameters; None if unknown, and then arguments are not checked."""


class Instance(Struct, frozen=True):
    """A template with its parameters, offered as a button in one session."""

    instance_id: str
    template_id: str
    session_id: str
    label: str = ""
    description: str = ""


class Talk(Protocol):
    """The reads."""

    def session(self) -> str:
        """Return the chat session that messages of this run belong to; empty when there is none."""
        ...

    def model(self) -> str:
        """Return the name of the model that would be called, as a person knows it."""
        ...

    def new_id(self) -> str:
        """Return an id that no message, call or line has yet."""
        ...

    async def templates(self) -> tuple[Template, ...]:
        """Return the person's own actions, by id."""
        ...

    async def instance(self, instance_id: str, session_id: str) -> Instance | None:
        """Return the template and parameters behind a button, by session and id (T-74)."""
        ...

    async def answer(self, question: str) -> str:
        """Answer from the current context; without a model, with a plain list of it (T-100)."""
        ...
