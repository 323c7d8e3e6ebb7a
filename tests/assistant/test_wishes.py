"""Sets of wishes are well made, judged and scored alike, and no answer of the built-in rules is wrong."""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from posixpath import dirname
from typing import Any, cast, get_args
from urllib.parse import urlsplit

import pytest

from sayso.assembly.parts import PROVIDERS
from sayso.runtime.registry import catalogue
from tests.assistant.scoring import answers, counts, main, told, verdict
from tests.assistant.worlds import (
    DEVELOPMENT,
    FRESH,
    FROZEN,
    LATER,
    MET,
    OPENED,
    TAUGHT,
    Case,
    Deed,
    Why,
    Wishes,
    World,
    read,
)
from tests.harness.wishes import faults

SETS = [*DEVELOPMENT, FROZEN]
OPERATIONS = catalogue(PROVIDERS)
DIGEST = "c55cfe8edb796ef0b833c68f1c0555c7fa45204683c6acc5b1cb04dcc5f3281d"


@pytest.fixture(params=SETS, ids=lambda path: path.stem)
def wishes(request: pytest.FixtureRequest) -> Wishes:
    return read(request.param)


def deeds(wishes: Wishes) -> Iterator[tuple[Case, World, Deed]]:
    for case in wishes.cases:
        for each in case.right:
            for deed in each:
                yield case, wishes.worlds[case.world], deed


def test_every_wish_has_a_world_and_one_kind_of_answer(wishes: Wishes):
    strange = [
        case.id
        for case in wishes.cases
        if case.world not in wishes.worlds or (bool(case.do), bool(case.offer), case.leave is not None).count(True) != 1
    ]

    assert strange == []


def test_no_wish_stands_there_twice(wishes: Wishes):
    ids = [case.id for case in wishes.cases]
    words = [(case.world, case.words.casefold()) for case in wishes.cases]

    assert len(set(ids)) == len(ids)
    assert len(set(words)) == len(words)


def test_every_right_answer_fits_its_operation(wishes: Wishes):
    wrong = [
        (case.id, fault)
        for case, _, deed in deeds(wishes)
        for fault in (*faults(OPERATIONS[deed.operation], deed.arguments), *strange_criteria(deed))
    ]

    assert wrong == []


def test_every_right_answer_names_what_is_there(wishes: Wishes):
    wrong = [(case.id, name) for case, world, deed in deeds(wishes) for name in strangers(world, deed)]

    assert wrong == []


@pytest.mark.parametrize("path", [*TAUGHT, *MET], ids=lambda path: path.stem)
def test_what_is_learned_from_and_what_measured_is_well_made(path: Path):
    wishes = read(path)

    wrong = [
        (case.id, fault)
        for case, world, deed in deeds(wishes)
        for fault in (
            *faults(OPERATIONS[deed.operation], deed.arguments),
            *(strangers(world, deed) if len(case.do) == 1 else ()),  # what was made before may be named after
        )
    ]
    assert wrong == []
    assert len({case.id for case in wishes.cases}) == len(wishes.cases)


def test_every_time_of_a_right_answer_is_still_to_come(wishes: Wishes):
    past = [
        case.id
        for case, world, deed in deeds(wishes)
        if deed.operation in {"reminder.create", "calendar.create_event"}
        for name in ("due", "start")
        if name in deed.arguments and deed.arguments[name] <= world.now
    ]

    assert past == []


def test_what_is_to_be_offered_stands_in_the_context(wishes: Wishes):
    missing = [
        (case.id, one)
        for case in wishes.cases
        for one in case.offer
        if one not in wishes.worlds[case.world].context().text
    ]

    assert missing == []


def test_a_world_is_shown_as_stores_show_theirs(wishes: Wishes):
    shown = [world.context().data for world in wishes.worlds.values()]

    for data, world in zip(shown, wishes.worlds.values(), strict=True):
        tabs = cast("list[Mapping[str, Any]]", data["tabs"])
        assert [tab["index"] for tab in tabs] == list(range(1, len(world.tabs) + 1))
        assert sum(tab["is_active"] for tab in tabs) == 1
        assert all(set(tab) == TAB_KEYS and not str(tab["domain"]).startswith("www.") for tab in tabs)
        assert world.moment.utcoffset() is not None


