"""A page of HTML becomes the text that a reader sees, in time that is linear in its length."""

import time

import pytest

from sayso.providers.mail.mime.html import text_of_html


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Hi&nbsp;<b>you</b></p><p>Bye</p>", "Hi you\n\nBye"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ('<a href="https://x.y/?a=1&amp;b=2">go</a>', "go (https://x.y/?a=1&b=2)"),
        ('<a href="https://x.y/">https://x.y/</a>', "https://x.y/"),
        ('<a href="javascript:alert(1)">go</a>', "go"),
        ("<script>alert('<p>')</script><style>p {}</style>text", "text"),
        ("<head><title>T</title></head><body>text</body>", "text"),
        ("1 < 2 &lt;b&gt; <!-- no --> 3", "1 < 2 <b> 3"),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1\t2\n\n3"),
        ('<img alt=">" src="x">after', "after"),
        ("<p title='it''s'>x", "x"),
        ("plain\n\ntext", "plain text"),
        ("unclosed <b", "unclosed"),
        ("", ""),
    ],
)
def test_a_page_reads_as_a_person_sees_it(source: str, text: str):
    assert text_of_html(source) == text


@pytest.mark.parametrize(
    "piece",
    ['<a ">"', "</td>", "<a ", "</a>", "<", "<a '\">", "<script>", "<!x", "<head>", "<!--", "&", '<a href="'],
)
def test_time_is_linear_whatever_is_in_it(piece: str):
    source = piece * (400_000 // len(piece))

    start = time.process_time()
    text_of_html(source)

    assert time.process_time() - start < 5
