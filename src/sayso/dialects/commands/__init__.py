"""The commands contract (S4): one object with `commands`, `needs_clarification` and `clarification_reason`."""

from sayso.dialects.commands.dialect import COMMANDS

__all__ = ["COMMANDS"]
