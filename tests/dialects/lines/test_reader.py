"""Suggestions for names that are not known."""

import pytest

from sayso.core.proposal import Proposal
from sayso.dialects.lines.grammar import FormsOf, scan
from sayso.dialects.lines.reader import Body, CommandSuggestions, LineEntry, propose
from tests.dialects.catalogue import ALL
from tests.dialects.replies import OPERATIONS

NEAR = CommandSuggestions(FormsOf(OPERATIONS))


def near(*ids: str) -> CommandSuggestions:
    return CommandSuggestions(FormsOf(dict.fromkeys(ids, OPERATIONS["file.move"])))


@pytest.mark.req("T-10")
def test_a_name_written_as_several_words_is_put_together():
    assert NEAR.join_words("DO NOT DISTURB ON") == "DO_NOT_DISTURB ON"
    assert NEAR.join_words("Do not\tdisturb  on please") == "DO_NOT_DISTURB on please"


@pytest.mark.parametrize("line", ["MOVE_FIEL a b", "move_fil", "MOVE_FILES\tx", "MOVEFILE", "FILE_RENAME a"])
def test_a_name_of_the_same_meaning_is_near(line: str):
    assert NEAR.nearest(line) == (line.split(maxsplit=1)[0], ["MOVE_FILE"])
    assert NEAR.join_words(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "",
        "FLY_TO",
        "???",
        "Notify me",
        "click here",
        "screenshot",
        "moved",
        "SPEA\u212a",
        "MOVE_FIEL.",
        "UNDELETE_FILE x",
        "_" * 1000,
        "A" * 99,
    ],
)
def test_nothing_is_near_a_name_of_another_kind(line: str):
    assert NEAR.nearest(line)[1] == []
    assert NEAR.join_words(line) == ""


@pytest.mark.req("T-10")
def test_a_name_of_at_most_five_words_is_put_together():
    made = near("a.b_c_d_e", "a.b_c_d_e_f", "a.b_c")

    assert made.join_words("a b c d e") == "A_B_C_D_E"
    assert made.join_words("a b c d e f") == "A_B_C_D_E f"
    assert made.join_words("a b c d e f g h") == "A_B_C_D_E f g h"
    assert made.join_words("a b c d") == "A_B_C d"


@pytest.mark.req("PA-12")
def test_a_long_line_is_not_repeated():
    assert NEAR.join_words("MOVE FILE " + "x" * 230) == "MOVE_FILE " + "x" * 230
    assert NEAR.join_words("MOVE FILE " + "x" * 231) == "MOVE_FILE"
    assert NEAR.join_words("MOVE FILE " + "x" * 1000) == "MOVE_FILE"
    assert NEAR.join_words("MOVE" + " " * 240 + "FILE") == ""
    assert NEAR.nearest("A" * 1000) == ("A" * 240, [])
    assert NEAR.hint("A" * 1000) == ""


@pytest.mark.parametrize("line", ["", "MOVE_FILE a", "move_file a b", "Notify"])
def test_a_name_that_there_is_needs_no_other(line: str):
    assert NEAR.nearest(line) == ("", [])


@pytest.mark.req("X-11")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("FILE_GET x", "Did you mean FILE_READ or FILE_LIST?"),
        ("UNDELETE_HABIT x", "Of that kind there are: HABIT_ADD, HABIT_EDIT, HABIT_DELETE, HABIT_LOG."),
        ("FLY x", ""),
        ("habit Run", ""),
        ("FILE_GET(x)", ""),
        ("", ""),
    ],
)
def test_a_sentence_says_what_may_be_meant_or_what_there_is(line: str, says: str):
    assert NEAR.hint(line) == says


def test_a_command_that_is_not_there_is_not_near():
    made = CommandSuggestions(FormsOf({"open.app": OPERATIONS["file.move"]}))

    assert made.nearest("APP_OPEN x") == ("APP_OPEN", [])


