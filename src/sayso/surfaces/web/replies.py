"""The replies that go on in conversations of the page: asked for, streamed, stopped, and gone on with."""

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any

import anyio
from anyio.abc import TaskGroup, TaskStatus
from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly import Home
from sayso.assembly.entry import ENTRIES, begin_exchange, end_broken, has_news, keep_part
from sayso.assembly.model import open_model
from sayso.assistant.asker import Asker, Attachment
from sayso.assistant.prompts import DECIDED
from sayso.core.conversation import Exchange, Model
from sayso.core.errors import ProposalError, SaysoError
from sayso.core.proposal import TERMINAL
from sayso.core.record import State, session_id
from sayso.runtime.results import Report
from sayso.runtime.services import STOPPING, StopSign, stamp
from sayso.surfaces.web.answers import Replying
from sayso.surfaces.web.changes import Changes
from sayso.surfaces.web.faults import Guarded, sentence
from sayso.surfaces.web.markdown import Blocks
from sayso.surfaces.web.messages import Growth, Sent, Status

CHAT = "chat"
MOST_BEGUN = 1000
"""How many conversations in which nothing was said yet are known."""
MOST_OVER = 20
EACH_PART = 1.0
"""Seconds after which what a reply has shown since is stored."""
END_SECONDS = 1.5
"""How long replies may still take to end in order when the server ends."""
BROKE_OFF = "sayso ended before this reply did; what was done is in the history"


class Busy(SaysoError):
    """A reply goes on in this conversation already."""

    def __init__(self) -> None:
        super().__init__("a reply goes on in this conversation already; stop it, or wait until it ends", "page.busy")


class Words(Struct, frozen=True):
    """What the person said in a conversation."""

    id: str
    """The id of the reply to come, made by the page."""
    text: str
    attached: tuple[Attachment, ...] = ()


class Reply:
    """One reply that goes on; it is the view of the ask, and what open pages are sent of it."""

    def __init__(self, session: str, message: str, began: str, told: Callable[[str], None]) -> None:
        self.session = session
        self.message = message
        self.began = began
        self.text = ""
        self.units = 0
        """How long `text` is in the units in which pages count."""
        self.blocks = Blocks()
        self.progress = ""
        self.stopped = anyio.Event()
        self.ended = anyio.Event()
        self._told = told
        self._made: dict[Sent, Growth] = {}

    def since(self, sent: Sent | None) -> Growth | None:
        """Return what a page lacks that was sent so much; None if it lacks nothing. It is made once for all pages."""
        if sent is None or sent.message != self.message:
            if self.ended.is_set():
                return None
            sent = Sent(self.message)
        final = max(0, len(self.blocks.html) - 1)
        now = Sent(self.message, len(self.text), self.units, final, self.blocks.version, self.progress)
        if sent == now:
            return None
        found = self._made.get(sent)
        if found is None:
            found = self._made[sent] = Growth.of(self.session, sent, now, self.text, self.blocks.html)
        return found

    def shown(self) -> Replying:
        """Return what there is of it."""
        return Replying(self.message, self.text, [*self.blocks.html], self.progress, self.began)

    def show_text(self, text: str) -> None:
        """Add the next piece of the reply."""
        text = text.encode("utf-8", "replace").decode()  # half a pair of surrogates cannot be sent
        self.text += text
        self.units += len(text.encode("utf-16-le")) // 2
        self.blocks.add(text)
        self.progress = ""
        self._changed()

    def show_progress(self, line: str) -> None:
        """Say what is done meanwhile."""
        self.progress = line
        self._changed()

    def show_outcomes(self, report: Report) -> None:
        """Tell nothing: open pages see that the journal has changed."""

    def end_reply(self) -> None:
        """End the paragraph, so that the next turn begins a new one."""
        if self.text.strip() and not self.text.endswith("\n\n"):
            self.show_text("\n" if self.text.endswith("\n") else "\n\n")
        self.blocks.end()
        self._changed()

    async def wait_for_stop(self) -> None:
        """Return when the person stops the reply."""
        await self.stopped.wait()

    def _changed(self) -> None:
        self._made.clear()
        self._told(self.session)


