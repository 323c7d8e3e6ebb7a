"""The rules about paths: roots, denied names, and what is sayso's own."""

from typing import ClassVar

import pytest

from sayso.core.operation import Operation
from sayso.core.plan import NOTHING, Change, Plan, Reach, Step
from sayso.core.schema import UserPath
from sayso.policy.case import Case, Rule, opinions
from sayso.policy.rules import (
    RULES,
    argument_outside,
    own_home,
    own_program,
    refuse_denied_names,
    root_itself,
    show_path,
    step_outside,
)
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

OUTSIDE, OWN = "path.outside_roots", "path.own_home"
DOCUMENTS, DOWNLOADS = "/data/ana/Documents", "/data/ana/Downloads"
WIDE = with_policy(roots=("/home/ana",), real_roots=("/data/ana",))
WIDER = with_policy(roots=("/home",), real_roots=("/data",))
NO_ROOTS = with_policy(roots=(), real_roots=())


def code(rule: Rule, case: Case) -> str | None:
    """Return the stable word a rule says no with."""
    opinion = rule(case)
    return opinion.code if opinion and opinion.ruling == "deny" else None


def because(rule: Rule, case: Case) -> str:
    opinion = rule(case)
    return opinion.because if opinion else ""


@pytest.mark.req("S0-77", "FS-01")
@pytest.mark.parametrize(
    ("refused", "paths"),
    [
        (None, ["~/Documents/x", "~/Documents", "~/Documents/a/../b", "~/Documents/..x"]),
        (None, ["/data/ana/Documents/x", "/home/ana/Downloads/./x"]),
        (OUTSIDE, ["/etc/hosts", "~/Documents/../../../etc/x", "~/Documents/../x", "~/x", "~", "/", "/data/ana/x"]),
        (OUTSIDE, ["/home/ana/Documents_evil/x", "/home/ana/Document", "/home/ana/documents/x"]),
    ],
)
def test_a_path_outside_the_roots_is_refused_as_text(refused: str | None, paths: list[str]):
    for path in paths:
        assert {code(argument_outside, a_case(offered, path=path)) for offered in (READ, DELETE, MKDIR)} == {refused}
        assert code(argument_outside, a_case(READ, policy=NO_ROOTS, path=path)) == OUTSIDE


@pytest.mark.req("S0-77")
@pytest.mark.parametrize(
    ("source", "destination", "refused"),
    [
        ("/srv/x", "~/Documents/x", OUTSIDE),
        ("~/Documents/x", "/srv/x", OUTSIDE),
        ("~/Documents/x", "~/Downloads/x", None),
    ],
)
def test_both_ends_of_a_move_are_confined(source: str, destination: str, refused: str | None):
    assert code(argument_outside, a_case(MOVE, source=source, destination=destination)) == refused


async def _listed(path: UserPath = "/etc") -> Plan:
    """List a folder."""
    return Plan(path)


async def _opened(paths: list[UserPath]) -> Plan:
    """Open files."""
    return Plan(str(paths))


def test_a_default_and_each_path_in_a_list_are_confined_like_what_was_said():
    listed, opened = (Operation("file.some", "read", "none", function) for function in (_listed, _opened))

    assert code(argument_outside, a_case(listed)) == OUTSIDE
    assert code(argument_outside, a_case(opened, paths=["~/Documents/a", "/etc/x"])) == OUTSIDE
    assert code(argument_outside, a_case(opened, paths=["~/Documents/a"])) is None


@pytest.mark.req("T-30")
@pytest.mark.parametrize(
    ("path", "refused"), [("~/x", None), ("~", None), ("~/Documents/x", None), ("/etc/x", OUTSIDE)]
)
def test_what_only_shows_reaches_the_whole_home_and_no_further(path: str, refused: str | None):
    assert code(argument_outside, a_case(REVEAL, path=path)) == refused


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (
            a_case(WRITE, path="/etc/hosts", content="x"),
            "“/etc/hosts” lies outside the folders that actions may reach (~/Documents, ~/Downloads)",
        ),
        (a_case(REVEAL, path="/etc/hosts"), "“/etc/hosts” lies outside your home folder"),
        (
            a_case(READ, policy=NO_ROOTS, path="/x"),
            "“/x” lies outside the folders that actions may reach (none; policy.roots names no folder that is there)",
        ),
    ],
    ids=["roots", "home", "no roots"],
)
def test_the_refusal_names_the_path_and_says_how_far_one_may_go(case: Case, says: str):
    assert because(argument_outside, case) == says


