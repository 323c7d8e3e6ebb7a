"""Host triggers in this process, or install a service of the person's session that hosts them."""

import os
import plistlib
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
from msgspec import Struct

from sayso.assembly import Home
from sayso.assembly.entry import Automation
from sayso.assembly.notified import Notified
from sayso.assembly.wiring import kinds_of
from sayso.assistant.asker import NoView
from sayso.assistant.triggers.due import Due, How
from sayso.assistant.triggers.host import Host, TriggerListener, TriggerRun
from sayso.assistant.triggers.reminders import Notice
from sayso.assistant.triggers.schedule import schedule
from sayso.config import Settings
from sayso.config.paths import places
from sayso.core.conversation import Trigger
from sayso.core.encoding import Json
from sayso.core.errors import SaysoError, SetupError
from sayso.core.ports import Clock
from sayso.core.quotes import quoted, visible
from sayso.providers.calendar import CALENDAR, RINGS_ITSELF
from sayso.providers.programs.own_python import LOADS_CODE, module_command
from sayso.providers.programs.run import ProgramCall
from sayso.runtime.locks import HOSTING, FileLocks
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.findings import Finding
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.progress import StopSignals, stopping

NAME = "sayso.service"
LABEL = "sayso.triggers"
MARK = "written by “sayso service install”"


HARDENED = (
    "UMask=0077",
    "LimitCORE=0",
    "NoNewPrivileges=yes",
    "RestrictSUIDSGID=yes",
    "RestrictRealtime=yes",
    "LockPersonality=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "SystemCallFilter=~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap",
    "SystemCallErrorNumber=EPERM",
)
"""What a manager of one user's services can enforce, and the programs that the service opens can bear.

Options that need a mount namespace (`ProtectSystem=` and the like) would put the service into a user namespace, which
many systems refuse. `MemoryDenyWriteExecute=` and `RestrictNamespaces=` would keep a browser from starting.
"""


PAUSE = 1.0
"""How many seconds later it is tried again to start a service."""

Page = Callable[[Home], Awaitable[None]]
"""Serves the page until it is cancelled."""


class Service(Struct, frozen=True):
    """The service that hosts triggers: its file, and the programs to call when it is installed and removed."""

    file: Path
    content: bytes
    starts: tuple[ProgramCall, ...]
    ends: tuple[ProgramCall, ...]
    """Programs that are called before the file is removed."""
    forgets: tuple[ProgramCall, ...] = ()
    """Programs that are called after the file was removed."""
    clears: tuple[ProgramCall, ...] = ()
    """Programs that end one that is loaded already, before it is started; they may fail."""
    tries: int = 1
    """How many times it is tried to start it, `PAUSE` seconds after each other."""

    @property
    def page(self) -> int:
        """Return the port on which the installed service hosts the page; 0 if it does not. Raises `OSError`."""
        _, _, after = self.file.read_text("utf-8", "replace").partition("--page")
        words = "".join(letter if letter.isalnum() else " " for letter in after).split()
        return next((int(word) for word in words if word.isascii() and word.isdigit()), 0)

    @property
    def is_ours(self) -> bool:
        """Say whether sayso wrote the existing file. Raises `OSError`."""
        return MARK.encode() in self.file.read_bytes()


async def start_service(own: Service, run: Callable[[ProgramCall], Awaitable[object]], pause: float = PAUSE) -> None:
    """Start a service, in place of one that runs. `run` runs a program; its last `SaysoError` is raised."""
    for call in own.clears:
        with suppress(SaysoError):
            await run(call)
    for left in reversed(range(own.tries)):
        try:
            for call in own.starts:
                await run(call)
        except SaysoError:
            if not left:
                raise
            await anyio.sleep(pause)
        else:
            return


