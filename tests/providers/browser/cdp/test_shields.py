"""What is put into pages and workers is whole, and says which ports are meant."""

from sayso.providers.browser.cdp.shields import kept_away, without_rules


def test_a_worker_is_told_its_ports_in_order():
    script = kept_away({8737, 80})

    assert script.startswith("(// Lets nothing that a worker asks for")
    assert script.endswith("})(...[80, 8737])")


def test_a_page_is_watched_for_its_rules():
    assert "speculationrules" in without_rules()
