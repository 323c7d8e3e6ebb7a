"""The rules about applications, switches and limits, and those that ask."""

from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from sayso.core.plan import NOTHING, Plan, Reach, Step
from sayso.policy.case import Case, Opinion, Rule
from sayso.policy.rules import (
    allows,
    click,
    floor,
    is_listed,
    mode,
    not_listed,
    odd_name,
    refuse_disabled,
    refuse_unknown,
    refuse_while_paused,
    sends_after_reading,
    too_long,
    too_many,
    unlisted_apps,
    warning,
)
from sayso.policy.settings import Limits, Policy
from tests.policy.given import (
    ACTIVATE,
    APP,
    DELETE,
    MOVE,
    NOTIFY,
    OPEN,
    POLICY,
    READ,
    WRITE,
    Nameless,
    Show,
    a_case,
    a_plan,
    operation,
    with_policy,
)

STRICT = with_policy(strict_apps=True)
MODES = ("always", "destructive", "never")
FILE = "~/Documents/a.md"


class Launch(Step, frozen=True):
    """A step that starts several applications."""

    step: ClassVar[str] = "apps.launch"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "apps"
    apps: ClassVar[tuple[str, ...]] = ("names",)
    names: tuple[str, ...] = ()


@pytest.mark.req("T-31", "S0-78")
@pytest.mark.parametrize("name", ["Terminal", "TextEdit ", "TextEdit.app", "Text", "Preview 2"])
def test_an_application_that_is_not_listed_is_asked_about_and_refused_where_strict(name: str):
    asked, refused = not_listed(a_case(APP, name=name)), not_listed(a_case(APP, policy=STRICT, name=name))

    assert asked
    assert (asked.ruling, asked.level) == ("ask", "floor")
    assert name in asked.because
    assert refused
    assert (refused.ruling, refused.code) == ("deny", "app.not_allowed")


@pytest.mark.req("T-31", "S0-78")
@pytest.mark.parametrize(
    ("case", "unlisted"),
    [
        *((a_case(APP, policy=STRICT, name=name), ()) for name in ("TextEdit", "textedit", "Google Chrome")),
        (a_case(APP, name="TextEdit"), ()),
        (a_case(NOTIFY, a_plan(Show(app="Terminal"))), ("Terminal",)),
        (a_case(NOTIFY, a_plan(Show(app="Mail"))), ()),
        (a_case(NOTIFY, a_plan(Launch(("Mail", "Terminal", "", "Terminal", "Xterm")))), ("Terminal", "Xterm")),
        (a_case(NOTIFY, name="Terminal"), ()),
        (a_case(OPEN, path=FILE, app="Terminal"), ("Terminal",)),
        (a_case(OPEN, path=FILE, app="TextEdit"), ()),
        (a_case(OPEN, path=FILE), ()),
        (a_case(OPEN, a_plan(Show(path="/x/a.md", app="")), policy=STRICT, path=FILE), ()),
        (a_case(ACTIVATE, policy=STRICT, name="Terminal"), ()),
        (a_case(ACTIVATE, a_plan(Show(app="Terminal")), policy=STRICT, name="Terminal"), ("Terminal",)),
    ],
)
def test_each_application_that_would_be_started_and_is_not_listed_counts_once(case: Case, unlisted: tuple[str, ...]):
    assert unlisted_apps(case) == unlisted
    assert (not_listed(case) is not None) is bool(unlisted)


def test_names_are_compared_as_a_person_reads_them_and_an_empty_list_allows_none():
    assert is_listed("STRASSE", with_policy(allowed_apps=("Straße",)))
    assert is_listed("straße", with_policy(allowed_apps=("STRASSE",)))
    assert is_listed("TextEdit", POLICY)
    assert not is_listed("TextEdit", with_policy(allowed_apps=()))


@pytest.mark.req("AP-01")
@pytest.mark.parametrize(
    "name",
    [
        "Calculator.app/../../Utilities/Terminal.app", "/bin/sh", "..", "-a", "--args", " ", "file:x", "javascript:1",
        "a\\b", "a\nb", "a\tb", ".hidden", "a..b",
    ],
)  # fmt: skip
def test_what_is_no_name_is_refused_whatever_is_listed(name: str):
    for case in (
        a_case(APP, policy=with_policy(allowed_apps=(name,)), name=name),
        a_case(ACTIVATE, a_plan(), name=name),
        a_case(NOTIFY, a_plan(Show(app=name))),
    ):
        opinion = odd_name(case)
        assert opinion
        assert (opinion.ruling, opinion.code) == ("deny", "app.name")


@pytest.mark.req("T-31", "AP-01")
@pytest.mark.parametrize(
    ("name", "argument", "counts"),
    [
        ("app.open", "name", True),
        ("app.quit", "name", True),
        ("file.open", "app", True),
        ("app.activate", "name", False),
        ("app.place", "name", False),
    ],
)
def test_each_operation_that_names_an_application_has_its_name_looked_at(name: str, argument: str, counts: bool):
    def case(said: str) -> Case:
        given: dict[str, Any] = {argument: said}
        return a_case(operation(id=name), **given)

    assert unlisted_apps(case("Terminal")) == (("Terminal",) if counts else ())
    assert odd_name(case("../Terminal")) is not None
    assert odd_name(case("Mail")) is None


