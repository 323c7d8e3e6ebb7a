"""What the store `talk` uses of its home: the chats in the journal, the model of the settings, the person's actions."""

from collections.abc import Sequence

import anyio
from msgspec.structs import replace

from sayso.assembly.home import Home
from sayso.assembly.model import names_of, open_model
from sayso.assembly.parts import dialect
from sayso.assistant.asker import NoView, ReceivedReply
from sayso.assistant.conversation import DIALECT, answers, offer_tools, write_calls
from sayso.core.conversation import ConversationRequest, Message, Model
from sayso.core.errors import ProviderError
from sayso.core.instances import LASTS, Instances
from sayso.core.operation import Operation
from sayso.core.proposal import Origin
from sayso.dialects.vocabulary import open_name
from sayso.models.vendors import EMBEDDED
from sayso.providers.talk.store import AgentQuestion, Template
from sayso.runtime.services import moment, stamp
from sayso.templates.library import load_library

SECONDS = 120.0
"""How long one call may take, with all that the model looks up meanwhile."""
TOKENS = 2000
"""How long a reply may be if the caller does not say it."""
TURNS = 8
ENTRY = "template"
SYSTEM = "Answer what you are asked, in plain text. Nothing that you write is carried out."


class HomeChat:
    """The part of an open home that the store `talk` uses (`providers/talk/store.py`, `TalkHome`)."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._model: tuple[str, Model] | None = None

    @property
    def chats(self) -> Instances:
        """Return the storage of offers and messages."""
        return self._home.journal.instances

    def now(self) -> str:
        """Return the time in ISO 8601."""
        return stamp(self._home.clock.now())

    def is_expired(self, created: str) -> bool:
        """Return whether an offer that was made at this time is too old."""
        return self._home.clock.now() - moment(created) > LASTS

    def templates(self) -> tuple[Template, ...]:
        """Return the person's own actions that exist now."""
        found = load_library(self._home.settings.places.actions).templates
        return tuple(Template(one.id, one.name, one.description, one.parameters) for one in found)

    def may_look(self, tool: str) -> bool:
        """Return whether a tool of this name exists, is allowed, and only looks."""
        return bool(self._tools((tool,)))

    def _tools(self, names: Sequence[str]) -> list[Operation]:
        found = self._home.enabled_operations()
        return [one for one in found if one.kind == "read" and not {one.id, open_name(one.id)}.isdisjoint(names)]

    def model(self) -> str:
        """Return the name of the model that is asked. Raises `ProviderError` if that is no language model."""
        name = names_of(self._home.settings)[0]
        if name == EMBEDDED:
            raise ProviderError(
                "no language model is set up that could be asked; “sayso config model” sets one up", "agent.no_model"
            )
        return name

    async def ask(self, question: AgentQuestion) -> str:
        """Return the model's answer; while it answers, it may look with the tools that the question lists.

        What it takes counts to the budget of the questions of the ask that goes on in the session. Raises `Refused`
        where that is used up, `SetupError` or `ProviderError`.
        """
        name = self.model()
        if self._model is None or self._model[0] != name:
            self._model = name, open_model(self._home.settings, self._home.ids, clock=self._home.clock)
        try:
            with anyio.fail_after(SECONDS):
                reply = await self._converse(self._model[1], question)
        except TimeoutError:
            raise ProviderError(f"{name} did not answer within {SECONDS:g} seconds", "agent.late") from None
        if reply.ended.model == EMBEDDED or not reply.text.strip():
            raise ProviderError(f"{name} did not answer", "model.silent")
        return reply.text.strip()

    async def _converse(self, model: Model, question: AgentQuestion) -> ReceivedReply:
        tools = self._tools(question.tools)
        asked = ConversationRequest(
            system=question.system_prompt or SYSTEM,
            turns=(Message("user", question.prompt),),
            words=question.prompt,
            dialect=dialect(DIALECT),
            tools=offer_tools(tools),
            max_tokens=question.max_tokens or TOKENS,
        )
        for _ in range(TURNS):
            reply = await self._home.questions.answering.receive(
                model, asked, NoView(), question.session, any_turns=True
            )
            if not reply.calls:
                return reply
            asked = replace(asked, turns=(*asked.turns, *await self._look(reply, tools, question.session)))
        raise ProviderError(f"{model.name} gave no answer within {TURNS} turns", "agent.turns")

    async def _look(self, reply: ReceivedReply, tools: Sequence[Operation], session: str) -> list[Message]:
        """Carry out calls that only look, and return the turns that answer them; any other call is refused."""
        known, text = {one.id for one in tools}, write_calls(reply.calls)
        reading = self._home.read(text, DIALECT)
        may = [
            one
            if one.operation in known
            else replace(one, operation=None, problem="this tool was not offered", code="agent.tool")
            for one in reading.proposals
        ]
        report = await self._home.take(may, Origin(DIALECT, ENTRY, session))
        turns = answers(reply.calls, report, self._home.results_for(report), ())
        return [Message("assistant", reply.text, reply.calls), *turns]
