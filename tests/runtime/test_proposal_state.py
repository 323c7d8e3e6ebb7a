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
from sayso.providers.calendar.operations import delete_event
from sayso.runtime.executor import Run
from sayso.runtime.planner import Planner
from sayso.runtime.proposal_state import CandidateAction, FailedTargets, Targets, aim, fail, folders_above, refuse
from sayso.runtime.questions import Nobody
from tests.runtime.given import Call, Given, given, proposed
from tests.runtime.shelf import World


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


def aimed(**arguments: object) -> Targets:
    return aim(copy, arguments, "", HOME)


@pytest.mark.req("T-18")
@pytest.mark.parametrize(
    ("wanted", "in_the_way"),
    [
        ("~/Documents/a.txt", 1),
        ("/home/ana/Documents/x/../a.txt", 1),
        ("~/Documents", 1),
        ("~/Documents/a.txt/inner", 1),
        ("~/Documents/a.txt2", None),
        ("~/Downloads/b.txt", 1),
        ("~/Downloads/c.txt", None),
    ],
)
def test_the_same_path_one_above_and_one_below_are_in_the_way(wanted: str, in_the_way: int | None) -> None:
    failures = FailedTargets(HOME)

    failures.add(1, aimed(source="~/Documents/a.txt", destination="~/Downloads/b.txt"))

    assert failures.in_the_way(aimed(source=wanted, destination="~/new"), 50) == in_the_way


@pytest.mark.req("T-18")
@pytest.mark.parametrize(("raw", "step"), [("MOVE ~/a.txt", 3), ('X "/home/ana/a.txt', 3), ("X b.txt", None)])
def test_the_text_of_what_could_not_be_read_is_searched_for_the_path(raw: str, step: int | None) -> None:
    failures = FailedTargets(HOME)

    failures.add(3, aim(None, {}, raw, HOME))

    assert failures.in_the_way(aimed(source="~/a.txt", destination="~/new"), 50) == step


@pytest.mark.req("T-18")
def test_more_unreadable_text_than_can_be_searched_destroys_nothing() -> None:
    failures = FailedTargets(HOME)

    for step in range(1, 40):
        failures.add(step, aim(None, {}, "x" * 2**15, HOME))

    assert failures.in_the_way(aimed(source="~/any", destination="~/thing"), 50) == 32


@pytest.mark.req("T-18")
def test_of_several_unreadable_texts_the_one_that_names_the_path_is_found() -> None:
    failures = FailedTargets(HOME)

    for step, raw in enumerate(["MOVE a", "COPY ~/b.txt", "X ~/c.txt"], 1):
        failures.add(step, aim(None, {}, raw, HOME))

    assert failures.in_the_way(aimed(source="~/b.txt", destination="~/new"), 50) == 2
    assert failures.in_the_way(aimed(source="~/c.txt", destination="~/new"), 50) == 3
    assert failures.in_the_way(aimed(source="~/d.txt", destination="~/new"), 50) is None


def test_other_targets_are_met_by_their_name() -> None:
    failures = FailedTargets(HOME)

    failures.add(2, aimed(source="~/1", destination="~/2", name="wine", ids=["a", "b"]))

    assert failures.in_the_way(Targets(names=frozenset({"name:wine"})), 50) == 2
    assert failures.in_the_way(Targets(names=frozenset({"ids:b"})), 50) == 2
    assert failures.in_the_way(Targets(names=frozenset({"name:b"})), 50) is None


def test_the_first_step_that_went_wrong_is_named() -> None:
    failures = FailedTargets(HOME)

    failures.add(4, aimed(source="~/a", destination="~/b"))
    failures.add(2, aimed(source="~/a/c", destination="~/d"))

    assert failures.in_the_way(aimed(source="~/a", destination="~/x"), 50) == 2


@pytest.mark.req("T-18")
def test_only_what_comes_before_is_in_the_way_in_whatever_order_it_became_known() -> None:
    failures = FailedTargets(HOME)

    failures.add(6, aimed(source="~/a", destination="~/b/c", name="wine"))
    failures.add(7, aim(None, {}, "X ~/raw and ~/raw", HOME))
    before = [failures.in_the_way(aimed(source=source, destination="~/x"), 5) for source in ("~/a", "~/b", "~/raw")]
    failures.add(4, aimed(source="~/a", destination="~/b/c", name="wine"))
    failures.add(3, aim(None, {}, "Y", HOME))
    failures.add(2, aim(None, {}, "Z ~/raw", HOME))
    after = [failures.in_the_way(aimed(source=source, destination="~/x"), 5) for source in ("~/a", "~/b", "~/raw")]

    assert before == [None, None, None]
    assert after == [4, 4, 2]
    assert failures.in_the_way(Targets(names=frozenset({"name:wine"})), 4) is None
    assert failures.in_the_way(aimed(source="~/raw", destination="~/x"), 2) is None


