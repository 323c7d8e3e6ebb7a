"""An address leads to sayso's own page by its port, whatever its host is called."""

import pytest

from sayso.providers.browser.live.own import leads_to


@pytest.mark.parametrize(
    ("url", "leads"),
    [
        ("http://x:8737/", True),
        ("view-source:http://x:8737/", True),
        ("View-Source:view-source:http://x:8737/", True),
        ("http://x:8737/?view-source:http://y:1/", True),
        ("http://x:1/?view-source:http://x:8737/", False),
        ("blob:http://x:8737/0a1b", True),
        ("http://x/", True),
        ("https://x/", False),
        ("ws://x", True),
        ("http://x:1/?a=:8737", False),
        ("about:blank", False),
        ("http://[", False),
        ("http://x:99999999/", False),
    ],
)
def test_an_address_leads_there_by_its_port(url: str, leads: bool):
    assert leads_to(url, frozenset({8737, 80})) is leads
