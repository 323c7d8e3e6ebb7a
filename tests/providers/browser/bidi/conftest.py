"""The browser of these tests is Firefox."""

import pytest

from tests.desktop_env.browser import Around


@pytest.fixture(scope="session")
def around(firefox_around: Around) -> Around:
    """Return the Firefox of this test process."""
    return firefox_around
