"""Lines are read as they come: what each proposes, when it is told, and at what cost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.dialect import WarningEvent
from sayso.core.proposal import Proposal
from sayso.dialects.lines import LINES
from sayso.dialects.lines.grammar import FormsOf, commands_of, derive_form, scan
from sayso.dialects.lines.reader import Body, CommandSuggestions, LineEntry, LinesReader, propose
from sayso.testing.dialects import proposals_in, read
from tests.counted import Calls
from tests.dialects import replies
from tests.dialects.catalogue import ALL, OPERATIONS

NEAR = CommandSuggestions(FormsOf(replies.OPERATIONS))


def near(*ids: str) -> CommandSuggestions:
    return CommandSuggestions(FormsOf(dict.fromkeys(ids, replies.OPERATIONS["file.move"])))


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
    made = CommandSuggestions(FormsOf({"open.app": replies.OPERATIONS["file.move"]}))

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


PIECES = (
    'SPEAK |WRITE_FILE /a |TASK_ADD |NOTIFY|<<END|END|\nEND\n|```|"|“|”|„|\\|x| |\t|#|-|\n|\r|\r\n|\ufeff|\u2028|😀|é'
)
AWKWARD = st.lists(st.sampled_from(PIECES.split("|")), max_size=30).map("".join)


def proposed(*pieces: str) -> list[Proposal]:
    return [event.proposal for event in proposals_in(read(LINES, OPERATIONS, pieces))]


@pytest.mark.req("PA-05", "S0-26")
@given(AWKWARD | st.text(max_size=60), st.data())
def test_any_text_cut_anywhere_gives_the_same_proposals(text: str, data: st.DataObject):
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))

    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]

    assert proposed(*pieces) == proposed(text)


@given(AWKWARD)
def test_what_is_valid_consists_of_what_was_said(text: str):
    for proposal in proposed(text):
        if proposal.problem is None:
            for value in proposal.arguments.values():
                for part in str(value).replace("\n", " ").replace("\t", " ").split():
                    assert all(character in text for character in part)


@pytest.mark.req("T-16")
@given(st.lists(st.sampled_from(["\n", "\r\n", "\r"]), max_size=8), st.sampled_from(["", 'SPEAK "z"']))
def test_each_line_end_counts_once(ends: list[str], last: str):
    text = "".join(f'SPEAK "{number}"{end}' for number, end in enumerate(ends)) + last

    found = [(one.line, one.arguments["text"]) for one in proposed(text)]

    wanted = [(number + 1, str(number)) for number in range(len(ends))]
    assert found == wanted + ([(len(ends) + 1, "z")] if last else [])


@pytest.mark.req("PA-05", "T-16")
def test_a_line_end_in_two_pieces_ends_one_line():
    found = proposed("SPEAK a\r", "\nSPEAK b\r", "\n", "\nSPEAK c")

    assert [(one.line, one.arguments["text"]) for one in found] == [(1, "a"), (2, "b"), (4, "c")]


@pytest.mark.req("PA-05", "T-13")
def test_a_heredoc_with_line_ends_in_two_pieces_is_kept_as_it_came():
    (found,) = proposed("WRITE_FILE /a <<END\r", "\nx\r", "\ny\r", "\nEND")

    assert found.said == "WRITE_FILE /a <<END\r\nx\r\ny\r\nEND"
    assert found.arguments == {"path": "/a", "content": "x\ny\n"}


@pytest.mark.req("PA-05")
def test_a_byte_order_mark_is_dropped_only_where_the_text_begins():
    (found,) = proposed("", "\ufeffSPEAK a", "\ufeffb")

    assert found.arguments == {"text": "a\ufeffb"}


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_proposal_is_told_as_soon_as_its_line_ends(end: str):
    reader = LINES.reader(OPERATIONS)

    before = reader.feed('SPEAK "x"')
    at_the_end = reader.feed(end)

    assert before == []
    assert len(at_the_end) == 1
    assert reader.close() == []


def test_a_line_of_ten_thousand_pieces_is_as_whole_as_the_short_one_after_it():
    text = "".join(f"{number:04d}" for number in range(2_500))

    first, second = proposed(*f'SPEAK "{text}"\nSPEAK x')

    assert (first.arguments, second.arguments) == ({"text": text}, {"text": "x"})


def test_a_heredoc_is_told_as_soon_as_its_end_line_ends():
    reader = LINES.reader(OPERATIONS)

    told = [len(reader.feed(piece)) for piece in ["WRITE_FILE /a <<EN", "D\nbody\nE", "ND", " ", "\r", "\nSPEAK"]]

    assert told == [0, 0, 0, 0, 1, 0]


def test_what_a_closed_reader_told_is_not_told_again():
    reader = LINES.reader(OPERATIONS)
    reader.feed("WRITE_FILE /a <<END\nx")

    first, second = reader.close(), reader.close()

    assert (len(first), len(second)) == (1, 0)


@pytest.mark.req("PA-02", "T-07")
@pytest.mark.parametrize("opener", ["<<END", "<<'END'", '<<"END"'])
def test_a_reply_cut_off_inside_a_heredoc_proposes_nothing_that_could_run(opener: str):
    whole = f'WRITE_FILE "~/a" {opener}\nDELETE_FILE "/b"\nSPEAK "x"\n  END'

    last = [proposed(whole[:end])[-1].problem for end in range(1, len(whole) + 1)]

    assert None not in last


AROUND = st.text("\"'“”„«»‘’`()[]{}-~\\$.,;:", max_size=2)
TAGS = st.sampled_from(["END", "EOF", "End", "eof", "É", "ÉND", "A.B", "E-F", "2", "A B", "_", "E\u200bF", "日本", ""])
AFTER = st.sampled_from(["", "#c", " x", " >f", " # c", "\t", "\u00a0", " <<", "|x", '"', " <<X"])
SHIFTS = st.sampled_from(["<<", "<< ", "<<<", "<<-"])
STARTS = st.sampled_from(['WRITE_DOC "~/a" ', 'WRITE_DOC "~/a"', "SPEAK ", "DELETE_FILE /a ", "FLY ", "x = 1 ", ""])


@pytest.mark.req("PA-02", "T-06", "T-08")
@given(STARTS, st.tuples(SHIFTS, AROUND, TAGS, AROUND, AFTER), st.sampled_from(["\n", "\r\n"]))
def test_no_line_of_a_body_is_a_proposal_however_its_opener_is_written(start: str, opener: tuple[str, ...], end: str):
    body = [f'DELETE_FILE "/b{number}"' for number in range(3)]

    (first, *others) = proposed(end.join(["".join([start, *opener]), *body]))

    assert others == []
    assert first.problem is not None
    assert first.said.endswith(body[-1])


@pytest.mark.req("T-10", "S0-61")
def test_a_name_that_is_near_is_told_beside_the_proposal():
    events = read(LINES, OPERATIONS, ["SPEAK x\n\nMOVE_FIL /a /b\nDO NOT DISTURB ON\nFLY x"])

    assert [event for event in events if isinstance(event, WarningEvent)] == [
        WarningEvent("line 3: “MOVE_FIL” is no command; near it: MOVE_FILE")
    ]
    assert [event.proposal.problem for event in proposals_in(events)][1:] == [
        "Unknown command: MOVE_FIL /a /b",
        "Unknown command: DO NOT DISTURB ON; did you mean DO_NOT_DISTURB ON?",
        "Unknown command: FLY x",
    ]


@pytest.mark.req("PA-09", "S0-22")
@pytest.mark.parametrize("count", [51, 1_001, pytest.param(100_001, marks=pytest.mark.thorough)])
def test_a_long_batch_keeps_its_order_and_one_bad_line_its_place(count: int):
    lines = [f"SPEAK {number}" for number in range(count)]
    lines[count // 2] = "SPEAK"

    found = proposed("\n".join(lines))

    assert [one.line for one in found] == list(range(1, count + 1))
    assert [one.index for one in found if one.problem] == [count // 2]
    assert found[-1].arguments == {"text": str(count - 1)}


REPEATED = r"""\ \" \\ " "" “ ” „ “” ”x << <<END <<END# ` ~ é _ A A_ a" [ { ' - END # <<A' «<<"""
ADVERSARIAL = [
    *REPEATED.split(),
    " ",
    "\t",
    " #",
    "a ",
    "<<END ",
    "<< ",
    "“a”b ",
    "“a b ",
    "“ ” ",
    "a<<b ",
    "\r",
    "\r\n",
    "\n",
]
BEFORE = ["SPEAK ", 'SPEAK "', "SPEAK “", "WRITE_FILE /a <<END\n", "SPEAK <<", "```", ""]


