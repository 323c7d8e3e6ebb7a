"""The tabs store on a real browser of the Chromium family."""

from sayso.core.ports import Ground
from sayso.providers.browser.cdp.health import chromium, looked
from sayso.providers.browser.cdp.spoken import Spoke
from sayso.providers.browser.cdp.where import KIND
from sayso.providers.browser.live.backend import Live
from sayso.providers.browser.live.told import told


def build(ground: Ground) -> Live:
    """Return a backend for the browser that the settings name, or for sayso's own. It is connected to when needed."""
    said = told(ground, KIND)
    browser = chromium(ground, said.wanted)
    return Live("cdp", ground, said, Spoke(browser), lambda ports: looked(browser, ports, said.wanted))
