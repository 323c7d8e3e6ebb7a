"""What one line proposes, and the sentence for one that does not."""

import pytest

from sayso.core.proposal import Proposal
from sayso.dialects.lines.forms import FormsOf
from sayso.dialects.lines.near import Near
from sayso.dialects.lines.propose import Body, Entry, propose
from sayso.dialects.lines.scan import scan
from tests.dialects.catalogue import ALL


def proposal(line: str, body: Body | None = None) -> Proposal:
    forms = FormsOf({operation.id: operation for operation in ALL})
    return propose(Entry(4, 9, scan(line), body), forms, Near(forms))


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
