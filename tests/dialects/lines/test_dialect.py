"""The part of the prompt that teaches the commands."""

import re
import subprocess
import sys
from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sayso.core.encoding import Json, canonical
from sayso.core.errors import ProposalError
from sayso.core.operation import operation
from sayso.core.plan import Plan
from sayso.core.schema import Line
from sayso.dialects.base import read as read_whole
from sayso.dialects.lines import LINES
from sayso.testing.dialects import DialectSuite, proposals_in, read
from tests.dialects.catalogue import ALL, OPERATIONS

EVERYTHING = LINES.describe(ALL)
S0 = """
MOVE_FILE COPY_FILE DELETE_FILE CREATE_FOLDER OPEN_FILE REVEAL_IN_FINDER WRITE_FILE APPEND_FILE WRITE_DOC SEND_EMAIL
OPEN_URL COPY_TO_CLIPBOARD OPEN_APP QUIT_APP ACTIVATE_APP NOTIFY SPEAK SET_VOLUME DO_NOT_DISTURB RUN_SHORTCUT
CREATE_EVENT CREATE_REMINDER
"""


@pytest.mark.req("S0-66", "T-12")
def test_role_and_every_command_with_arguments_and_purpose_are_told():
    assert EVERYTHING.startswith("You are a helpful assistant that carries out actions on the person's computer")
    assert "macOS" in EVERYTHING
    for name in S0.split():
        assert re.search(rf"^- {name}( .+)? - [A-Z].+$", EVERYTHING, re.MULTILINE), name
    assert '- OPEN_FILE "path" ["app"] - Open a file\n' in EVERYTHING
    assert '- TASK_ADD "text" - Add a task\n' in EVERYTHING


@pytest.mark.req("S0-66")
@pytest.mark.parametrize("left_out", sorted(OPERATIONS))
def test_what_is_not_enabled_is_not_named(left_out: str):
    names = set(re.findall(r"^- ([A-Z_]+)", EVERYTHING, re.MULTILINE))
    rest = LINES.describe([operation for operation in ALL if operation.id != left_out])

    gone = {name for name in names if not re.search(rf"\b{name}\b", rest)}

    assert gone == names - set(re.findall(r"^- ([A-Z_]+)", rest, re.MULTILINE))
    assert gone


@pytest.mark.req("S0-71")
def test_the_rules_of_the_reply_are_told():
    assert "ONLY the commands" in EVERYTHING
    assert "one per line" in EVERYTHING
    assert "Be concise" in EVERYTHING
    assert "Use # for comments" in EVERYTHING
    assert "# No action needed" in EVERYTHING
    assert "<<END" in EVERYTHING


@pytest.mark.req("S0-71")
def test_the_example_reads_as_three_valid_commands():
    example = EVERYTHING.partition("EXAMPLE:\n")[2]

    found = [event.proposal for event in proposals_in(read(LINES, OPERATIONS, [example]))]

    assert [one.operation for one in found] == ["notify.show", "file.write", "file.open"]
    assert [one.problem for one in found] == [None, None, None]


def test_each_rule_stands_only_where_it_is_needed():
    short = LINES.describe([OPERATIONS["sound.set_volume"]])

    for needless in ("<<END", "~/", "YYYY", "JSON", "bare -", "EXAMPLE"):
        assert needless in EVERYTHING
        assert needless not in short
    assert "- SET_VOLUME <level> - Set the output volume\n" in short


ALONE = """
import sys
for room in ("runtime", "providers", "journal", "assembly", "surfaces", "policy", "models", "assistant"):
    sys.modules[f"sayso.{room}"] = None
from sayso.dialects.lines import LINES
from sayso.dialects.base import read
print([proposal.said for proposal in read(LINES, {}, 'SPEAK "a"\\nSPEAK "b"').proposals])
"""


@pytest.mark.req("S0-95")
def test_the_parser_is_used_where_no_executor_policy_or_journal_can_be_imported():
    ran = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)

    assert (ran.stdout, ran.stderr) == ("""['SPEAK "a"', 'SPEAK "b"']\n""", "")


def test_nothing_is_described_twice_or_in_another_dialect():
    listed = re.findall(r"^- ([A-Z_]+)", EVERYTHING, re.MULTILINE)

    assert len(listed) == len(set(listed))
    assert "FILE_MOVE" not in listed
    assert "json-action" not in EVERYTHING


TEXT = st.text(
    st.sampled_from('ab "\\\n\t#<“”„END-[]{},:é😀\u2028') | st.characters(exclude_categories=["Cc", "Cs"]), max_size=30
)
LINE = TEXT.map(lambda text: "".join(c for c in text if c not in "\n\t\u2028\u2029")).filter(bool)
PATH = LINE.map(lambda text: f"/{text}") | LINE.map(lambda text: f"~/{text}")
WHOLE = st.integers(1, 2**40)

