"""`json-action` blocks in a chat reply (S2): proposed changes to tasks and habits, each by a button."""

from sayso.dialects.blocks.dialect import BLOCKS

__all__ = ["BLOCKS"]
