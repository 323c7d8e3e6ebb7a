"""What is kept of triggers, in this process's memory, for tests."""

from dataclasses import replace

from sayso.core.triggers import TriggerState


class MemoryTriggers:
    """Keeps it by name."""

    def __init__(self) -> None:
        self._states: dict[str, TriggerState] = {}

    async def of(self, name: str) -> TriggerState:
        """Return what is kept of one."""
        return self._states.get(name, TriggerState(name))

    async def move(self, to: TriggerState) -> bool:
        """Take it, if nobody moved it on since it was read."""
        if (await self.of(to.name)).turn != to.turn:
            return False
        self._states[to.name] = replace(to, turn=to.turn + 1)
        return True
