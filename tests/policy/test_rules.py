"""The rules about applications."""

from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from sayso.core.operation import Operation
from sayso.core.plan import Change, Plan, Step
from sayso.core.schema import UserPath
from sayso.policy.case import Case, Opinion, Rule, opinions
from sayso.policy.rules import (
    RULES,
    allows,
    argument_outside,
    click,
    floor,
    is_listed,
    mode,
    not_listed,
    odd_name,
    own_home,
    own_program,
    refuse_denied_names,
    refuse_disabled,
    refuse_unknown,
    refuse_while_paused,
    root_itself,
    sends_after_reading,
    show_path,
    step_outside,
    too_long,
    too_many,
    unlisted_apps,
    warning,
)
from sayso.policy.settings import Limits
from tests.policy.given import (
    ACTIVATE,
    APP,
    COPY,
    DELETE,
    MKDIR,
    MOVE,
    NOTIFY,
    OPEN,
    POLICY,
    READ,
    REVEAL,
    WRITE,
    Copy,
    Nameless,
    Rename,
    Show,
    a_case,
    a_plan,
    operation,
    with_policy,
)

STRICT = with_policy(strict_apps=True)


@pytest.mark.parametrize("name", ["TextEdit", "textedit", "Google Chrome"])
@pytest.mark.req("T-31", "S0-78")
def test_a_listed_application_is_opened_without_a_question(name: str):
    assert not_listed(a_case(APP, name=name)) is None
    assert not_listed(a_case(APP, policy=STRICT, name=name)) is None


@pytest.mark.parametrize("name", ["Terminal", "TextEdit ", "TextEdit.app", "Text", "Preview 2"])
@pytest.mark.req("T-31", "S0-78")
def test_an_application_that_is_not_listed_is_asked_about_and_refused_where_strict(name: str):
    asked, refused = not_listed(a_case(APP, name=name)), not_listed(a_case(APP, policy=STRICT, name=name))

    assert asked
    assert (asked.ruling, asked.level) == ("ask", "floor")
    assert name in asked.because
    assert refused
    assert (refused.ruling, refused.code) == ("deny", "app.not_allowed")


@pytest.mark.req("T-31")
def test_an_application_named_by_a_step_counts_as_well():
    plan = a_plan(Show(app="Terminal"))

    assert not_listed(a_case(NOTIFY, plan)) is not None
    assert not_listed(a_case(NOTIFY, a_plan(Show(app="Mail")))) is None


@pytest.mark.req("T-31")
def test_the_application_given_to_open_a_file_with_is_asked_about():
    assert not_listed(a_case(OPEN, path="~/Documents/a.md", app="Terminal")) is not None
    assert not_listed(a_case(OPEN, path="~/Documents/a.md", app="TextEdit")) is None
    assert not_listed(a_case(OPEN, path="~/Documents/a.md")) is None


def test_a_step_that_leaves_the_application_to_the_desktop_names_none():
    plan = a_plan(Show(path="/home/ana/Documents/a.md", app=""))

    assert odd_name(a_case(OPEN, plan, path="~/Documents/a.md")) is None
    assert not_listed(a_case(OPEN, plan, policy=STRICT, path="~/Documents/a.md")) is None


@pytest.mark.req("T-31")
def test_bringing_a_running_application_to_the_front_is_free():
    launching = a_plan(Show(app="Terminal"))

    assert not_listed(a_case(ACTIVATE, policy=STRICT, name="Terminal")) is None
    assert not_listed(a_case(ACTIVATE, launching, policy=STRICT, name="Terminal")) is not None