@pytest.mark.req("S0-77", "T-30")
@pytest.mark.parametrize(
    ("operation", "plan", "refused"),
    [
        (MOVE, a_plan(Rename(f"{DOCUMENTS}/x", f"{DOCUMENTS}/y")), None),
        (MOVE, a_plan(Rename(f"{DOCUMENTS}/x", "/srv/y")), OUTSIDE),
        (MOVE, a_plan(Rename(f"{DOCUMENTS}/x", "/home/ana/Documents/y")), OUTSIDE),
        (
            MOVE,
            Plan("", (Change(Rename(f"{DOCUMENTS}/x", f"{DOCUMENTS}/y"), Rename(f"{DOCUMENTS}/y", "/y")),)),
            OUTSIDE,
        ),
        (REVEAL, a_plan(Show("/home/ana/y")), OUTSIDE),
        (REVEAL, a_plan(Show("/data/ana/y")), None),
    ],
    ids=["inside", "link out", "by the link", "way back", "shown by the link", "shown"],
)
def test_a_step_and_its_way_back_name_what_links_lead_to_and_stay_within(
    operation: Operation, plan: Plan, refused: str | None
):
    assert code(step_outside, a_case(operation, plan)) == refused


class Odd(Step, frozen=True):
    """A step that names a field which it does not have."""

    step: ClassVar[str] = "odd"
    reach: ClassVar[Reach] = NOTHING
    store: ClassVar[str] = "files"
    paths: ClassVar[tuple[str, ...]] = ("path",)


@pytest.mark.parametrize(
    "step",
    [
        *(Rename(f"{DOCUMENTS}/x", path) for path in ("Documents/x", "", f"{DOCUMENTS}/../x", "/data/ana//x")),
        Rename(f"{DOCUMENTS}/x", f"{DOCUMENTS}/."),
        Odd(),
    ],
)
def test_a_step_whose_path_is_not_in_normal_form_or_not_there_is_a_no(step: Step):
    assert "policy.error" in {verdict.code for verdict in opinions(RULES, a_case(MOVE, a_plan(step)))}


@pytest.mark.req("FS-10")
@pytest.mark.parametrize("name", [".bashrc", ".SSH/x", "a/../.git/hooks/x", "x.desktop", ".mcp.json "])
def test_denied_names_are_refused_in_every_mode_inside_a_root(name: str):
    for policy in (with_policy(mode=mode) for mode in ("always", "destructive", "never")):
        for operation in (READ, WRITE):
            case = a_case(operation, policy=policy, path=f"~/Documents/{name}")
            assert code(refuse_denied_names, case) == "path.denied_name"
        assert code(refuse_denied_names, a_case(READ, policy=policy, path="~/Documents/notes.md")) is None


def test_a_link_to_a_denied_name_is_refused_once_it_is_resolved():
    plan = a_plan(Rename(f"{DOCUMENTS}/x", f"{DOCUMENTS}/.bashrc"))

    said = because(refuse_denied_names, a_case(MOVE, plan, source="~/Documents/x", destination="~/Documents/harmless"))

    assert "“.bashrc”" in said
    assert "a shell runs it" in said


@pytest.mark.req("FS-10")
def test_programs_in_the_home_are_protected_and_a_bin_elsewhere_is_none():
    for path in ("~/bin/ls", "~/bin", "~/BIN/x", "/data/ana/bin/x"):
        says = "holds the name “~/bin”, which no action may touch: the programs you start"
        assert says in because(refuse_denied_names, a_case(WRITE, path=path))

    assert code(refuse_denied_names, a_case(WRITE, path="~/Documents/bin/x")) is None


@pytest.mark.req("FS-10")
def test_where_the_home_is_the_top_of_the_disk_its_programs_are_protected_too():
    policy = with_policy(home="/", real_home="/", roots=("/",), real_roots=("/",))

    assert code(refuse_denied_names, a_case(WRITE, policy=policy, path="/bin/ls")) == "path.denied_name"
    assert show_path("/bin/ls", policy) == "/bin/ls"


FILE, FOLDER = f"{DOCUMENTS}/dot/sayso.toml", f"{DOCUMENTS}/dot"
APART = with_policy(also_own=(FILE,))


@pytest.mark.req("FS-11")
@pytest.mark.parametrize(
    ("case", "refused"),
    [
        *(
            (a_case(operation, policy=WIDE, path=path), OWN)
            for operation in (READ, WRITE)
            for path in ("~/.sayso", "~/.sayso/config.toml", "~/.SAYSO/sayso.db", "/data/ana/.sayso/trash/x")
        ),
        (a_case(READ, policy=WIDE, path="~/.saysos"), None),
        # settings that stand apart
        (a_case(WRITE, policy=with_policy(also_own=("/home/ana/etc/sayso",)), path="~/etc/sayso/config.toml"), OWN),
        (a_case(READ, policy=APART, path=FILE), OWN),
        (a_case(WRITE, policy=APART, path=FILE.upper().replace("/DATA", "/data")), OWN),
        (a_case(MOVE, a_plan(Rename(f"{FILE}2", FILE)), policy=APART), OWN),
        (a_case(MOVE, a_plan(Rename(FOLDER, f"{FOLDER}2")), policy=APART), OWN),
        (a_case(COPY, a_plan(Copy(FILE, f"{FILE}2")), policy=APART), OWN),
        (a_case(WRITE, policy=APART, path=f"{FOLDER}/other.toml"), None),
        # a folder that holds sayso's own
        (a_case(DELETE, policy=WIDER, path="/home/ana"), OWN),
        (a_case(MOVE, a_plan(Rename("/data/ana", "/data/x")), policy=WIDER), OWN),
        (a_case(COPY, a_plan(Copy("/data/ana", "/data/x")), policy=WIDER), OWN),
        (a_case(READ, policy=WIDER, path="/home/ana"), None),
        (a_case(REVEAL, a_plan(Show("/data/ana")), policy=WIDER), None),
    ],
)
def test_nothing_reaches_sayso_itself_or_takes_it_along(case: Case, refused: str | None):
    assert code(own_home, case) == refused


