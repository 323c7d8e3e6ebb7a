"""Cutting one line into words, against an oracle that writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.dialects.lines.scan import MOST_WORDS, scan, scan_with_care

BARE = st.text("abc/~.:-'\\|é日“”<>", min_size=1, max_size=8).filter(
    lambda text: text[0] not in "“”" and "<<" not in text
)
ANY = st.text(
    st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]) | st.sampled_from('"\\ \t\n#<'), max_size=12
)


def in_quotes(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in text) + '"'


WORDS = st.lists(BARE.map(lambda text: (text, text)) | ANY.map(lambda text: (in_quotes(text), text)), max_size=6)
BLANKS = st.text(" \t", min_size=1, max_size=3)
COMMENT = st.just("") | st.text('ab "#', max_size=5).map(lambda text: f" #{text}")


@pytest.mark.req("S0-07", "S0-08", "T-01", "T-02", "T-03")
@given(WORDS, st.data(), COMMENT)
def test_words_are_read_as_they_were_meant(words: list[tuple[str, str]], data: st.DataObject, comment: str):
    line = "".join(written + data.draw(BLANKS) for written, _ in words).rstrip(" \t") + comment

    scanned = scan(line)

    assert [word.text for word in scanned.words] == [meant for _, meant in words]
    assert scanned.closed
    assert scanned.opener is None


@pytest.mark.req("S0-09")
@given(
    st.lists(
        BARE.map(lambda text: (text, text)) | ANY.map(lambda text: (in_quotes(text), text)), min_size=1, max_size=5
    )
)
def test_quoted_and_bare_parts_that_touch_are_one_word(parts: list[tuple[str, str]]):
    line = "x" + "".join(written for written, _ in parts)

    (word,) = scan(line).words

    assert word.text == "x" + "".join(meant for _, meant in parts)
    assert word.raw == line


@given(st.text(st.sampled_from("ab\"\\ \t#<“”„ENDé'-"), max_size=40))
def test_any_line_is_cut_into_words_that_stand_in_it(line: str):
    scanned = scan(line)

    assert scanned.count == len(scanned.words)
    at = 0
    for word in scanned.words:
        at = line.index(word.raw, at) + len(word.raw)
    assert scanned.opener is None or scanned.opener.written in line


@pytest.mark.req("T-04")
@pytest.mark.parametrize(
    "line", ['a "b', 'a b"', '"', 'a "b\\"', 'a "b\\', "a “b", 'a "b" "c d', "“a” “b", "a ”b", "“b c", "„b"]
)
def test_a_quote_left_open_is_noticed(line: str):
    assert not scan(line).closed


@pytest.mark.req("T-06", "T-08")
@pytest.mark.parametrize(
    ("line", "tag", "proper"),
    [
        ("a <<END", "END", True),
        ("a\t<<END", "END", True),
        ("<<E1_X", "E1_X", True),
        ("a <<'END' # why", "END", True),
        ('a <<"END"', "END", True),
        ("a<<END", "END", False),
        ("a <<-END", "END", False),
        ("a << END", "END", False),
        ("a <<end", "end", False),
        ("a <<_X", "_X", False),
        ("a <<<END", "END", False),
        ('"a <<END', "END", False),
        ('"a <<END # why', "END", False),
        ('"a <<X" <<END', "END", True),
        ('a "b"<<END', "END", False),
        ("a << end", "end", False),
        ("a <<END b", "END", False),
        ("a <<END a<<b", "END", False),
        ("<<A <<B", "B", False),
        ("a <<", "END", False),
        ("a <<END <<", "END", False),
        ("a <<1", "1", False),
        ("a <<'END", "END", False),
        ('a <<"END', "END", False),
        ('a <<"END # c', "END", False),
        ("a <<END'", "END", False),
        ("a <<'A B'", "A B", False),
        ("a <<END_", "END_", True),
        ("a <<_.", "_", False),
        ("a <<e\u0301.", "e\u0301", False),
        ("a <<***", "***", False),
        ("a <<END;b", "END", False),
        ("“a”<<end", "end", False),
    ],
)
def test_an_opener_stands_at_the_end_of_a_line(line: str, tag: str, proper: bool):
    scanned = scan(line)

    assert scanned.opener is not None
    assert scanned.opener.tag == tag
    assert (scanned.opener.proper and scanned.closed) == proper


@pytest.mark.req("T-06")
@pytest.mark.parametrize("opener", ["<<END", "<<'END'", '<<"END"', "<<END # why"])
def test_an_opener_is_no_word_of_its_line(opener: str):
    for look in (scan, scan_with_care):
        scanned = look(f"a b {opener}")

        assert [word.text for word in scanned.words] == ["a", "b"]
        assert scanned.count == 2


@pytest.mark.parametrize(
    "line",
    ['a "<<END"', "a # <<END x", "a #<<end", "a # x<<END", "a <", "a < <b", "a “<<END”", 'a "b <<END c" d'],
)
def test_nothing_else_opens_a_heredoc(line: str):
    assert scan(line).opener is None


@pytest.mark.parametrize("line", ["a # <<END", "# <<END", "#<<END", '# a "b <<END \t', "a #\t<<END"])
def test_at_the_end_of_a_comment_it_opens_what_is_no_command(line: str):
    opener = scan(line).opener

    assert opener is not None
    assert (opener.written, opener.tag, opener.proper, opener.doubtful) == ("<<END", "END", False, True)


@pytest.mark.parametrize(("line", "doubtful"), [("a<<b", True), ("a<<", False), ('"a"<<b', False), ("a <<b", False)])
def test_a_shift_inside_a_word_may_be_text(line: str, doubtful: bool):
    opener = scan(line).opener

    assert opener is not None
    assert opener.doubtful == doubtful


@pytest.mark.req("T-02")
@pytest.mark.parametrize("word", ["“a”b", "“a”“b”", "„c“d", "”e”f", "“a”.", "“a”'s", "“”x"])
def test_a_typographic_quote_that_encloses_no_argument_is_text(word: str):
    assert [found.text for found in scan(f'{word} x "g h"').words] == [word, "x", "g h"]


@pytest.mark.req("T-02")
@pytest.mark.parametrize("word", ["“a b”", "„-“", "”<”", '"-"', '"a\\nb"', '""'])
def test_a_word_in_quotes_is_kept_as_it_was_written(word: str):
    for line in (f"x {word}", f"x {word} y“"):
        found = scan(line).words[1]

        assert (found.raw, found.quoted) == (word, True)


@pytest.mark.req("T-02")
@pytest.mark.parametrize("word", ["“a b”", "„a b“", "”a b”", '"a b"'])
def test_quotes_around_a_word_are_none_of_its_text(word: str):
    assert [found.text for found in scan(f"x {word} y").words] == ["x", "a b", "y"]


@pytest.mark.parametrize(("word", "quoted"), [('"a"b', True), ('a"b"', False), ("ab", False)])
def test_a_word_is_quoted_when_it_begins_so(word: str, quoted: bool):
    assert scan(word).words[0].quoted == quoted


def test_what_is_only_near_to_an_opener_is_a_word_of_its_line():
    assert [found.text for found in scan("a <<end").words] == ["a", "<<end"]


@pytest.mark.req("T-04", "PA-12")
@pytest.mark.parametrize("word", ["“a”b", "„c“d", "”e”f"])
def test_with_very_many_typographic_quotes_that_enclose_nothing_one_counts_as_open(word: str):
    assert scan(" ".join([word] * 16)).closed
    assert not scan(" ".join([word] * 17)).closed
    assert scan(" ".join(["“a b”", "x"] * 17)).closed


@pytest.mark.parametrize("line", ["x " * 1000, " ".join(["x"] * 1000)])
def test_words_beyond_the_most_are_counted_and_not_kept(line: str):
    scanned = scan(line)

    assert (scanned.count, len(scanned.words)) == (1000, MOST_WORDS)
    assert MOST_WORDS == 64


PLAIN = ["MOVE_FILE", "a", "~/b c", '""', '"x y"', '"<<END"', "'", "é", "\u2028", "\\", "a#", " ", "\t", ""]
OPENERS = ["<<END", "<<'END'", "<<End", "<", "<<", "a<<END"]
TYPOGRAPHIC = ["“a b”", "“", "a“b”", "„a“", "”"]
CARE = [*OPENERS, *TYPOGRAPHIC, "#", '"', '"a\\""', '"a"b', 'a"b"', "\n"]
PARTS = st.sampled_from(PLAIN) | st.sampled_from(CARE)


@pytest.mark.req("T-01", "T-02", "T-03", "T-04", "T-06")
@given(st.lists(PARTS, max_size=6), st.sampled_from([" ", "\t", "  ", ""]))
def test_the_look_that_is_enough_for_a_plain_line_sees_what_the_careful_one_sees(parts: list[str], between: str):
    line = between.join(parts)

    assert scan(line) == scan_with_care(line)


@pytest.mark.parametrize("count", [MOST_WORDS - 1, MOST_WORDS, MOST_WORDS + 1, MOST_WORDS + 2])
@pytest.mark.parametrize("last", ["", " <<END"])
def test_a_plain_line_of_very_many_words_is_cut_like_any_other(count: int, last: str):
    line = " ".join(["x"] * count) + last

    assert scan(line) == scan_with_care(line)
    assert scan(line).count == count