@pytest.mark.req("T-18")
def test_what_is_too_much_to_search_is_in_the_way_of_what_comes_after_it_alone() -> None:
    failures = FailedTargets(HOME)

    for step in (*range(50, 90), 10):
        failures.add(step, aim(None, {}, "x" * 2**15, HOME))

    found = [failures.in_the_way(aimed(source="~/any", destination="~/thing"), step) for step in (10, 11, 60)]
    assert found == [None, 10, 10]


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


def missed(*raws: str, home: str = HOME) -> FailedTargets:
    """Return what is known when these texts, from step 1 on, could not be read."""
    failures = FailedTargets(home)
    for step, raw in enumerate(raws, 1):
        failures.add(step, aim(None, {}, raw, home))
    return failures


def step_before(failures: FailedTargets, path: str) -> int | None:
    return failures.in_the_way(Targets(frozenset({path})), 99)


@pytest.mark.req("T-18")
@pytest.mark.parametrize(
    ("raw", "path", "step"),
    [
        ("~/a.txt and more", "/home/ana/a.txt", 1),
        ("X /a.txt", "/home/ana/a.txt", None),
        ("X /home/ana/q", "/home/ana", 1),
        ("X ~", "/home/ana", 1),
        ("X ~bel/x", "/home/anabel/x", None),
        ("X ~/z", "/srv/q", None),
        ("X /srv/q", "/srv/q", 1),
    ],
)
def test_a_path_is_searched_for_as_it_is_and_from_the_home_folder(raw: str, path: str, step: int | None) -> None:
    assert step_before(missed(raw), path) == step


@pytest.mark.parametrize(("home", "raw"), [("/", "X ~/srv/q"), ("/home/ana/", "X ~/srv/q")])
def test_a_home_folder_may_end_in_a_slash(home: str, raw: str) -> None:
    assert step_before(missed(raw, home=home), f"{home}srv/q") == 1


@pytest.mark.req("T-18")
def test_of_many_texts_the_first_step_is_found_wherever_in_them_the_path_stands() -> None:
    many = [f"line {number} ~/{number}!" for number in range(1, 40)]

    assert [step_before(missed(*many), f"{HOME}/{number}!") for number in range(1, 40)] == list(range(1, 40))
    assert step_before(missed("A ~/b", ".txt"), f"{HOME}/b.txt") is None
    assert [step_before(missed("X", "~/a", "~/a ~/a", "Y"), f"{HOME}/a"), step_before(missed("X"), "/q")] == [2, None]


@pytest.mark.req("T-18")
def test_texts_become_known_in_any_order_and_after_a_search() -> None:
    failures = FailedTargets(HOME)
    for step in (9, 2, 5):
        failures.add(step, aim(None, {}, "X ~/a", HOME))
    among = step_before(failures, f"{HOME}/a")

    failures.add(1, aim(None, {}, "~/a", HOME))

    assert (among, step_before(failures, f"{HOME}/a")) == (2, 1)


@pytest.mark.req("T-18")
@pytest.mark.parametrize(("before", "step"), [(65_536 - 5, 1), (65_536 - 4, None)])
def test_the_first_64_thousand_characters_of_a_text_are_searched(before: int, step: int | None) -> None:
    assert step_before(missed("x" * before + "~/a.b"), f"{HOME}/a.b") == step


@pytest.mark.req("T-18")
@pytest.mark.parametrize(("more", "step"), [((), None), (("y",), 17)])
def test_up_to_a_million_characters_of_all_texts_are_searched(more: tuple[str, ...], step: int | None) -> None:
    whole = ["x" * 65_535] * 15
    last = "x" * 65_536

    assert step_before(missed(*whole, *more, last), f"{HOME}/any") == step


def test_the_folders_above_a_path_begin_with_the_top() -> None:
    assert folders_above("/srv/a/b") == ["/", "/srv", "/srv/a"]


@pytest.mark.req("T-18")
def test_nothing_above_what_went_wrong_is_destroyed_up_to_the_top() -> None:
    failures = FailedTargets(HOME)

    failures.add(1, aimed(source="/srv/a", destination="/srv/b"))

    assert [step_before(failures, path) for path in ("/", "/srv", "/srv/a/in", "/srv/c")] == [1, 1, 1, None]


PUT: Call = ("shelf.put", {"name": "a", "text": "x"})


async def prepared(it: Given, *proposals: Proposal) -> list[CandidateAction]:
    """Plan these as one batch."""
    planner = Planner(it.tools)
    run = run_id(it.tools.ids.key())
    batch = await planner.batch(Run(it.tools, run, Origin("lines", "test", "s"), Nobody()), first=True)
    return [await planner.prepare(proposal, batch) for proposal in proposals]


async def test_what_would_lose_something_destroys(tmp_path: Path) -> None:
    async with given(tmp_path, world=World(texts={"old": ("o", 0)})) as it:
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