def proposal(line: str, body: Body | None = None) -> Proposal:
    forms = FormsOf({operation.id: operation for operation in ALL})
    return propose(LineEntry(4, 9, scan(line), body), forms, CommandSuggestions(forms))


def test_a_proposal_knows_its_place_and_its_name():
    found = proposal("OPEN_APP Mail")

    assert (found.index, found.line, found.said) == (4, 9, "OPEN_APP Mail")
    assert found.given == ("OPEN_APP", 'OPEN_APP "name"')


@pytest.mark.req("T-13", "S0-24")
def test_what_is_known_but_malformed_names_command_reason_and_usage():
    found = proposal('MOVE_FILE "/a"')

    assert found.problem == 'Invalid MOVE_FILE: “destination” is missing; usage: MOVE_FILE "source" "destination"'
    assert (found.operation, found.arguments, found.said) == ("file.move", {"source": "/a"}, 'MOVE_FILE "/a"')
    assert found.given == ("MOVE_FILE", 'MOVE_FILE "source" "destination"')


def test_every_reason_is_given():
    found = proposal("MOVE_FILE a b")

    assert found.problem is not None
    assert found.problem.count("is relative") == 2


def test_a_body_follows_its_line_in_what_was_said():
    found = proposal("WRITE_FILE /a <<END", Body("x\ny\n", "END ", "\r\nx\ry\nEND "))

    assert found.said == "WRITE_FILE /a <<END\r\nx\ry\nEND "
    assert found.arguments == {"path": "/a", "content": "x\ny\n"}


@pytest.mark.req("T-09")
@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("WRITE_FILE /a <<END", "x\n\n"),
        ("APPEND_FILE /a <<END", "x\n\n"),
        ("SEND_EMAIL a b <<END", "x\n\n"),
        ("COPY_TO_CLIPBOARD <<END", "x\n"),
        ("CLIPBOARD_WRITE <<END", "x\n"),
        ("SPEAK <<END", "x\n"),
        ("NOTIFY t <<END", "x\n"),
        ("RUN_SHORTCUT n <<END", "x\n"),
    ],
)
def test_a_final_newline_is_kept_where_it_means_something(line: str, kept: str):
    found = proposal(line, Body("x\n\n", "END", "\nx\n\nEND"))

    assert kept in found.arguments.values()


@pytest.mark.req("T-13", "S0-61")
def test_a_long_unknown_line_is_repeated_as_far_as_it_is_kept():
    line = "x" * 4097

    found = proposal(line)

    assert found.said == line
    assert found.problem == f"Unknown command: {'x' * 4096}…"
    assert proposal("x" * 4096).problem == f"Unknown command: {'x' * 4096}"


@pytest.mark.req("T-06", "T-13")
def test_a_long_opener_is_repeated_in_part():
    whole, long = "<<" + "e" * 38, "<<" + "e" * 39

    of_whole, of_long = (proposal(f"SPEAK {opener}", Body("", None, "")) for opener in (whole, long))

    advice = "opens no text; end the line with <<END, in capitals and after a blank, or put it in quotes"
    assert of_whole.problem == f'Invalid SPEAK: {whole} {advice}; usage: SPEAK "text"'
    assert of_long.problem == f'Invalid SPEAK: {whole}… {advice}; usage: SPEAK "text"'


@pytest.mark.req("T-07", "T-13")
def test_half_an_opener_is_named_as_such():
    found = proposal("SPEAK <")

    advice = "end the line with <<END, in capitals and after a blank, or put it in quotes"
    assert found.problem == f'Invalid SPEAK: < opens no text; {advice}; usage: SPEAK "text"'
    assert (found.code, found.arguments) == ("heredoc.form", {})


def test_a_less_than_sign_amid_very_many_words_is_no_half_opener():
    found = proposal("SPEAK" + " x" * 62 + " < x")

    assert found.code == "arguments.surplus"
