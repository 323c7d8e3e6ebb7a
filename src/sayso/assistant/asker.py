"""The types of an ask: the asker, the view of the reply, the result, the trace of what happened, and the budget.

A separate module, so that a command that asks no model does not import the conversation.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from anyio import sleep, sleep_forever
from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.conversation import ConversationRequest, ReplyEnd, ToolCall
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.ports import Approver
from sayso.core.proposal import Proposal, proposal_json
from sayso.dialects.base import FeedbackNote, note_json
from sayso.runtime.questions import Nobody as NobodyAnswers
from sayso.runtime.results import Outcome, Report, result_json

PER_TOKEN = 4
"""About how many characters are one token, for models that do not report their tokens."""
_MILLION = 1_000_000


class Budget(Struct, frozen=True):
    """What one ask may take at most."""

    turns: int = 12
    tokens: int = 500_000
    seconds: float = 1200.0
    """The time spent waiting for the model; the time in which the person decides does not count."""
    money: float | None = None
    """None if the settings name no limit."""
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """By the full name of a model, the prices of a million tokens read and of a million tokens written."""

    def reached(self, used: "Used", asked: ConversationRequest) -> str:
        """Return why another turn would go beyond the budget, as the start of a sentence; empty if it would not."""
        if used.turns >= self.turns:
            return f"stopped after {used.turns} turns, the most for one request ([model] budget_turns)"
        ahead = tokens_of(asked)
        if used.tokens + ahead > self.tokens:
            return (
                f"stopped after {used.text}: the next turn needs about {ahead:,} tokens, and a request may take "
                f"{self.tokens:,} ([model] budget_tokens)"
            )
        if used.seconds >= self.seconds:
            return f"stopped after {used.text}: the time for one request is over ([model] budget_time)"
        if self.money is not None and (used.money or 0.0) >= self.money:
            return f"stopped after {used.text}: a request may cost {self.money:g} ([model] budget_money)"
        return ""


class Used(Struct, frozen=True):
    """What an ask has taken so far."""

    turns: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    about: bool = False
    """Whether a model did not report its tokens, so that they are counted by the length of the texts."""
    seconds: float = 0.0
    money: float | None = None
    """None if the settings name no price of the model."""

    @property
    def tokens(self) -> int:
        """Return the tokens read and written."""
        return self.tokens_in + self.tokens_out

    @property
    def text(self) -> str:
        """Return what was taken in words, such as `3 turns, 4,120 tokens, 11 s`."""
        turns = "1 turn" if self.turns == 1 else f"{self.turns} turns"
        tokens = f"{'about ' if self.about else ''}{self.tokens:,} tokens"
        money = [] if self.money is None else [f"cost {self.money:.4f}".rstrip("0").rstrip(".")]
        return ", ".join((turns, tokens, f"{self.seconds:.0f} s", *money))

    def json(self) -> dict[str, Json]:
        """Return what was taken as JSON data."""
        return {
            "turns": self.turns,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "tokens_are_estimated": self.about,
            "seconds": round(self.seconds, 3),
            "money": self.money,
        }

    def after(
        self, asked: ConversationRequest, said: str, ended: ReplyEnd | None, seconds: float, budget: Budget
    ) -> "Used":
        """Return what was taken after one more turn; without `ended`, its reply broke off."""
        read = ended.tokens_in if ended else None
        written = ended.tokens_out if ended else None
        about = read is None or written is None
        read, written = (
            tokens_of(asked) if read is None else read,
            len(said) // PER_TOKEN if written is None else written,
        )
        prices = budget.prices.get(ended.model if ended else "")
        cost = None if prices is None else (read * prices[0] + written * prices[1]) / _MILLION
        return replace(
            self,
            turns=self.turns + 1,
            tokens_in=self.tokens_in + read,
            tokens_out=self.tokens_out + written,
            about=self.about or about,
            seconds=self.seconds + seconds,
            money=self.money if cost is None else (self.money or 0.0) + cost,
        )


def tokens_of(asked: ConversationRequest) -> int:
    """Return about how many tokens a request has; its tools are left out."""
    texts = (
        asked.system,
        *(turn.text for turn in asked.turns),
        *(c.arguments for turn in asked.turns for c in turn.calls),
    )
    return sum(map(len, texts)) // PER_TOKEN


class AskStep(Struct, frozen=True):
    """One turn: the prompt, the response, the proposals read from it, and their outcomes."""

    user_prompt: str
    response: str
    commands: tuple[Proposal, ...] = ()
    reports: tuple[Report, ...] = ()
    notes: tuple[FeedbackNote, ...] = ()
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    why: tuple[str, ...] = ()
    """How the built-in rules read the wish, a line each; empty for other models."""


class Trace(Struct, frozen=True):
    """The record of an ask."""

    entry: str
    context: Mapping[str, Json] = field(default_factory=dict[str, Json])
    system_prompt: str = ""
    user_prompt: str = ""
    steps: tuple[AskStep, ...] = ()
    outside: tuple[str, ...] = ()
    """The parts of the context that strangers wrote; if there are any, actions that send data need approval (T-111)."""
    error: str | None = None
    """Why the ask ended without a reply; None if there is one."""
    stopped: str = ""
    """Why the model was not asked for another turn; empty if it had ended."""
    used: Used = Used()
    cut: bool = False
    """Whether the last reply was stopped or broke off; what had come of its text is kept."""

    def json(self, *, whole: bool = True) -> dict[str, Json]:
        """Return the trace as JSON data; `whole=False` leaves out the data that operations read, as in the journal."""
        last = self.steps[-1] if self.steps else AskStep(self.user_prompt, "")
        return {
            "context": dict(self.context),
            "system_prompt": self.system_prompt,
            "user_prompt": self.user_prompt,
            "response": last.response,
            "commands": [proposal_json(one) for step in self.steps for one in step.commands],
            "validation": [_validation(one) for one in _outcomes(self.steps)],
            "results": [_result(one, whole=whole) for one in _outcomes(self.steps)],
            "entry": self.entry,
            "model": last.model or None,
            "turns": [_step(step, whole=whole) for step in self.steps],
            "notes": [note_json(note) for note in last.notes],
            "outside": list(self.outside),
            "error": self.error,
            "stopped": self.stopped or None,
            "used": self.used.json(),
            "cut": self.cut,
        }


def _outcomes(steps: Sequence[AskStep]) -> list[Outcome]:
    return [outcome for step in steps for report in step.reports for outcome in report.outcomes]


def _step(step: AskStep, *, whole: bool) -> dict[str, Json]:
    why: dict[str, Json] = {"why": list(step.why)} if step.why else {}
    return {
        **why,
        "user_prompt": step.user_prompt,
        "response": step.response,
        "model": step.model or None,
        "tokens_in": step.tokens_in,
        "tokens_out": step.tokens_out,
        "commands": [proposal_json(one) for one in step.commands],
        "runs": [report.run for report in step.reports],
        "results": [_result(one, whole=whole) for one in _outcomes([step])],
        "notes": [note_json(note) for note in step.notes],
    }


def _validation(outcome: Outcome) -> dict[str, Json]:
    """Return whether a proposal was valid, before anything was carried out (S4-53)."""
    record = outcome.record
    valid = record.state.value not in {"invalid", "refused"}
    return {"index": record.index, "valid": valid, "problem": None if valid else record.marks.error}


def _result(outcome: Outcome, *, whole: bool) -> dict[str, Json]:
    row = result_json(outcome)
    if whole or row["plan"] is not None:
        return row
    return {**row, "data": {}, "text": None}


CORRECTIONS = 2
"""Maximum number of corrections by the model in one ask."""


class ReplyView(Protocol):
    """Shows a reply as it arrives, and lets the person stop it."""

    def show_text(self, text: str) -> None:
        """Show the next piece of text; text that was shown is never removed."""
        ...

    def show_progress(self, line: str) -> None:
        """Show a line about a tool call that runs (S1-59), or about another model that answers instead."""
        ...

    def show_outcomes(self, report: Report) -> None:
        """Show what came of the proposals of one turn, before the model is asked for the next one."""
        ...

    def end_reply(self) -> None:
        """End the current line, so that later output begins a new one."""
        ...

    async def wait_for_stop(self) -> None:
        """Return when the person stops the reply; otherwise never."""
        ...


class NoView:
    """Shows nothing and never stops a reply."""

    def show_text(self, text: str) -> None:
        """Drop the text."""

    def show_progress(self, line: str) -> None:
        """Drop the line."""

    def show_outcomes(self, report: Report) -> None:
        """Drop the outcomes."""

    def end_reply(self) -> None:
        """Do nothing."""

    async def wait_for_stop(self) -> None:
        """Wait for ever."""
        await sleep_forever()


class KeepsText:
    """Shows a reply on another view, and keeps the text that was shown in `text`."""

    def __init__(self, view: ReplyView) -> None:
        self.text = ""
        self._view = view

    def show_text(self, text: str) -> None:
        """Show and keep the text."""
        self.text += text
        self._view.show_text(text)

    def show_progress(self, line: str) -> None:
        """Show the line."""
        self._view.show_progress(line)

    def show_outcomes(self, report: Report) -> None:
        """Show the outcomes."""
        self._view.show_outcomes(report)

    def end_reply(self) -> None:
        """End the current line."""
        self._view.end_reply()

    async def wait_for_stop(self) -> None:
        """Return when the person stops the reply."""
        await self._view.wait_for_stop()


class ReceivedReply(Struct, frozen=True):
    """A model's reply: its unchanged text, its tool calls, and how it ended."""

    text: str
    calls: tuple[ToolCall, ...]
    ended: ReplyEnd
    too_long: bool = False
    """Whether reading stopped because the reply exceeded the maximum length."""


