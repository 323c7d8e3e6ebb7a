"""What went wrong on a thing keeps what would destroy it from running (T-18)."""

from pathlib import Path

import pytest

from sayso.core.decision import Verdict
from sayso.core.encoding import Json
from sayso.core.errors import Candidate, ProposalError, ProviderError, Refused, SaysoError
from sayso.core.operation import operation
from sayso.core.plan import Plan
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import run_id
from sayso.core.schema import Line, UserPath
from sayso.providers.calendar.operations.events import delete_event
from sayso.runtime.executor import Run
from sayso.runtime.planner import Planner
from sayso.runtime.proposal_state import CandidateAction, FailedTargets, Targets, aim, fail, folders_above, refuse
from sayso.runtime.questions import Nobody
from tests.runtime.given import Given, given, proposed
from tests.runtime.shelf import PUT, old


@operation("thing.copy", kind="write", asks="mode")
async def copy(source: UserPath, destination: UserPath, name: Line = "", ids: list[Line] | None = None) -> Plan:
    """Copy."""
    return Plan(f"{source}{destination}{name}{ids}")


@operation("thing.one", kind="write", asks="mode")
async def at_one(target: Line = "", parent: Line = "", name: Line = "") -> Plan:
    """Aim at one thing."""
    return Plan(f"{target}{parent}{name}")


@operation("thing.several", kind="write", asks="mode")
async def at_several(
    index: int = 0, indices: list[int] | None = None, ids: list[Line] | None = None, name: Line = "", text: Line = ""
) -> Plan:
    """Aim at several things."""
    return Plan(f"{index}{indices}{ids}{name}{text}")


HOME = "/home/ana"
Wrong = tuple[int, str | dict[str, Json]]
"""A step that went wrong, with its text where that could not be read, or its arguments."""


def known(*wrong: Wrong, home: str = HOME) -> FailedTargets:
    """Return what is known of steps that went wrong: by their arguments, or by a text that could not be read."""
    failures = FailedTargets(home)
    for step, what in wrong:
        failures.add(step, aim(None, {}, what, home) if isinstance(what, str) else aim(copy, what, "", home))
    return failures


def step_before(failures: FailedTargets, path: str, step: int = 99) -> int | None:
    """Return which step that went wrong keeps this step from destroying what is at a path."""
    return failures.in_the_way(aim(copy, {"source": path, "destination": "~/new"}, "", HOME), step)


A_TO_B: Wrong = (1, {"source": "~/Documents/a.txt", "destination": "~/Downloads/b.txt"})
SRV: Wrong = (1, {"source": "/srv/a", "destination": "/srv/b"})
TWO: list[Wrong] = [(4, {"source": "~/a", "destination": "~/b"}), (2, {"source": "~/a/c", "destination": "~/d"})]
TEXTS: list[Wrong] = [(1, "MOVE a"), (2, "COPY ~/b.txt"), (3, "X ~/c.txt")]
LONG: list[Wrong] = [(step, "x" * 2**15) for step in range(1, 40)]
WHOLE: list[Wrong] = [(step, "x" * 65_535) for step in range(1, 16)]
LAST = "x" * 65_536


