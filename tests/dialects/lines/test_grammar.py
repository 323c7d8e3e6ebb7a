"""Cutting one line into words, against an oracle that writes them."""

from types import MappingProxyType
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sayso.core.encoding import Json, canonical
from sayso.core.errors import SetupError
from sayso.core.operation import Parameter, operation
from sayso.core.plan import Plan
from sayso.core.schema import Line, Text
from sayso.dialects.lines.grammar import (
    MOST_WORDS,
    ArgumentType,
    FormsOf,
    all_forms,
    choices,
    commands_of,
    derive_form,
    kinds,
    read,
    scan,
    scan_with_care,
    write,
)
from tests.dialects.catalogue import ALL, OPERATIONS

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
    "line", ['a "<<END"', "a # <<END x", "a #<<end", "a # x<<END", "a <", "a < <b", "a “<<END”", 'a "b <<END c" d']
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


def parameter(id_: str, name: str) -> Parameter:
    return next(found for found in OPERATIONS[id_].parameters if found.name == name)


def argument_type(parameter: Parameter) -> ArgumentType:
    return ArgumentType(parameter, kinds(parameter))


def meaning(id_: str, name: str, written: str) -> Json:
    (word,) = scan(written).words
    return read(argument_type(parameter(id_, name)), word)


JSON = st.recursive(
    st.text(max_size=5) | st.integers(-(2**53) + 1, 2**53 - 1) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("id_", "name", "written", "meant"),
    [
        ("task.add", "text", "12", "12"),
        ("task.add", "text", "[1]", "[1]"),
        ("sound.set_volume", "level", "007", 7),
        ("sound.set_volume", "level", "-3", -3),
        ("sound.set_volume", "level", "9" * 5000, "9" * 5000),
        ("habit.edit", "interval_hours", "2", 2),
        ("habit.edit", "interval_hours", "1e3", 1000.0),
        ("habit.edit", "interval_hours", "1e999", "1e999"),
        ("habit.edit", "interval_hours", "1_0", "1_0"),
        ("habit.edit", "interval_hours", "1.5_0", "1.5_0"),
        ("habit.edit", "interval_hours", "nan", "nan"),
        ("habit.edit", "interval_hours", "true", "true"),
        ("habit.edit", "interval_hours", '"2.5 "', "2.5 "),
        ("habit.edit", "interval_hours", "0.30000000000000000001", "0.30000000000000000001"),
        ("habit.edit", "interval_hours", "-0.0", "-0.0"),
        ("app.activate", "launch_if_needed", "true", True),
        ("app.activate", "launch_if_needed", "True", "True"),
        ("url.open", "browser", "SAFARI", "SAFARI"),
        ("tab.close", "indices", "3", [3]),
        ("tab.close", "indices", "x", ["x"]),
        ("mail.add_label", "ids", "3", ["3"]),
        ("tab.close", "indices", "1.5", ["1.5"]),
        ("tab.close", "indices", "true", ["true"]),
        ("tab.close", "indices", '"[1,2]"', [1, 2]),
        ("sound.set_volume", "level", "true", "true"),
        ("sound.set_volume", "level", "1.0", "1.0"),
        ("sound.set_volume", "level", '{"a":1}', "{a:1}"),
        ("app.activate", "launch_if_needed", '{"a":1}', "{a:1}"),
        ("app.activate", "launch_if_needed", "false", False),
        ("url.open", "browser", "opera", "opera"),
        ("mail.search", "criteria", '{"a":1.5}', {"a": 1.5}),
        ("mail.search", "criteria", "[1]", "[1]"),
        ("mail.search", "criteria", '{"a":{"b":1,"b":1}}', "{a:{b:1,b:1}}"),
        ("mail.search", "criteria", '{"a":1e999}', "{a:1e999}"),
        ("mail.search", "criteria", '{"a":Infinity}', "{a:Infinity}"),
        ("mail.search", "criteria", '{"a":0.30000000000000000001}', "{a:0.30000000000000000001}"),
    ],
)
def test_a_word_means_what_its_parameter_takes(id_: str, name: str, written: str, meant: Json):
    found = meaning(id_, name, written)

    assert canonical(found) == canonical(meant)
    assert type(found) is type(meant)