@pytest.mark.parametrize(
    "name",
    [
        "Calculator.app/../../Utilities/Terminal.app",
        "/bin/sh",
        "..",
        "-a",
        "--args",
        " ",
        "file:x",
        "javascript:1",
        "a\\b",
        "a\nb",
        "a\tb",
        ".hidden",
        "a..b",
    ],
)
@pytest.mark.req("AP-01")
def test_what_is_no_name_is_refused_whatever_is_listed(name: str):
    policy = with_policy(allowed_apps=(name,))

    opinion = odd_name(a_case(APP, policy=policy, name=name))

    assert opinion
    assert (opinion.ruling, opinion.code) == ("deny", "app.name")


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
@pytest.mark.req("T-31", "AP-01")
def test_each_operation_that_names_an_application_has_its_name_looked_at(name: str, argument: str, counts: bool):
    def case(said: str) -> Case:
        given: dict[str, Any] = {argument: said}
        return a_case(operation(id=name), **given)

    assert unlisted_apps(case("Terminal")) == (("Terminal",) if counts else ())
    assert odd_name(case("../Terminal")) is not None
    assert odd_name(case("Mail")) is None


@pytest.mark.req("AP-01")
def test_what_is_only_brought_to_the_front_has_a_name_too():
    for name in ("/bin/sh", "-a"):
        assert odd_name(a_case(ACTIVATE, a_plan(), name=name)) is not None
        assert odd_name(a_case(NOTIFY, a_plan(Show(app=name)))) is not None


def test_only_the_argument_that_names_an_application_is_one():
    assert odd_name(a_case(NOTIFY, title="/bin/sh", name="/bin/sh")) is None
    assert unlisted_apps(a_case(NOTIFY, name="Terminal")) == ()


class Launch(Step, frozen=True):
    """A step that starts several applications."""

    step: ClassVar[str] = "apps.launch"
    store: ClassVar[str] = "apps"
    apps: ClassVar[tuple[str, ...]] = ("names",)
    names: tuple[str, ...] = ()


@pytest.mark.req("T-31")
def test_every_application_that_a_step_starts_counts_once():
    plan = a_plan(Launch(("Mail", "Terminal", "", "Terminal", "Xterm")))

    assert unlisted_apps(a_case(NOTIFY, plan)) == ("Terminal", "Xterm")


def test_names_are_compared_as_a_person_reads_them():
    assert is_listed("STRASSE", with_policy(allowed_apps=("Straße",)))
    assert is_listed("straße", with_policy(allowed_apps=("STRASSE",)))


@pytest.mark.parametrize("name", ["TextEdit", "Google Chrome", "Überblick", "1Password", "GIMP 2.10"])
def test_ordinary_names_are_names(name: str):
    assert odd_name(a_case(APP, name=name)) is None


def test_an_empty_list_allows_no_application():
    assert not is_listed("TextEdit", with_policy(allowed_apps=()))
    assert is_listed("TextEdit", POLICY)


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
@pytest.mark.req("T-32", "S0-79")
def test_only_allowed_operations_run_and_an_empty_list_allows_nothing(allowed: tuple[str, ...], runs: bool):
    policy = with_policy(allowed_operations=allowed)

    assert allows(policy, "file.move") is runs
    assert code(refuse_disabled, a_case(MOVE, policy=policy)) == (None if runs else "policy.operation_off")


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_run_up_to_the_limit_is_admitted(at_once: int):
    assert code(too_many, Case(with_policy(limits=Limits(actions_per_run=3)), NOTIFY, at_once=at_once)) is None


def test_an_action_that_is_judged_by_itself_counts_as_one():
    assert code(too_many, Case(with_policy(limits=Limits(actions_per_run=1)), NOTIFY)) is None


def test_one_action_too_many_refuses_the_whole_run():
    assert code(too_many, Case(with_policy(limits=Limits(actions_per_run=3)), NOTIFY, at_once=4)) == "limit.actions"


