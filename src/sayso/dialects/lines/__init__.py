"""The line dialect (S0): one command per line, `COMMAND arg1 "arg2 with blanks"`, with long texts as heredocs."""

from sayso.dialects.lines.dialect import LINES

__all__ = ["LINES"]
