"""The rules that ask."""

import pytest

from sayso.core.plan import Plan
from sayso.policy.asking import click, floor, mode, sends_after_reading, warning
from sayso.policy.opinions import Case, Opinion, Rule
from tests.policy.given import DELETE, MOVE, NOTIFY, READ, WRITE, Show, a_case, a_plan, operation, with_policy

NOTHING = Plan("Nothing to do: it is already there")


def level(rule: Rule, case: Case) -> str | None:
    """Return what must answer the question a rule asks."""
    opinion: Opinion | None = rule(case)
    return opinion.level if opinion and opinion.ruling == "ask" else None


@pytest.mark.parametrize("name", ["always", "destructive", "never"])
@pytest.mark.req("T-33", "S0-80")
def test_a_floor_operation_asks_in_every_mode(name: str):
    assert level(floor, a_case(DELETE, policy=with_policy(mode=name))) == "floor"
    assert level(floor, a_case(MOVE, policy=with_policy(mode=name))) is None


@pytest.mark.req("T-33")
def test_a_waived_floor_asks_no_more_and_only_the_one_that_is_named():
    policy = with_policy(waive_floor=("file.delete",))

    assert level(floor, a_case(DELETE, policy=policy)) is None
    assert level(floor, a_case(operation("external", "floor", "mail.send"), policy=policy)) == "floor"


@pytest.mark.parametrize("name", ["always", "destructive", "never"])
@pytest.mark.req("T-35")
def test_what_a_button_proposes_asks_for_its_click_in_every_mode(name: str):
    policy = with_policy(mode=name, waive_floor=("task.add",))

    assert level(click, a_case(operation("write", "click", "task.add"), policy=policy)) == "click"
    assert level(click, a_case(NOTIFY, policy=policy)) is None


def test_a_plan_without_changes_asks_nothing():
    for rule in (floor, click, mode):
        for one in (DELETE, operation("destructive", "click")):
            assert rule(a_case(one, NOTHING, policy=with_policy(mode="always"))) is None


@pytest.mark.parametrize("name", ["always", "destructive", "never"])
def test_a_reason_of_the_operation_itself_asks_in_every_mode(name: str):
    plan = a_plan(asks=True, warns=("“a.txt” has another name elsewhere",))

    opinion = warning(a_case(WRITE, plan, policy=with_policy(mode=name)))

    assert opinion
    assert (opinion.level, opinion.because) == ("floor", "“a.txt” has another name elsewhere")
    assert warning(a_case(WRITE, a_plan(warns=("a remark",)))) is None


def test_an_operation_that_asks_without_a_reason_is_asked_about_with_one():
    opinion = warning(a_case(WRITE, a_plan(asks=True)))

    assert opinion
    assert opinion.because == "there is a reason to look twice"


@pytest.mark.parametrize(
    ("exposed", "sends", "asked"), [(("tabs",), True, True), (("tabs",), False, False), ((), True, False)]
)
@pytest.mark.req("X-08", "T-111")
def test_sending_after_reading_text_of_strangers_is_asked_about(exposed: tuple[str, ...], sends: bool, asked: bool):
    plan = a_plan(sends=("“Hello” to bo@example.org",) if sends else ())
    case = Case(
        with_policy(mode="never", waive_floor=("mail.send",)),
        operation("external", "floor", "mail.send"),
        {},
        plan,
        exposed,
    )

    assert level(sends_after_reading, case) == ("floor" if asked else None)


@pytest.mark.req("X-08", "X-13")
def test_the_question_names_where_the_words_of_others_came_from():
    opinion = sends_after_reading(
        Case(with_policy(), NOTIFY, {}, a_plan(sends=("a letter",)), ("recent_files", "page.text"))
    )

    assert opinion
    assert opinion.because == (
        "the model had words of others before it (recent files, page.text), and this would leave the machine: a letter"
    )


@pytest.mark.req("X-08")
def test_a_session_counts_as_clean_until_it_has_read_text_of_strangers():
    assert sends_after_reading(Case(with_policy(), NOTIFY, {}, a_plan(sends=("a letter",)))) is None


@pytest.mark.parametrize(
    ("kind", "loses", "asked_in"),
    [
        ("read", (), set[str]()),
        ("write", (), {"always"}),
        ("external", (), {"always"}),
        ("destructive", (), {"always", "destructive"}),
        ("write", ("the old content of a.txt",), {"always", "destructive"}),
    ],
)
@pytest.mark.req("S0-81", "T-33", "T-34")
def test_each_mode_asks_about_what_it_says(kind: str, loses: tuple[str, ...], asked_in: set[str]):
    asks = "none" if kind == "read" else "mode"
    modes = ("always", "destructive", "never")

    asked = {
        name
        for name in modes
        if level(mode, a_case(operation(kind, asks), a_plan(loses=loses), policy=with_policy(mode=name))) == "mode"
    }

    assert asked == asked_in


@pytest.mark.parametrize(
    ("kind", "asks", "asked"),
    [("read", "none", False), ("read", "mode", True), ("write", "none", True), ("external", "none", True)],
)
def test_only_a_read_that_never_asks_goes_unasked_in_mode_always(kind: str, asks: str, asked: bool):
    case = a_case(operation(kind, asks), policy=with_policy(mode="always"))

    assert (level(mode, case) == "mode") is asked


@pytest.mark.req("S0-81")
def test_mode_destructive_asks_about_a_move_and_not_about_a_notification():
    assert level(mode, a_case(MOVE)) == "mode"
    assert level(mode, a_case(NOTIFY)) is None


def test_a_read_that_shows_something_is_still_a_read():
    assert level(mode, a_case(READ, a_plan(Show("/data/ana/Documents")), policy=with_policy(mode="always"))) is None
    assert level(mode, a_case(READ, a_plan(sends=("x",)), policy=with_policy(mode="always"))) == "mode"
