"""The built-in rules: what was learned from wishes, for a person who has no language model."""

from sayso.models.builtin.model import BuiltIn

__all__ = ["BuiltIn"]
