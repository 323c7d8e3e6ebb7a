"""The browser provider: what assembly needs to know of it.

Its store is called `tabs`, since `browser` is an argument of its operations; its settings stand under `[browser]`.
"""

from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.providers.index import FACTS, OPERATIONS, STEPS

BROWSER = Provider(
    store="tabs",
    operations=LazySequence(OPERATIONS["browser"]),
    steps=LazySequence(STEPS["browser"]),
    facts=LazySequence(FACTS["browser"]),
    backends=MappingProxyType(
        {
            "cdp": "sayso.providers.browser.cdp.driver:build",
            "bidi": "sayso.providers.browser.bidi.driver:build",
            "memory": "sayso.providers.browser.memory:build",
        }
    ),
    default="cdp",
    kinds=MappingProxyType({"cdp": "for browsers of the Chromium family", "bidi": "for Firefox"}),
    elsewhere=MappingProxyType({"chrome": "darwin", "safari": "darwin"}),
    section="browser",
    context=MappingProxyType({"tab.list": "sayso.providers.browser.numbers:tabs_context"}),
)
