"""Declares the browser provider: its store, operations, back ends and settings.

The store is called `tabs`, because `browser` is an argument of its operations. The settings are in `[browser]`.
"""

import sys
from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.core.settings import ADDRESS, FLAG, LINE, PATH, TABLE, TEXTS, Setting, memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS

BROWSER = Provider(
    store="tabs",
    operations=LazySequence(OPERATIONS["browser"]),
    steps=LazySequence(STEPS["browser"]),
    facts=LazySequence(FACTS["browser"]),
    outside=("tabs",),
    backends=MappingProxyType(
        {
            "cdp": "sayso.providers.browser.cdp.driver:build",
            "bidi": "sayso.providers.browser.bidi.driver:build",
            "safari": "sayso.providers.browser.apple.backend:build_safari",
            "chrome": "sayso.providers.browser.apple.backend:build_chrome",
            "memory": "sayso.providers.browser.memory:build",
        }
    ),
    default="safari" if sys.platform == "darwin" else "cdp",
    kinds=MappingProxyType(
        {
            "cdp": "for browsers of the Chromium family",
            "bidi": "for Firefox",
            "safari": "Safari of macOS",
            "chrome": "your own Google Chrome on macOS",
        }
    ),
    only_on=MappingProxyType({"safari": "darwin", "chrome": "darwin"}),
    section="browser",
    context=MappingProxyType({"tab.list": "sayso.providers.browser.numbers:tabs_context"}),
    serves="the browser",
    settings=(
        Setting(
            "browser", "cdp_url", ADDRESS, "Where the browser listens for DevTools; empty for the one sayso starts."
        ),
        Setting(
            "browser", "bidi_url", ADDRESS, "Where Firefox listens for WebDriver BiDi; empty for the one sayso starts."
        ),
        Setting("browser", "remote", FLAG, "Whether that browser may be on another machine.", default=False),
        Setting("browser", "default_profile", FLAG, "Whether it may run on your everyday profile.", default=False),
        Setting("browser", "program", LINE, "Which browser “sayso browser” starts; if unset, the first one found."),
        Setting("browser", "downloads", PATH, "Where files from pages go, within policy.roots; if unset, ~/Downloads."),
        Setting("browser", "sites", TABLE, "Names of sites and their domains, besides those that sayso knows."),
        Setting("browser", "schemes", TEXTS, "Kinds of addresses that may be opened besides http and https."),
        memory_world("browser"),
    ),
)