@pytest.mark.req("PA-12")
def test_json_nested_without_end_is_text_and_no_crash():
    assert meaning("tab.close", "indices", "[" * 100_000) == "[" * 100_000


@given(st.lists(JSON, max_size=4))
def test_a_list_reads_back(value: list[Json]):
    (word,) = scan(write(value)).words

    assert canonical(read(argument_type(parameter("mail.add_label", "ids")), word)) == canonical(value)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_an_object_reads_back(value: dict[str, Json]):
    (word,) = scan(write(value)).words

    assert canonical(read(argument_type(parameter("mail.search", "criteria")), word)) == canonical(value)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ('é\t\n"\\', '"é\\t\\n\\"\\\\"'),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (1.5, "1.5"),
        (["é", 1], '["é",1]'),
        (["a b"], '"[\\"a b\\"]"'),
        ((1, 2), "[1,2]"),
        (MappingProxyType({"a": MappingProxyType({"b": "é"})}), '{"a":{"b":"é"}}'),
    ],
)
def test_a_value_is_written_as_one_word(value: Json, word: str):
    assert write(value) == word
    assert [found.raw for found in scan(word).words] == [word]


@operation("thing.pick", kind="write", asks="none")
async def pick(
    alike: Literal["On", "ON", "off"], mixed: Literal["a", 1], number: Literal[1, 2], things: list[int] | None
) -> Plan:
    """Pick things."""
    return Plan(f"{alike} {mixed} {number} {things}")


CHOICE: Any = Literal
MAYBE = replace(
    parameter("focus.set_dnd", "state"), name="maybe", schema={"enum": [None, "ok"]}, type=CHOICE["ok", None]
)
CHOICES = {one.name: one for one in (*pick.parameters, MAYBE)}


@pytest.mark.req("T-10")
@pytest.mark.parametrize(
    ("name", "takes", "among"),
    [
        ("alike", {"string"}, ("On", "ON", "off")),
        ("mixed", {"integer"}, ()),
        ("number", {"integer"}, ()),
        ("maybe", {"string"}, ("ok",)),
    ],
)
def test_a_choice_takes_what_all_its_words_are(name: str, takes: set[str], among: tuple[str, ...]):
    assert (kinds(CHOICES[name]), choices(CHOICES[name])) == (takes, among)


def test_a_word_is_read_by_the_kinds_that_its_choices_are():
    (number,), (text,), (item,) = scan("1").words, scan("a").words, scan("3").words

    assert read(argument_type(CHOICES["mixed"]), number) == 1
    assert read(argument_type(CHOICES["mixed"]), text) == "a"
    assert read(argument_type(CHOICES["things"]), item) == [3]


def test_what_has_no_type_takes_an_object():
    untyped = replace(parameter("task.add", "text"), schema={}, type=object)

    assert kinds(untyped) == {"object"}


def test_choices_keep_the_order_of_their_declaration():
    assert choices(parameter("focus.set_dnd", "state")) == ("ON", "OFF")
    assert choices(parameter("app.place", "monitor")) == ("main", "left", "right")
    assert choices(parameter("task.add", "text")) == ()


def test_a_parameter_takes_what_its_schema_says():
    assert kinds(parameter("habit.edit", "interval_hours")) == {"number"}
    assert kinds(parameter("app.place", "bounds")) == {"array"}
    assert kinds(parameter("mail.search", "criteria")) == {"object"}
    assert kinds(parameter("focus.set_dnd", "state")) == {"string"}


@operation("open.app", kind="write", asks="none")
async def another_open_app(name: Line) -> Plan:
    """Open something else."""
    return Plan(name)


@operation("a.b_c", kind="write", asks="none")
async def first_of_two(text: Line) -> Plan:
    """Do one thing."""
    return Plan(text)


@operation("a_b.c", kind="write", asks="none")
async def second_of_two(text: Line) -> Plan:
    """Do another thing."""
    return Plan(text)


@operation("paint", kind="write", asks="none")
async def paint(text: Text, *, colour: Line | None = None, where: Line) -> Plan:
    """Paint a text."""
    return Plan(f"{text} {colour} {where}")


@operation("ask", kind="external", asks="click")
async def ask(prompt: Text, manner: Text | None = None) -> Plan:
    """Ask somebody."""
    return Plan(f"{prompt} {manner}")


