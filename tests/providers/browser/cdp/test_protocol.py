"""What a browser says is read by the names it uses, and what is new in it does no harm."""

import msgspec

from sayso.providers.browser.cdp import protocol


def test_a_frame_tells_its_whole_address():
    told = b'{"frameTree": {"frame": {"id": "1", "loaderId": "2", "url": "http://x/", "urlFragment": "#a", "new": {}}}}'

    assert msgspec.json.decode(told, type=protocol.Tree).frame_tree.frame.whole == "http://x/#a"


def test_names_are_those_of_the_browser():
    assert (
        msgspec.json.decode(b'{"webSocketDebuggerUrl": "ws://x"}', type=protocol.Version).websocket_debugger_url
        == "ws://x"
    )
    target = msgspec.json.decode(
        b'{"targetId": "t", "type": "tab", "embedderData": {"tabActive": true, "tabStripIndex": 3}}',
        type=protocol.Target,
    )

    assert target.embedder_data == protocol.Placed(tab_active=True, tab_strip_index=3)
