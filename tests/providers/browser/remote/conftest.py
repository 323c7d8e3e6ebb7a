"""What both kinds of browser share is tried on Chromium at once, and on Firefox in the thorough ring.

What Firefox alone is spoken to with has tests of its own in `bidi`, which the first ring runs.
"""

import pytest

from tests.desktop_env.browser import Around


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("chromium_around", id="chromium", marks=pytest.mark.needs("chromium")),
        pytest.param("firefox_around", id="firefox", marks=[pytest.mark.needs("firefox-esr"), pytest.mark.thorough]),
    ],
)
def around(request: pytest.FixtureRequest) -> Around:
    """Return one browser, then the other."""
    return request.getfixturevalue(request.param)
