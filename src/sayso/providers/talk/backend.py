"""The talk backend of a real home: chats and log lines in the journal, a real model, the person's own actions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, cast

from msgspec import UNSET

from sayso.core.encoding import Json
from sayso.core.errors import ProviderError
from sayso.core.instances import ChatMessage
from sayso.core.plan import Applied, CannotTell, ChangeRef, Facts, NotDone, Settlement
from sayso.core.ports import BackendContext, Ids, KillPoint, QuestionAnswerer, no_kill_point
from sayso.core.quotes import visible
from sayso.providers.talk.model import AddMessage, CallModel, ModelReplied, RunTemplate, Steps, WriteLog
from sayso.providers.talk.store import AgentQuestion, Instance, Talk, TalkHome, Template


def build(context: BackendContext) -> "TalkBackend":
    """Return a backend that uses the home of this context."""
    home = cast("Callable[[], TalkHome] | None", context.talk)
    return TalkBackend(TalkReads(home or _unavailable, context.ids, context.answers), context.kill)


def _unavailable() -> NoReturn:
    raise ProviderError("not available on this system: “talk” needs the home that it belongs to", "unavailable")


@dataclass(frozen=True)
class TalkReads(Talk):
    """What operations can read in one session. All methods raise `ProviderError` if there is no home."""

    home: Callable[[], TalkHome]
    ids: Ids
    answers: QuestionAnswerer | None
    name: str = ""

    def in_session(self, session: str) -> "TalkReads":
        return TalkReads(self.home, self.ids, self.answers, session)

    def session(self) -> str:
        return self.name

    def model(self) -> str:
        return self.home().model()

    def new_id(self) -> str:
        return self.ids.token()

    async def templates(self) -> tuple[Template, ...]:
        return tuple(sorted(self.home().templates(), key=lambda one: one.id))

    async def instance(self, instance_id: str, session_id: str) -> Instance | None:
        found = await self.home().chats.find(instance_id, session_id) if session_id == self.name else None
        if found is None:
            return None
        if found.state != "running" and self.home().is_expired(found.created):
            raise ProviderError("Action instance not found", "instance.expired")
        return Instance(found.id, found.template, found.session, found.label, found.description)

    async def result(self, instance_id: str, session_id: str) -> Mapping[str, Json] | None:
        found = await self.home().chats.find(instance_id, session_id)
        return None if found is None else found.result

    def may_look(self, tool: str) -> bool:
        return self.home().may_look(tool)

    async def answer(self, question: str) -> str:
        return await (self.answers or _unavailable()).answer(question, self.name)


class TalkBackend:
    """Adds messages and log lines, each once, and asks the model."""

    name = "here"
    imagines = True
    note = ""

    def __init__(self, reads: TalkReads, kill: KillPoint = no_kill_point) -> None:
        self.reads = reads
        self._kill = kill

    def runs_actions(self) -> bool:
        """Return True: an action is run by what its handler requests."""
        return True

    async def apply(self, step: Steps, expects: Facts) -> Applied:
        """Do a step. Raises `ProviderError`, and the errors of the model and of the journal."""
        home = self.reads.home()
        match step:
            case AddMessage() | WriteLog():
                self._kill("talk.before")
                await home.chats.say(_message(step, home.now()))
                self._kill("talk.after")
                return Applied((step.result(""),))
            case CallModel():
                self._kill("talk.before")
                reply = await home.ask(_question(step))
                self._kill("talk.after")
                return Applied((step.result(reply),))
            case RunTemplate():
                raise ProviderError("an action is run by what its handler asks for, not as one step", "unavailable")

    async def settle(self, step: Steps, expects: Facts) -> Settlement:
        """Return whether the message or line is stored; what a model was asked leaves nothing that could be found."""
        match step:
            case AddMessage(id=id_) | WriteLog(id=id_):
                return Applied((step.result(""),)) if await self.reads.home().chats.has_said(id_) else NotDone()
            case CallModel():
                return CannotTell("the model may have been asked; its answer is lost")
            case RunTemplate():
                return NotDone()

    def imagine(self, seen: TalkReads, step: Steps, ref: ChangeRef) -> TalkReads:
        """Return the same object; no step changes what can be read."""
        return seen

    def tells(self, step: Steps, left: Applied) -> str:
        """Return the model's reply, for the report of the call."""
        replies = [fact.text for fact in left.facts if isinstance(fact, ModelReplied)]
        return f"it answered: {visible(replies[0])}" if replies else ""


def _message(step: AddMessage | WriteLog, now: str) -> ChatMessage:
    if isinstance(step, AddMessage):
        return ChatMessage(step.id, step.session, now, step.role, step.content)
    session = "" if step.session is UNSET else step.session
    return ChatMessage(step.id, session, now, "log", step.message, step.level)


def _question(step: CallModel) -> AgentQuestion:
    session = "" if step.session is UNSET else step.session
    return AgentQuestion(step.prompt, step.system_prompt or "", step.tools, step.max_tokens, session)
