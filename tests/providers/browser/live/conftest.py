"""What both kinds of browser share is tried on a real one of each."""

import pytest

from tests.desktop_env.browser import Around


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("chromium_around", id="chromium", marks=pytest.mark.needs("chromium")),
        pytest.param("firefox_around", id="firefox", marks=pytest.mark.needs("firefox-esr")),
    ],
)
def around(request: pytest.FixtureRequest) -> Around:
    """Return one browser, then the other."""
    return request.getfixturevalue(request.param)