@pytest.mark.parametrize(
    ("value", "size"), [("é" * 5, 10), ("x" * 10, 10), (["x" * 6], 10), ({"a": 1234}, 10), (1234567890, 10)]
)
def test_an_argument_is_measured_in_bytes(value: Any, size: int):
    fits = with_policy(limits=Limits(argument_bytes=size))
    tight = with_policy(limits=Limits(argument_bytes=size - 1))

    assert code(too_long, a_case(policy=fits, message=value)) is None
    assert code(too_long, a_case(policy=tight, message=value)) == "limit.argument"


@pytest.mark.parametrize(
    ("case", "named"),
    [
        (a_case(operation(kind="harmless")), "a kind that nobody here knows: “harmless”"),
        (a_case(operation(asks="never")), "an approval rule that nobody here knows: “never”"),
        (a_case(replace(operation(), reach="moon")), "a reach that nobody here knows: “moon”"),
        (a_case(policy=with_policy(mode="sometimes")), "a mode that nobody here knows: “sometimes”"),
        (
            a_case(plan=a_plan(on_failure="shrug")),
            "a way to go on after a failure that nobody here knows: “shrug”",
        ),
        (a_case(plan=a_plan(Nameless())), "a step that nobody here knows: Nameless"),
    ],
    ids=["kind", "asks", "reach", "mode", "on_failure", "step"],
)
def test_words_that_nobody_knows_are_refused_and_named(case: Case, named: str):
    opinion = refuse_unknown(case)

    assert opinion
    assert (opinion.ruling, opinion.code) == ("deny", "policy.unknown")
    assert opinion.because == f"{case.operation.id} has {named}"


def test_a_step_lacks_a_name_or_a_store_and_an_operation_its_reach():
    class Storeless(Step, frozen=True):
        step: ClassVar[str] = "thing.do"

    class Unnamed(Step, frozen=True):
        store: ClassVar[str] = "things"

    assert code(refuse_unknown, a_case(plan=a_plan(Storeless()))) == "policy.unknown"
    assert code(refuse_unknown, a_case(plan=a_plan(Unnamed()))) == "policy.unknown"
    assert code(refuse_unknown, a_case(replace(MOVE, reach="anywhere"))) == "policy.unknown"
    assert code(refuse_unknown, a_case(replace(MOVE, reach="home"), a_plan(on_failure="go on"))) is None


@pytest.mark.parametrize("mode", ["always", "destructive", "never"])
def test_the_modes_of_the_specification_are_known(mode: str):
    assert refuse_unknown(a_case(policy=with_policy(mode=mode))) is None


def test_half_of_a_character_pair_is_measured_too():
    tight = with_policy(limits=Limits(argument_bytes=2))

    assert code(too_long, a_case(policy=tight, message="\ud800")) == "limit.argument"


@pytest.mark.parametrize("kind", ["read", "write", "destructive", "external"])
@pytest.mark.parametrize("asks", ["none", "mode", "floor", "click"])
def test_the_words_of_the_specification_are_known(kind: str, asks: str):
    assert refuse_unknown(a_case(operation(kind, asks), policy=POLICY)) is None


def code_confinement(rule: Rule, case: Case) -> str | None:
    """Return the stable word a rule says no with."""
    opinion = rule(case)
    return opinion.code if opinion else None


@pytest.mark.parametrize(
    "path",
    [
        "~/Documents/x",
        "~/Documents",
        "~/Documents/a/../b",
        "/data/ana/Documents/x",
        "/home/ana/Downloads/./x",
        "~/Documents/..x",
    ],
)
@pytest.mark.req("S0-77")
def test_a_path_in_a_root_may_be_looked_at(path: str):
    assert code_confinement(argument_outside, a_case(READ, path=path)) is None


@pytest.mark.parametrize(
    "path",
    [
        "/etc/hosts",
        "~/Documents/../../../etc/x",
        "~/Documents/../x",
        "~/x",
        "~",
        "/",
        "/home/ana/Documents_evil/x",
        "/home/ana/Document",
        "/home/ana/documents/x",
        "/data/ana/x",
    ],
)
@pytest.mark.req("S0-77", "FS-01")
def test_a_path_outside_the_roots_is_refused_as_text(path: str):
    for offered in (READ, DELETE, MKDIR):
        assert code_confinement(argument_outside, a_case(offered, path=path)) == "path.outside_roots"


