"""The built-in rules: a table of intents that answers instead of a language model, for people without one."""

from sayso.models.builtin.model import BuiltIn

__all__ = ["BuiltIn"]
