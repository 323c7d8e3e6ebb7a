"""The functions that are called within a page come with sayso."""

from sayso.providers.browser.live.script import script


def test_they_are_one_object():
    code = script().strip()

    assert code.startswith("//")
    assert code.endswith("})")
    assert "\n({\n" in code
