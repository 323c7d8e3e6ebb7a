"""The names that are known, and what each takes."""

import pytest

from sayso.core.arguments import Line, Text
from sayso.core.errors import SetupError
from sayso.core.operation import operation
from sayso.core.plan import Plan
from sayso.dialects.lines.forms import FormsOf, all_forms, commands_of, derived
from tests.dialects.catalogue import ALL, OPERATIONS


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
    form = derived(paint)

    assert form.usage == 'PAINT "text" "where" ["colour"]'
    assert form.body is None


def test_the_heredoc_of_an_open_form_is_what_must_be_given_before_what_may():
    assert derived(ask).body == 0
    assert derived(OPERATIONS["note.create"]).body == 1
    assert derived(OPERATIONS["task.add"]).body is None


def test_an_operation_that_lacks_what_its_name_gives_is_a_fault_of_the_catalogue():
    with pytest.raises(SetupError, match=r"app\.quit lacks “name”, which QUIT_APP gives it") as raised:
        all_forms([quit_by_number])

    assert raised.value.code == "catalogue.names"


def test_a_form_says_what_messages_about_it_name():
    form = derived(ask)

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

    assert forms.called(operation) == name
