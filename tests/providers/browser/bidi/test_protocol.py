"""What Firefox says is read, and what is not needed of it is left out."""

import msgspec

from sayso.providers.browser.bidi import protocol


def test_a_session_tells_process_and_profile():
    told = b'{"sessionId": "a", "capabilities": {"moz:processID": 7, "moz:profile": "/p", "browserVersion": "1"}}'

    assert msgspec.json.decode(told, type=protocol.New) == protocol.New("a", protocol.Capabilities(7, "/p", "1"))


def test_a_tab_may_have_no_opener():
    told = b'{"contexts": [{"context": "a", "url": "u", "clientWindow": "w", "originalOpener": null, "children": []}]}'

    assert msgspec.json.decode(told, type=protocol.Tree).contexts == (protocol.Context("a", "u", "w"),)
