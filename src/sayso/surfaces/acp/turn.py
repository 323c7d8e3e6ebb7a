"""One turn of a conversation in an editor: what is shown while it goes on, and who may answer its questions."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
from acp import RequestError, schema
from acp.interfaces import Client
from anyio.streams.memory import MemoryObjectSendStream
from msgspec import Struct

from sayso.assembly import Home
from sayso.core.decision import Card, Decision, Question
from sayso.core.plan import CannotUndo
from sayso.core.quotes import quoted
from sayso.core.record import Record, State
from sayso.runtime.results import Report
from sayso.surfaces.acp import updates

BY = "editor"
"""Who approved, in the journal; no standing permission is derived from such a yes."""
YES, NO = "yes", "no"
OPTIONS = (
    schema.PermissionOption(option_id=YES, name="Do it this once", kind="allow_once"),
    schema.PermissionOption(option_id=NO, name="Do not do it", kind="reject_once"),
)


def may_answer(home: Home) -> bool:
    """Return whether the person lets an editor answer about what can be taken back."""
    return home.settings.sections["acp"].get("answers") is True


def is_small(card: Card) -> bool:
    """Return whether an action can be taken back whole, lets nothing leave, and asks only because of the mode."""
    plan = card.plan
    whole = bool(plan.changes) and not any(isinstance(change.undo, CannotUndo) for change in plan.changes)
    return whole and card.verdict.level == "mode" and not (plan.loses or plan.leaving or plan.warns)


class Shown(Struct):
    """The tool calls of a session that an editor knows, and those of them that wait for the person."""

    known: set[str]
    waiting: set[str]


class TurnView:
    """Sends what happens in one turn to the editor, in order; `stopped` is set when the person stops the turn."""

    def __init__(self, home: Home, outbox: MemoryObjectSendStream[Any], shown: Shown, stopped: anyio.Event) -> None:
        self._home = home
        self._outbox = outbox
        self._shown = shown
        self._stopped = stopped

    def show_text(self, text: str) -> None:
        """Send the next piece of the reply."""
        if text:
            self._send(updates.message(text))

    def show_progress(self, line: str) -> None:
        """Send nothing: the tool calls say what is done."""

    def end_reply(self) -> None:
        """Send nothing: an editor joins the pieces by itself."""

    async def wait_for_stop(self) -> None:
        """Return when the person stops the turn in the editor."""
        await self._stopped.wait()

    def say(self, sentence: str) -> None:
        """Send a sentence of sayso's own."""
        self._send(updates.message(f"\n\n{sentence}\n"))

    def show_cards(self, question: Question) -> None:
        """Send the actions that are about to be asked about, and a plan if there are several."""
        for card in question.cards:
            self._tool_call(updates.of_card(card))
        if len(question.cards) > 1:
            self._send(updates.plan((card.plan.summary, State.WAITING) for card in question.cards))

    def show_outcomes(self, report: Report) -> None:
        """Send what came of the proposals of a run."""
        for outcome in report.outcomes:
            self.show_record(outcome.record)
        entries = [(outcome.record.summary, outcome.record.state) for outcome in report.outcomes]
        if len(entries) > 1:
            self._send(updates.plan(entries))
        if report.needs_clarification and report.clarification_reason:
            self.say(report.clarification_reason)
        for warning in report.warnings:
            self.say(warning)

    def show_record(self, record: Record) -> None:
        """Send an action and what became of it."""
        plan = self._home.tools.codec.plan(record.plan) if record.plan else None
        (self._shown.waiting.add if record.state is State.WAITING else self._shown.waiting.discard)(record.id)
        self._tool_call(updates.of_record(record, plan))

    def _tool_call(self, start: schema.ToolCallStart) -> None:
        known = start.tool_call_id in self._shown.known
        self._shown.known.add(start.tool_call_id)
        self._send(updates.as_change(start) if known else start)

    def _send(self, update: Any) -> None:
        self._outbox.send_nowait(update)


class EditorApprover(Struct, frozen=True):
    """Shows the editor what is asked. Its yes counts only where the person switched that on, for what can go back."""

    home: Home
    client: Client
    session: str
    view: TurnView
    flushed: Callable[[], Any]
    """Waits until the editor was sent all that was shown before."""

    async def ask(self, question: Question) -> Decision | None:
        """Return the person's decision; None if they decide on a surface of sayso's own."""
        self.view.show_cards(question)
        await self.flushed()
        if not may_answer(self.home) or not all(is_small(card) for card in question.asking) or question.twice:
            return None
        chosen = await self._chosen(question)
        if chosen == YES:
            return question.yes(BY)
        return question.no(BY) if chosen == NO else None

    async def _chosen(self, question: Question) -> str:
        """Return the option that the person chose; empty if none, also because they stopped the turn."""
        chosen = ""
        async with anyio.create_task_group() as together:

            async def until_stopped() -> None:
                await self.view.wait_for_stop()
                together.cancel_scope.cancel()

            together.start_soon(until_stopped)
            with suppress(RequestError):  # an editor that cannot ask
                answer = await self.client.request_permission(
                    session_id=self.session, tool_call=self._about(question), options=list(OPTIONS)
                )
                chosen = answer.outcome.option_id if isinstance(answer.outcome, schema.AllowedOutcome) else ""
            together.cancel_scope.cancel()
        return chosen

    def _about(self, question: Question) -> schema.ToolCallUpdate:
        first = updates.as_asked(updates.of_card(question.cards[0]))
        if len(question.cards) == 1:
            return first
        told = "; ".join(card.plan.summary for card in question.cards)
        title = f"{len(question.cards)} actions: {told}"
        return first.model_copy(update={"title": updates.plain(title)})


def no_session(session: str) -> RequestError:
    """Return the error for a session that is not open here."""
    return RequestError.invalid_params({"message": f"there is no conversation {quoted(session[:60])}"})
