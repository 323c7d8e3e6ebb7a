"""Of the parts of a message its text is told from what came with it."""

import pytest

from sayso.providers.mail.mime.shape import Part, attachments_of, file_name, texts_of

PLAIN, PAGE = Part("text/plain", "1.1", size=50), Part("text/html", "1.2", size=90)
EITHER = Part("multipart/alternative", "1", parts=(PLAIN, PAGE))


def mixed(*parts: Part) -> Part:
    return Part("multipart/mixed", "", parts=parts)


@pytest.mark.parametrize(
    ("root", "sections", "names"),
    [
        (Part("text/plain", "1"), ["1"], []),
        (Part("text/html", "1", name="page.html"), ["1"], []),
        (EITHER, ["1.1"], []),
        (Part("multipart/alternative", "", parts=(Part("text/plain", "1", size=2), PAGE)), ["1.2"], []),
        (mixed(EITHER, Part("application/pdf", "2", name="a.pdf")), ["1.1"], ["a.pdf"]),
        (mixed(Part("text/plain", "1"), Part("text/plain", "2", name="notes.txt")), ["1"], ["notes.txt"]),
        (mixed(Part("text/plain", "1"), Part("text/html", "2", disposition="attachment")), ["1"], ["part-1.html"]),
        (mixed(Part("text/plain", "1"), Part("text/plain", "2")), ["1", "2"], []),
        (mixed(Part("message/rfc822", "1")), [], ["part-1.eml"]),
        (mixed(), [], []),
    ],
    ids=str,
)
def test_text_and_files_are_told_apart(root: Part, sections: list[str], names: list[str]):
    assert [part.section for part in texts_of(root)] == sections
    assert [one.name for one in attachments_of(root)] == names


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        (r"C:\Users\a.doc", "a.doc"),
        ("a\r\nb\x00.txt", "a b .txt"),
        ("..", "part-3.pdf"),
        ("rechnung\u202efdp.exe", "rechnung_fdp.exe"),
        ("x" * 400 + ".pdf", "x" * 120),
        ("", "part-3.pdf"),
    ],
    ids=ascii,
)
def test_a_name_is_plain_whatever_the_sender_wrote(said: str, shown: str):
    assert file_name(Part("application/pdf", "2", name=said), 3) == shown