def calls(text: str) -> int:
    reader = LINES.reader(OPERATIONS)
    with Calls() as counted:
        reader.feed(text)
        reader.close()
    return counted.count


@pytest.mark.req("PA-12")
@pytest.mark.parametrize("unit", ADVERSARIAL, ids=repr)
def test_much_repetition_costs_its_length(unit: str):
    for before in BEFORE:
        eighth, whole, long = (before + unit * (size // len(unit)) for size in (2**8, 2**11, 2**16))

        assert calls(whole) <= 12 * max(calls(eighth), 2**8), (before, unit)
        proposed(long)  # an expression that looks at it from each place anew comes to the limit of every test


@pytest.mark.req("PA-12")
@pytest.mark.parametrize("text", ['SPEAK "' + "é" * 500_000 + '"', "WRITE_FILE /a <<END\n" + "x\r\n" * 200_000 + "END"])
def test_a_long_text_may_come_character_by_character(text: str):
    whole = proposed(text)

    assert proposed(*text) == whole
    assert whole[0].problem is None


@pytest.mark.req("T-10")
def test_all_commands_that_may_be_meant_are_told():
    events = read(LINES, replies.OPERATIONS, ["FILE_GET /a"])

    assert [event for event in events if isinstance(event, WarningEvent)] == [
        WarningEvent("line 1: “FILE_GET” is no command; near it: FILE_READ or FILE_LIST")
    ]


class SlowReader(LinesReader):
    """Reads every line with care."""

    def _propose_plain(self, found: re.Match[str]) -> Proposal | None:
        del found
        return None


WORDS = (
    "MOVE_FILE|WRITE_FILE|NOTIFY|SPEAK|TASK_ADD|TAB_CLOSE|URL_OPEN|OPEN_URL|APP_LIST|RUN_SHORTCUT|FLY|speak|"
    '/a|~/b|~c|/$HOME/x|"/a b"|"~/c d"|""|"-"|-|x|a#b|“x|"y z"|3|[1,2]|true|low|\x1b|\u2028|\ud800|a"b c"|é|'
    "<<END|<<END |<<É|<<|END|END |ENDE|\t|\\n"
)
COMMAND_LINES = st.lists(st.sampled_from(WORDS.split("|")), max_size=6).map(" ".join)


@pytest.mark.req("PA-05", "PA-12")
@given(st.lists(COMMAND_LINES | st.sampled_from(["END", "END ", "", " x", "# c", "a\tb"]), max_size=8), st.booleans())
def test_what_is_read_at_one_look_is_what_is_read_with_care(lines: list[str], end: bool):
    text = "\n".join(lines) + "\n" * end
    at_one_look, with_care = LinesReader(replies.OPERATIONS), SlowReader(replies.OPERATIONS)

    found = [*at_one_look.feed(text), *at_one_look.close()]

    assert found == [*with_care.feed(text), *with_care.close()]


@pytest.mark.parametrize("id_", replies.OPERATIONS)
def test_what_is_written_of_an_operation_is_read_at_one_look_as_with_care(id_: str):
    operation = replies.OPERATIONS[id_]
    texts = [f'"{word}"' if " " in word else word for word in ("/a", "~/b c", "x", "-", "3", "")]
    for form in (*commands_of(operation), derive_form(operation)):
        for count in range(len(form.takes) + 2):
            for shift in range(len(texts)):
                words = [texts[(at + shift) % len(texts)] or '""' for at in range(count)]
                for tail in ("\n", " <<END\nbody\n\tEND\nEND \n", " <<END\nEND\n"):
                    text = " ".join([form.name, *words]) + tail
                    at_one_look, with_care = LinesReader(replies.OPERATIONS), SlowReader(replies.OPERATIONS)

                    assert at_one_look.feed(text) == with_care.feed(text), text