def of_person(environ: Mapping[str, str], page: int = 0) -> Service:
    """Return the service that hosts this person's triggers, and with a port the page. Raises `SetupError`."""
    argv = module_command("sayso", "trigger", "run", *(("--page", str(page)) if page else ()))
    return service(sys.platform, environ, places(environ).person, os.getuid(), argv)


def service(platform: str, environ: Mapping[str, str], person: Path, user: int, argv: Sequence[str]) -> Service:
    """Return the service that runs `argv` for this person. Raises `SetupError` for an unsupported system."""
    own = {name: environ[name] for name in ("SAYSO_HOME",) if environ.get(name)}
    if platform == "linux":
        return _systemd(Path(environ.get("XDG_CONFIG_HOME") or person / ".config"), own, argv)
    if platform == "darwin":
        return _launchd(person, own, user, argv)
    raise SetupError(
        f"sayso knows no service on {quoted(platform)}; run “sayso trigger run” yourself", "service.unknown"
    )


def _systemd(config: Path, environ: Mapping[str, str], argv: Sequence[str]) -> Service:
    settings = [f"Environment={_quote_word(f'{name}={value}')}" for name, value in environ.items()]
    text = "\n".join(
        [
            f"# {MARK}",
            "[Unit]",
            "Description=sayso looks after what starts by itself",
            "",
            "[Service]",
            *settings,
            f"UnsetEnvironment={' '.join(LOADS_CODE)}",
            "WorkingDirectory=/",
            *HARDENED,
            f"ExecStart={' '.join(_quote_word(word).replace('$', '$$') for word in argv)}",
            "Restart=on-failure",
            "RestartSec=30",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )
    reload = ProgramCall("systemctl", ("--user", "daemon-reload"), whole=True)
    return Service(
        config / "systemd" / "user" / NAME,
        text.encode(),
        (
            reload,
            ProgramCall("systemctl", ("--user", "enable", NAME), whole=True),
            ProgramCall("systemctl", ("--user", "restart", NAME), whole=True),
        ),
        (ProgramCall("systemctl", ("--user", "disable", "--now", NAME), whole=True),),
        (reload,),
    )


def _launchd(person: Path, environ: Mapping[str, str], user: int, argv: Sequence[str]) -> Service:
    file = person / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    document = {
        "Label": LABEL,
        "ServiceDescription": MARK,
        "ProgramArguments": list(argv),
        "EnvironmentVariables": dict(environ),
        "WorkingDirectory": "/",
        "Umask": 0o077,
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
    }
    end = (ProgramCall("launchctl", ("bootout", f"gui/{user}/{LABEL}")),)
    return Service(
        file,
        plistlib.dumps(document),
        (ProgramCall("launchctl", ("bootstrap", f"gui/{user}", str(file))),),
        end,
        # launchd refuses a service of which one is loaded, also for a moment after that one was ended.
        clears=end,
        tries=5,
    )


def _quote_word(word: str) -> str:
    """Quote a word so that systemd reads it unchanged."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%", "%%")
    return f'"{escaped}"'


_STARTS = "sayso service install; or, for as long as a terminal is open: sayso trigger run"


def of_triggers(now: Settings) -> Iterator[Finding]:
    """Yield findings about triggers: their number, whether they may start, whether a host runs, and the service."""
    triggers = now.triggers
    hosted = FileLocks(now.places.locks).anybody(HOSTING)
    themselves = [one for one in triggers if one.when]
    yield _count_triggers(triggers, themselves, hosted=hosted)
    yield from _wrong(themselves)
    yield _of_reminders(now, hosted=hosted)
    if triggers and now.policy.paused:
        yield Finding("triggers", "note", "none of them starts while everything is paused", "sayso resume")
    if triggers and not now.policy.automation:
        says = "automation is off, so none of them starts"
        yield Finding("triggers", "note", says, "sayso config set automation.enabled true")
    yield from _of_service(now, hosted=hosted)


def _count_triggers(triggers: Sequence[Trigger], themselves: Sequence[Trigger], *, hosted: bool) -> Finding:
    if not triggers:
        return Finding("triggers", "note", "there are none", "sayso trigger add")
    says = f"{len(triggers)}, of which {len(themselves)} start{'s' * (len(themselves) == 1)} without you"
    if hosted:
        return Finding("triggers", "good", f"{says}; a host looks after them now")
    if not themselves:
        return Finding("triggers", "good", f"{says}; “sayso trigger fire” runs one")
    return Finding("triggers", "note", f"{says}; nothing looks after them now", _STARTS)


def rings_itself(now: Settings) -> str:
    """Return the application that shows reminders by itself when they are due; empty if only sayso does."""
    return RINGS_ITSELF.get(kinds_of([CALENDAR], now).get(CALENDAR.store, ""), "")


def _of_reminders(now: Settings, *, hosted: bool) -> Finding:
    if application := rings_itself(now):
        return Finding("reminders", "good", f"{application} shows them when they are due")
    if not now.sections.get("calendar", {}).get("ring", True):
        return Finding("reminders", "note", "do not ring, as calendar.ring says", "sayso config set calendar.ring true")
    if hosted:
        return Finding("reminders", "good", "ring when they are due")
    says = "do not ring now: they ring only while “sayso service” or “sayso trigger run” runs"
    return Finding("reminders", "note", says, "sayso service install")


def _wrong(triggers: Sequence[Trigger]) -> Iterator[Finding]:
    """Yield one finding for each different reason why a schedule cannot be used."""
    said: set[str] = set()
    for trigger in triggers:
        try:
            if trigger.schedule:
                schedule(trigger.schedule, trigger.zone)
        except SaysoError as no:
            says, _, fix = str(no).partition("; ")
            if says not in said:
                yield Finding("triggers", "broken", f"{quoted(trigger.name)}: {says}", fix)
            said.add(says)


def _of_service(now: Settings, *, hosted: bool) -> Iterator[Finding]:
    try:
        own = of_person(now.environ)
    except SetupError:
        return  # this system has no services; `sayso trigger run` hosts the triggers instead
    if not _is_there(own):
        if now.triggers:
            yield Finding("service", "note", "is not installed: triggers start only while “sayso trigger run” runs")
        return
    if page := own.page:
        own = of_person(now.environ, page)
    if own.file.read_bytes() != own.content:
        says = f"is installed as another version of sayso, or another Python, wrote it: {own.file}"
        yield Finding("service", "note", says, f"{_install(page)} writes it anew")
    elif hosted:
        hosts = f", and hosts the page on port {page}" if page else ""
        yield Finding("service", "good", f"is installed: {own.file}{hosts}")
    else:
        says = f"is installed ({own.file}), but nothing hosts the triggers of this home now"
        yield Finding("service", "note", says, f"{_install(page)} starts it again")


def _install(page: int) -> str:
    return f"sayso service install --page {page}" if page else "sayso service install"


def _is_there(own: Service) -> bool:
    try:
        return own.is_ours
    except OSError:
        return False


WORDS: dict[How, str] = {
    "due": "it is time",
    "missed": "missed, run now",
    "skipped": "missed, passed over",
    "off": "passed over, it is off",
    "cooling": "passed over, it has fired a short while ago",
}


class TriggerReporter(TriggerListener):
    """Prints each event of the host on a line of its own, as JSON if `--json` was given."""

    def __init__(self, here: CommandContext, clock: Clock) -> None:
        self._here = here
        self._clock = clock

    def due(self, due: Due) -> None:
        """Print that a trigger is due."""
        since = f" (it was due {due.at.astimezone():%Y-%m-%d %H:%M})" if due.how in {"missed", "skipped"} else ""
        what: Json = [*due.what]
        self._tell(due.trigger, due.how, WORDS[due.how] + since, at=due.at.isoformat(), what=what)

    def ran(self, due: Due, ran: TriggerRun) -> None:
        """Print the result of a trigger's run."""
        hint = f"; “sayso show {ran.run}” tells more" if ran.run else ""
        self._tell(due.trigger, "ran", ran.said + hint, run=ran.run or None, said=ran.said)

    def wrong(self, trigger: Trigger, sentence: str) -> None:
        """Print why a trigger cannot be used."""
        self._tell(trigger, "wrong", sentence, said=sentence)

    def actions(self, usable: list[Json], warnings: tuple[str, ...]) -> None:
        """Print that the folder of own actions has changed, and which files cannot be used."""
        count = "1 of your own actions" if len(usable) == 1 else f"{len(usable)} of your own actions"
        told: list[Json] = [*warnings]
        self._line(
            "actions",
            "; ".join((f"{count} can be used now", *warnings)),
            {"event": "actions", "usable": usable, "warnings": told},
        )

    def rang(self, notice: Notice, ended: str) -> None:
        """Print that a reminder rang."""
        when = notice.message.partition("\n")[0]
        row: dict[str, Json] = {"event": "rang", "title": notice.title, "message": notice.message, "said": ended}
        self._line("reminder", f"{notice.title}, {when} ({ended})", row)

    def unread(self, sentence: str) -> None:
        """Print why no reminder can ring."""
        self._line("reminders", f"none can ring: {sentence}", {"event": "unread", "said": sentence})

    def _tell(self, trigger: Trigger, event: str, sentence: str, **more: Json) -> None:
        self._line(trigger.name, sentence, {"trigger": trigger.name, "event": event, **more})

    def _line(self, name: str, sentence: str, row: dict[str, Json]) -> None:
        now = self._clock.now()
        if self._here.json:
            self._here.document_lines([{"time": now.isoformat(), **row}])
        else:
            self._here.print(f"{now.astimezone():%H:%M:%S}  {visible(name)}: {visible(sentence)}")
            self._here.out.flush()


class Leaving(NoView):
    """Stops waiting for a model's reply when the host is told to end."""

    def __init__(self, stop: StopSignals) -> None:
        self._stop = stop

    async def wait_for_stop(self) -> None:
        """Return once the host is told to end."""
        await anyio.wait_readable(self._stop.descriptor())


def host(here: CommandContext, *, once: bool, page: Page | None = None) -> int:
    """Host the triggers, and `page`, until Ctrl-C or SIGTERM; with `once`, run only the triggers that are due now."""
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop:

        async def hosted(home: Home) -> None:
            reporter = TriggerReporter(here, home.tools.clock)
            serving = Host(Automation(home, view=Leaving(stop)).world, reporter)
            if once:
                await serving.once()
                return
            with FileLocks(home.settings.places.locks).present(HOSTING):
                async with anyio.create_task_group() as beside:
                    await beside.start(home.watch_actions, reporter.actions)
                    beside.start_soon(_notify, here, home, page)
                    _greet(here, len(home.settings.triggers))
                    await serving.serve(_pause(stop))
                    beside.cancel_scope.cancel()

        in_home(here, hosted, stopping=stop.asked)
    return Exit.FINE


async def _notify(here: CommandContext, home: Home, page: Page | None) -> None:
    """Serve the page, which tells of what waits by notifications; without it, do only that."""
    if page is not None:
        try:
            await page(home)
        except SetupError as no:
            here.tell(f"sayso: the page is not served: {no}")
    await Notified(home).serve()


def _greet(here: CommandContext, count: int) -> None:
    if here.json:
        return
    there = "1 trigger is" if count == 1 else f"{count} triggers are"
    here.print(f"{there} looked after, and reminders ring; Ctrl-C ends it. “sayso trigger list” shows them.")
    here.out.flush()


def _pause(stop: StopSignals) -> Callable[[float], Awaitable[bool]]:
    async def pause(seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            await anyio.wait_readable(stop.descriptor())
        return stop.asked()

    return pause
