"""`sayso trigger` and `sayso service`: triggers, which start automations, and the service that hosts them."""

import argparse
import shlex
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import cast

import anyio
from msgspec import to_builtins

from sayso.assembly import Home
from sayso.assembly.entry import Automation
from sayso.assembly.own_changes import written_down
from sayso.assembly.parts import foreign_sections
from sayso.assembly.trigger_list import TriggerRow, list_trigger, new_trigger, switch_trigger
from sayso.assistant.triggers.due import Due
from sayso.assistant.triggers.host import Host, TriggerListener, must_be_on
from sayso.config.write import add_trigger
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.quotes import quoted, visible
from sayso.providers.browser.address import USUAL
from sayso.providers.calendar.repeats import rings
from sayso.providers.programs.run import ProgramCall, ProgramRunner
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.runtime.results import Report
from sayso.runtime.system import RandomIds, SystemClock
from sayso.surfaces.cli.app import Command, UsageProblem, port
from sayso.surfaces.cli.commands.serve import SERVE, of_page
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.direct import Subcommand, act_on
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.rows import Row, rows_of
from sayso.surfaces.cli.run_loop import AttendedApprover, run_attended, show_all, with_flag
from sayso.surfaces.cli.terminal import (
    Interview,
    InterviewLeft,
    NoTerminal,
    find_terminal,
    needs_person,
    no_questions_in_json,
    only_on_terminal,
)
from sayso.surfaces.cli.text import sentence, style_at
from sayso.surfaces.cli.trigger_host import Leaving, Page, Service, host, of_person, start_service

AHEAD = timedelta(days=7)
"""How far ahead the list looks for reminders that ring."""
MOST_RINGS = 3


def configure_trigger(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "what", nargs="?", default="list", metavar="|".join(TRIGGER_DEEDS), help="what to do; without it, list"
    )
    parser.add_argument(
        "words", nargs="*", metavar="NAME|WORDS", help="a trigger by its name; with add, when and what, in words"
    )
    parser.add_argument("--name", metavar="NAME", help="with add: what it is to be called")
    parser.add_argument("--dry-run", action="store_true", help="with fire: say what would be done, and do nothing")
    parser.add_argument("--yes", action="store_true", help="with fire: say yes wherever only policy.mode asks")
    parser.add_argument("--once", action="store_true", help="with run: look once, do what is due, and end")
    _add_page(parser, "with run: serve the page as well, on this port")


def _row_lines(row: TriggerRow, width: int) -> list[str]:
    """Return the row as lines for a person."""
    trigger, state = row.trigger, row.state
    when = trigger.when or "when you fire it"
    off = "; disabled" if state.off else ""
    out = sentence(visible(f"{trigger.name}: {trigger.says} ({when}{off})"), width)
    if row.next and not state.off:
        out += sentence(f"next {_local(row.next)}", width, "    ")
    if state.fired:
        shown = f"; sayso show {state.run}" if state.run else ""
        out += sentence(visible(f"last {_local(state.fired)}: {state.said}{shown}"), width, "    ")
    if row.wrong:
        out += sentence(visible(row.wrong), width, "    ")
    return out


def _local(time: str) -> str:
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _list(arguments: argparse.Namespace, here: CommandContext) -> int:
    async def look(home: Home) -> tuple[list[TriggerRow], list[Row], bool, bool]:
        policy = home.settings.policy
        triggers = [await list_trigger(home, one) for one in home.settings.triggers]
        return triggers, await _next_rings(home), policy.automation, policy.paused

    listed, ringing, automation, paused = in_home(here, look)
    if here.json:
        documents: list[Json] = [to_builtins(one.document) for one in listed]
        coming: list[Json] = [dict(one) for one in ringing]
        here.document({"triggers": documents, "reminders": coming, "automation": automation, "paused": paused})
        return Exit.FINE
    rows = [line for one in listed for line in _row_lines(one, terminal_width(here))]
    here.print(*(rows or ["There are no triggers; “sayso trigger add” writes one."]))
    if ringing:
        now, found = SystemClock().now().astimezone(), {"reminders": [dict(one) for one in ringing]}
        told = rows_of("reminder.list", cast("Json", found), terminal_width(here), now)
        here.print("", "Reminders that ring next:", *(told or ()))
    if not automation or paused:
        off = "Everything is paused" if paused else "Automation is off"
        how = "“sayso resume” lets it" if paused else "“sayso config set automation.enabled true” lets it"
        here.print("", f"{off}: nothing of this starts by itself; {how}.")
    return Exit.FINE


