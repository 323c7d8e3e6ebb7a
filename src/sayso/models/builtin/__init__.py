"""The built-in rules: a language model's place taken by a table of wishes, for whoever has no model."""

from sayso.models.builtin.model import BuiltIn

__all__ = ["BuiltIn"]
