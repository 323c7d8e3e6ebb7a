"""The browser provider: what assembly needs to know of it.

Its store is called `tabs`, since `browser` is an argument of its operations; its settings stand under `[browser]`.
"""

from types import MappingProxyType

from sayso.core.ports import Provider
from sayso.providers.browser import operations, pages
from sayso.providers.browser.facts import FACTS
from sayso.providers.browser.steps import STEPS

BROWSER = Provider(
    store="tabs",
    operations=(
        operations.open_url,
        operations.list_tabs,
        operations.switch_tab,
        operations.close_tabs,
        operations.tab_url,
        operations.tab_title,
        pages.text,
        pages.links,
        pages.run_js,
        pages.click,
        pages.fill,
        pages.screenshot,
    ),
    steps=STEPS,
    facts=FACTS,
    backends=MappingProxyType({"memory": "sayso.providers.browser.memory:build"}),
    section="browser",
)