async def _next_rings(home: Home) -> list[Row]:
    """Return the reminders that ring next, as rows; none if they cannot be read."""
    with suppress(SaysoError):
        found = await Automation(home).open_reminders()
        if found is not None:
            now = home.tools.clock.now()
            coming = rings(found.reminders, now, now + AHEAD, found.zone)[:MOST_RINGS]
            return [{"title": one.reminder.title, "due": one.at.astimezone(found.zone).isoformat()} for one in coming]
    return []


def _fire(arguments: argparse.Namespace, here: CommandContext) -> int:
    name = _name(arguments)
    terminal = NoTerminal("with --json nothing is asked") if here.json else find_terminal()
    said: list[str] = []

    async def work(home: Home, person: AttendedApprover) -> list[Report]:
        approver, view = with_flag(person.approver, yes=arguments.yes), Leaving(person.stop)
        automation = Automation(home, approver, view=view, dry_run=arguments.dry_run)
        trigger = automation.called(name)
        must_be_on(home.settings.policy)
        if arguments.dry_run:
            ran = await automation.run(Due(trigger, "due", home.tools.clock.now()), None)
        else:
            ran = await Host(automation.world, TriggerListener()).fire(trigger)
        said.append(ran.said)
        return automation.reports

    reports = run_attended(here, work, terminal)
    if any(report.outcomes for report in reports) or (here.json and reports):
        why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
        return show_all(here, reports[:1] if here.json else reports, why_waiting=why)
    if here.json:
        here.document({"trigger": name, "run": None, "said": said[0]})
    else:
        here.print(visible(said[0]))
    return Exit.FINE


def _enable(arguments: argparse.Namespace, here: CommandContext) -> int:
    only_on_terminal("sayso trigger enable")
    return _switch_trigger(_name(arguments), here, off=False)


def _disable(arguments: argparse.Namespace, here: CommandContext) -> int:
    return _switch_trigger(_name(arguments), here, off=True)


def _switch_trigger(name: str, here: CommandContext, *, off: bool) -> int:
    called = in_home(here, lambda home: switch_trigger(home, name, off=off, by="terminal"))
    if here.json:
        here.document({"trigger": called, "enabled": not off})
    else:
        word = "disabled: it does not start by itself" if off else "enabled"
        here.print(f"✓ {quoted(visible(called))} is {word}")
    return Exit.FINE


def _run(arguments: argparse.Namespace, here: CommandContext) -> int:
    return host(here, once=arguments.once, page=_page(arguments.page, here) if arguments.page else None)


def _page(number: int, here: CommandContext) -> Page:
    """Return what serves the page on a port. Raises `SetupError` if a library is missing."""
    serve = of_page(SERVE)

    def began(address: str, token: str) -> None:
        here.tell(f"sayso: the page is served; “sayso serve --open” opens it ({address})")

    def serving(home: Home) -> Awaitable[None]:
        return serve(home, number, began, signals=False)

    return serving


def _add_page(parser: argparse.ArgumentParser, says: str) -> None:
    parser.add_argument("--page", type=port, nargs="?", const=USUAL, metavar="PORT", help=f"{says} ({USUAL})")


def _name(arguments: argparse.Namespace) -> str:
    name = " ".join(arguments.words)
    if not name.strip():
        raise UsageProblem(f"sayso trigger {arguments.what} NAME: which trigger? “sayso trigger list” shows them")
    return name


def _add(arguments: argparse.Namespace, here: CommandContext) -> int:
    no_questions_in_json("sayso trigger add", here)
    now = settings_of(here)
    new = new_trigger(" ".join(arguments.words), arguments.name or "", now.triggers, SystemClock().now())
    name, due = new.name, [one.astimezone().strftime("%a %Y-%m-%d %H:%M") for one in new.due]
    terminal = needs_person("sayso trigger add")
    try:
        interview = Interview(terminal, style_at(here.environ))
        interview.say("What was understood:")
        interview.show(
            f"when  {new.words}",
            *(f"{'      ' if number else 'next  '}{time}" for number, time in enumerate(due)),
            f"what  {new.wish}",
            f"name  {name}",
        )
        interview.say(
            "Each time, your model is asked to do that. What it then proposes takes the same path as everything else."
        )
        try:
            agreed = interview.yes(f"Write it into {visible(str(now.places.config))}?", usual=False)
        except InterviewLeft:
            agreed = False
        if not agreed:
            interview.say("No; nothing was changed.")
            return Exit.NOT_DECIDED
        with written_down(here.environ, here.tell):
            add_trigger(now.places, new.table, foreign_sections())
        interview.good(f"{quoted(name)} is written; “sayso trigger fire {shlex.quote(name)} --dry-run” tries it.")
        if not now.policy.automation:
            interview.note("Automation is off, so it does not start yet; sayso config set automation.enabled true")
        elif not FileLocks(now.places.locks).anybody(HOSTING):
            interview.note("Nothing looks after triggers yet; “sayso service install” does from now on.")
        return Exit.FINE
    finally:
        terminal.close()


