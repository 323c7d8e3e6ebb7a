"""The text of a part is decoded, and read off the page where it is HTML."""

from sayso.providers.mail.mime.shape import Part
from sayso.providers.mail.mime.texts import text_of_part


def test_a_page_says_its_charset_itself_where_nobody_else_does():
    page = '<head><meta http-equiv=Content-Type content="text/html; charset=koi8-r"></head>привет'.encode("koi8-r")

    assert text_of_part(Part("text/html", "1"), page) == "привет"


def test_what_was_cut_off_gives_its_beginning():
    assert text_of_part(Part("text/plain", "1", "base64", "utf-8"), b"Z3LDvMOfZSBhbmQgbW9y") == "grüße and mor"
    assert text_of_part(Part("text/plain", "1", "quoted-printable", "utf-8"), b"gr=C3=BC=C3=9Fe=") == "grüße"
