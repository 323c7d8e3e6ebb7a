"""The tabs store on a real Firefox: its three verbs and its reads."""

from sayso.core.ports import Ground
from sayso.providers.browser.bidi.health import firefox, looked
from sayso.providers.browser.bidi.spoken import Spoke
from sayso.providers.browser.bidi.where import KIND
from sayso.providers.browser.live.backend import Live
from sayso.providers.browser.live.told import told


def build(ground: Ground) -> Live:
    """Return a backend for the Firefox that the settings name, or for sayso's own. It is spoken to when needed."""
    said = told(ground, KIND)
    browser = firefox(ground, said.wanted)
    return Live("bidi", ground, said, Spoke(browser), lambda ports: looked(browser, ports, said.wanted))