TRIGGER_DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "list": Subcommand(_list, words=False),
        "add": Subcommand(_add, ("name",)),
        "fire": Subcommand(_fire, ("dry_run", "yes")),
        "enable": Subcommand(_enable),
        "disable": Subcommand(_disable),
        "run": Subcommand(_run, ("once", "page"), words=False),
    }
)

TRIGGER = Command(
    configure_trigger,
    act_on("trigger", TRIGGER_DEEDS),
    'sayso trigger fire "wrap-up"',
    "“sayso trigger add every weekday at 8:30 tell me what is on today” writes one after showing what was understood. "
    "Triggers stand in the settings as [[trigger]]. “sayso trigger run” looks after them until Ctrl-C; what needs a "
    "yes then waits for “sayso approve”.",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="show", metavar="|".join(DEEDS), help="what to do; without it, show")
    parser.add_argument("words", nargs="*", metavar="", help=argparse.SUPPRESS)
    _add_page(parser, "with install: host the page as well, on this port")


def _show(arguments: argparse.Namespace, here: CommandContext) -> int:
    own = _own(here)
    installed = _is_installed(own)
    if installed:
        return _print_service(
            here, own, f"Installed: {own.file}; “sayso service remove” takes it away.", installed=True
        )
    content = own.content.decode("utf-8").splitlines()
    head = ("Not installed; “sayso service install” writes and starts it:", "", str(own.file))
    return _print_service(here, own, *head, *(f"  {line}".rstrip() for line in content), installed=False)


def _install(arguments: argparse.Namespace, here: CommandContext) -> int:
    only_on_terminal("sayso service install")
    if arguments.page:
        of_page(SERVE)
    own = of_person(here.environ, arguments.page or 0)
    before = own.file.read_bytes() if _is_installed(own) else None
    own.file.parent.mkdir(parents=True, exist_ok=True)
    _write(own.file, own.content)
    try:
        runner = ProgramRunner(here.environ, RandomIds())
        anyio.run(start_service, own, runner.run_for_text)
    except SaysoError as no:
        _restore(here, own, before)
        raise SetupError(f"the service could not be started, so it was not installed: {no}", "service.failed") from no
    more = [f"✓ it hosts the page on port {arguments.page}; “sayso serve --open” opens it"] if arguments.page else []
    return _print_service(
        here,
        own,
        f"✓ sayso looks after your triggers from now on, and from login on ({own.file})",
        *more,
        installed=True,
    )


def _remove(arguments: argparse.Namespace, here: CommandContext) -> int:
    own = _own(here)
    if not _is_installed(own):
        return _print_service(here, own, "No service is installed.", installed=False)
    with suppress(SaysoError):  # a service that does not run cannot be ended
        _call(here, own.ends)
    own.file.unlink()
    with suppress(SaysoError):
        _call(here, own.forgets)
    return _print_service(here, own, "✓ the service is ended and removed; your triggers stay", installed=False)


def _own(here: CommandContext) -> Service:
    return of_person(here.environ)


def _is_installed(own: Service) -> bool:
    """Say whether the service is installed. Raises `SetupError` if its file was not written by sayso."""
    if not own.file.exists():
        return False
    if not own.is_ours:
        raise SetupError(f"{quoted(own.file)} was not written by sayso; move it away first", "service.foreign")
    return True


def _write(file: Path, content: bytes) -> None:
    new = file.with_name(f".{file.name}.new")
    new.write_bytes(content)
    new.replace(file)


def _restore(here: CommandContext, own: Service, before: bytes | None) -> None:
    if before is None:
        own.file.unlink()
    else:
        _write(own.file, before)
    with suppress(SaysoError):
        _call(here, own.forgets)


def _call(here: CommandContext, calls: Sequence[ProgramCall]) -> None:
    async def told() -> None:
        runner = ProgramRunner(here.environ, RandomIds())
        for call in calls:
            await runner.run_for_text(call)

    anyio.run(told)


def _print_service(here: CommandContext, own: Service, *lines: str, installed: bool) -> int:
    if here.json:
        text = own.content.decode("utf-8")
        here.document({"installed": installed, "file": str(own.file), "content": text})
    else:
        here.print(*map(visible, lines))
    return Exit.FINE


DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "show": Subcommand(_show, words=False),
        "install": Subcommand(_install, ("page",), words=False),
        "remove": Subcommand(_remove, words=False),
    }
)

SERVICE = Command(
    configure,
    act_on("service", DEEDS),
    "sayso service install",
    "On Linux it is a unit of your own systemd session, on macOS a LaunchAgent of yours.",
)
