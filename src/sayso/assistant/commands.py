"""The command bar (S4): the whole request is checked, then done; what is unclear is asked back."""

from sayso.assistant.entry import Entry
from sayso.assistant.prompt import commands
from sayso.dialects.commands import COMMANDS

ENTRY = Entry("commands", COMMANDS, commands.system, commands.user)
