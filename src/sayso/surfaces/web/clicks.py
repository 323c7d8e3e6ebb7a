"""The person's own actions on the page: told to its sockets, and run once for each click (S3-49 to S3-53)."""

from collections.abc import Callable, Sequence

import anyio
from anyio.abc import TaskGroup, TaskStatus

from sayso.assembly import Home
from sayso.assembly.actions import failed
from sayso.assembly.expansion import answer_request
from sayso.assembly.instances import NOT_FOUND, Offers
from sayso.assembly.watched import watched
from sayso.core.encoding import Json
from sayso.core.instances import Instance
from sayso.surfaces.web.changes import Changes
from sayso.surfaces.web.faults import Guarded, sentence
from sayso.templates.library import load_library
from sayso.templates.messages import (
    ActionInstances,
    ActionResult,
    ActionTemplates,
    ErrorMessage,
    ExecuteAction,
    Known,
    encode,
    wire_instance,
    wire_result,
    wire_template,
)

MOST_RUNNING = 50
"""How many clicks may be under way at once."""


class Clicks:
    """Tells open pages of the person's own actions and of offers, and runs what is clicked."""

    def __init__(self, home: Home, changes: Changes) -> None:
        self._home = home
        self._changes = changes
        self._offers = Offers(home)
        self._told: set[str] = set()
        """The offers that pages were told of, or could read when this server began."""
        self._under_way: list[str] = []
        """The conversation of each click whose action runs."""
        self._waits: list[ActionResult] = []
        """What was clicked and waits for the person."""
        self._together: TaskGroup | None = None
        changes.greeting = self.templates()
        changes.execute = self.execute

    def templates(self) -> str:
        """Return the message about the actions that exist now."""
        found = load_library(self._home.settings.places.actions).templates
        return encode(ActionTemplates([wire_template(one) for one in found]))

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Tell of new offers and of changed actions, and run what is clicked, until this is cancelled."""
        self._told = {one.id for one in await self._home.chats.all()}
        try:
            async with anyio.create_task_group() as together:
                await together.start(self._home.watch_actions, self._tell_templates)
                self._together = together
                task_status.started()
                while True:
                    changed = self._changes.changed
                    with Guarded():
                        await self._tell_results()
                        await self._tell_offers()
                    await changed.wait()
        finally:
            self._together = None

    def _tell_templates(self, _rows: list[Json], _warnings: tuple[str, ...]) -> None:
        self._changes.greeting = self.templates()
        self._changes.tell(self._changes.greeting)

    async def _tell_offers(self) -> None:
        """Tell the pages of a conversation of the offers that were made in it since they were last told (S3-50)."""
        found = await self._home.chats.all()
        self._told &= {one.id for one in found}
        made: dict[str, list[Instance]] = {}
        for one in found:
            if one.id not in self._told and one.session not in self._under_way:
                self._told.add(one.id)
                made.setdefault(one.session, []).append(one)
        for session, offers in made.items():
            self._changes.tell(encode(ActionInstances([wire_instance(one) for one in offers], session)), session)

    # --- clicks -------------------------------------------------------------------------------------------

    def execute(self, asked: ExecuteAction, session: str, answer: Callable[[str], None]) -> None:
        """Run an offer of the conversation that a page shows; the pages of the conversation get the one result.

        What changes something waits for the person first; then the result comes once it was decided and has ended.
        """
        if self._together is None or len(self._under_way) >= MOST_RUNNING:
            answer(encode(ErrorMessage("too much is going on; try again", asked.instance_id, asked.session_id)))
            return
        self._under_way.append(session)
        self._together.start_soon(self._execute, asked, session)

    async def _execute(self, asked: ExecuteAction, session: str) -> None:
        with Guarded() as done:
            await self._run_offer(asked, session)
        if done.problem is not None:
            told = ErrorMessage(sentence(done.problem), asked.instance_id, asked.session_id)
            self._changes.tell(encode(told), session)

    async def _run_offer(self, asked: ExecuteAction, session: str) -> None:
        try:
            with watched(self._home, lambda: self._changes.changed):
                first, *more = await answer_request(self._home, encode(asked), session, None)
            if isinstance(first, ActionResult) and await self._is_waiting(first, session):
                self._waits.append(first)
            else:
                self._tell_answer((first, *more), session)
        finally:
            del self._under_way[self._under_way.index(session)]
        await self._tell_results()
        await self._tell_offers()

    def _tell_answer(self, messages: Sequence[Known], session: str) -> None:
        for message in messages:
            if isinstance(message, ActionInstances):
                self._told.update(one.instance_id for one in message.actions)
            self._changes.tell(encode(message), session)

    async def _is_waiting(self, told: ActionResult, session: str) -> bool:
        found = await self._offers.find(told.instance_id, session)
        return found is not None and told.session_id == session and found.state == "running"

    async def _tell_results(self) -> None:
        """Tell the result of each offer that was clicked, waited, and has ended."""
        for one in [*self._waits]:
            found = await self._offers.find(one.instance_id, one.session_id)
            if one not in self._waits or (found is not None and found.state == "running"):
                continue
            del self._waits[self._waits.index(one)]
            result = failed(NOT_FOUND) if found is None or found.result is None else found.result
            told = ActionResult(one.instance_id, wire_result(result), one.session_id)
            self._changes.tell(encode(told), one.session_id)