PROGRAM = with_policy(program=(f"{DOCUMENTS}/venv", "/home/ana/Documents/venv"))


@pytest.mark.req("FS-11")
@pytest.mark.parametrize(
    ("case", "refused"),
    [
        *(
            (a_case(operation, policy=PROGRAM, path=f"~/Documents/{path}"), None if operation is READ else OWN)
            for operation in (READ, WRITE, DELETE, MKDIR)
            for path in ("venv/lib/sayso/policy/judge.py", "VENV", "venv/new")
        ),
        (a_case(MOVE, a_plan(Rename(f"{DOCUMENTS}/x.py", f"{DOCUMENTS}/venv/x.py")), policy=PROGRAM), OWN),
        (a_case(MOVE, a_plan(Rename(DOCUMENTS, f"{DOWNLOADS}/d")), policy=PROGRAM), OWN),
        (a_case(MOVE, a_plan(Rename(f"{DOCUMENTS}/x", f"{DOWNLOADS}/x")), policy=PROGRAM), None),
        (a_case(DELETE, policy=PROGRAM, path="~/Documents/x"), None),
        (a_case(WRITE, policy=PROGRAM, path="~/Documents/venv2/x"), None),
        (a_case(WRITE, path="~/Documents/venv/x"), None),
    ],
)
def test_the_program_that_judges_is_not_changed_by_what_it_judges(case: Case, refused: str | None):
    assert code(own_program, case) == refused


@pytest.mark.req("T-21")
@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("~/Documents", "“~/Documents” is one"),
        ("~/Documents/", "“~/Documents” is one"),
        (DOCUMENTS, "“~/Documents” is one"),
        ("~/DOCUMENTS", "“~/DOCUMENTS” is one"),
        ("/home/ana", "“~” holds one"),
        ("/", "“/” holds one"),
    ],
)
def test_a_root_and_what_holds_it_is_never_deleted_or_moved(path: str, says: str):
    for case in (a_case(DELETE, path=path), a_case(MOVE, source=path, destination="~/Downloads/x")):
        assert code(root_itself, case) == "path.is_root"
        assert because(root_itself, case).startswith(f"{says} of the folders that actions may reach")


def moved(source: str, destination: str) -> Case:
    return a_case(MOVE, source=source, destination=destination)


@pytest.mark.req("T-21")
@pytest.mark.parametrize(
    ("refused", "case"),
    [
        ("path.is_root", a_case(WRITE, a_plan(Rename(f"{DOWNLOADS}/x", DOCUMENTS)))),
        ("path.is_root", a_case(COPY, a_plan(Copy(f"{DOCUMENTS}/x", DOCUMENTS)))),
        ("path.is_root", a_case(DELETE, a_plan(Show(DOCUMENTS)))),
        ("path.is_root", a_case(MOVE, a_plan(Rename(DOCUMENTS, f"{DOWNLOADS}/x")))),
        (None, moved("~/Downloads/x", "~/Documents")),
        (None, moved("~/Downloads/x", "/home")),
        (None, a_case(WRITE, a_plan(Show(DOCUMENTS)))),
        (None, a_case(DELETE, path="~/Documents/x")),
        (None, a_case(READ, path="~/Documents")),
        (None, a_case(COPY, a_plan(Copy(DOCUMENTS, f"{DOWNLOADS}/copy")))),
        (None, a_case(REVEAL, a_plan(Show(DOCUMENTS)), path="~/Documents")),
    ],
)
def test_a_root_is_safe_from_steps_of_files_and_destructive_operations_and_may_be_looked_at(
    refused: str | None, case: Case
):
    assert code(root_itself, case) == refused


@pytest.mark.parametrize(
    ("path", "said"),
    [("/home/ana/x", "~/x"), ("/data/ana/x", "~/x"), ("/home/ana", "~"), ("/home/anabel", "/home/anabel")],
)
def test_paths_are_shown_as_a_person_writes_them(path: str, said: str):
    assert show_path(path, POLICY) == said
    assert show_path(path, with_policy(home="/home/ana/", real_home="/data/ana/")) == said
