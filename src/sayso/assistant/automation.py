"""The automation (S0): a trigger's words are answered with lines, shown where any needs approval, else run."""

from sayso.assistant.entry import Entry
from sayso.assistant.prompt import automation
from sayso.dialects.lines import LINES

ENTRY = Entry("automation", LINES, automation.system, automation.user)