WISHES = st.one_of(
    st.tuples(st.just("file.move"), st.fixed_dictionaries({"source": PATH, "destination": PATH})),
    st.tuples(st.just("file.write"), st.fixed_dictionaries({"path": PATH, "content": TEXT})),
    st.tuples(st.just("file.open"), st.fixed_dictionaries({"path": PATH}, optional={"app": LINE})),
    st.tuples(st.just("mail.compose"), st.fixed_dictionaries({"to": LINE, "subject": LINE, "body": TEXT})),
    st.tuples(st.just("speech.say"), st.fixed_dictionaries({"text": TEXT})),
    st.tuples(
        st.just("notify.show"),
        st.fixed_dictionaries(
            {"title": LINE, "message": TEXT}, optional={"sound": LINE, "priority": st.sampled_from(["low", "high"])}
        ),
    ),
    st.tuples(st.just("shortcut.run"), st.fixed_dictionaries({"name": LINE}, optional={"input": TEXT})),
    st.tuples(
        st.just("url.open"),
        st.fixed_dictionaries(
            {"url": LINE}, optional={"browser": st.sampled_from(["default", "chrome"]), "new_tab": st.booleans()}
        ),
    ),
    st.tuples(st.just("app.activate"), st.fixed_dictionaries({"name": LINE, "launch_if_needed": st.booleans()})),
    st.tuples(st.just("sound.set_volume"), st.fixed_dictionaries({"level": st.integers(0, 100)})),
    st.tuples(st.just("focus.set_dnd"), st.fixed_dictionaries({"state": st.sampled_from(["ON", "OFF"])})),
    st.tuples(
        st.just("habit.edit"),
        st.fixed_dictionaries(
            {"target": LINE}, optional={"new_text": LINE, "interval_hours": st.floats(0, 1e300, exclude_min=True)}
        ),
    ),
    st.tuples(
        st.just("app.place"),
        st.fixed_dictionaries(
            {"name": LINE},
            optional={"monitor": st.sampled_from(["left", "main"]), "bounds": st.lists(WHOLE, min_size=4, max_size=4)},
        ),
    ),
    st.tuples(
        st.just("mail.add_label"), st.fixed_dictionaries({"ids": st.lists(LINE, min_size=1, max_size=4), "label": LINE})
    ),
    st.tuples(
        st.just("mail.search"), st.fixed_dictionaries({"criteria": st.dictionaries(TEXT, TEXT | WHOLE, max_size=3)})
    ),
    st.tuples(st.just("note.create"), st.fixed_dictionaries({"title": LINE}, optional={"body": TEXT, "folder": LINE})),
    st.tuples(st.just("app.list"), st.just({})),
)


@operation("open.app", kind="write", asks="none")
async def another_open_app(name: Line) -> Plan:
    """Open something else."""
    return Plan(name)


def written(id_: str, **arguments: Json) -> str:
    return LINES.write(OPERATIONS[id_], arguments)


@given(WISHES)
def test_whatever_is_written_reads_back_as_exactly_that(wish: tuple[str, Mapping[str, Json]]):
    id_, arguments = wish
    assume(not OPERATIONS[id_].check(arguments)[1])

    text = LINES.write(OPERATIONS[id_], arguments)

    (found,) = proposals_in(read(LINES, OPERATIONS, [text]))
    assert found.proposal.problem is None
    assert found.proposal.operation == id_
    assert canonical(found.proposal.arguments) == canonical(arguments)


@given(WISHES, WISHES)
def test_two_that_are_written_one_below_the_other_are_read_as_two(
    first: tuple[str, Mapping[str, Json]], second: tuple[str, Mapping[str, Json]]
):
    assume(not any(OPERATIONS[id_].check(arguments)[1] for id_, arguments in (first, second)))

    text = "\n".join(LINES.write(OPERATIONS[id_], arguments) for id_, arguments in (first, second))

    found = [event.proposal.operation for event in proposals_in(read(LINES, OPERATIONS, [text]))]
    assert found == [first[0], second[0]]