@pytest.mark.req("S0-77")
def test_both_ends_of_a_move_are_confined():
    out = "/srv/x"

    assert (
        code_confinement(argument_outside, a_case(MOVE, source=out, destination="~/Documents/x"))
        == "path.outside_roots"
    )
    assert (
        code_confinement(argument_outside, a_case(MOVE, source="~/Documents/x", destination=out))
        == "path.outside_roots"
    )
    assert code_confinement(argument_outside, a_case(MOVE, source="~/Documents/x", destination="~/Downloads/x")) is None


def test_a_default_is_confined_like_what_was_said():
    async def listed(path: UserPath = "/etc") -> Plan:
        """List a folder."""
        return Plan(path)

    assert (
        code_confinement(argument_outside, a_case(Operation("file.list", "read", "none", listed)))
        == "path.outside_roots"
    )


def test_paths_in_a_list_are_confined_each():
    async def opened(paths: list[UserPath]) -> Plan:
        """Open files."""
        return Plan("Open")

    one = Operation("files.open", "write", "mode", opened)

    assert code_confinement(argument_outside, a_case(one, paths=["~/Documents/a", "/etc/x"])) == "path.outside_roots"
    assert code_confinement(argument_outside, a_case(one, paths=["~/Documents/a"])) is None


def test_the_refusal_names_the_path_and_the_folders():
    opinion = argument_outside(a_case(WRITE, path="/etc/hosts", content="x"))

    assert opinion
    assert opinion.because == "“/etc/hosts” lies outside the folders that actions may reach (~/Documents, ~/Downloads)"


def test_with_no_roots_nothing_may_be_reached():
    policy = with_policy(roots=(), real_roots=())

    assert code_confinement(argument_outside, a_case(READ, policy=policy, path="~/Documents/x")) == "path.outside_roots"


@pytest.mark.parametrize(
    ("path", "refused"), [("~/x", False), ("~", False), ("~/Documents/x", False), ("/etc/x", True)]
)
@pytest.mark.req("T-30")
def test_what_only_shows_reaches_the_whole_home_and_no_further(path: str, refused: bool):
    assert code_confinement(argument_outside, a_case(REVEAL, path=path)) == ("path.outside_roots" if refused else None)


def test_the_refusal_says_how_far_one_may_go():
    shows, nowhere = (
        argument_outside(a_case(REVEAL, path="/etc/hosts")),
        argument_outside(a_case(READ, policy=with_policy(roots=(), real_roots=()), path="/etc/hosts")),
    )

    assert shows
    assert shows.because == "“/etc/hosts” lies outside your home folder"
    assert nowhere
    assert nowhere.because.endswith("(none; policy.roots in the settings is empty)")


@pytest.mark.req("S0-77", "T-30")
def test_a_step_names_what_links_lead_to_and_not_the_link():
    by_the_link = a_plan(Rename("/data/ana/Documents/x", "/home/ana/Documents/y"))
    shown_by_the_link = a_plan(Show("/home/ana/y"))

    assert code_confinement(step_outside, a_case(MOVE, by_the_link)) == "path.outside_roots"
    assert code_confinement(step_outside, a_case(REVEAL, shown_by_the_link)) == "path.outside_roots"
    assert code_confinement(step_outside, a_case(REVEAL, a_plan(Show("/data/ana/y")))) is None


@pytest.mark.req("S0-77", "T-30")
def test_a_link_that_leads_out_is_refused_once_it_is_resolved():
    inside = a_plan(Rename("/data/ana/Documents/x", "/data/ana/Documents/y"))
    outside = a_plan(Rename("/data/ana/Documents/x", "/srv/y"))

    assert code_confinement(step_outside, a_case(MOVE, inside)) is None
    assert code_confinement(step_outside, a_case(MOVE, outside)) == "path.outside_roots"