@operation("app.quit", kind="write", asks="none")
async def quit_by_number(number: int) -> Plan:
    """Quit an application by its number."""
    return Plan(str(number))


def test_each_operation_has_its_derived_name_beside_that_of_s0():
    forms = all_forms(ALL)

    assert forms["MOVE_FILE"].operation is forms["FILE_MOVE"].operation is OPERATIONS["file.move"]
    assert forms["TASK_ADD"].operation is OPERATIONS["task.add"]


def test_a_name_of_s0_means_nothing_else():
    assert "OPEN_APP" not in all_forms([another_open_app])
    assert all_forms([another_open_app, OPERATIONS["app.open"]])["OPEN_APP"].operation is OPERATIONS["app.open"]


def test_a_name_that_two_operations_share_is_none():
    assert all_forms([first_of_two, second_of_two]) == {}


def test_an_open_form_takes_optional_arguments_last():
    form = derive_form(paint)

    assert form.usage == 'PAINT "text" "where" ["colour"]'
    assert form.body is None


def test_the_heredoc_of_an_open_form_is_what_must_be_given_before_what_may():
    assert derive_form(ask).body == 0
    assert derive_form(OPERATIONS["note.create"]).body == 1
    assert derive_form(OPERATIONS["task.add"]).body is None


def test_an_operation_that_lacks_what_its_name_gives_is_a_fault_of_the_catalogue():
    with pytest.raises(SetupError, match=r"app\.quit lacks “name”, which QUIT_APP gives it") as raised:
        all_forms([quit_by_number])

    assert raised.value.code == "catalogue.names"


def test_a_form_says_what_messages_about_it_name():
    form = derive_form(ask)

    assert form.given == ("ASK", 'ASK "prompt" ["manner"]')
    assert [(takes.parameter.name, takes.kinds) for takes in form.taken] == [
        ("prompt", {"string"}),
        ("manner", {"string"}),
    ]


@pytest.mark.req("T-09")
def test_the_text_of_a_file_keeps_its_last_newline_and_that_of_a_notice_does_not():
    forms = all_forms(ALL)

    assert not forms["WRITE_FILE"].drops_final_newline
    assert forms["NOTIFY_SHOW"].drops_final_newline


def test_only_an_open_form_lets_a_dash_leave_out_an_argument():
    forms = all_forms(ALL)

    assert forms["FILE_MOVE"].open
    assert not forms["MOVE_FILE"].open


def test_the_names_that_are_known_are_told_and_counted():
    forms = FormsOf({one.id: one for one in (OPERATIONS["app.open"], paint)})

    assert list(forms) == ["OPEN_APP", "APP_OPEN", "PAINT"]
    assert len(forms) == 3
    assert [name in forms for name in ("OPEN_APP", "APP_OPEN", "PAINT", "FILE_MOVE", "paint")] == [True] * 3 + [
        False
    ] * 2


def test_an_operation_has_the_forms_of_its_names():
    assert [form.name for form in commands_of(OPERATIONS["app.open"])] == ["OPEN_APP"]
    assert len(commands_of(OPERATIONS["file.write"])) == 2
    assert commands_of(paint) == ()


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("OPEN_FILE", 'OPEN_FILE "path" ["app"]'),
        ("SET_VOLUME", "SET_VOLUME <level>"),
        ("DO_NOT_DISTURB", "DO_NOT_DISTURB ON|OFF"),
        ("APP_LIST", "APP_LIST"),
        ("URL_OPEN", 'URL_OPEN "url" [default|safari|chrome] [<new_tab: true|false>]'),
        ("TAB_CLOSE", "TAB_CLOSE default|safari|chrome <indices: JSON list>"),
        ("MAIL_SEARCH", "MAIL_SEARCH <criteria: JSON object>"),
    ],
)
def test_usage_shows_the_line_to_write(name: str, usage: str):
    assert all_forms(ALL)[name].usage == usage


@pytest.mark.parametrize(
    ("operation", "name"),
    [("file.delete", "DELETE_FILE"), ("file.write", "WRITE_FILE"), ("task.add", "TASK_ADD"), ("open.app", "")],
)
def test_an_operation_is_called_by_the_name_of_s0_before_the_derived_one(operation: str, name: str):
    forms = FormsOf({one.id: one for one in ALL} | {"open.app": OPERATIONS["app.open"]})

    assert forms.name_of(operation) == name
