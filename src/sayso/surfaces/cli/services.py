"""What a service of the person's own is on each system: its file, and how it is started and ended."""

import os
import plistlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sayso.config.places import places
from sayso.core.errors import SetupError
from sayso.core.values import dataclass
from sayso.providers.programs.call import Call

NAME = "sayso.service"
LABEL = "sayso.triggers"
MARK = "written by “sayso service install”"
RUNS = ("-m", "sayso", "trigger", "run")


@dataclass(frozen=True)
class Service:
    """One service: what stands in its file, and what is called when it comes and goes."""

    file: Path
    content: bytes
    starts: tuple[Call, ...]
    ends: tuple[Call, ...]
    """Called while the file is still there."""
    forgets: tuple[Call, ...] = ()
    """Called when it has gone."""

    @property
    def is_ours(self) -> bool:
        """Say whether what stands in its place is a service of sayso's."""
        return MARK.encode() in self.file.read_bytes()


def of_person(environ: Mapping[str, str]) -> Service:
    """Return the service that hosts the triggers of this person on this system. Raises `SetupError`."""
    return service(sys.platform, environ, places(environ).person, os.getuid(), (sys.executable, *RUNS))


def service(platform: str, environ: Mapping[str, str], person: Path, user: int, argv: Sequence[str]) -> Service:
    """Return the service that runs `argv` for this person. Raises `SetupError` for a system that has none."""
    own = {name: environ[name] for name in ("SAYSO_HOME",) if environ.get(name)}
    if platform == "linux":
        return _systemd(Path(environ.get("XDG_CONFIG_HOME") or person / ".config"), own, argv)
    if platform == "darwin":
        return _launchd(person, own, user, argv)
    raise SetupError(f"sayso knows no service on “{platform}”; run “sayso trigger run” yourself", "service.unknown")


def _systemd(config: Path, environ: Mapping[str, str], argv: Sequence[str]) -> Service:
    settings = [f"Environment={_quoted(f'{name}={value}')}" for name, value in environ.items()]
    text = "\n".join(
        [
            f"# {MARK}",
            "[Unit]",
            "Description=sayso looks after what starts by itself",
            "",
            "[Service]",
            *settings,
            f"ExecStart={' '.join(_quoted(word).replace('$', '$$') for word in argv)}",
            "Restart=on-failure",
            "RestartSec=30",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )
    reload = Call("systemctl", ("--user", "daemon-reload"), whole=True)
    return Service(
        config / "systemd" / "user" / NAME,
        text.encode(),
        (reload, Call("systemctl", ("--user", "enable", "--now", NAME), whole=True)),
        (Call("systemctl", ("--user", "disable", "--now", NAME), whole=True),),
        (reload,),
    )


def _launchd(person: Path, environ: Mapping[str, str], user: int, argv: Sequence[str]) -> Service:
    file = person / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    document = {
        "Label": LABEL,
        "ServiceDescription": MARK,
        "ProgramArguments": list(argv),
        "EnvironmentVariables": dict(environ),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
    }
    return Service(
        file,
        plistlib.dumps(document),
        (Call("launchctl", ("bootstrap", f"gui/{user}", str(file))),),
        (Call("launchctl", ("bootout", f"gui/{user}/{LABEL}")),),
    )


def _quoted(word: str) -> str:
    """Write a word so that systemd takes it as it is."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%", "%%")
    return f'"{escaped}"'