@pytest.mark.parametrize(
    ("id_", "arguments", "text"),
    [
        ("file.move", {"source": "/a b", "destination": "~/c"}, 'MOVE_FILE "/a b" "~/c"'),
        ("file.write", {"path": "/a", "content": "x\ny\n"}, 'WRITE_FILE "/a" <<END\nx\ny\nEND'),
        ("file.write", {"path": "/a", "content": "x\ny"}, 'WRITE_FILE "/a" "x\\ny"'),
        ("file.write", {"path": "/a", "content": "END \nEND_2\n"}, 'WRITE_FILE "/a" <<END_3\nEND \nEND_2\nEND_3'),
        ("speech.say", {"text": "x\n"}, "SPEAK <<END\nx\n\nEND"),
        ("notify.show", {"title": "t", "message": "a\nb", "sound": "s"}, 'NOTIFY "t" "a\\nb" "s"'),
        ("url.open", {"url": "x.org", "browser": "default"}, 'OPEN_URL "x.org"'),
        ("url.open", {"url": "x.org", "browser": "safari"}, 'URL_OPEN "x.org" safari'),
        ("url.open", {"url": "x.org", "new_tab": False}, 'URL_OPEN "x.org" - false'),
        ("app.activate", {"name": "Mail", "launch_if_needed": False}, 'ACTIVATE_APP "Mail"'),
        ("app.activate", {"name": "Mail", "launch_if_needed": True}, 'APP_ACTIVATE "Mail" true'),
        ("focus.set_dnd", {"state": "ON"}, "DO_NOT_DISTURB ON"),
        ("reminder.create", {"title": "t", "due": "2024-01-28"}, 'CREATE_REMINDER "t" "2024-01-28"'),
        ("reminder.create", {"title": "t", "notes": "n"}, 'REMINDER_CREATE "t" "n"'),
        ("tab.close", {"browser": "default", "indices": [2, 5]}, "TAB_CLOSE default [2,5]"),
        ("mail.add_label", {"ids": ["a b"], "label": "x"}, 'MAIL_ADD_LABEL "[\\"a b\\"]" "x"'),
        ("task.add", {"text": "buy milk"}, 'TASK_ADD "buy milk"'),
        ("app.list", {}, "APP_LIST"),
    ],
)
def test_the_name_of_s0_is_used_where_it_can_say_it(id_: str, arguments: dict[str, Json], text: str):
    assert written(id_, **arguments) == text


@pytest.mark.parametrize(
    ("id_", "arguments", "says"),
    [
        ("speech.say", {"text": "a\rb"}, "cannot say speech.say"),
        ("task.add", {"text": "a\x00b"}, "control character"),
        ("speech.say", {"text": "a\x1bb"}, "control character"),
        ("speech.say", {"text": "\ud800"}, "lone surrogate"),
        ("file.move", {"source": "/a"}, "needs “destination”"),
        ("file.move", {"source": "a", "destination": "/b"}, "is relative"),
        ("sound.set_volume", {"level": 101}, "from 0 to 100"),
    ],
)
def test_what_lines_cannot_say_is_refused(id_: str, arguments: dict[str, Json], says: str):
    with pytest.raises(ProposalError, match=says):
        written(id_, **arguments)


@pytest.mark.req("PA-01")
def test_what_is_null_is_left_out():
    assert written("file.open", path="/a", app=None) == written("file.open", path="/a") == 'OPEN_FILE "/a"'


def test_an_operation_whose_name_s0_gave_to_another_cannot_be_written():
    with pytest.raises(ProposalError, match=r"cannot say open\.app"):
        LINES.write(another_open_app, {"name": "Mail"})


class TestLines(DialectSuite):
    dialect = LINES
    operations = OPERATIONS
    texts = (
        'OPEN_APP Mail\r\nFLY x\r# no\n\nSPEAK "😀"',
        "\ufeffWRITE_FILE /a <<END\r\nx\r\n END\rEND \nSPEAK",
        "```\nNOTIFY “a” „b“\n```\nSPEAK <<X\n\nX",
        "WRITE_FILE /a <<END\nno end\n",
    )
    wishes = (
        ("file.move", {"source": "/a b", "destination": "~/c"}),
        ("file.write", {"path": "/a", "content": "END\n# x\n"}),
        ("notify.show", {"title": "t", "message": 'say "hi"'}),
        ("app.place", {"name": "Notes", "bounds": [0, 0, 10, 10]}),
        ("task.add", {"text": "#1"}),
        ("habit.edit", {"target": "run", "interval_hours": 1.5}),
    )
    slow = (
        lambda size: 'SPEAK "' + "x" * size,
        lambda size: "WRITE_FILE /a <<END\n" + "x\n" * (size // 2),
        lambda size: "FLY x\n" * (size // 6),
        lambda size: "\r\n" * (size // 2),
    )


def test_the_dialect_is_called_lines():
    assert LINES.name == "lines"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n\nb\n", "# a\n\n# b\n"),
        ('WRITE_DOC "/a" <<END\none\nEND', '# WRITE_DOC "/a" <<END #\n# one\n# END'),
        ('say "x <<END', '# say "x <<END #'),
        ("say <<END here", "# say <<END here"),
    ],
)
def test_words_to_a_person_are_comments_that_open_nothing(text: str, said: str):
    assert LINES.remark(text) == said
    assert read_whole(LINES, OPERATIONS, LINES.together([said, "SPEAK x"])).proposals[0].arguments == {"text": "x"}


def test_what_is_written_together_stands_one_below_the_other():
    assert LINES.together(["a", "b"]) == "a\nb\n"
