"""Carry out what an agent calls: each call is one action down the one path, and waits a while for the person's word."""

import json
from collections.abc import Mapping

import anyio

from sayso.assembly import Home
from sayso.core.canonical import Json
from sayso.core.operation import Operation
from sayso.core.proposal import Origin, Proposal
from sayso.core.record import State
from sayso.core.values import dataclass
from sayso.dialects.names import open_name
from sayso.runtime.outcome import Outcome, Report, journaled
from sayso.runtime.results import result_json

OUTCOME = "sayso_outcome"
"""The one tool that is no operation: it tells what became of an action that waited."""
LOOKS = 0.25
"""Seconds between two looks at whether the person has decided."""
_OPEN = frozenset({State.WAITING, State.RUNNING})
_TOLD = ("id", "state", "success", "message", "error", "code", "data", "undo")
_WAITS = (
    "Nothing has been done yet: the person decides, by “sayso approve {id}” or “sayso decline {id}” on their terminal. "
    f"Do not call this again; {OUTCOME} tells later what became of {{id}}."
)
_RUNS = f"It is being carried out now; {OUTCOME} tells later what became of {{id}}."


@dataclass(frozen=True)
class Answer:
    """What an agent is told of a call: a text for the model, and the same for a program."""

    text: str
    told: Mapping[str, Json]
    failed: bool


class Calls:
    """The calls of one agent. What was read for it counts, in its session, for what is sent later.

    What policy asks about waits in the journal. A call comes back when the person has decided on it in another
    process, or after `patience` seconds without that.
    """

    def __init__(self, home: Home, patience: float) -> None:
        self._home = home
        self._patience = patience
        self._session = f"mcp_{home.tools.ids.token()}"

    def tools(self) -> Mapping[str, Operation]:
        """Return the operations that the settings allow now, by the names of their tools."""
        return {open_name(operation.id): operation for operation in self._home.enabled()}

    async def call(self, name: str, arguments: Mapping[str, Json]) -> Answer | None:
        """Carry out a call; None where no operation has a tool of this name, allowed or not."""
        known = {open_name(id_): operation for id_, operation in self._home.operations.items()}
        if name not in known:
            return None
        said = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        proposal = Proposal(0, said, known[name].id, arguments)
        report = await self._home.take([proposal], Origin("tools", "mcp", self._session))
        (outcome,) = report.outcomes
        return self._told(await self._decided(outcome))

    async def outcome(self, id_: str) -> Answer | None:
        """Tell what became of an action of this agent; None where it has none of this id."""
        record = await self._home.journal.get(id_)
        if record is None or record.session != self._session:
            return None
        return self._told(await self._decided(journaled(record)))

    async def _decided(self, outcome: Outcome) -> Outcome:
        """Wait for as long as the person may take while an agent waits."""
        with anyio.move_on_after(self._patience):
            while outcome.record.state in _OPEN:
                await anyio.sleep(LOOKS)
                record = await self._home.journal.get(outcome.record.id)
                outcome = outcome if record is None else journaled(record)
        return outcome

    def _told(self, outcome: Outcome) -> Answer:
        row = result_json(outcome)
        told = {key: row[key] for key in _TOLD}
        if outcome.record.state in _OPEN:
            text = _WAITS if outcome.record.state is State.WAITING else _RUNS
            return Answer(text.format(id=outcome.record.id), told, failed=False)
        (given,) = self._home.results_for(Report(outcome.record.run, "tools", (outcome,)))
        success = bool(given["success"])
        return Answer(str((given["output"] or row["message"]) if success else given["error"]), told, failed=not success)