@pytest.mark.req("T-18")
@pytest.mark.parametrize(
    ("wrong", "path", "step"),
    [
        # The same path, one above it and one below it are in the way.
        ([A_TO_B], "~/Documents/a.txt", 1),
        ([A_TO_B], "/home/ana/Documents/x/../a.txt", 1),
        ([A_TO_B], "~/Documents", 1),
        ([A_TO_B], "~/Documents/a.txt/inner", 1),
        ([A_TO_B], "~/Documents/a.txt2", None),
        ([A_TO_B], "~/Downloads/b.txt", 1),
        ([A_TO_B], "~/Downloads/c.txt", None),
        *(([SRV], path, step) for path, step in (("/", 1), ("/srv", 1), ("/srv/a/in", 1), ("/srv/c", None))),
        (TWO, "~/a", 2),
        # A text that could not be read is searched for the path, as it is and from the home folder.
        ([(3, "MOVE ~/a.txt")], "~/a.txt", 3),
        ([(3, 'X "/home/ana/a.txt')], "~/a.txt", 3),
        ([(3, "X b.txt")], "~/a.txt", None),
        ([(1, "~/a.txt and more")], "/home/ana/a.txt", 1),
        ([(1, "X /a.txt")], "/home/ana/a.txt", None),
        ([(1, "X /home/ana/q")], "/home/ana", 1),
        ([(1, "X ~")], "/home/ana", 1),
        ([(1, "X ~bel/x")], "/home/anabel/x", None),
        ([(1, "X ~/z")], "/srv/q", None),
        ([(1, "X /srv/q")], "/srv/q", 1),
        ([(1, "X")], "/q", None),
        *((TEXTS, path, step) for path, step in (("~/b.txt", 2), ("~/c.txt", 3), ("~/d.txt", None))),
        ([(1, "A ~/b"), (2, ".txt")], "~/b.txt", None),
        ([(1, "X"), (2, "~/a"), (3, "~/a ~/a"), (4, "Y")], "~/a", 2),
        # The first 64 thousand characters of a text are searched, and a million of all; beyond, nothing is destroyed.
        ([(1, "x" * (65_536 - 5) + "~/a.b")], "~/a.b", 1),
        ([(1, "x" * (65_536 - 4) + "~/a.b")], "~/a.b", None),
        (LONG, "~/any", 32),
        ([*WHOLE, (16, LAST)], "~/any", None),
        ([*WHOLE, (16, "y"), (17, LAST)], "~/any", 17),
    ],
)
def test_what_went_wrong_on_a_path_is_in_the_way_of_what_would_destroy_it(
    wrong: list[Wrong], path: str, step: int | None
) -> None:
    assert step_before(known(*wrong), path) == step


@pytest.mark.parametrize("home", ["/", "/home/ana/"])
def test_a_home_folder_may_end_in_a_slash(home: str) -> None:
    failures = known((1, "X ~/srv/q"), home=home)

    assert failures.in_the_way(Targets(frozenset({f"{home}srv/q"})), 99) == 1


@pytest.mark.req("T-18")
def test_of_many_texts_the_first_step_is_found_wherever_in_them_the_path_stands() -> None:
    many = known(*((number, f"line {number} ~/{number}!") for number in range(1, 40)))

    assert [step_before(many, f"~/{number}!") for number in range(1, 40)] == list(range(1, 40))


@pytest.mark.req("T-18")
def test_texts_become_known_in_any_order_and_after_a_search() -> None:
    failures = known(*((step, "X ~/a") for step in (9, 2, 5)))
    among = step_before(failures, "~/a")

    failures.add(1, aim(None, {}, "~/a", HOME))

    assert (among, step_before(failures, "~/a")) == (2, 1)


def test_other_targets_are_met_by_their_name() -> None:
    failures = known((2, {"source": "~/1", "destination": "~/2", "name": "wine", "ids": ["a", "b"]}))
    found = [failures.in_the_way(Targets(names=frozenset({name})), 50) for name in ("name:wine", "ids:b", "name:b")]

    assert found == [2, 2, None]


@pytest.mark.req("T-18")
def test_only_what_comes_before_is_in_the_way_in_whatever_order_it_became_known() -> None:
    one: dict[str, Json] = {"source": "~/a", "destination": "~/b/c", "name": "wine"}
    failures = known((6, one), (7, "X ~/raw and ~/raw"))
    paths = ("~/a", "~/b", "~/raw")
    before = [step_before(failures, path, 5) for path in paths]
    for step, aimed in ((4, aim(copy, one, "", HOME)), (3, Targets(raw="Y")), (2, Targets(raw="Z ~/raw"))):
        failures.add(step, aimed)

    assert (before, [step_before(failures, path, 5) for path in paths]) == ([None] * 3, [4, 4, 2])
    assert failures.in_the_way(Targets(names=frozenset({"name:wine"})), 4) is None
    assert step_before(failures, "~/raw", 2) is None


@pytest.mark.req("T-18")
def test_what_is_too_much_to_search_is_in_the_way_of_what_comes_after_it_alone() -> None:
    failures = known(*((step, "x" * 2**15) for step in (*range(50, 90), 10)))

    assert [step_before(failures, "~/any", step) for step in (10, 11, 60)] == [None, 10, 10]


