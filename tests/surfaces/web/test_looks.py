"""How every view of the page looks, in every state: judged by axe-core, and by where its text stands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.plugins.results import JUDGED
from tests.web_env.looks import look
from tests.web_env.states import STATES, open_all, show, sites_of, views
from tests.web_env.windows import Site, Window

pytestmark = pytest.mark.needs("chromium")


async def looked_at(window: Window, state: str, faults: list[str], *, opened: bool = False) -> int:
    """Look at all views of a window, with all that can be opened if told; return how many elements were judged."""
    nodes = 0
    for view in await views(window):
        await show(window, view)
        if opened:
            await open_all(window)
        looked = await look(window.page)
        nodes += looked.nodes
        faults += [f"{view}, {state}: {fault}" for fault in looked.faults]
    return nodes


@pytest.mark.req("X-18")
async def test_nothing_is_wrong_with_the_look_of_any_view_on_a_phone(
    site: Site, record_property: Callable[[str, object], None]
):
    faults: list[str] = []
    run = await site.waits("one.txt", "a-long-name-without-any-place-to-break-it-" * 4)
    async with site.far_window(viewport={"width": 390, "height": 844}, color_scheme="dark") as window:
        nodes = await looked_at(window, "on a phone", faults)

    await site.home.decline(run, "command")
    record_property(JUDGED, nodes)
    assert faults == []
    assert nodes > 100


async def test_what_is_wrong_with_the_look_of_a_view_is_found(site: Site):
    wrong = """
      const text = (words, set) => {
        const made = document.createElement('p')
        made.textContent = words
        set(made.style)
        document.querySelector('main').append(made)
      }
      text('cut '.repeat(99), it => { it.overflow = 'hidden'; it.whiteSpace = 'nowrap' })
      text('beside '.repeat(99), it => { it.whiteSpace = 'nowrap' })
      text('below', it => {})
      text('above', it => { it.marginTop = '-1.2em' })
      text('pale', it => { it.color = '#eee'; it.background = '#fff' })
      document.querySelector('main').append(document.createElement('button'))
    """
    async with site.window() as window:
        await window.run(f"(() => {{ {wrong} }})()")

        told = " | ".join((await look(window.page)).faults)

    for fault in ("is cut", "wider than the window", "lies over other text", "color-contrast", "button-name"):
        assert fault in told


@pytest.mark.thorough
@pytest.mark.req("X-18")
async def test_nothing_is_wrong_with_the_look_of_any_view_in_any_state(
    tmp_path: Path, page_browser: Browser, record_property: Callable[[str, object], None]
):
    faults: list[str] = []
    nodes = 0
    async with sites_of(tmp_path, page_browser) as sites:
        for state in STATES:
            async with sites.window(state, viewport={"width": 390, "height": 844}) as window:
                nodes += await looked_at(window, f"{state}, light, 390 px", faults)
                await window.page.set_viewport_size({"width": 1280, "height": 844})
                await window.page.emulate_media(color_scheme="dark")
                nodes += await looked_at(window, f"{state}, dark, 1280 px, all opened", faults, opened=True)
                await window.page.locator("#help").click()
                faults += [f"keys, {state}: {fault}" for fault in (await look(window.page)).faults]

    record_property(JUDGED, nodes)
    assert faults == []
    assert nodes > 1000