def test_ordinary_names_are_names_and_only_the_argument_that_names_an_application_is_one():
    for name in ("TextEdit", "Google Chrome", "Überblick", "1Password", "GIMP 2.10"):
        assert odd_name(a_case(APP, name=name)) is None

    assert odd_name(a_case(NOTIFY, title="/bin/sh", name="/bin/sh")) is None
    assert odd_name(a_case(OPEN, a_plan(Show(path="/x/a.md", app="")), path=FILE)) is None


def level(rule: Rule, case: Case) -> str | None:
    """Return what must answer the question a rule asks."""
    opinion: Opinion | None = rule(case)
    return opinion.level if opinion and opinion.ruling == "ask" else None


SEND = operation("external", "floor", "mail.send")
ADD = operation("write", "click", "task.add")


@pytest.mark.req("T-33", "S0-80", "T-35")
@pytest.mark.parametrize("name", MODES)
def test_floor_click_and_a_reason_of_the_operation_itself_ask_in_every_mode(name: str):
    policy = with_policy(mode=name, waive_floor=("task.add",))
    reason = a_plan(asks=True, warns=("“a.txt” has another name elsewhere",))

    opinion = warning(a_case(WRITE, reason, policy=policy))

    assert level(floor, a_case(DELETE, policy=policy)) == "floor"
    assert level(floor, a_case(MOVE, policy=policy)) is None
    assert level(click, a_case(ADD, policy=policy)) == "click"
    assert level(click, a_case(NOTIFY, policy=policy)) is None
    assert opinion
    assert (opinion.level, opinion.because) == ("floor", "“a.txt” has another name elsewhere")


def test_only_an_operation_that_asks_is_asked_about_with_or_without_a_reason():
    opinion = warning(a_case(WRITE, a_plan(asks=True)))

    assert opinion
    assert opinion.because == "there is a reason to look twice"
    assert warning(a_case(WRITE, a_plan(warns=("a remark",)))) is None


@pytest.mark.req("T-33")
def test_a_waived_floor_asks_no_more_and_only_the_one_that_is_named():
    policy = with_policy(waive_floor=("file.delete",))

    assert level(floor, a_case(DELETE, policy=policy)) is None
    assert level(floor, a_case(SEND, policy=policy)) == "floor"


def test_a_plan_without_changes_asks_nothing():
    for rule in (floor, click, mode):
        for one in (DELETE, operation("destructive", "click")):
            assert rule(a_case(one, Plan("It is already there"), policy=with_policy(mode="always"))) is None


@pytest.mark.req("X-08", "X-13", "T-111")
def test_sending_after_reading_text_of_strangers_is_asked_about_and_names_where_it_came_from():
    policy = with_policy(mode="never", waive_floor=("mail.send",))
    sends = a_plan(sends=("a letter",))

    opinion = sends_after_reading(Case(policy, SEND, {}, sends, ("recent_files", "page.text")))

    assert opinion
    assert (opinion.ruling, opinion.level) == ("ask", "floor")
    assert opinion.because == (
        "the model had read text by others (recent files, page.text), and this would leave the machine: a letter"
    )
    many = sends_after_reading(Case(policy, SEND, {}, sends, ("a", "b", "c_d", "tabs", "tabs_raw", "what", "x")))
    assert many
    assert "(a, b, c d, tabs, and 2 more)" in many.because
    assert sends_after_reading(Case(policy, SEND, {}, a_plan(), ("tabs",))) is None
    assert sends_after_reading(Case(policy, SEND, {}, sends)) is None


@pytest.mark.req("S0-81", "T-33", "T-34")
@pytest.mark.parametrize(
    ("kind", "asks", "plan", "asked_in"),
    [
        ("read", "none", a_plan(), ""),
        ("read", "none", a_plan(Show("/data/ana/Documents")), ""),
        ("read", "none", a_plan(sends=("x",)), "always"),
        ("read", "mode", a_plan(), "always"),
        ("write", "none", a_plan(), "always"),
        ("write", "mode", a_plan(), "always"),
        ("external", "none", a_plan(), "always"),
        ("external", "mode", a_plan(), "always"),
        ("destructive", "mode", a_plan(), "always destructive"),
        ("write", "mode", a_plan(loses=("the old content of a.txt",)), "always destructive"),
    ],
)
def test_each_mode_asks_about_what_it_says(kind: str, asks: str, plan: Plan, asked_in: str):
    one = operation(kind, asks)

    asked = [name for name in MODES if level(mode, a_case(one, plan, policy=with_policy(mode=name))) == "mode"]

    assert asked == asked_in.split()


