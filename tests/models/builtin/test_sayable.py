"""What the built-in rules can propose has a form at every entry point at which they answer."""

from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from sayso.assembly.parts import PROVIDERS, dialect
from sayso.assistant.conversation import offer_tools, write_calls
from sayso.assistant.entry_points import AUTOMATION_ENTRY, CHAT_ENTRY, COMMANDS_ENTRY, EntryPoint
from sayso.core.conversation import ConversationRequest
from sayso.core.encoding import Json
from sayso.dialects.base import read
from sayso.models.builtin import BuiltIn
from sayso.models.builtin.classify import MERGED, NONE, OTHER, learned
from sayso.models.builtin.outcomes import RequestedAction
from sayso.runtime.registry import catalogue
from sayso.testing.fakes import FakeClock
from tests.assistant import worlds
from tests.models.builtin.scenes import NOW, context

OPERATIONS = dict(catalogue(PROVIDERS))
TOOLS = dialect("tools")
RULES = BuiltIn(FakeClock(NOW), NOW.tzinfo, TOOLS)
ENTRIES = pytest.mark.parametrize("entry", [COMMANDS_ENTRY, AUTOMATION_ENTRY, CHAT_ENTRY], ids=lambda one: one.name)
PROPOSED = {*learned().labels, *(one for one, label in MERGED.items() if label != OTHER)} - {NONE, OTHER}


def asked(entry: EntryPoint, words: str = "") -> ConversationRequest:
    tools = offer_tools(list(OPERATIONS.values())) if entry.calls else ()
    return ConversationRequest("", (), words, entry.dialect, tools=tools, context=context(), operations=OPERATIONS)


def proposed(
    entry: EntryPoint, request: ConversationRequest, actions: list[RequestedAction] | None = None
) -> list[tuple[str | None, Mapping[str, Json], str | None]]:
    reply = RULES.reply(request) if actions is None else RULES.write(request, actions)
    found = read(entry.dialect, OPERATIONS, reply.text)
    called = read(TOOLS, OPERATIONS, write_calls(reply.calls)).proposals if reply.calls else ()
    assert not found.needs_clarification
    return [(one.operation, one.arguments, one.problem) for one in (*found.proposals, *called)]


@cache
def samples() -> dict[tuple[str, frozenset[str]], dict[str, Json]]:
    """Return one deed for each operation and each choice of its arguments, from all sets of wishes."""
    return {(deed.operation, frozenset(deed.arguments)): deed.arguments for deed in deeds()}


def deeds() -> Iterator[worlds.Deed]:
    yield from (worlds.Deed("reminder.delete", {"reminder": "tea"}), worlds.Deed("template.list", {}))
    for path in worlds.BUILT_WITH:
        yield from (deed for case in worlds.read(path).cases for right in case.right for deed in right)


@ENTRIES
def test_each_deed_that_anybody_wished_for_can_be_proposed_here(entry: EntryPoint):
    request = asked(entry)

    for (operation, _), arguments in samples().items():
        ((id_, said, problem),) = proposed(entry, request, [RequestedAction(operation, arguments)])

        assert (id_, problem) == (operation, None)
        assert OPERATIONS[operation].check(arguments)[0].items() <= dict(said).items()


def test_those_deeds_are_of_every_operation_that_the_rules_propose():
    assert PROPOSED - {operation for operation, _ in samples()} == set()


@ENTRIES
@pytest.mark.parametrize(
    ("words", "operation", "arguments"),
    [
        ("open wikipedia", "url.open", {"url": "https://wikipedia.org"}),
        (
            "remind me every Monday at 8 to put the bins out",
            "reminder.create",
            {"repeat": "weekly"},
        ),
        ("remind me in 20 minutes to turn the oven off", "reminder.create", {"title": "turn the oven off"}),
        ("list my tabs", "tab.list", {}),
        ("switch to reddit", "tab.switch", {"index": 1}),
    ],
)
def test_an_everyday_wish_is_proposed_here(entry: EntryPoint, words: str, operation: str, arguments: dict[str, Json]):
    ((id_, said, problem),) = proposed(entry, asked(entry, words))

    assert (id_, problem) == (operation, None)
    assert arguments.items() <= dict(said).items()
