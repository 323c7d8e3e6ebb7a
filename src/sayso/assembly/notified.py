"""Ask by notifications with buttons what waits, for as long as a program of sayso's stays that hears the answer.

A no is one click. A yes is offered only for what is shown whole and does no harm (`may_be_answered`); all else is
looked at on the page or in a terminal. Silence is no answer.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from html import escape
from typing import Any

import anyio
from msgspec import Struct

from sayso.assembly.home import Home
from sayso.config import Settings
from sayso.core.card_contents import has_no_way_back
from sayso.core.decision import Decision, Question
from sayso.core.errors import SaysoError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.core.proposal import Origin, Proposal
from sayso.core.quotes import visible
from sayso.core.record import Record, State
from sayso.policy.rules import allows
from sayso.providers.dbus.session import ADDRESS, SessionBus
from sayso.providers.desktop.linux.notifications import NAME, OUR_NAME, PATH, service
from sayso.runtime.locks import FileLocks
from sayso.runtime.questions import Nobody
from sayso.runtime.results import Report

ENTRY = "announcement"
ASKING = "asking"
"""The name of the lock of the program that asks by notifications."""
SETTING = "waiting.announce"
MOST = 200
"""Maximum number of characters of a summary that a notification shows."""
_SECONDS = 2.0


async def announce(home: Home, report: Report) -> None:
    """Show one notification about what waits in this run, unless the settings switch that off.

    It names the first of the actions by sayso's own summary. Nothing is shown, and nothing is recorded, where no
    notification service answers at once, or where a program that stays asks by notifications itself (`notified.py`).
    """
    waiting = [one.record for one in report.outcomes if one.record.state is State.WAITING]
    settings = home.settings
    if not waiting or not may_announce(settings) or FileLocks(settings.places.locks).anybody(ASKING):
        return
    if not _is_real(home) or not await _answers(settings.environ):
        return
    plan = waiting[0].plan
    about = visible(str(plan["summary"]) if plan else str(waiting[0].operation))
    count = "1 action waits for you" if len(waiting) == 1 else f"{len(waiting):,} actions wait for you"
    short = about if len(about) <= MOST else f"{about[:MOST]}…"
    message = f"{short}\n“sayso approve”, typed in a terminal, shows it and asks you."
    wish = Proposal(0, "", "notify.show", {"title": count, "message": message})
    await home.take([wish], Origin("", ENTRY), Nobody())


def may_announce(settings: Settings) -> bool:
    """Return whether the settings let a notification tell what waits."""
    return settings.values.get(SETTING) is True and allows(settings.policy, "notify.show")


def _is_real(home: Home) -> bool:
    try:
        desktop = home.tools.backends.get("desktop")
    except SaysoError:
        return False
    return desktop is not None and not getattr(desktop, "private", False)


async def _answers(environ: Mapping[str, str]) -> bool:
    if not environ.get(ADDRESS):
        return False
    try:
        await SessionBus(environ, _SECONDS).call(service("GetServerInformation"))
    except SaysoError:
        return False
    return True


BY = "notification"
MOMENT = 1.0
"""Seconds for which a notification must have been shown before a click on it counts."""
MOST_SHOWN = 5
_EVERY, _LOOK_AGAIN, _TRY_AGAIN, _END = 0.25, 10.0, 30.0, 0.5
_LOOK, _NO, _YES = "look", "no", "yes"
_STAYS, _USUAL = 0, -1


def may_be_answered(question: Question, operations: Mapping[str, Operation]) -> bool:
    """Return whether a yes to this question may be given by a notification.

    It may for one action that only makes something, whose every part the notification shows, that loses, sends and
    warns of nothing and can be taken back.
    """
    if len(question.cards) != 1 or question.twice or question.edited:
        return False
    (card,) = question.cards
    plan = card.plan
    told = plan.loses or plan.sends or plan.leaving or plan.warns or plan.preview or has_no_way_back(plan)
    known = operations.get(card.operation)
    return (
        not told
        and known is not None
        and known.kind == "write"
        and card.template_id is None
        and card.verdict.level in {"mode", "click"}
        and len(visible(plan.summary)) <= MOST
    )


class _Shown(Struct, frozen=True):
    """A notification that asks about a run."""

    run: str
    digest: str
    since: float
    yes: bool


class _Exactly:
    """An approver that says yes to exactly what a notification showed, and else nothing."""

    def __init__(self, shown: _Shown, operations: Mapping[str, Operation]) -> None:
        self._shown = shown
        self._operations = operations

    async def ask(self, question: Question) -> Decision | None:
        """Return the yes; None, so that it still waits, if the question is another one by now."""
        if question.digest != self._shown.digest or not may_be_answered(question, self._operations):
            return None
        return question.yes(BY)


class Notified:
    """Shows a notification for each run that begins to wait, and does what the person answers there.

    `look` shows all that waits to the person, if this program can. A click counts `moment` seconds after its
    notification was shown.
    """

    def __init__(self, home: Home, look: Callable[[], Awaitable[object]] | None = None, moment: float = MOMENT) -> None:
        self._home = home
        self._moment = moment
        self._look = look
        self._shown: dict[int, _Shown] = {}
        self._known: set[str] = set()
        self._bus: Any = None
        self._markup = False

    async def serve(self) -> None:
        """Ask until this is cancelled; return at once where there is no desktop."""
        address = self._home.settings.environ.get(ADDRESS, "")
        try:
            connect = load("sayso.providers.dbus.connection:connect") if address else None
        except ImportError:
            connect = None
        while connect is not None:
            with suppress(OSError, ValueError, SaysoError):
                async with connect(address) as self._bus:
                    await self._attend()
            await anyio.sleep(_TRY_AGAIN)

    async def _attend(self) -> None:
        (can,) = await self._call("GetCapabilities")
        if "actions" not in can:
            return
        self._markup = "body-markup" in can
        locks = FileLocks(self._home.settings.places.locks)
        with locks.alone(ASKING) as mine, locks.present(ASKING) if mine else nullcontext():
            if not mine:
                return
            self._known = {*await self._waiting()}
            self._shown.clear()
            await self._bus.listen(NAME, NAME)
            try:
                await self._ask_and_hear()
            finally:
                with anyio.move_on_after(_END, shield=True), suppress(OSError):
                    for number in self._shown:  # nobody hears what their buttons say from now on
                        await self._call("CloseNotification", "u", number)

    async def _ask_and_hear(self) -> None:
        newest, looked = -1, 0.0
        while True:
            now, last = self._home.clock.monotonic(), newest
            newest = self._newest()
            if newest != last or now - looked > _LOOK_AGAIN:
                looked = now
                await self._compare()
            heard = None
            with anyio.move_on_after(_EVERY):
                heard = await self._bus.next_signal()
            if heard is not None:
                await self._hear(heard.name, heard.body)

    def _newest(self) -> int:
        """Return the number of the last change of the journal, whichever process made it."""
        ((newest,),) = self._home.journal.look(
            lambda c: c.execute("SELECT coalesce(max(seq), 0) FROM audit").fetchall()
        )
        return newest

    async def _waiting(self) -> dict[str, list[Record]]:
        found: dict[str, list[Record]] = {}
        for record in await self._home.pending():
            found.setdefault(record.run, []).append(record)
        return found

    async def _compare(self) -> None:
        """Take back the notifications about what waits no more, and ask about what is new."""
        waiting = await self._waiting()
        for number, shown in [*self._shown.items()]:
            if shown.run not in waiting:
                del self._shown[number]
                await self._call("CloseNotification", "u", number)
        for run in [one for one in waiting if one not in self._known]:
            await self._show(run)
        self._known = {*waiting}

    async def _show(self, run: str) -> None:
        settings = self._home.settings
        if not may_announce(settings):
            return
        try:
            question = await self._home.question(run)
        except SaysoError:
            return  # it waits no more, or can only be looked at
        yes = may_be_answered(question, self._home.operations)
        about = visible(question.cards[0].plan.summary)
        count = len(question.cards)
        title = "1 action waits for you" if count == 1 else f"{count:,} actions wait for you"
        lines = [about if len(about) <= MOST else f"{about[:MOST]}…"]
        if not yes:
            lines.append("Look at all of it before you say yes." if self._look else "“sayso approve” shows all of it.")
        buttons = ["default", "Look", _LOOK, "Look at it"] if self._look else []
        buttons += [_NO, "No", *([_YES, "Yes"] if yes else [])]
        await self._bus.listen(NAME, NAME)
        for oldest in [*self._shown][: 1 - MOST_SHOWN]:
            del self._shown[oldest]
            await self._call("CloseNotification", "u", oldest)
        number = await self._notify(title, "\n".join(lines), buttons, _STAYS)
        self._shown[number] = _Shown(run, question.digest, self._home.clock.monotonic(), yes)

    async def _notify(self, title: str, text: str, buttons: Sequence[str], lasts: int) -> int:
        body = escape(text, quote=False) if self._markup else text
        hints = {"urgency": ("y", 1), "desktop-entry": ("s", OUR_NAME)}
        values = (OUR_NAME, 0, "dialog-question", title, body, [*buttons], hints, lasts)
        (number,) = await self._call("Notify", "susssasa{sv}i", *values)
        return int(number)

    async def _call(self, name: str, signature: str = "", *values: Any) -> tuple[Any, ...]:
        reply = await self._bus.call((PATH, NAME, NAME), name, signature, values)
        if reply.error and name != "CloseNotification":  # one that is closed already is no error of anybody's
            raise ConnectionError(reply.error)
        return reply.body

    async def _hear(self, name: str, body: tuple[Any, ...]) -> None:
        shown = self._shown.pop(int(body[0]), None) if name in {"ActionInvoked", "NotificationClosed"} else None
        if shown is None or name == "NotificationClosed":
            return
        await self._call("CloseNotification", "u", int(body[0]))
        if body[1] not in {_NO, _YES}:
            if self._look:
                await self._look()
        elif self._home.clock.monotonic() - shown.since < self._moment:
            await self._show(shown.run)  # whoever clicked had no time to read it
        else:
            await self._answer(shown, yes=body[1] == _YES)

    async def _answer(self, shown: _Shown, *, yes: bool) -> None:
        try:
            if not yes:
                await self._home.decline(shown.run, BY)
            elif shown.yes:
                told = _told(await self._home.approve(shown.run, _Exactly(shown, self._home.operations)))
                await self._notify("sayso", told, (), _USUAL)
        except SaysoError as no:
            await self._notify("sayso", f"Nothing was done: {visible(str(no))}"[:MOST], (), _USUAL)


def _told(report: Report) -> str:
    (record,) = [one.record for one in report.outcomes][:1]
    summary = visible(record.summary)
    marks = record.marks
    if marks.error:
        return f"{summary}: {marks.state.value}: {visible(marks.error)}"[:MOST]
    return f"{summary}: {marks.state.value}. “sayso undo” takes it back."