@pytest.mark.parametrize(
    ("arguments", "paths", "raw"),
    [
        ({"source": "~/a/../b", "destination": "/srv/c/"}, {"/home/ana/b", "/srv/c"}, ""),
        ({"source": "~/a"}, {"/home/ana/a"}, ""),
        ({"source": "~/a", "destination": ""}, {"/home/ana/a"}, "SAID"),
        ({"source": "~/a", "destination": "b"}, {"/home/ana/a"}, "SAID"),
        ({"source": "~/a", "destination": "~bea/b"}, {"/home/ana/a"}, "SAID"),
        ({"source": "~/a", "destination": 3}, {"/home/ana/a"}, ""),
        ({"destination": "b", "name": "wine"}, set[str](), "SAID"),
        ({"name": "wine"}, set[str](), ""),
        ({}, set[str](), "SAID"),
    ],
)
def test_an_action_is_aimed_at_its_paths_and_by_its_text_where_one_of_them_cannot_be_read(
    arguments: dict[str, Json], paths: set[str], raw: str
) -> None:
    found = aim(copy, arguments, "SAID", HOME)

    assert (found.paths, found.raw) == (paths, raw)
    assert found.names == ({"name:wine"} if "name" in arguments else set())
    assert aim(None, arguments, "SAID", HOME) == Targets(frozenset(), frozenset(), "SAID")


@pytest.mark.parametrize("parameter", ["target", "parent", "name"])
def test_whatever_names_one_thing_is_aimed_at(parameter: str) -> None:
    assert aim(at_one, {parameter: "x"}, "", HOME) == Targets(names=frozenset({f"{parameter}:x"}))


def test_what_has_an_id_is_aimed_at_by_it() -> None:
    assert aim(delete_event, {"id": "e1"}, "", HOME) == Targets(names=frozenset({"id:e1"}))


def test_whatever_names_things_by_number_or_several_is_aimed_at() -> None:
    found = aim(at_several, {"index": 0, "indices": [1, 2], "ids": ["a", "b"], "name": None}, "", HOME)

    assert found == Targets(names=frozenset({"index:0", "indices:1", "indices:2", "ids:a", "ids:b"}))
    assert aim(at_several, {"text": "y"}, "SAID", HOME) == Targets(raw="SAID")
    assert Targets().raw == ""


def test_the_folders_above_a_path_begin_with_the_top() -> None:
    assert folders_above("/srv/a/b") == ["/", "/srv", "/srv/a"]


async def prepared(it: Given, *proposals: Proposal) -> list[CandidateAction]:
    """Plan these as one batch."""
    planner = Planner(it.tools)
    run = run_id(it.tools.ids.key())
    batch = await planner.batch(Run(it.tools, run, Origin("lines", "test", "s"), Nobody()), first=True)
    return [await planner.prepare(proposal, batch) for proposal in proposals]


async def test_what_would_lose_something_destroys(tmp_path: Path) -> None:
    async with given(tmp_path, world=old()) as it:
        refill, put = await prepared(it, *proposed(("shelf.refill", {"name": "old"}), PUT))

    assert (refill.destroys, put.destroys) == (True, False)


NAMED = (Candidate("Bread", "t1"),)
BUG = "a fault in sayso ended this (KeyError); nothing was changed by it"


@pytest.mark.req("S0-62", "X-11")
@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (Refused("it is outside", "path.outside", "roots"), ("refused", "it is outside", "path.outside")),
        (ProposalError("no such day", "arguments.when", NAMED), ("invalid", "no such day", "arguments.when")),
        (ProposalError("several fit", "task.several", NAMED), ("failed", "several fit", "task.several")),
        (ProviderError("it is gone", "arguments.odd", NAMED), ("failed", "it is gone", "arguments.odd")),
        (KeyError("a secret"), ("failed", BUG, "bug")),
    ],
)
async def test_what_goes_wrong_while_looking_is_told_by_who_can_do_something_about_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, problem: Exception, told: tuple[str, str, str]
) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, *proposed(PUT))

        ended = fail(item, problem)

    marks, (_, sentence, code) = ended.record.marks, told
    assert ((marks.state.value, marks.error, marks.code), marks.message) == (told, None)
    assert not ended.alive
    assert ended.candidates == (problem.candidates if isinstance(problem, SaysoError) else ())
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == [problem] * (code == "bug")
    if isinstance(problem, Refused):
        assert ended.record.verdict == Verdict("deny", sentence, "roots", code=code)


async def test_a_refusal_without_a_word_of_its_own_has_one(tmp_path: Path) -> None:
    async with given(tmp_path) as it:
        (item,) = await prepared(it, *proposed(PUT))

    assert refuse(item, Verdict("deny", "no", "rule")).record.marks.code == "policy.refused"
    assert refuse(item, Verdict("deny", "no", "rule", code="own")).record.marks.code == "own"