@pytest.mark.req("S0-81")
def test_mode_destructive_asks_about_a_move_and_not_about_a_notification_or_a_read():
    assert [level(mode, a_case(one)) for one in (MOVE, NOTIFY, READ)] == ["mode", None, None]


@pytest.mark.req("S0-81")
def test_mode_always_does_not_give_the_reason_of_another_mode():
    opinions = [mode(a_case(one, policy=with_policy(mode="always"))) for one in (MOVE, NOTIFY)]

    assert [one and one.because for one in opinions] == ["mode “always” asks before everything but reads"] * 2


def code(rule: Rule, case: Case) -> str | None:
    """Return the stable word a rule says no with."""
    opinion = rule(case)
    return opinion.code if opinion and opinion.ruling == "deny" else None


@pytest.mark.req("T-53")
def test_the_brake_stops_everything_and_says_how_to_go_on():
    opinion = refuse_while_paused(a_case(policy=with_policy(paused=True)))

    assert opinion
    assert (opinion.ruling, opinion.code) == ("deny", "policy.paused")
    assert "sayso resume" in opinion.because
    assert refuse_while_paused(a_case()) is None


@pytest.mark.req("T-32", "S0-79")
@pytest.mark.parametrize(
    ("allowed", "runs"),
    [
        (("*",), True),
        (("file.move",), True),
        (("file.*",), True),
        (("notify.show", "file.m*"), True),
        (("*&file.*&*.move",), True),
        (("file.*&*.delete",), False),
        (("notify.show",), False),
        (("FILE.MOVE",), False),
        (("",), False),
        ((), False),
    ],
)
def test_only_allowed_operations_run_and_an_empty_list_allows_nothing(allowed: tuple[str, ...], runs: bool):
    policy = with_policy(allowed_operations=allowed)

    assert allows(policy, "file.move") is runs
    assert code(refuse_disabled, a_case(MOVE, policy=policy)) == (None if runs else "policy.operation_off")


def test_one_action_too_many_refuses_the_whole_run_and_an_action_by_itself_counts_as_one():
    def at_most(most: int, **words: Any) -> str | None:
        return code(too_many, Case(with_policy(limits=Limits(actions_per_run=most)), NOTIFY, **words))

    assert [at_most(3, at_once=count) for count in (1, 3, 4)] == [None, None, "limit.actions"]
    assert (at_most(1), at_most(0)) == (None, "limit.actions")


@pytest.mark.parametrize(
    ("value", "size"),
    [("é" * 5, 10), ("x" * 10, 10), (["x" * 6], 10), ({"a": 1234}, 10), (1234567890, 10), ("\ud800", 3)],
)
def test_an_argument_is_measured_in_bytes(value: Any, size: int):
    fits, tight = (with_policy(limits=Limits(argument_bytes=most)) for most in (size, size - 1))

    assert code(too_long, a_case(policy=fits, message=value)) is None
    assert code(too_long, a_case(policy=tight, message=value)) == "limit.argument"


class Storeless(Step, frozen=True):
    """A step that does not say whose it is."""

    step: ClassVar[str] = "thing.do"
    reach: ClassVar[Reach] = NOTHING


class Unnamed(Step, frozen=True):
    """A step of a store, without a name."""

    store: ClassVar[str] = "things"


@pytest.mark.parametrize(
    ("case", "named"),
    [
        (a_case(operation(kind="harmless")), "a kind that sayso does not know: “harmless”"),
        (a_case(operation(asks="never")), "an approval rule that sayso does not know: “never”"),
        (a_case(replace(operation(), reach="moon")), "a reach that sayso does not know: “moon”"),
        (a_case(policy=with_policy(mode="sometimes")), "a mode that sayso does not know: “sometimes”"),
        (a_case(plan=a_plan(on_failure="shrug")), "a way to go on after a failure that sayso does not know: “shrug”"),
        (a_case(plan=a_plan(Nameless())), "a step that sayso does not know: Nameless"),
        (a_case(plan=a_plan(Storeless())), "a step that sayso does not know: Storeless"),
        (a_case(plan=a_plan(Unnamed())), "a step that sayso does not know: Unnamed"),
    ],
    ids=["kind", "asks", "reach", "mode", "on_failure", "step", "step without store", "step without name"],
)
def test_words_that_nobody_knows_are_refused_and_named(case: Case, named: str):
    opinion = refuse_unknown(case)

    assert opinion
    assert (opinion.ruling, opinion.code) == ("deny", "policy.unknown")
    assert opinion.because == f"{case.operation.id} has {named}"


@pytest.mark.parametrize("policy", [with_policy(mode=name) for name in MODES], ids=MODES)
def test_the_words_of_the_specification_are_known(policy: Policy):
    for kind in ("read", "write", "destructive", "external"):
        for asks in ("none", "mode", "floor", "click"):
            assert refuse_unknown(a_case(operation(kind, asks), policy=policy)) is None

    assert refuse_unknown(a_case(replace(MOVE, reach="home"), a_plan(on_failure="go on"), policy=policy)) is None
