"""The rules about paths, in arguments and in steps."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from sayso.core.arguments import UserPath
from sayso.core.operation import Operation
from sayso.core.plan import Change, Plan, Step
from sayso.policy.confinement import (
    argument_outside,
    denied_by_name,
    own_home,
    own_program,
    root_itself,
    shown,
    step_outside,
)
from sayso.policy.opinions import Case, Rule, opinions
from sayso.policy.rules import RULES
from tests.policy.given import (
    COPY,
    DELETE,
    MKDIR,
    MOVE,
    POLICY,
    READ,
    REVEAL,
    WRITE,
    Copy,
    Rename,
    Show,
    a_case,
    a_plan,
    with_policy,
)


def code(rule: Rule, case: Case) -> str | None:
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
    assert code(argument_outside, a_case(READ, path=path)) is None


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
    for operation in (READ, DELETE, MKDIR):
        assert code(argument_outside, a_case(operation, path=path)) == "path.outside_roots"


@pytest.mark.req("S0-77")
def test_both_ends_of_a_move_are_confined():
    out = "/srv/x"

    assert code(argument_outside, a_case(MOVE, source=out, destination="~/Documents/x")) == "path.outside_roots"
    assert code(argument_outside, a_case(MOVE, source="~/Documents/x", destination=out)) == "path.outside_roots"
    assert code(argument_outside, a_case(MOVE, source="~/Documents/x", destination="~/Downloads/x")) is None


def test_a_default_is_confined_like_what_was_said():
    async def listed(path: UserPath = "/etc") -> Plan:
        """List a folder."""
        return Plan(path)

    assert code(argument_outside, a_case(Operation("file.list", "read", "none", listed))) == "path.outside_roots"


def test_paths_in_a_list_are_confined_each():
    async def opened(paths: list[UserPath]) -> Plan:
        """Open files."""
        return Plan("Open")

    one = Operation("files.open", "write", "mode", opened)

    assert code(argument_outside, a_case(one, paths=["~/Documents/a", "/etc/x"])) == "path.outside_roots"
    assert code(argument_outside, a_case(one, paths=["~/Documents/a"])) is None


def test_the_refusal_names_the_path_and_the_folders():
    opinion = argument_outside(a_case(WRITE, path="/etc/hosts", content="x"))

    assert opinion
    assert opinion.because == "“/etc/hosts” lies outside the folders that actions may reach (~/Documents, ~/Downloads)"


def test_with_no_roots_nothing_may_be_reached():
    policy = with_policy(roots=(), real_roots=())

    assert code(argument_outside, a_case(READ, policy=policy, path="~/Documents/x")) == "path.outside_roots"


@pytest.mark.parametrize(
    ("path", "refused"), [("~/x", False), ("~", False), ("~/Documents/x", False), ("/etc/x", True)]
)
@pytest.mark.req("T-30")
def test_what_only_shows_reaches_the_whole_home_and_no_further(path: str, refused: bool):
    assert code(argument_outside, a_case(REVEAL, path=path)) == ("path.outside_roots" if refused else None)


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

    assert code(step_outside, a_case(MOVE, by_the_link)) == "path.outside_roots"
    assert code(step_outside, a_case(REVEAL, shown_by_the_link)) == "path.outside_roots"
    assert code(step_outside, a_case(REVEAL, a_plan(Show("/data/ana/y")))) is None


@pytest.mark.req("S0-77", "T-30")
def test_a_link_that_leads_out_is_refused_once_it_is_resolved():
    inside = a_plan(Rename("/data/ana/Documents/x", "/data/ana/Documents/y"))
    outside = a_plan(Rename("/data/ana/Documents/x", "/srv/y"))

    assert code(step_outside, a_case(MOVE, inside)) is None
    assert code(step_outside, a_case(MOVE, outside)) == "path.outside_roots"


def test_a_way_back_is_confined_as_well():
    inside, outside = "/data/ana/Documents/x", "/srv/y"
    plan = Plan("Move", (Change(Rename(inside, inside + "2"), Rename(inside, outside)),))

    assert code(step_outside, a_case(MOVE, plan)) == "path.outside_roots"


@pytest.mark.parametrize(
    "path", ["Documents/x", "", "/data/ana/Documents/../x", "/data/ana//x", "/data/ana/Documents/."]
)
def test_a_step_whose_path_is_not_in_normal_form_is_a_no(path: str):
    verdicts = opinions(RULES, a_case(MOVE, a_plan(Rename("/data/ana/Documents/x", path))))

    assert "policy.error" in {verdict.code for verdict in verdicts}


def test_a_step_that_names_a_field_it_does_not_have_is_a_no():
    @dataclass(frozen=True, slots=True)
    class Odd(Step):
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

    assert code(denied_by_name, a_case(READ, policy=policy, path=f"~/Documents/{name}")) == "path.denied_name"
    assert code(denied_by_name, a_case(WRITE, policy=policy, path=f"~/Documents/{name}")) == "path.denied_name"
    assert code(denied_by_name, a_case(READ, policy=policy, path="~/Documents/notes.md")) is None


def test_a_link_to_a_denied_name_is_refused_once_it_is_resolved():
    plan = a_plan(Rename("/data/ana/Documents/x", "/data/ana/Documents/.bashrc"))

    opinion = denied_by_name(a_case(MOVE, plan, source="~/Documents/x", destination="~/Documents/harmless"))

    assert opinion
    assert "“.bashrc”" in opinion.because
    assert "a shell runs it" in opinion.because


@pytest.mark.parametrize("path", ["~/.sayso", "~/.sayso/config.toml", "~/.SAYSO/sayso.db", "/data/ana/.sayso/trash/x"])
@pytest.mark.req("FS-11")
def test_nothing_reaches_sayso_itself_even_where_the_home_is_a_root(path: str):
    policy = with_policy(roots=("/home/ana",), real_roots=("/data/ana",))

    assert code(own_home, a_case(READ, policy=policy, path=path)) == "path.own_home"
    assert code(own_home, a_case(WRITE, policy=policy, path=path)) == "path.own_home"
    assert code(own_home, a_case(READ, policy=policy, path="~/.saysos")) is None


@pytest.mark.req("FS-11")
def test_the_settings_are_protected_where_they_stand_apart():
    policy = with_policy(roots=("/home/ana",), real_roots=("/data/ana",), also_own=("/home/ana/etc/sayso",))

    assert code(own_home, a_case(WRITE, policy=policy, path="~/etc/sayso/config.toml")) == "path.own_home"


@pytest.mark.req("FS-11")
def test_a_single_file_of_saysos_own_is_protected_with_the_folders_that_hold_it():
    policy = with_policy(also_own=("/data/ana/Documents/dot/sayso.toml",))
    file, folder = "/data/ana/Documents/dot/sayso.toml", "/data/ana/Documents/dot"

    assert code(own_home, a_case(READ, policy=policy, path=file)) == "path.own_home"
    assert code(own_home, a_case(WRITE, policy=policy, path=file.upper().replace("/DATA", "/data"))) == "path.own_home"
    assert code(own_home, a_case(MOVE, a_plan(Rename(file + "2", file)), policy=policy)) == "path.own_home"
    assert code(own_home, a_case(MOVE, a_plan(Rename(folder, folder + "2")), policy=policy)) == "path.own_home"
    assert code(own_home, a_case(COPY, a_plan(Copy(file, file + "2")), policy=policy)) == "path.own_home"
    assert code(own_home, a_case(WRITE, policy=policy, path=folder + "/other.toml")) is None


PROGRAM = with_policy(program=("/data/ana/Documents/venv", "/home/ana/Documents/venv"))


@pytest.mark.parametrize(
    "path", ["~/Documents/venv/lib/sayso/policy/judge.py", "~/Documents/VENV", "~/Documents/venv/new"]
)
@pytest.mark.req("FS-11")
def test_the_program_that_judges_is_not_changed_by_what_it_judges(path: str):
    for operation in (WRITE, DELETE, MKDIR):
        assert code(own_program, a_case(operation, policy=PROGRAM, path=path)) == "path.own_home"
    assert code(own_program, a_case(READ, policy=PROGRAM, path=path)) is None


@pytest.mark.req("FS-11")
def test_no_link_and_no_folder_around_it_leads_to_the_program():
    inside = Rename("/data/ana/Documents/x.py", "/data/ana/Documents/venv/x.py")
    around = Rename("/data/ana/Documents", "/data/ana/Downloads/d")

    assert code(own_program, a_case(MOVE, a_plan(inside), policy=PROGRAM)) == "path.own_home"
    assert code(own_program, a_case(MOVE, a_plan(around), policy=PROGRAM)) == "path.own_home"
    assert code(own_program, a_case(WRITE, policy=PROGRAM, path="~/Documents/venv2/x")) is None
    assert code(own_program, a_case(WRITE, path="~/Documents/venv/x")) is None


@pytest.mark.parametrize("path", ["~/bin/ls", "~/bin", "~/BIN/x", "/data/ana/bin/x"])
@pytest.mark.req("FS-10")
def test_programs_in_the_home_are_protected_and_a_bin_elsewhere_is_none(path: str):
    opinion = denied_by_name(a_case(WRITE, path=path))

    assert opinion
    assert "holds the name “~/bin”, which no action may touch: the programs you start" in opinion.because
    assert code(denied_by_name, a_case(WRITE, path="~/Documents/bin/x")) is None


@pytest.mark.req("FS-10")
def test_where_the_home_is_the_top_of_the_disk_its_programs_are_protected_too():
    policy = with_policy(home="/", real_home="/", roots=("/",), real_roots=("/",))

    assert code(denied_by_name, a_case(WRITE, policy=policy, path="/bin/ls")) == "path.denied_name"
    assert shown("/bin/ls", policy) == "/bin/ls"


def test_what_lies_beside_the_program_may_be_taken_away():
    beside = Rename("/data/ana/Documents/x", "/data/ana/Downloads/x")

    assert code(own_program, a_case(DELETE, policy=PROGRAM, path="~/Documents/x")) is None
    assert code(own_program, a_case(MOVE, a_plan(beside), policy=PROGRAM)) is None


@pytest.mark.req("FS-11")
def test_a_folder_that_holds_sayso_may_be_shown():
    policy = with_policy(roots=("/home",), real_roots=("/data",))

    assert code(own_home, a_case(REVEAL, a_plan(Show("/data/ana")), policy=policy)) is None


@pytest.mark.req("FS-11")
def test_a_folder_that_holds_sayso_is_not_moved_or_copied_and_may_be_looked_at():
    policy = with_policy(roots=("/home",), real_roots=("/data",))
    away, copied = Rename("/data/ana", "/data/x"), Copy("/data/ana", "/data/x")

    assert code(own_home, a_case(DELETE, policy=policy, path="/home/ana")) == "path.own_home"
    assert code(own_home, a_case(MOVE, a_plan(away), policy=policy)) == "path.own_home"
    assert code(own_home, a_case(COPY, a_plan(copied), policy=policy)) == "path.own_home"
    assert code(own_home, a_case(READ, policy=policy, path="/home/ana")) is None


@pytest.mark.parametrize(
    "path", ["~/Documents", "~/Documents/", "/data/ana/Documents", "~/DOCUMENTS", "/home/ana", "/"]
)
@pytest.mark.req("T-21")
def test_a_root_and_what_holds_it_is_never_deleted_or_moved(path: str):
    assert code(root_itself, a_case(DELETE, path=path)) == "path.is_root"
    assert code(root_itself, a_case(MOVE, source=path, destination="~/Downloads/x")) == "path.is_root"


@pytest.mark.req("T-21")
def test_what_stands_at_a_destination_is_not_altered_by_what_was_said():
    for destination in ("~/Documents", "/home"):
        assert code(root_itself, a_case(MOVE, source="~/Downloads/x", destination=destination)) is None


@pytest.mark.req("T-21")
def test_a_root_is_safe_from_every_step_of_files_and_from_every_destructive_operation():
    replaced, shows = (
        a_plan(Rename("/data/ana/Downloads/x", "/data/ana/Documents")),
        a_plan(Show("/data/ana/Documents")),
    )

    assert code(root_itself, a_case(WRITE, replaced)) == "path.is_root"
    assert (
        code(root_itself, a_case(COPY, a_plan(Copy("/data/ana/Documents/x", "/data/ana/Documents")))) == "path.is_root"
    )
    assert code(root_itself, a_case(DELETE, shows)) == "path.is_root"
    assert code(root_itself, a_case(WRITE, shows)) is None


@pytest.mark.req("T-21")
def test_what_is_in_a_root_may_be_deleted_and_a_root_may_be_looked_at():
    looked_at = a_plan(Copy("/data/ana/Documents", "/data/ana/Downloads/copy"))

    assert code(root_itself, a_case(DELETE, path="~/Documents/x")) is None
    assert code(root_itself, a_case(READ, path="~/Documents")) is None
    assert code(root_itself, a_case(COPY, looked_at)) is None


@pytest.mark.req("T-21")
def test_a_link_to_a_root_does_not_help_to_move_it():
    plan = a_plan(Rename("/data/ana/Documents", "/data/ana/Downloads/x"))

    assert code(root_itself, a_case(MOVE, plan)) == "path.is_root"


def test_a_step_of_another_store_may_show_a_root():
    assert code(root_itself, a_case(REVEAL, a_plan(Show("/data/ana/Documents")), path="~/Documents")) is None


@pytest.mark.parametrize(
    ("path", "said"),
    [("/home/ana/x", "~/x"), ("/data/ana/x", "~/x"), ("/home/ana", "~"), ("/home/anabel", "/home/anabel")],
)
def test_paths_are_shown_as_a_person_writes_them(path: str, said: str):
    assert shown(path, POLICY) == said
    assert shown(path, with_policy(home="/home/ana/", real_home="/data/ana/")) == said