class Attachment(Struct, frozen=True):
    """A text that the person attached to their words; it is data, whoever wrote it."""

    name: str
    text: str
    cut: bool = False
    """Whether this is only the beginning of the text."""


class Asker(Struct, frozen=True):
    """The asking side: the session, the approver of policy's questions, and the view that shows progress."""

    session: str = ""
    """The id of the session; empty for a new one."""
    approver: Approver = field(default_factory=NobodyAnswers)
    dry_run: bool = False
    view: ReplyView = field(default_factory=NoView)
    corrections: int = CORRECTIONS
    wrote: str = ""
    """The person's own words; web addresses in them need no further approval."""
    because: str = ""
    """The description of the trigger, if no person asked (S0-67)."""
    happened: tuple[str, ...] = ()
    """Events that started the trigger, in strangers' words, such as names of files."""
    attached: tuple[Attachment, ...] = ()
    """Texts that the person attached; they are marked as data, and count as strangers' words."""
    message: str = ""
    """The id by which a page knows the reply."""
    principal: str = ""
    """On whose behalf the model is asked; empty for the usual one of the entry point."""
    sleep: Callable[[float], Awaitable[None]] = sleep
    """Waits for a number of seconds before a reply that broke off is asked for again."""


class AskResult(Struct, frozen=True):
    """The result of an ask."""

    session: str
    entry: str
    text: str
    """The text for the person, as it was shown."""
    report: Report
    """The outcomes of all proposals; corrected proposals replace the wrong ones."""
    trace: Trace
    model: str = ""
    """The name of the model that answered."""
    runs: tuple[str, ...] = ()
    used: Used = Used()
    """The turns, tokens, time and money that it took."""
    stopped: str = ""
    """Why sayso did not ask the model for another turn, in a sentence for the person; empty if the model had ended."""
    problem: SaysoError | None = None
    """The error that ended the ask after some of its turns had acted; an error before that is raised."""
