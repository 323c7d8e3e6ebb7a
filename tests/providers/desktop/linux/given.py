"""The desktop of a session of tests, as the product builds it."""

from collections.abc import Mapping
from pathlib import Path

from sayso.core.canonical import Json
from sayso.core.ports import Ground, KillPoint, no_kill_point
from sayso.providers.desktop.linux.backend import LinuxDesktop, build
from sayso.providers.desktop.provider import DESKTOP
from sayso.runtime.ids import RandomIds
from sayso.testing.fakes import FakeClock
from sayso.testing.trying import Trial
from tests.desktop_env.session import Session


def a_ground(
    session: Session, *, without: tuple[str, ...] = (), kill: KillPoint = no_kill_point, **settings: Json
) -> Ground:
    """Return the ground of a desktop in this session; `without` leaves names of its environment out."""
    environ: Mapping[str, str] = {k: v for k, v in session.environment.items() if k not in without}
    own = str(Path(session.home) / "own")
    return Ground(settings, str(session.home), own, (), FakeClock(), RandomIds(), kill, environ=environ)


def a_desktop(session: Session, *, without: tuple[str, ...] = (), **settings: Json) -> LinuxDesktop:
    """Return the desktop of this session."""
    return build(a_ground(session, without=without, **settings))


def a_trial(session: Session, *, without: tuple[str, ...] = (), **settings: Json) -> Trial:
    """Return it with what tries it."""
    return Trial(DESKTOP, a_desktop(session, without=without, **settings))
