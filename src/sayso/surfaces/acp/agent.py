"""`sayso acp`: the chat as an agent of the Agent Client Protocol, over the standard streams of an editor."""

import logging
from collections.abc import Sequence
from typing import Any, cast

import anyio
from acp import PROTOCOL_VERSION, RequestError, run_agent, schema
from acp.interfaces import Client
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from sayso.assembly import Home
from sayso.assembly.model import open_model
from sayso.assistant.asker import Asker, Attachment
from sayso.assistant.prompts import DECIDED
from sayso.core.conversation import Model
from sayso.core.errors import SaysoError
from sayso.core.record import session_id
from sayso.core.version import VERSION
from sayso.surfaces.acp import updates
from sayso.surfaces.acp.turn import EditorApprover, Shown, TurnView, no_session

ENTRY = "chat"
PRINCIPAL = "acp"
"""On whose behalf is proposed: what an editor's conversations read counts for all of them."""
MOST_ATTACHED = 100_000
"""Maximum number of characters of one text that goes along."""
LISTED = 50
_ALL = 1_000_000


class Conversation:
    """One conversation in an editor."""

    def __init__(self, id_: str, model: Model) -> None:
        self.id = id_
        self.model = model
        self.shown = Shown(set(), set())
        self.stopped = anyio.Event()


