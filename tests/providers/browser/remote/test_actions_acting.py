"""A step begins only while a browser answers and all is as expected; what ends in the middle is uncertain."""

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.providers.browser.model import OpenTab, SwitchTab, TabAt
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Making


async def test_nothing_begins_where_something_has_changed(around: Around, making: Making):
    around.chromium.arrange([around.web.url("/1")])

    with pytest.raises(ProviderError, match="nothing was changed"):
        await making().apply(OpenTab("default", around.web.url("/2")), (TabAt("x.y", "z"),))

    assert around.chromium.shown() == [around.web.url("/1")]


async def test_nothing_begins_without_a_browser(making: Making):
    with pytest.raises(ProviderError) as no:
        await making(url="").apply(SwitchTab("default", "x.y"), ())

    assert not isinstance(no.value, Uncertain)


@pytest.mark.req("BR-10")
async def test_each_step_can_be_cut_before_and_after(around: Around, making: Making):
    around.chromium.arrange([around.web.url("/1")])
    labels: list[str] = []
    backend = making(kill=labels.append)

    await backend.apply(OpenTab("default", around.web.url("/2")), ())

    assert labels == ["tab.open.before", "tab.open.after"]


async def test_only_reads_are_made_anew(making: Making):
    backend = making()

    assert backend.reads is not backend.reads
    assert not hasattr(backend, "writes")
