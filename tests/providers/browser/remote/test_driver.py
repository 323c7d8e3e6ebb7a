"""Both kinds of browser are spoken to alike."""

from collections.abc import Callable

from sayso.core.ports import Ground
from sayso.providers.browser.bidi.driver import Spoke as SpokeBidi
from sayso.providers.browser.bidi.driver import firefox
from sayso.providers.browser.cdp.driver import Spoke as SpokeCdp
from sayso.providers.browser.cdp.driver import chromium
from sayso.providers.browser.remote.driver import Browser
from sayso.providers.browser.remote.settings import Wanted

ALIKE: tuple[Callable[[Ground], Browser], ...] = (
    lambda ground: SpokeCdp(chromium(ground, Wanted())),
    lambda ground: SpokeBidi(firefox(ground, Wanted())),
)
"""That these are browsers is what the type checker proves."""


def test_there_are_two_of_them():
    assert len(ALIKE) == 2
