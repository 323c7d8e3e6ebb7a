"""Tell the person by a notification of their desktop what waits for their answer, where nobody could be asked."""

from collections.abc import Mapping

from sayso.assembly.home import Home
from sayso.config import Settings
from sayso.core.errors import SaysoError
from sayso.core.proposal import Origin, Proposal
from sayso.core.quotes import visible
from sayso.core.record import State
from sayso.policy.rules import allows
from sayso.providers.dbus.session import ADDRESS, SessionBus
from sayso.providers.desktop.linux.notifications import service
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
