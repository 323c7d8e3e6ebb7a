"""Where messages were seen is remembered, up to a bound."""

from sayso.providers.mail import finding
from sayso.providers.mail.finding import Seen
from sayso.providers.mail.places import Place


def test_the_last_place_is_remembered_and_can_be_forgotten():
    seen = Seen()
    seen.put("<a@x>", Place("inbox", "1"))
    seen.put("<a@x>", Place("archive", "2"))

    assert seen["<a@x>"] == Place("archive", "2")
    seen.drop("<a@x>")
    assert seen["<a@x>"] is None


def test_the_oldest_are_forgotten_so_that_memory_stays_flat():
    seen = Seen()

    for number in range(finding.MOST + 1):
        seen.put(f"<{number}@x>", Place("inbox", str(number)))

    assert seen["<0@x>"] is None
    assert seen["<1@x>"] == Place("inbox", "1")
