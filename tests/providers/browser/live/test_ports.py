"""Both kinds of browser are spoken to alike."""

from collections.abc import Callable

from sayso.core.ports import Ground
from sayso.providers.browser.bidi.health import firefox
from sayso.providers.browser.bidi.spoken import Spoke as SpokeBidi
from sayso.providers.browser.cdp.health import chromium
from sayso.providers.browser.cdp.spoken import Spoke as SpokeCdp
from sayso.providers.browser.live.ports import Browser
from sayso.providers.browser.live.where import Wanted

ALIKE: tuple[Callable[[Ground], Browser], ...] = (
    lambda ground: SpokeCdp(chromium(ground, Wanted())),
    lambda ground: SpokeBidi(firefox(ground, Wanted())),
)
"""That these are browsers is what the type checker proves."""


def test_there_are_two_of_them():
    assert len(ALIKE) == 2
