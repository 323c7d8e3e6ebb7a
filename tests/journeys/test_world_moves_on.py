"""Whatever a plan expects, of any operation: when it changes between the question and the yes, nothing is done.

The wishes of every operation are planned in a home that is in memory. For each kind of fact that a plan expects, each
change of that kind in `CHANGES` is made between the question and the yes. A kind without a change there fails.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from sayso.assembly import Home
from sayso.assembly.parts import PROVIDERS
from sayso.core.errors import SaysoError
from sayso.core.memory_backend import MemoryBackend
from sayso.core.plan import Fact, Plan
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.providers.apps.model import AppsState
from sayso.providers.browser.memory import BrowserTab, BrowserWorld
from sayso.providers.calendar.memory import CalendarWorld
from sayso.providers.files.memory import MemoryFilesBackend, file_node
from sayso.providers.files.tree import FileNode, Identity, plant
from sayso.providers.mail.memory import MailWorld
from sayso.providers.notes.memory import NotesWorld
from sayso.providers.tasks.memory import TasksWorld
from sayso.runtime.apply import apply_step
from sayso.runtime.registry import catalogue
from sayso.testing.fakes import Says
from tests.dialects.wish_world import wish_world
from tests.dialects.wishes import Wish, wishes

Changed = Callable[[Any, Fact], Any]
"""Returns the world of a memory backend in which a fact about it is no longer true."""


def _tab(world: BrowserWorld, id_: str, change: Callable[[BrowserTab], BrowserTab]) -> BrowserWorld:
    windows = tuple(
        replace(window, tabs=tuple(change(tab) if tab.id == id_ else tab for tab in window.tabs))
        for window in world.windows
    )
    return replace(world, windows=windows)


def _elsewhere(world: BrowserWorld, fact: Fact) -> BrowserWorld:
    return _tab(world, fact.about, lambda tab: replace(tab, page=replace(tab.page, url="https://other.example/")))


def _tab_gone(world: BrowserWorld, fact: Fact) -> BrowserWorld:
    windows = tuple(
        replace(window, tabs=tuple(tab for tab in window.tabs if tab.id != fact.about)) for window in world.windows
    )
    return replace(world, windows=windows)


def _loaded_again(world: BrowserWorld, fact: Fact) -> BrowserWorld:
    return _tab(world, fact.about, lambda tab: replace(tab, loads=tab.loads + 1))


def _other_element(**changed: str) -> Changed:
    def change(world: BrowserWorld, fact: Fact) -> BrowserWorld:
        id_, _, selector = fact.about.partition(" ")

        def other(tab: BrowserTab) -> BrowserTab:
            elements = tuple(replace(one, **changed) if one.selector == selector else one for one in tab.page.elements)
            return replace(tab, page=replace(tab.page, elements=elements))

        return _tab(world, id_, other)

    return change


def _mail(**changed: object) -> Changed:
    def change(world: MailWorld, fact: Fact) -> MailWorld:
        id_ = getattr(fact, "message_id", fact.about)
        return replace(world, messages={**world.messages, id_: replace(world.messages[id_], **changed)})

    return change


def _no_mail(world: MailWorld, fact: Fact) -> MailWorld:
    return replace(world, messages={id_: one for id_, one in world.messages.items() if id_ != fact.about})


def _flag(world: MailWorld, fact: Any) -> MailWorld:
    message = world.messages[fact.message_id]
    flags = tuple(set(message.flags) ^ {fact.flag})
    return replace(world, messages={**world.messages, message.message_id: replace(message, flags=flags)})


def _label(world: MailWorld, fact: Any) -> MailWorld:
    message = world.messages[fact.message_id]
    labels = tuple(set(message.labels) ^ {fact.label})
    return replace(world, messages={**world.messages, message.message_id: replace(message, labels=labels)})


def _entry(world: CalendarWorld, fact: Fact) -> CalendarWorld:
    return replace(world, entries={**world.entries, fact.about: replace(world.entries[fact.about], etag="another")})


def _no_entry(world: CalendarWorld, fact: Fact) -> CalendarWorld:
    return replace(world, entries={id_: one for id_, one in world.entries.items() if id_ != fact.about})


def _entry_taken(world: CalendarWorld, fact: Fact) -> CalendarWorld:
    some = next(iter(world.entries.values()))
    return replace(world, entries={**world.entries, fact.about: replace(some, uid=fact.about)})


def _note(world: NotesWorld, fact: Fact) -> NotesWorld:
    return replace(world, notes={**world.notes, fact.about: replace(world.notes[fact.about], body="other")})


def _no_note(world: NotesWorld, fact: Fact) -> NotesWorld:
    return replace(world, notes={id_: one for id_, one in world.notes.items() if id_ != fact.about})


def _task(completed_at: str | None) -> Changed:
    def change(world: TasksWorld, fact: Fact) -> TasksWorld:
        task = replace(world.tasks[fact.about], completed_at=completed_at)
        return replace(world, tasks={**world.tasks, fact.about: task})

    return change


def _no_task(world: TasksWorld, fact: Fact) -> TasksWorld:
    return replace(world, tasks={id_: one for id_, one in world.tasks.items() if id_ != fact.about})


def _no_habit(world: TasksWorld, fact: Fact) -> TasksWorld:
    return replace(world, habits={id_: one for id_, one in world.habits.items() if id_ != fact.about})


def _window(**changed: Any) -> Changed:
    def change(world: AppsState, fact: Fact) -> AppsState:
        windows = tuple(replace(one, **changed) if one.id == fact.about else one for one in world.windows)
        return replace(world, windows=windows)

    return change


def _no_window(world: AppsState, fact: Fact) -> AppsState:
    return replace(world, windows=tuple(one for one in world.windows if one.id != fact.about))


def _quit(world: AppsState, fact: Fact) -> AppsState:
    return replace(world, running=tuple(one for one in world.running if one[1] != fact.about))


def _started_again(world: AppsState, fact: Fact) -> AppsState:
    return replace(world, running=(*world.running, ("another", fact.about)))


def _uninstalled(world: AppsState, fact: Fact) -> AppsState:
    return replace(world, installed=tuple(name for name in world.installed if name != fact.about))


def _desktop(**changed: object) -> Changed:
    return lambda world, fact: replace(world, **changed)


def _on_disk(change: Callable[[FileNode, Identity], FileNode]) -> Changed:
    """Return a change of the thing at the path of a fact: another thing, or one with another identity."""

    def changed(backend: MemoryFilesBackend, fact: Fact) -> None:
        node = backend.disk.get(fact.about)
        assert node is not None
        assert node.identity is not None
        backend.disk.tree = plant(backend.disk.tree, fact.about, change(node, node.identity))

    return changed


def _identity(**changed: object) -> Changed:
    return _on_disk(lambda node, identity: replace(node, identity=replace(identity, **changed)))


def _content(node: FileNode, identity: Identity) -> FileNode:
    return replace(file_node(b"KEPT\n"), identity=identity)


def _file_instead(node: FileNode, identity: Identity) -> FileNode:
    return replace(file_node(b"kept\n"), identity=replace(identity, inode=4711))


def _link_instead(node: FileNode, identity: Identity) -> FileNode:
    return FileNode(link="/etc", identity=replace(identity, inode=4711))


def _folder_instead(node: FileNode, identity: Identity) -> FileNode:
    return FileNode(identity=replace(identity, inode=4711))


def _taken(backend: MemoryFilesBackend, fact: Fact) -> None:
    backend.disk.plant(fact.about, file_node(b"theirs"))


ANY_THING: Mapping[str, Changed] = {
    "mode": _identity(mode=0o777),
    "owner": _identity(owner=(4711, 4711)),
    "another": _identity(inode=4711),
    "a link": _on_disk(_link_instead),
}
CHANGES: Mapping[str, Mapping[str, Changed]] = {
    "unchanged": {
        **ANY_THING,
        "content": _on_disk(_content),
        "time": _identity(mtime_ns=1),
        "a folder": _on_disk(_folder_instead),
    },
    "same_folder": {**ANY_THING, "a file": _on_disk(_file_instead)},
    "free": {"taken": _taken},
    "app_running": {"quit": _quit, "started again": _started_again},
    "app_installed": {"uninstalled": _uninstalled},
    "window": {"moved": _window(state="maximized"), "desktop": _window(desktop="2"), "gone": _no_window},
    "tab": {"elsewhere": _elsewhere, "gone": _tab_gone},
    "page": {"elsewhere": _elsewhere, "loaded again": _loaded_again, "gone": _tab_gone},
    "element": {
        "role": _other_element(role="link"),
        "name": _other_element(name="Pay"),
        "value": _other_element(value="x"),
    },
    "volume": {"louder": _desktop(volume=99), "muted": _desktop(muted=True)},
    "do_not_disturb": {"on": _desktop(do_not_disturb=True)},
    "mail_at": {"moved": _mail(mailbox="spam"), "gone": _no_mail},
    "mail_flag": {"toggled": _flag},
    "mail_label": {"toggled": _label},
    "calendar_entry": {"written": _entry, "gone": _no_entry},
    "calendar_free": {"taken": _entry_taken},
    "note": {"body": _note, "gone": _no_note},
    "note_folder": {"gone": _desktop(folders=())},
    "task_active": {"completed": _task("2026-03-10T10:00:00Z"), "gone": _no_task},
    "task_completed": {"reopened": _task(None), "completed later": _task("2026-03-11T10:00:00Z"), "gone": _no_task},
    "habit_there": {"gone": _no_habit},
}
"""By kind of fact, the ways in which it stops being true."""

WHYS = {"world.changed", "path.changed", "path.missing", "path.taken", "path.dangling", "open.executable"}
"""The codes of what is said."""
ELSEWHERE = {"page.screenshot"}
"""Operations that memory does not serve; they only read."""
FURTHER = (Wish("app.open/spare", "Open «Spare».", "app.open", {"name": "Spare"}),)
"""Wishes that meet kinds of facts which those of the catalogue do not; the world is not laid out for these."""
EVERY = (*wishes(), *FURTHER)


def world_of(home: Home, store: str) -> Any:
    """Return what a store in memory holds now."""
    backend = home.tools.backends[store]
    return backend.disk.tree if isinstance(backend, MemoryFilesBackend) else cast("MemoryBackend[Any]", backend).world


def worlds(home: Home) -> dict[str, Any]:
    """Return what every store holds now."""
    return {store: world_of(home, store) for store in home.tools.backends}


def put_back(home: Home, before: Mapping[str, Any]) -> None:
    """Let every store hold what it held."""
    for store, world in before.items():
        backend = home.tools.backends[store]
        if isinstance(backend, MemoryFilesBackend):
            backend.disk.tree = world
        else:
            cast("MemoryBackend[Any]", backend).world = world


def moved_on(home: Home, fact: Fact, change: Changed) -> None:
    """Let a fact stop being true."""
    backend = home.tools.backends[fact.owner]
    if isinstance(backend, MemoryFilesBackend):
        change(backend, fact)
    else:
        memory = cast("MemoryBackend[Any]", backend)
        memory.world = change(memory.world, fact)


def expected(plan: Plan) -> dict[str, Fact]:
    """Return one fact of each kind that a plan expects."""
    return {fact.fact: fact for change in reversed(plan.changes) for fact in reversed(change.expects)}


async def planned(home: Home, wish: Wish) -> Plan | None:
    """Return the plan of a wish; None when it only reads or there is nothing to do."""
    operation = home.tools.catalogue[wish.operation]
    clean, problems = operation.check(wish.arguments)
    assert problems == []
    reads = {store: home.tools.backends[store].reads for store in operation.stores}
    found = await operation.function(**reads, **clean)
    return found if isinstance(found, Plan) and found.changes else None


async def tried(home: Home, wish: Wish, kind: str, change: Changed) -> tuple[str, str, dict[str, Any]]:
    """Propose a wish and say yes after the change; return what was said, its code, and the world after the change."""
    after: dict[str, Any] = {}

    def meanwhile(plan: Plan) -> None:
        moved_on(home, expected(plan)[kind], change)
        after.update(worlds(home))

    person = Says(True, then=lambda: meanwhile(person.questions[-1].cards[0].plan))
    if home.tools.catalogue[wish.operation].kind == "read":  # it is done as soon as it is planned, without a question
        plan = await planned(home, wish)
        assert plan is not None
        meanwhile(plan)
        (first, *_) = plan.changes
        problem = await apply_step(home.tools, first.do, first.expects)
        assert isinstance(problem, SaysoError), f"{wish.id} was done all the same"
        return str(problem), problem.code, after
    report = await home.take(
        [Proposal(0, "", wish.operation, wish.arguments)], Origin("tools", session=wish.id), person
    )
    (outcome,) = report.outcomes
    assert len(person.questions) == 1, f"{wish.id} was not asked about: {outcome.record.marks.error}"
    assert outcome.record.state in {State.REFUSED, State.FAILED}, f"{wish.id}: {outcome.record.state}"
    return outcome.record.marks.error or "", outcome.record.marks.code or "", after


@pytest.mark.parametrize("operation", sorted({wish.operation for wish in EVERY}))
async def test_when_anything_that_an_operation_expects_has_changed_the_yes_does_nothing_and_says_why(
    operation: str, tmp_path: Path
):
    met: set[str] = set()
    async with wish_world(tmp_path, wishes(), mode="always") as (home, _):
        for wish in (one for one in EVERY if one.operation == operation):
            plan = await planned(home, wish) if operation not in ELSEWHERE else None
            for kind in expected(plan) if plan is not None else ():
                if kind in met:
                    continue
                met.add(kind)
                assert kind in CHANGES, f"add to CHANGES how “{kind}” stops being true; {operation} expects it"
                for name, change in CHANGES[kind].items():
                    before = worlds(home)

                    said, code, after = await tried(home, wish, kind, change)

                    assert worlds(home) == after, f"{wish.id}, {kind}, {name}: something was done"
                    assert said, f"{wish.id}, {kind}, {name}: it is not said why"
                    assert code in WHYS, f"{wish.id}, {kind}, {name}: {code}: {said}"
                    put_back(home, before)


async def test_every_kind_of_fact_has_its_changes_or_is_expected_by_no_first_step(tmp_path: Path):
    met: set[str] = set()
    async with wish_world(tmp_path, wishes()) as (home, _):
        for wish in EVERY:
            plan = await planned(home, wish) if wish.operation not in ELSEWHERE else None
            met |= expected(plan).keys() if plan is not None else set()

    assert met == CHANGES.keys(), "a change that no plan of any wish needs, or a kind without one"


def test_every_operation_has_a_wish_here():
    assert catalogue(PROVIDERS).keys() == {wish.operation for wish in EVERY}