TAB_KEYS = {"index", "title", "url", "domain", "content_summary", "is_active", "window_index", "local_index"}


def test_every_kind_of_wish_that_must_not_act_is_there(wishes: Wishes):
    assert {case.leave for case in wishes.cases} - {None} == set(get_args(Why))
    assert any(case.offer for case in wishes.cases)


def test_there_are_enough_wishes_to_build_by():
    assert sum(len(read(path).cases) for path in DEVELOPMENT) >= 1000


def test_there_are_enough_wishes_to_measure_by():
    frozen = read(FROZEN)

    assert len(frozen.worlds) == 3
    assert len(frozen.cases) >= 150
    assert sum(not case.right for case in frozen.cases) >= 45


@pytest.mark.parametrize(("one", "other"), list(combinations(SETS, 2)), ids=lambda path: path.stem)
def test_the_worlds_of_a_set_have_nothing_of_those_of_another(one: Path, other: Path):
    here, there = ([things(world) for world in read(path).worlds.values()] for path in (one, other))

    assert [sorted(mine & yours) for mine in here for yours in there if mine & yours] == []


@pytest.mark.parametrize("other", DEVELOPMENT, ids=lambda path: path.stem)
def test_no_frozen_wish_stands_in_another_set(other: Path):
    frozen, there = ({case.words.casefold() for case in read(path).cases} for path in (FROZEN, other))

    assert frozen & there == set()


def test_frozen_wishes_are_those_that_were_there_from_the_beginning():
    assert hashlib.sha256(FROZEN.read_bytes()).hexdigest() == DIGEST


def things(world: World) -> set[str]:
    """Return the names of everything there is in a world."""
    sites = {(urlsplit(tab.url).hostname or "").removeprefix("www.") for tab in world.tabs}
    own = {one.text.casefold() for one in (*world.tasks, *world.habits)} | {one.title for one in world.events}
    names = {*world.running, *world.installed, *world.presets, world.home, world.zone, world.now}
    return (
        sites
        | own
        | names
        | {monitor.name for monitor in world.monitors}
        | {*world.files, *world.folders, *world.projects}
    )


def strange_criteria(deed: Deed) -> list[str]:
    """Return the members of search criteria that there are none of: the schema's own door is not asked."""
    known = {"from", "to", "subject", "text", "label", "unread", "after", "before", "limit"}
    return [f"criteria.{name}" for name in deed.arguments.get("criteria", {}) if name not in known]


def strangers(world: World, deed: Deed) -> list[str]:
    """Return what a deed names and its world does not have."""
    pools = known(world)
    named: list[tuple[str, Any]] = [
        (NAMES[deed.operation, name], each)
        for name, value in deed.arguments.items()
        if (deed.operation, name) in NAMES
        for each in (cast("list[Any]", value) if isinstance(value, list) else [value])
    ]
    if deed.operation.startswith("file."):
        named += [
            ("path", world.absolute(deed.arguments[name])) for name in ("source", "path") if name in deed.arguments
        ]
    if deed.operation in {"file.write", "file.append", "file.mkdir"}:
        named = [("folder", dirname(path)) for _, path in named]
    if "destination" in deed.arguments:
        named.append(("folder", dirname(world.absolute(deed.arguments["destination"]))))
    return [f"{kind} {one}" for kind, one in named if one not in pools[kind]]


NAMES = {
    ("tab.switch", "index"): "tab",
    ("tab.close", "indices"): "tab",
    ("app.open", "name"): "app",
    ("app.activate", "name"): "app",
    ("app.place", "name"): "app",
    ("app.place", "monitor"): "monitor",
    ("app.quit", "name"): "running",
    ("layout.activate", "preset"): "preset",
    ("task.add_subtask", "parent"): "task",
    ("task.complete", "target"): "task",
    ("task.delete", "target"): "task",
    ("task.edit", "target"): "task",
    ("task.move", "target"): "task",
    ("task.move", "other"): "task",
    ("task.reopen", "target"): "completed",
    ("habit.delete", "target"): "habit",
    ("habit.edit", "target"): "habit",
    ("habit.log", "target"): "habit",
}
"""Which arguments name a thing, and of what kind."""


