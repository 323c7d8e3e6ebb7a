"""The desktop of a session of tests, as the product builds it."""

from collections.abc import Mapping
from pathlib import Path

from sayso.core.encoding import Json
from sayso.core.ports import BackendContext, KillPoint, no_kill_point
from sayso.providers.desktop import DESKTOP
from sayso.providers.desktop.linux.backend import LinuxDesktop, build
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.harness import Trial
from tests.desktop_env.session import Session


def a_ground(session: Session, settings: Mapping[str, Json], kill: KillPoint = no_kill_point) -> BackendContext:
    """Return the ground of a desktop in this session."""
    own = str(Path(session.home) / "own")
    return BackendContext(
        settings, str(session.home), own, (), FakeClock(), RandomIds(), kill, environ=session.environment
    )


def a_desktop(session: Session, **settings: Json) -> LinuxDesktop:
    """Return the desktop of this session."""
    return build(a_ground(session, settings))


def a_trial(session: Session, **settings: Json) -> Trial:
    """Return it with what tries it."""
    return Trial(DESKTOP, a_desktop(session, **settings))
