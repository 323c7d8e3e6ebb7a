"""What each session's model was shown with numbers, so that its numbers go on meaning that (T-97)."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from sayso.core.plan import Facts

MOST = 200
"""Of more sessions or runs the ones not heard of for longest are forgotten; their numbers mean what is there then."""

_ByStore = Mapping[str, Facts]


class Shown:
    """The last thing of each store that each session was shown; it lives as long as its process."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _ByStore] = OrderedDict()
        self._runs: OrderedDict[str, _ByStore] = OrderedDict()

    def keep(self, session: str, stores: Iterable[str], facts: Facts) -> None:
        """Remember what the numbers stand for that a session was shown; this takes the place of what was before."""
        _put(self._sessions, session, {**self._sessions.get(session, {}), **dict.fromkeys(stores, facts)})

    def to(self, session: str, run: str) -> _ByStore:
        """Return, by store, what a session had been shown as this run of it began: what it is written upon."""
        if run not in self._runs:
            _put(self._runs, run, self._sessions.get(session, {}))
        return self._runs[run]


def _put(held: OrderedDict[str, _ByStore], key: str, value: _ByStore) -> None:
    held[key] = value
    held.move_to_end(key)
    if len(held) > MOST:
        held.popitem(last=False)
