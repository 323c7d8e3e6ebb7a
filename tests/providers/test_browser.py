"""What assembly learns of the browser: operations, and a world in memory only when it is chosen."""

from importlib import import_module

from sayso.core.ports import Ground
from sayso.providers.browser import BROWSER
from sayso.testing.fakes import FakeClock, NumberedIds

IDS = [
    "url.open",
    "tab.list",
    "tab.switch",
    "tab.close",
    "tab.url",
    "tab.title",
    "page.text",
    "page.links",
    "page.run_js",
    "page.click",
    "page.fill",
    "page.screenshot",
]


def test_the_operations_are_those_of_the_specification():
    assert [operation.id for operation in BROWSER.operations] == IDS


def test_a_browser_of_sayso_serves_it_unless_the_settings_choose_another():
    assert BROWSER.default == "cdp"
    assert BROWSER.section == "browser"


async def test_the_memory_world_is_built_from_bare_settings():
    module, _, build = BROWSER.backends["memory"].partition(":")

    made = getattr(import_module(module), build)(
        Ground({}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())
    )

    assert (made.name, made.imagines) == ("memory", True)