def test_a_way_back_is_confined_as_well():
    inside, outside = "/data/ana/Documents/x", "/srv/y"
    plan = Plan("Move", (Change(Rename(inside, inside + "2"), Rename(inside, outside)),))

    assert code_confinement(step_outside, a_case(MOVE, plan)) == "path.outside_roots"


@pytest.mark.parametrize(
    "path", ["Documents/x", "", "/data/ana/Documents/../x", "/data/ana//x", "/data/ana/Documents/."]
)
def test_a_step_whose_path_is_not_in_normal_form_is_a_no(path: str):
    verdicts = opinions(RULES, a_case(MOVE, a_plan(Rename("/data/ana/Documents/x", path))))

    assert "policy.error" in {verdict.code for verdict in verdicts}


def test_a_step_that_names_a_field_it_does_not_have_is_a_no():
    class Odd(Step, frozen=True):
        step: ClassVar[str] = "odd"
        store: ClassVar[str] = "files"
        paths: ClassVar[tuple[str, ...]] = ("path",)

    verdicts = opinions(RULES, a_case(MOVE, a_plan(Odd())))

    assert "policy.error" in {verdict.code for verdict in verdicts}


@pytest.mark.parametrize("name", [".bashrc", ".SSH/x", "a/../.git/hooks/x", "x.desktop", ".mcp.json "])
@pytest.mark.parametrize("mode", ["always", "destructive", "never"])
@pytest.mark.req("FS-10")
def test_denied_names_are_refused_in_every_mode_inside_a_root(name: str, mode: str):
    policy = with_policy(mode=mode)

    assert (
        code_confinement(refuse_denied_names, a_case(READ, policy=policy, path=f"~/Documents/{name}"))
        == "path.denied_name"
    )
    assert (
        code_confinement(refuse_denied_names, a_case(WRITE, policy=policy, path=f"~/Documents/{name}"))
        == "path.denied_name"
    )
    assert code_confinement(refuse_denied_names, a_case(READ, policy=policy, path="~/Documents/notes.md")) is None


def test_a_link_to_a_denied_name_is_refused_once_it_is_resolved():
    plan = a_plan(Rename("/data/ana/Documents/x", "/data/ana/Documents/.bashrc"))

    opinion = refuse_denied_names(a_case(MOVE, plan, source="~/Documents/x", destination="~/Documents/harmless"))

    assert opinion
    assert "“.bashrc”" in opinion.because
    assert "a shell runs it" in opinion.because


@pytest.mark.parametrize("path", ["~/.sayso", "~/.sayso/config.toml", "~/.SAYSO/sayso.db", "/data/ana/.sayso/trash/x"])
@pytest.mark.req("FS-11")
def test_nothing_reaches_sayso_itself_even_where_the_home_is_a_root(path: str):
    policy = with_policy(roots=("/home/ana",), real_roots=("/data/ana",))

    assert code_confinement(own_home, a_case(READ, policy=policy, path=path)) == "path.own_home"
    assert code_confinement(own_home, a_case(WRITE, policy=policy, path=path)) == "path.own_home"
    assert code_confinement(own_home, a_case(READ, policy=policy, path="~/.saysos")) is None


@pytest.mark.req("FS-11")
def test_the_settings_are_protected_where_they_stand_apart():
    policy = with_policy(roots=("/home/ana",), real_roots=("/data/ana",), also_own=("/home/ana/etc/sayso",))

    assert code_confinement(own_home, a_case(WRITE, policy=policy, path="~/etc/sayso/config.toml")) == "path.own_home"