class ChatAgent:
    """Serves the chat to one editor. Turns are taken one after the other, also those of several conversations."""

    def __init__(self, home: Home, model: str = "") -> None:
        self._home = home
        self._model = model
        self._client: Client | None = None
        self._open: dict[str, Conversation] = {}
        self._turns = anyio.Lock()
        self._now: Conversation | None = None

    def on_connect(self, conn: Client) -> None:
        """Keep the connection, by which the editor is told what happens."""
        self._client = conn

    @property
    def client(self) -> Client:
        """Return the editor; the library connects before it passes anything on."""
        if self._client is None:
            raise RequestError.internal_error({"message": "no editor is connected"})
        return self._client

    def is_stopping(self) -> bool:
        """Return whether the person has stopped the turn that goes on."""
        return self._now is not None and self._now.stopped.is_set()

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        """Tell the editor what can be done here; nothing of it depends on what the editor says of itself."""
        return schema.InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION),
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(embedded_context=True),
                session_capabilities=schema.SessionCapabilities(list=schema.SessionListCapabilities()),
            ),
            agent_info=schema.Implementation(name="sayso", title="sayso", version=VERSION),
            auth_methods=[],
        )

    async def authenticate(self, method_id: str, **_: Any) -> schema.AuthenticateResponse:
        """Do nothing: there is nothing to sign in to."""
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        """Begin a conversation. MCP servers that the editor names are not started: the settings name those of sayso."""
        id_ = session_id(self._home.ids.key())
        self._open[id_] = self._conversation(id_)
        return schema.NewSessionResponse(session_id=id_)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> schema.LoadSessionResponse:
        """Go on with a conversation, after the editor was sent what was said in it."""
        found = await self._home.sessions.session(session_id)
        if found is None or found.entry != ENTRY:
            raise no_session(session_id)
        self._open[session_id] = self._conversation(session_id)
        for exchange in await self._home.sessions.exchanges(session_id, _ALL):
            if exchange.words != DECIDED:
                await self.client.session_update(session_id=session_id, update=updates.words(exchange.words))
            await self.client.session_update(session_id=session_id, update=updates.message(exchange.reply))
        return schema.LoadSessionResponse()

    async def list_sessions(self, cwd: str | None = None, **_: Any) -> schema.ListSessionsResponse:
        """Return the last conversations."""
        where = cwd or str(self._home.settings.places.person)
        known = [one for one in await self._home.sessions.all(LISTED) if one.entry == ENTRY]
        return schema.ListSessionsResponse(
            sessions=[
                schema.SessionInfo(session_id=one.id, cwd=where, title=updates.plain(one.name), updated_at=one.last)
                for one in known
            ]
        )

    def _conversation(self, id_: str) -> Conversation:
        home = self._home
        try:
            model = open_model(home.settings, home.tools.ids, self._model or None, clock=home.tools.clock)
        except SaysoError as problem:
            raise RequestError.internal_error({"message": str(problem)}) from problem
        return Conversation(id_, model)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop the turn that goes on in a conversation."""
        if session_id in self._open:
            self._open[session_id].stopped.set()

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> schema.PromptResponse:
        """Answer what the person said, and return how the turn ended."""
        conversation = self._open.get(session_id)
        if conversation is None:
            raise no_session(session_id)
        words, attached = read_prompt(prompt)
        conversation.stopped = anyio.Event()
        async with self._turns:
            self._now = conversation
            try:
                await self._turn(conversation, words, attached)
            finally:
                self._now = None
        return schema.PromptResponse(stop_reason="cancelled" if conversation.stopped.is_set() else "end_turn")

    async def _turn(self, conversation: Conversation, words: str, attached: tuple[Attachment, ...]) -> None:
        outbox, updates_ = anyio.create_memory_object_stream[Any](_ALL)
        sent = _Sent(self.client, conversation.id, outbox)
        view = TurnView(self._home, outbox, conversation.shown, conversation.stopped)
        approver = EditorApprover(self._home, self.client, conversation.id, view, sent.all)
        async with anyio.create_task_group() as together:
            together.start_soon(sent.send, updates_)
            try:
                await self._show_decided(conversation, view)
                asker = Asker(conversation.id, approver, view=view, principal=PRINCIPAL, attached=attached)
                answer = await self._home.ask(words, ENTRY, conversation.model, asker)
                view.show_outcomes(answer.report)
                if answer.stopped:
                    view.say(answer.stopped)
            except SaysoError as problem:
                view.say(f"sayso: {problem}")
            await sent.all()
            outbox.close()

    async def _show_decided(self, conversation: Conversation, view: TurnView) -> None:
        """Send what became of the actions that waited when the last turn ended."""
        for id_ in sorted(conversation.shown.waiting):
            outcome = await self._home.outcome(id_)
            if outcome is not None:
                view.show_record(outcome.record)


class _Sent:
    """Sends the updates of one turn to the editor, in order."""

    def __init__(self, client: Client, session: str, outbox: MemoryObjectSendStream[Any]) -> None:
        self._client = client
        self._session = session
        self._outbox = outbox

    async def send(self, updates_: MemoryObjectReceiveStream[Any]) -> None:
        """Send each update until the turn ends; an event among them is set once all before it were sent."""
        async with updates_:
            async for update in updates_:
                if isinstance(update, anyio.Event):
                    update.set()
                else:
                    await self._client.session_update(session_id=self._session, update=update)

    async def all(self) -> None:
        """Return once everything was sent that was shown so far."""
        reached = anyio.Event()
        self._outbox.send_nowait(reached)
        await reached.wait()


def read_prompt(prompt: Sequence[Any]) -> tuple[str, tuple[Attachment, ...]]:
    """Return the person's words, and the texts that go along as data. Raises `RequestError` if there are no words."""
    said: list[str] = []
    attached: list[Attachment] = []
    for block in prompt:
        match block:
            case schema.TextContentBlock(text=text):
                said.append(text)
            case schema.EmbeddedResourceContentBlock(resource=schema.TextResourceContents(uri=uri, text=text)):
                attached.append(Attachment(uri, text[:MOST_ATTACHED], cut=len(text) > MOST_ATTACHED))
            case schema.ResourceContentBlock(uri=uri):
                said.append(uri)
            case _:
                raise RequestError.invalid_params({"message": "only texts can go along here"})
    words = "\n".join(said).strip()
    if not words:
        raise RequestError.invalid_params({"message": "there are no words in this prompt"})
    return words, tuple(attached)


async def serve(home: Home, agent: ChatAgent) -> None:
    """Serve the editor that started this, until it closes the connection."""
    # Messages of the library are discarded, because the standard output belongs to the editor.
    logging.getLogger().addHandler(logging.NullHandler())
    await run_agent(cast("Any", agent))  # what it does not offer, the library answers by itself
