"""Operations on applications as a person meets them: what others see of a screen, and each case held to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import sayso
from tests.desktop_env.session import Session
from tests.journeys.ground import a_home, yes
from tests.journeys.outcomes import Case

SETTINGS = """
[apps]
kind = "{kind}"
[policy]
allowed_apps = ["Mousepad", "Clock", "Twin"]
[[preset]]
name = "desk"
placements = [{{app_name = "Mousepad", bounds = [0, 0, 960, 1000]}}]
[[preset]]
name = "twins"
placements = [{{app_name = "Twin", monitor = "left", launch = true}}]
"""
Bounds = tuple[int, int, int, int]


@dataclass(frozen=True)
class Screen:
    """Windows as programs that are not sayso open and see them."""

    kind: str
    other: str
    """A program that is neither the editor nor the clock."""
    start: Callable[[Session, str], object]
    called: Callable[[Session, str], list[int]]
    in_front: Callable[[Session], int]
    places: Callable[[Session], dict[int, Bounds]]

    def editor_at(self, desk: Session, bounds: Bounds) -> bool:
        """Say whether the editor's window is there."""
        return self.places(desk)[self.called(desk, "mousepad")[0]] == bounds

    def home_at(self, own: Path) -> str:
        """Return a new home on this screen."""
        return a_home(own, SETTINGS.format(kind=self.kind))


Oracle = Callable[[Screen, Session], bool]
ORACLES: Mapping[str, Oracle] = {
    "app.open": lambda screen, desk: len(screen.called(desk, "clock")) == 1,
    "app.activate": lambda screen, desk: screen.in_front(desk) in screen.called(desk, "mousepad"),
    "app.quit": lambda screen, desk: screen.called(desk, "mousepad") == [],
    "app.place": lambda screen, desk: screen.editor_at(desk, (100, 100, 900, 800)),
    "layout.activate": lambda screen, desk: screen.editor_at(desk, (0, 0, 960, 1000)),
}
"""How others see that it was done, of what is no answer by itself."""


async def comes_to_what_is_said(case: Case, screen: Screen, desk: Session, own: Path) -> None:
    """Hold a case to what comes of it, as it is told and as others see it."""
    if case.page != "empty":
        screen.start(desk, "mousepad")
    if case.operation == "app.activate" and case.outcome == "success":
        screen.start(desk, screen.other)  # in front of it
    async with sayso.open_home(screen.home_at(own), environ=desk.environment) as home:
        if case.first:
            await home.run(case.first)
        before = screen.places(desk)

        report = await home.run(case.line, approver=yes())

    case.must_be_told_as_it_is(report)
    if case.outcome == "success":
        assert ORACLES.get(case.operation, lambda screen, desk: True)(screen, desk)
    else:
        assert screen.places(desk) == before
