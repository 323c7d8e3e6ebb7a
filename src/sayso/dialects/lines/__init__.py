"""The line dialect (S0): one command per line, `COMMAND arg1 "arg2 with blanks"`; a long text may be a heredoc."""

from sayso.dialects.lines.dialect import LINES

__all__ = ["LINES"]
