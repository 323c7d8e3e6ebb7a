"""Conversations as the page shows them: what was said, what came of it, and what can be done by a button."""

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
from msgspec import Struct

from sayso.assembly import Home
from sayso.assembly.entry import ENTRIES
from sayso.assembly.instances import Offers, explain_offer
from sayso.assistant.asker import Used
from sayso.assistant.entry_points import EntryPoint
from sayso.assistant.history import BROKE_OFF
from sayso.assistant.prompts import DECIDED
from sayso.core.conversation import Exchange
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError
from sayso.core.instances import ChatMessage, Instance
from sayso.core.record import Record
from sayso.models.vendors import EMBEDDED
from sayso.runtime.questions import edited_into
from sayso.surfaces.web.answers import Button, Message, Offer, Outcome
from sayso.surfaces.web.cards import page_row, shown_card, step
from sayso.surfaces.web.markdown import html_of
from sayso.surfaces.web.visitors import Nonces, Shown
from sayso.templates.messages import wire_instance

SHOWN = 30
"""How many exchanges of a conversation are shown at once."""


class Said(Struct, frozen=True):
    """A part of a conversation, the oldest first, and how many exchanges are older."""

    exchanges: Sequence[Exchange]
    before: int


async def part_of(home: Home, session: str, limit: int, before: int | None) -> Said:
    """Return the last exchanges, or those before the one with this place."""
    known = await home.sessions.session(session)
    there = known.exchanges if known else 0
    end = there if before is None else min(before, there)
    found = await home.sessions.exchanges(session, there - end + limit, begun=True)
    kept = found[: len(found) - (there - end)] if there > end else found
    return Said(kept, max(0, end - len(kept)))


async def buttons_of(home: Home, session: str, visitor: str, nonces: Nonces) -> list[Button]:
    """Return a button for each action of a conversation that waits, in the order in which they were proposed.

    What an own action requested is decided on its card, as one run.
    """
    records = sorted((one for one in await home.pending() if one.session == session), key=lambda one: one.key)
    runs = {run: await home.chats.of_run(run) for run in {record.run for record in records}}
    return [await button(home, one, nonces.give(shown_as(visitor, one))) for one in records if runs[one.run] is None]


def shown_as(visitor: str, record: Record) -> Shown:
    """Return what a browser was shown by the button of one action."""
    return Shown(visitor, record.id, record.digest or "")


async def button(home: Home, record: Record, nonce: str) -> Button:
    """Return the button of an action that waits; its words and its colour are those of the plan (T-69)."""
    card = await step(home, shown_card(home, record), record)
    return Button(
        id=record.id,
        run=record.run,
        index=record.index,
        label=None if record.label_by_us else record.label,
        text=card.text,
        style=card.style,
        digest=record.digest,
        nonce=nonce,
        card=card,
    )


class ConversationView:
    """Makes the messages of one conversation."""

    def __init__(self, home: Home, buttons: Sequence[Button], instances: Sequence[Instance]) -> None:
        self._home = home
        self._buttons = buttons
        self._instances = instances

    async def messages(self, said: Sequence[Exchange], added: Sequence[ChatMessage], live: str) -> list[Message]:
        """Return what was said and what actions added, in the order of time."""
        rows: list[tuple[str, Message]] = [(one.time, _added(one)) for one in added]
        for place, one in enumerate(said):
            began = one.began or one.time
            id_ = one.message or f"at-{one.time}-{place}"
            if one.words != DECIDED:
                rows.append((began, _words(one, f"{id_}:words", began)))
            if one.message != live:
                rows.append((one.time, await self._reply(one, id_)))
        return [row for _, row in sorted(rows, key=lambda row: row[0])]

    async def _reply(self, one: Exchange, id_: str) -> Message:
        text = self._shown(one)
        turns = cast("Sequence[Mapping[str, Json]]", one.trace.get("turns") or ())
        model = str(turns[-1].get("model") or "") if turns else ""
        outcomes: list[Outcome] = []
        runs = await self._with_edits(one.runs)
        for run in runs:
            outcomes += [
                Outcome(page_row(self._home, record), await step(self._home, shown_card(self._home, record), record))
                for record in runs[run]
            ]
        here = [one_ for one_ in self._instances if (one.began or "") <= one_.created <= one.time and one.began]
        return Message(
            id=id_,
            role="assistant",
            time=one.time,
            text=text,
            html=html_of(text),
            attachments=[],
            model="" if model == EMBEDDED else model,
            runs=list(one.runs),
            outcomes=outcomes,
            buttons=[row.id for row in self._buttons if row.run in runs],
            actions=[instance.id for instance in here],
            used="" if model == EMBEDDED else _used(one),
            stopped=str(one.trace.get("stopped") or ""),
            error=str(one.trace.get("error") or ""),
            cut=bool(one.trace.get("cut") or (one.trace.get(BROKE_OFF) and one.shown)),
            asked_back=one.asked_back,
            can_ask_again=bool(one.trace.get("error")) and one.words != DECIDED,
        )

    async def _with_edits(self, runs: Sequence[str]) -> dict[str, list[Record]]:
        """Return the actions of these runs, and of those in which what the person edited of them went on."""
        found: dict[str, list[Record]] = {}
        wanted = list(runs)
        while wanted:
            run = wanted.pop(0)
            found[run] = await self._home.log_of(run)
            into = edited_into(found[run])
            if into and into not in found:
                wanted.insert(0, into)
        return found

    def _shown(self, one: Exchange) -> str:
        """Return the text that was shown; of a question that came back instead of commands, the question."""
        entry: EntryPoint | None = ENTRIES.get(one.entry)
        if one.shown or entry is None or not one.reply:
            return one.shown or ""
        read = self._home.read(one.reply, entry.dialect.name)
        asked_back = read.clarification_reason if read.needs_clarification else ""
        return asked_back or ("" if one.shown is not None else read.text)


def _words(one: Exchange, id_: str, time: str) -> Message:
    return Message(id_, "user", time, one.words, "", list(one.attached))


def _added(one: ChatMessage) -> Message:
    return Message(
        id=one.id,
        role=one.role,
        time=one.time,
        text=one.content,
        html=html_of(one.content) if one.role != "user" else "",
        attachments=[],
        instance=one.instance,
    )


def _used(one: Exchange) -> str:
    used = cast("Mapping[str, Json]", one.trace.get("used") or {})
    if not used.get("turns"):
        return ""
    try:
        known = {name: used.get(name) for name in ("turns", "tokens_in", "tokens_out", "seconds", "money")}
        return msgspec.convert({**known, "about": used.get("tokens_are_estimated") or False}, Used).text
    except msgspec.ValidationError:
        return ""


async def instances_of(home: Home, session: str) -> list[Instance]:
    """Return the offers of a conversation, oldest first, each as it is now."""
    offers = Offers(home)
    return [await offers.settle(one) for one in await home.chats.all() if one.session == session]


def action(home: Home, instance: Instance) -> Offer:
    """Return an offer as the page shows it, also in sayso's own words, and with what became of it."""
    offers = Offers(home)
    name, text, style = instance.template, "", str(instance.style)
    try:
        template = offers.library.get(instance.template)
        name, text = template.name, explain_offer(template, instance.params)
        style = "danger" if template.destructive else style
    except SaysoError as gone:
        text = str(gone)
    waits = instance.state == "running" and instance.owner is None
    state = "waiting" if waits else "expired" if offers.is_expired(instance) else str(instance.state)
    return Offer(
        instance=wire_instance(instance),
        name=name,
        text=text,
        style=style,
        state=state,
        run=instance.run,
        result=None if instance.result is None else dict(instance.result),
    )
