"""A query sees of a message what its headers and its files say."""

from sayso.providers.mail.letters import letter_of, with_files
from sayso.providers.mail.mime.headers import headers_of
from sayso.providers.mail.mime.shape import Part
from sayso.providers.mail.store import Message


def test_hidden_copies_and_the_names_of_files_can_be_searched():
    message = Message("<a@x>", "a@x", received_at="2026-03-01T11:00:00Z", flags=("read",), size=9)
    root = Part("multipart/mixed", "", parts=(Part("text/plain", "1"), Part("image/png", "2", name="Übersicht.png")))

    letter = with_files(letter_of(message, headers_of(b"Bcc: b@x, c@x\n")), root)

    assert (letter.bcc, letter.attachments, letter.read, letter.size) == (("b@x", "c@x"), ("Übersicht.png",), True, 9)