@pytest.mark.req("FS-11")
def test_a_single_file_of_saysos_own_is_protected_with_the_folders_that_hold_it():
    policy = with_policy(also_own=("/data/ana/Documents/dot/sayso.toml",))
    file, folder = "/data/ana/Documents/dot/sayso.toml", "/data/ana/Documents/dot"

    assert code_confinement(own_home, a_case(READ, policy=policy, path=file)) == "path.own_home"
    assert (
        code_confinement(own_home, a_case(WRITE, policy=policy, path=file.upper().replace("/DATA", "/data")))
        == "path.own_home"
    )
    assert code_confinement(own_home, a_case(MOVE, a_plan(Rename(file + "2", file)), policy=policy)) == "path.own_home"
    assert (
        code_confinement(own_home, a_case(MOVE, a_plan(Rename(folder, folder + "2")), policy=policy)) == "path.own_home"
    )
    assert code_confinement(own_home, a_case(COPY, a_plan(Copy(file, file + "2")), policy=policy)) == "path.own_home"
    assert code_confinement(own_home, a_case(WRITE, policy=policy, path=folder + "/other.toml")) is None


PROGRAM = with_policy(program=("/data/ana/Documents/venv", "/home/ana/Documents/venv"))


@pytest.mark.parametrize(
    "path", ["~/Documents/venv/lib/sayso/policy/judge.py", "~/Documents/VENV", "~/Documents/venv/new"]
)
@pytest.mark.req("FS-11")
def test_the_program_that_judges_is_not_changed_by_what_it_judges(path: str):
    for offered in (WRITE, DELETE, MKDIR):
        assert code_confinement(own_program, a_case(offered, policy=PROGRAM, path=path)) == "path.own_home"
    assert code_confinement(own_program, a_case(READ, policy=PROGRAM, path=path)) is None


@pytest.mark.req("FS-11")
def test_no_link_and_no_folder_around_it_leads_to_the_program():
    inside = Rename("/data/ana/Documents/x.py", "/data/ana/Documents/venv/x.py")
    around = Rename("/data/ana/Documents", "/data/ana/Downloads/d")

    assert code_confinement(own_program, a_case(MOVE, a_plan(inside), policy=PROGRAM)) == "path.own_home"
    assert code_confinement(own_program, a_case(MOVE, a_plan(around), policy=PROGRAM)) == "path.own_home"
    assert code_confinement(own_program, a_case(WRITE, policy=PROGRAM, path="~/Documents/venv2/x")) is None
    assert code_confinement(own_program, a_case(WRITE, path="~/Documents/venv/x")) is None


@pytest.mark.parametrize("path", ["~/bin/ls", "~/bin", "~/BIN/x", "/data/ana/bin/x"])
@pytest.mark.req("FS-10")
def test_programs_in_the_home_are_protected_and_a_bin_elsewhere_is_none(path: str):
    opinion = refuse_denied_names(a_case(WRITE, path=path))

    assert opinion
    assert "holds the name “~/bin”, which no action may touch: the programs you start" in opinion.because
    assert code_confinement(refuse_denied_names, a_case(WRITE, path="~/Documents/bin/x")) is None


@pytest.mark.req("FS-10")
def test_where_the_home_is_the_top_of_the_disk_its_programs_are_protected_too():
    policy = with_policy(home="/", real_home="/", roots=("/",), real_roots=("/",))

    assert code_confinement(refuse_denied_names, a_case(WRITE, policy=policy, path="/bin/ls")) == "path.denied_name"
    assert show_path("/bin/ls", policy) == "/bin/ls"


def test_what_lies_beside_the_program_may_be_taken_away():
    beside = Rename("/data/ana/Documents/x", "/data/ana/Downloads/x")

    assert code_confinement(own_program, a_case(DELETE, policy=PROGRAM, path="~/Documents/x")) is None
    assert code_confinement(own_program, a_case(MOVE, a_plan(beside), policy=PROGRAM)) is None


