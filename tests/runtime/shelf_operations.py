"""What can be done with a shelf of named texts."""

from sayso.core.errors import Candidate, ProposalError, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, CannotUndo, Change, Fact, Plan, ResultRef
from sayso.core.provider import Provider
from sayso.core.schema import Line, Text, UserPath
from tests.runtime.shelf import Empty, Holds, Put, Shelf, Take


async def _there(shelf: Shelf, name: str) -> Fact:
    found = await shelf.holds(name)
    if found is None:
        raise ProviderError(f"there is no “{name}”", "shelf.missing")
    return found


async def _putting(shelf: Shelf, name: str, text: str) -> Change:
    if await shelf.holds(name) is not None:
        raise ProviderError(f"“{name}” is taken", "shelf.taken")
    return Change(Put(name, text), Take(name), (shelf.empty(name),))


@operation("shelf.put", kind="write", asks="mode")
async def put(shelf: Shelf, name: Line, text: Text = "") -> Plan:
    """Put a text on the shelf."""
    return Plan(f"Put “{name}” on the shelf", (await _putting(shelf, name, text),), "Put it there")


@operation("shelf.jot", kind="write", asks="mode")
async def jot(shelf: Shelf, text: Text) -> Plan:
    """Put a text under its own words."""
    return Plan(f"Jot “{text}”", (await _putting(shelf, text, text),))


@operation("shelf.label", kind="write", asks="mode")
async def label(shelf: Shelf, path: UserPath) -> Plan:
    """Put a text under the name of a place."""
    return Plan(f"Label “{path}”", (await _putting(shelf, path, "label"),), "Labelled it")


@operation("shelf.pair", kind="write", asks="mode")
async def pair(shelf: Shelf, one: Line, other: Line) -> Plan:
    """Put two texts on the shelf."""
    changes = (await _putting(shelf, one, "1"), await _putting(shelf, other, "2"))
    return Plan(f"Put “{one}” and “{other}” on the shelf", changes, "Put both there")


@operation("shelf.spread", kind="write", asks="mode")
async def spread(shelf: Shelf, one: Line, other: Line) -> Plan:
    """Put two texts on the shelf, each for itself."""
    changes = (await _putting(shelf, one, "1"), await _putting(shelf, other, "2"))
    return Plan(f"Put “{one}” and “{other}” on the shelf", changes, "Put both there", on_failure="go on")


@operation("shelf.scatter", kind="write", asks="mode")
async def scatter(shelf: Shelf, names: list[Line]) -> Plan:
    """Put any number of texts on the shelf, each for itself."""
    changes = tuple([await _putting(shelf, name, "x") for name in names])
    return Plan("Scatter them", changes, "Scattered them", on_failure="go on")


@operation("shelf.refill", kind="write", asks="mode")
async def refill(shelf: Shelf, name: Line, text: Text = "") -> Plan:
    """Put another text in the place of one."""
    fact, before = await _there(shelf, name), await shelf.text(name)
    free = ResultRef(name, "empty", 0)
    changes = (Change(Take(name), Put(name, before), (fact,)), Change(Put(name, text), Take(name), (free,)))
    return Plan(f"Refill “{name}”", changes, "Refilled it", loses=(before,))


@operation("shelf.take", kind="destructive", asks="mode")
async def take(shelf: Shelf, name: Line) -> Plan:
    """Take a text from the shelf."""
    fact = await _there(shelf, name)
    text = await shelf.text(name)
    return Plan(f"Take “{name}” from the shelf", (Change(Take(name), Put(name, text), (fact,)),), "Took it")


@operation("shelf.burn", kind="destructive", asks="floor")
async def burn(shelf: Shelf, name: Line) -> Plan:
    """Burn a text."""
    fact = await _there(shelf, name)
    change = Change(Take(name), CannotUndo("what is burnt is gone"), (fact,))
    return Plan(f"Burn “{name}”", (change,), "Burnt it", loses=(f"“{name}”",))


@operation("shelf.send", kind="external", asks="mode")
async def send(shelf: Shelf, name: Line, to: Line) -> Plan:
    """Send a text away."""
    change = await _putting(shelf, f"sent {name}", to)
    return Plan(f"Send “{name}” to {to}", (change,), "Sent it", sends=(to,))


@operation("shelf.keep", kind="write", asks="mode")
async def keep(shelf: Shelf, name: Line) -> Plan:
    """Keep a text."""
    await _there(shelf, name)
    return Plan(f"“{name}” is kept already")


@operation("shelf.read", kind="read", asks="none", outside=True)
async def read(shelf: Shelf, name: Line) -> Answer:
    """Read a text."""
    await _there(shelf, name)
    return Answer(f"Read “{name}”", {"text": await shelf.text(name)}, await shelf.text(name))


@operation("shelf.count", kind="read", asks="none")
async def count(shelf: Shelf, name: Line) -> Answer:
    """Say whether a text is there."""
    return Answer("Counted", {"count": int(await shelf.holds(name) is not None)})


@operation("shelf.some", kind="read", asks="none")
async def some(shelf: Shelf, most: int, name: Line = "") -> Answer:
    """Read some of a text."""
    return Answer("Read some", {"text": (await shelf.text(name))[:most] if name else ""})


@operation("shelf.guess", kind="write", asks="mode")
async def guess(shelf: Shelf, name: Line) -> Plan:
    """Put a text where several would do."""
    raise ProposalError(f"“{name}” may be either", "shelf.several", (Candidate("left"), Candidate("right", "r")))


@operation("shelf.fault", kind="write", asks="mode")
async def fault(shelf: Shelf) -> Plan:
    """Fail with a bug."""
    raise ZeroDivisionError("a secret")


OPERATIONS = (put, jot, label, pair, spread, scatter, refill, take, burn, send, keep, read, count, some, guess, fault)
SHELF = Provider("shelf", OPERATIONS, (Put, Take), (Holds, Empty))
