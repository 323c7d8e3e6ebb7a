"""What a reader told of a text, put so that it can be compared, with nothing of sayso's own in the comparing."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

import rfc8785

from sayso.core.dialect import Dialect, Event, ProposalEvent, TextEvent
from sayso.core.encoding import Json
from sayso.core.operation import Operation
from sayso.core.proposal import Proposal


def heard(dialect: Dialect, operations: Mapping[str, Operation], pieces: Sequence[str]) -> list[Event]:
    """Feed the pieces to a new reader and return what it told, with neighbouring texts put together."""
    out: list[Event] = []
    for is_text, events in groupby(told(dialect, operations, pieces), lambda event: isinstance(event, TextEvent)):
        if is_text:
            text = "".join(event.text for event in events if isinstance(event, TextEvent))
            out += [TextEvent(text)] if text else []
        else:
            out += events
    return out


def told(dialect: Dialect, operations: Mapping[str, Operation], pieces: Sequence[str]) -> list[Event]:
    """Feed the pieces to a new reader and return what it told, as it told it."""
    reader = dialect.reader(operations)
    return [*(event for piece in pieces for event in reader.feed(piece)), *reader.close()]


def told_before_the_end(dialect: Dialect, operations: Mapping[str, Operation], text: str) -> list[Proposal]:
    """Return what is proposed while the text is still coming in."""
    return proposals(dialect.reader(operations).feed(text))


def fault_of(look: Callable[[], object]) -> Exception | None:
    """Do something and return what it ended with; None when it just ended."""
    try:
        look()
    except Exception as fault:  # noqa: BLE001 - whatever comes out of a reader or writer is what is looked for
        return fault
    return None


def proposals(events: Sequence[Event]) -> list[Proposal]:
    """Return the proposals among events."""
    return [event.proposal for event in events if isinstance(event, ProposalEvent)]


def is_half(beginning: str) -> bool:
    """Say whether what was cut off here can never be taken for whole: within quotes or a text over several lines.

    A single line needs no line end, so that its beginning may be a shorter line.
    """
    first, more, _ = beginning.partition("\n")
    return bool(more) or first.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 1


def meant(proposal: Proposal) -> tuple[str | None, bytes, str | None]:
    """Return what a proposal comes to: operation, arguments, and what is wrong with it."""
    return proposal.operation, canonical(proposal.arguments), proposal.problem


def canonical(arguments: Mapping[str, Json]) -> bytes:
    """Return arguments in the canonical JSON of a library that is not ours; odd characters are spelled out."""
    return rfc8785.dumps(_spelled(dict(arguments)))


def _spelled(value: Any) -> Any:
    match value:
        case str():
            return value.encode("unicode_escape").decode("ascii")
        case bool() | None:
            return value
        case int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() else repr(value)
        case dict():
            members = cast("dict[str, Any]", value)
            return {key: _spelled(item) for key, item in members.items()}
        case list() | tuple():
            return [_spelled(item) for item in cast("list[Any]", value)]
        case _:
            return repr(value)


def filled(text: str, length: int) -> str:
    """Return a text repeated to a length."""
    return (text * (length // len(text) + 1))[:length]