@pytest.mark.req("FS-11")
def test_a_folder_that_holds_sayso_may_be_shown():
    policy = with_policy(roots=("/home",), real_roots=("/data",))

    assert code_confinement(own_home, a_case(REVEAL, a_plan(Show("/data/ana")), policy=policy)) is None


@pytest.mark.req("FS-11")
def test_a_folder_that_holds_sayso_is_not_moved_or_copied_and_may_be_looked_at():
    policy = with_policy(roots=("/home",), real_roots=("/data",))
    away, copied = Rename("/data/ana", "/data/x"), Copy("/data/ana", "/data/x")

    assert code_confinement(own_home, a_case(DELETE, policy=policy, path="/home/ana")) == "path.own_home"
    assert code_confinement(own_home, a_case(MOVE, a_plan(away), policy=policy)) == "path.own_home"
    assert code_confinement(own_home, a_case(COPY, a_plan(copied), policy=policy)) == "path.own_home"
    assert code_confinement(own_home, a_case(READ, policy=policy, path="/home/ana")) is None


@pytest.mark.parametrize(
    "path", ["~/Documents", "~/Documents/", "/data/ana/Documents", "~/DOCUMENTS", "/home/ana", "/"]
)
@pytest.mark.req("T-21")
def test_a_root_and_what_holds_it_is_never_deleted_or_moved(path: str):
    assert code_confinement(root_itself, a_case(DELETE, path=path)) == "path.is_root"
    assert code_confinement(root_itself, a_case(MOVE, source=path, destination="~/Downloads/x")) == "path.is_root"


@pytest.mark.req("T-21")
def test_what_stands_at_a_destination_is_not_altered_by_what_was_said():
    for destination in ("~/Documents", "/home"):
        assert code_confinement(root_itself, a_case(MOVE, source="~/Downloads/x", destination=destination)) is None


@pytest.mark.req("T-21")
def test_a_root_is_safe_from_every_step_of_files_and_from_every_destructive_operation():
    replaced, shows = (
        a_plan(Rename("/data/ana/Downloads/x", "/data/ana/Documents")),
        a_plan(Show("/data/ana/Documents")),
    )

    assert code_confinement(root_itself, a_case(WRITE, replaced)) == "path.is_root"
    assert (
        code_confinement(root_itself, a_case(COPY, a_plan(Copy("/data/ana/Documents/x", "/data/ana/Documents"))))
        == "path.is_root"
    )
    assert code_confinement(root_itself, a_case(DELETE, shows)) == "path.is_root"
    assert code_confinement(root_itself, a_case(WRITE, shows)) is None


@pytest.mark.req("T-21")
def test_what_is_in_a_root_may_be_deleted_and_a_root_may_be_looked_at():
    looked_at = a_plan(Copy("/data/ana/Documents", "/data/ana/Downloads/copy"))

    assert code_confinement(root_itself, a_case(DELETE, path="~/Documents/x")) is None
    assert code_confinement(root_itself, a_case(READ, path="~/Documents")) is None
    assert code_confinement(root_itself, a_case(COPY, looked_at)) is None


@pytest.mark.req("T-21")
def test_a_link_to_a_root_does_not_help_to_move_it():
    plan = a_plan(Rename("/data/ana/Documents", "/data/ana/Downloads/x"))

    assert code_confinement(root_itself, a_case(MOVE, plan)) == "path.is_root"


def test_a_step_of_another_store_may_show_a_root():
    assert (
        code_confinement(root_itself, a_case(REVEAL, a_plan(Show("/data/ana/Documents")), path="~/Documents")) is None
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [("/home/ana/x", "~/x"), ("/data/ana/x", "~/x"), ("/home/ana", "~"), ("/home/anabel", "/home/anabel")],
)
def test_paths_are_shown_as_a_person_writes_them(path: str, said: str):
    assert show_path(path, POLICY) == said
    assert show_path(path, with_policy(home="/home/ana/", real_home="/data/ana/")) == said
