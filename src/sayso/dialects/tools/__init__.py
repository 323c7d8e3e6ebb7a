"""Tool calls (S1): `macos_auto`, `browser`, and a tool of its own for every other operation; one call is one action."""

from sayso.dialects.tools.dialect import TOOLS

__all__ = ["TOOLS"]
