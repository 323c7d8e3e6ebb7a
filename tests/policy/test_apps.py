"""The rules about applications."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from sayso.core.plan import Step
from sayso.policy.apps import is_listed, not_listed, odd_name, unlisted
from sayso.policy.opinions import Case
from tests.policy.given import ACTIVATE, APP, NOTIFY, OPEN, POLICY, Show, a_case, a_plan, operation, with_policy

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

    assert unlisted(case("Terminal")) == (("Terminal",) if counts else ())
    assert odd_name(case("../Terminal")) is not None
    assert odd_name(case("Mail")) is None


@pytest.mark.req("AP-01")
def test_what_is_only_brought_to_the_front_has_a_name_too():
    for name in ("/bin/sh", "-a"):
        assert odd_name(a_case(ACTIVATE, a_plan(), name=name)) is not None
        assert odd_name(a_case(NOTIFY, a_plan(Show(app=name)))) is not None


def test_only_the_argument_that_names_an_application_is_one():
    assert odd_name(a_case(NOTIFY, title="/bin/sh", name="/bin/sh")) is None
    assert unlisted(a_case(NOTIFY, name="Terminal")) == ()


@dataclass(frozen=True, slots=True)
class Launch(Step):
    """A step that starts several applications."""

    step: ClassVar[str] = "apps.launch"
    store: ClassVar[str] = "apps"
    apps: ClassVar[tuple[str, ...]] = ("names",)
    names: tuple[str, ...] = ()


@pytest.mark.req("T-31")
def test_every_application_that_a_step_starts_counts_once():
    plan = a_plan(Launch(("Mail", "Terminal", "", "Terminal", "Xterm")))

    assert unlisted(a_case(NOTIFY, plan)) == ("Terminal", "Xterm")


def test_names_are_compared_as_a_person_reads_them():
    assert is_listed("STRASSE", with_policy(allowed_apps=("Straße",)))
    assert is_listed("straße", with_policy(allowed_apps=("STRASSE",)))


@pytest.mark.parametrize("name", ["TextEdit", "Google Chrome", "Überblick", "1Password", "GIMP 2.10"])
def test_ordinary_names_are_names(name: str):
    assert odd_name(a_case(APP, name=name)) is None


def test_an_empty_list_allows_no_application():
    assert not is_listed("TextEdit", with_policy(allowed_apps=()))
    assert is_listed("TextEdit", POLICY)