def known(world: World) -> Mapping[str, set[Any]]:
    folders = {*world.roots, *(world.absolute(path) for path in (*world.folders, *world.projects))}
    return {
        "tab": set(range(1, len(world.tabs) + 1)),
        "app": {*world.running, *world.installed},
        "running": set(world.running),
        "monitor": {side for monitor in world.monitors for side in monitor.called},
        "preset": set(world.presets),
        "task": {task.text for task in world.tasks if not task.completed},
        "completed": {task.text for task in world.tasks if task.completed},
        "habit": {habit.text for habit in world.habits},
        "folder": folders | {dirname(folder) for folder in folders},
        "path": folders | {world.home} | {world.absolute(path) for path in world.files},
    }


LEAST_RIGHT = 0.9
"""Of all sets for building; these were written with patterns that are gone, and fresh sets are the measure."""


@pytest.mark.req("S4-01", "S4-45", "S4-46", "S4-49")
@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.thorough)])
def test_no_answer_is_wrong_and_nearly_all_are_right(every: int):
    """In the first ring each twelfth wish is answered."""
    found = [answer for path in DEVELOPMENT for answer in answers(path, every)]

    assert [answer.case.id for answer in found if answer.worth == "wrong"] == []
    assert counts(found)["right"] >= LEAST_RIGHT * len(found)


@pytest.mark.parametrize("path", FRESH, ids=lambda path: path.stem)
def test_nothing_wrong_is_done_for_people_who_talk_in_their_own_manner(path: Path):
    """Each eighth wish is answered; the next test answers all of them."""
    found = list(answers(path, 8))

    assert [(answer.case.id, answer.deeds) for answer in found if answer.worth == "wrong"] == []
    assert counts(found)["right"] > 0


MEASURED = dict(
    zip(
        (*FRESH, *LATER, *OPENED, *MET, FROZEN),
        ((52, 0), (43, 0), (51, 0), (46, 0), (54, 0), (55, 0), (52, 1), (50, 0), (51, 0), (51, 0), (58, 0), (58, 0),
         (54, 1), (54, 1), (53, 0), (51, 0), (49, 0), (51, 0), (52, 0), (57, 0), (56, 0), (47, 1), (52, 2), (52, 0),
         (55, 0), (51, 0), (54, 0), (52, 1), (46, 0), (49, 2), (47, 1), (44, 2), (45, 3), (112, 0)),
        strict=True,
    )
)  # fmt: skip
"""How many wishes of each set are understood, which may only rise, and how many wrongly: it may only fall.

They were lowered once, when the patterns that the older sets were written with had gone.
"""


@pytest.mark.thorough
@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_people_who_talk_in_their_own_manner_are_understood_no_worse_than_before(path: Path):
    found = list(answers(path))

    least, most = MEASURED[path]
    wanting = [answer for answer in found if answer.case.leave is None]
    assert counts(wanting)["right"] >= least
    assert counts(found)["wrong"] <= most


WORLD = World(
    "2027-03-09 14:20", "Europe/Lisbon", "/home/ines", (), (), (), (), (), (), (), (), (), (), (), ()
)  # fmt: skip
SWITCH = Case("studio-tabs-1", "go to figma", (Deed("tab.switch", {"index": 1}),))
CHOOSE = Case("studio-tabs-2", "go to pinterest", offer=("Glaze", "Shopfront"))
NEVER = Case("studio-negation-1", "should I quit?", leave="hypothetical", may=("system.query",))