class Replies:
    """The replies of this server, one at a time in each conversation, over all windows and processes."""

    def __init__(self, home: Home, changes: Changes) -> None:
        self._home = home
        self._changes = changes
        self.live: dict[str, Reply] = {}
        self._over: dict[str, Reply] = {}
        """The replies that ended last; pages that were sent a part of one get the rest of it."""
        changes.grows = lambda session: self.live.get(session) or self._over.get(session)
        self._begun: dict[str, str] = {}
        self._waited: set[str] = set()
        """The conversations of which something waited when the journal last changed."""
        self._models: dict[str, Model] = {}
        self._together: TaskGroup | None = None

    # --- conversations ------------------------------------------------------------------------------------

    def begin(self, entry: str) -> str:
        """Return the id of a new conversation at this entry point. Raises `ProposalError` if there is no such point."""
        if entry not in ENTRIES:
            raise ProposalError(f"there are the entry points {', '.join(ENTRIES)}", "page.request")
        session = session_id(self._home.ids.key())
        self._begun[session] = entry
        for oldest in [*self._begun][:-MOST_BEGUN]:
            del self._begun[oldest]
        return session

    async def entry_of(self, session: str) -> str | None:
        """Return the entry point of a conversation; None if there is no such conversation."""
        found = await self._home.sessions.session(session)
        return self._begun.get(session) if found is None else found.entry

    def model(self) -> Model:
        """Return the model that the settings name. Raises `SetupError`."""
        home = self._home
        key = repr(home.settings.sections["model"])
        if key not in self._models:
            self._models = {key: open_model(home.settings, home.tools.ids, clock=home.clock)}
        return self._models[key]

    # --- replies ------------------------------------------------------------------------------------------

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Let replies go on, and let models go on after decisions, until this is cancelled."""
        try:
            async with anyio.create_task_group() as together:
                self._together = together
                task_status.started()
                await self._watch()
        finally:
            self._together = None

    async def end(self) -> None:
        """Stop all replies, and give them a moment to be stored as they are."""
        with anyio.move_on_after(END_SECONDS, shield=True):
            for reply in [*self.live.values()]:
                reply.stopped.set()
                await reply.ended.wait()

    def stop(self, session: str) -> None:
        """Stop the reply of a conversation, if one goes on; what was done stays done."""
        if session in self.live:
            self.live[session].stopped.set()

    async def say(self, session: str, entry: str, words: Words) -> None:
        """Store what the person said, and begin the reply; the same id again begins none. Raises `Busy`."""
        if any(one.message == words.id for one in await self._home.sessions.exchanges(session, begun=True)):
            return

        async def ask(reply: Reply, model: Model) -> None:
            said = Exchange(session, entry, reply.began, words.text, "", message=reply.message)
            said = replace(said, attached=tuple(one.name for one in words.attached))
            await begin_exchange(self._home, said)
            begun.set()
            self._keep_parts(reply, said)
            asker = Asker(session, view=reply, wrote=words.text, principal=TERMINAL, message=reply.message)
            await self._home.ask(words.text, entry, model, replace(asker, attached=words.attached))

        begun = anyio.Event()
        problem = await self._start(session, words.id, ask, begun)
        if problem is not None:
            raise problem

    async def _start(
        self, session: str, message: str, ask: Callable[[Reply, Model], Awaitable[Any]], begun: anyio.Event
    ) -> Exception | None:
        """Begin a reply, and return once it is stored that it has begun, or the error that was in the way."""
        known = self.live.get(session)
        if known is not None and known.message == message:
            return None
        if known is not None or self._together is None:
            return Busy()
        reply = Reply(session, message, stamp(self._home.clock.now()), self._changes.wake)
        self.live[session] = reply
        failed: list[Exception] = []

        async def work() -> None:
            with ExitStack() as held:
                try:
                    with Guarded() as asked:
                        await self._ask(reply, held, ask)
                    if asked.problem is not None and not begun.is_set():
                        failed.append(asked.problem)
                    elif asked.problem is not None:
                        with Guarded():
                            await end_broken(self._home, session, message, sentence(asked.problem))
                finally:
                    self._over[session] = self.live.pop(session)
                    for oldest in [*self._over][:-MOST_OVER]:
                        del self._over[oldest]
                    reply.ended.set()
                    begun.set()
            with Guarded():
                self._tell(session, "waiting" if session in await self._waiting() else "idle")

        self._together.start_soon(work)
        await begun.wait()
        return failed[0] if failed else None

    async def _ask(self, reply: Reply, held: ExitStack, ask: Callable[[Reply, Model], Awaitable[Any]]) -> None:
        """Ask while no other process or window does so in the conversation. Raises `Busy` if one does."""
        if not held.enter_context(self._home.tools.locks.alone(reply.session)):
            raise Busy
        model = self.model()
        token = STOPPING.set(StopSign(reply.stopped.is_set))
        try:
            self._tell(reply.session, "replying")
            await ask(reply, model)
        finally:
            STOPPING.reset(token)

    def _keep_parts(self, reply: Reply, exchange: Exchange) -> None:
        """Let what the reply shows be stored while it goes on, so that it is not lost if this process dies."""

        async def keep() -> None:
            kept = ""
            while not reply.ended.is_set():
                with anyio.move_on_after(EACH_PART):
                    await reply.ended.wait()
                if reply.text != kept and not reply.ended.is_set():
                    kept = reply.text
                    with Guarded():
                        await keep_part(self._home, exchange, kept)

        if self._together is not None:
            self._together.start_soon(keep)

    def _tell(self, session: str, status: Status) -> None:
        message = self.live[session].message if session in self.live else ""
        self._changes.tell_status(session, status, message)

    async def mend(self, session: str) -> None:
        """End the exchanges of a conversation that a process left when it died."""
        left = [one for one in await self._home.sessions.exchanges(session, begun=True) if not one.ended]
        if not left or session in self.live:
            return
        with self._home.tools.locks.alone(session) as alone:
            for one in left if alone else ():
                await end_broken(self._home, session, one.message, BROKE_OFF)

    # --- going on -----------------------------------------------------------------------------------------

    async def _waiting(self) -> set[str]:
        return {record.session for record in await self._home.pending() if record.session}

    async def _open(self) -> set[str]:
        """Return the conversations of which something waits, or is being done just now."""
        running = await self._home.journal.in_state(State.RUNNING)
        return await self._waiting() | {record.session for record in running if record.session}

    async def _watch(self) -> None:
        """Let the model go on whenever all that waited of a conversation was decided, by whomever."""
        with Guarded():
            self._waited = await self._open()
        while True:
            woken = self._changes.changed
            with Guarded():
                waits = await self._open()
                decided = {*self._waited, *self.live} - waits
                self._waited = waits | {session for session in decided if session in self.live}
                for session in decided - self.live.keys():
                    with Guarded():
                        await self._go_on(session)
            await woken.wait()

    async def _go_on(self, session: str) -> None:
        entry = await self.entry_of(session)
        if entry != CHAT or not await has_news(self._home, session, self.model()):
            return

        async def ask(reply: Reply, model: Model) -> None:
            begun.set()
            self._keep_parts(reply, Exchange(session, entry, reply.began, DECIDED, "", message=reply.message))
            asker = Asker(session, view=reply, principal=TERMINAL, message=reply.message)
            await self._home.go_on(entry, model, asker)

        begun = anyio.Event()
        problem = await self._start(session, f"on-{self._home.ids.token()}", ask, begun)
        if isinstance(problem, Busy):
            self._waited.add(session)
