"""The browser provider: what assembly needs to know of it.

Its store is called `tabs`, since `browser` is an argument of its operations; its settings stand under `[browser]`.
"""

from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

BROWSER = Provider(
    store="tabs",
    operations=LazySequence(
        {
            "sayso.providers.browser.operations:OPERATIONS": (
                "url.open tab.list tab.switch tab.close tab.url tab.title "
                "page.text page.links page.run_js page.click page.fill page.screenshot"
            ),
        }
    ),
    steps=LazySequence(
        {
            "sayso.providers.browser.model:STEPS": (
                "tab.open tab.close_opened tab.navigate tab.switch tab.switch_back tab.close tab.reopen page.run_js "
                "page.click page.fill"
            ),
        }
    ),
    facts=LazySequence(
        {
            "sayso.providers.browser.model:FACTS": (
                "tab tab_in_front tab_closed page element returned not_shown asked tabs_again"
            )
        }
    ),
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