@pytest.mark.parametrize(
    ("right", "given"),
    [
        (Deed("tab.close", {"indices": [1, 3]}), Deed("tab.close", {"indices": [3, 1], "browser": "chrome"})),
        (Deed("task.add", {"text": "buy stamps"}), Deed("task.add", {"text": "“Buy  stamps.”"})),
        (Deed("file.open", {"path": "~/a.pdf"}), Deed("file.open", {"path": "/home/ines/a.pdf", "app": None})),
        (
            Deed("reminder.create", {"title": "x", "due": "2027-03-09 18:00"}),
            Deed("reminder.create", {"title": "X", "due": "2027-03-09T18:00:00+00:00", "notes": ""}),
        ),
        (Deed("url.open", {"url": "https://wikipedia.org"}), Deed("url.open", {"url": "wikipedia"})),
        (Deed("url.open", {"url": "https://a.example/B/"}), Deed("url.open", {"url": "www.a.example/B"})),
        (
            Deed("mail.search", {"criteria": {"from": "Rui"}}),
            Deed("mail.search", {"criteria": {"from": "rui", "limit": 5}}),
        ),
        (
            Deed("app.place", {"name": "A", "bounds": [0, 0, 5, 5]}),
            Deed("app.place", {"name": "A", "bounds": [0, 0, 5, 5], "monitor": "left"}),
        ),
        (Deed("system.query", {"question": "what?"}), Deed("system.query", {"question": "which?"})),
    ],
)
def test_the_same_deed_put_otherwise_is_right(right: Deed, given: Deed):
    assert verdict(Case("studio-x-1", "words", (right,)), WORLD, [given]) == "right"


@pytest.mark.parametrize(
    ("right", "given"),
    [
        (Deed("tab.close", {"indices": [1, 3]}), Deed("tab.close", {"indices": [1]})),
        (Deed("file.open", {"path": "~/a.pdf"}), Deed("file.open", {"path": "~/A.pdf"})),
        (Deed("task.add", {"text": "buy stamps"}), Deed("task.delete", {"target": "buy stamps"})),
        (
            Deed("reminder.create", {"title": "x", "due": "2027-03-09 18:00"}),
            Deed("reminder.create", {"title": "x", "due": "2027-03-09 18:00+01:00"}),
        ),
        (Deed("url.open", {"url": "https://a.example"}), Deed("url.open", {"url": "https://a.example/login"})),
        (Deed("app.place", {"name": "A", "monitor": "left"}), Deed("app.place", {"name": "A", "monitor": "right"})),
    ],
)
def test_another_deed_is_wrong(right: Deed, given: Deed):
    assert verdict(Case("studio-x-1", "words", (right,)), WORLD, [given]) == "wrong"


def test_to_do_more_or_less_than_was_wished_is_wrong():
    two = Case("studio-x-1", "words", (Deed("clipboard.read", {}), Deed("app.list", {})))

    assert verdict(two, WORLD, [Deed("clipboard.read", {}), Deed("app.list", {})]) == "right"
    assert verdict(two, WORLD, [Deed("app.list", {}), Deed("clipboard.read", {})]) == "wrong"
    assert verdict(two, WORLD, [Deed("clipboard.read", {})]) == "wrong"
    assert verdict(SWITCH, WORLD, [*SWITCH.do, *SWITCH.do]) == "wrong"


def test_to_ask_where_it_was_clear_is_neither_right_nor_wrong():
    assert verdict(SWITCH, WORLD, [], "Which tab?") == "asked"


def test_a_question_is_right_when_it_offers_every_choice():
    assert verdict(CHOOSE, WORLD, [], "“ceramic glaze” or “shopfront signs”?") == "right"
    assert verdict(CHOOSE, WORLD, [], "Which one?") == "asked"
    assert verdict(CHOOSE, WORLD, [Deed("tab.switch", {"index": 3})], "Glaze, Shopfront") == "wrong"


def test_where_nothing_may_be_done_only_telling_is_right():
    assert verdict(NEVER, WORLD, []) == "right"
    assert verdict(NEVER, WORLD, [Deed("system.query", {"question": "?"})]) == "right"
    assert verdict(NEVER, WORLD, [Deed("app.quit", {"name": "Inkscape"})]) == "wrong"


def test_a_score_tells_what_wants_something_by_kind_and_what_was_left_alone():
    score = told(list(answers(DEVELOPMENT[0], 40))).splitlines()

    assert score[-2].startswith("wanting ")
    assert score[-1].startswith("left alone ")
    assert " of " in score[-1]


def test_wishes_of_a_set_are_printed_only_when_asked_for(capsys: pytest.CaptureFixture[str]):
    main([str(DEVELOPMENT[0])])
    silent = capsys.readouterr().out
    words = {answer.case.words for answer in answers(DEVELOPMENT[0], 10)}

    assert not any(one in silent for one in words)
