"""The built-in rules: a table of intents that answers a person who has no language model."""

from sayso.models.builtin.model import BuiltIn

__all__ = ["BuiltIn"]
