"""What agents have begun and not ended yet: one small file for each call, in sayso's own folder."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from sayso.core.agent_calls import AgentCall
from sayso.core.decision import Verdict
from sayso.core.encoding import Json
from sayso.core.ports import Ids, TreeSurvey
from sayso.core.record import Owner
from sayso.providers.disk.syscalls import beneath
from sayso.providers.disk.textfiles import Texts

MOST_BYTES = 32 * 2**20


class BegunCall(Struct, frozen=True):
    """A call that an agent was about to make: the plan that was judged, the verdict, and what was kept for an undo.

    `kept` are the facts about copies, as JSON. `seen` is the tree of the folder in which a command runs; None for
    other calls, and if sayso keeps nothing there, for the reason `unkept`.
    """

    call: AgentCall
    time: str
    owner: Owner
    operation: str
    arguments: Mapping[str, Json]
    plan: Mapping[str, Json]
    verdict: Verdict
    kept: Mapping[str, Json] = {}
    seen: TreeSurvey | None = None
    unkept: str = ""


class BegunCalls:
    """The notes of one home."""

    def __init__(self, folder: Path, ids: Ids) -> None:
        self._texts = Texts(os.fspath(folder), beneath(), most=MOST_BYTES)
        self._ids = ids

    def put(self, begun: BegunCall) -> None:
        """Write a note; one that was there for the same call is replaced. Raises `ProviderError`."""
        self._texts.make_folder()
        self.drop(begun.call.call)
        self._texts.make(begun.call.call, msgspec.json.encode(begun), self._ids.token())

    def get(self, call: str) -> BegunCall | None:
        """Return the note about a call; None if there is none, or it is damaged."""
        there = self._texts.read(call) if self._texts.is_there() else None
        return None if there is None else _read(there.data)

    def drop(self, call: str) -> None:
        """Remove the note about a call, if there is one."""
        there = self._texts.read(call) if self._texts.is_there() else None
        if there is not None:
            self._texts.take_away(call, there.etag, self._ids.token())

    def all(self) -> Iterator[BegunCall]:
        """Yield every note, oldest name first; damaged ones are left out."""
        for name in self._texts.names().files if self._texts.is_there() else ():
            there = self._texts.read(name)
            begun = None if there is None else _read(there.data)
            if begun is not None:
                yield begun


def _read(data: bytes) -> BegunCall | None:
    try:
        return msgspec.json.decode(data, type=BegunCall)
    except msgspec.DecodeError:
        return None
