"""Ids that a person types: whole, or shortened to a few digits from the beginning or the end."""

from collections.abc import Callable

from sayso.core.errors import ProposalError
from sayso.core.quotes import quoted
from sayso.core.record import id_part
from sayso.journal.reader import JournalReader
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.journal import read_journal
from sayso.surfaces.cli.render import reference


def find_reference(text: str, here: CommandContext) -> str:
    """Return the whole id of an action or a run, as `complete` does; the journal is opened only for a shortened id."""
    return complete(text, lambda read: read_journal(here, read))


Look = Callable[[Callable[[JournalReader], list[str]]], list[str]]


def complete(text: str, look: Look) -> str:
    """Return the whole id of an action or a run; `look` returns what a function reads in the journal.

    Raises `ProposalError` if the text is no id, or is the beginning or end of none or of several in the journal.
    """
    text = text.strip()
    part = id_part(text)
    if part is None:
        return reference(text)
    runs = text[:4].lower() == "run_"
    found = look(lambda reader: reader.with_part_of_id(part, runs=runs))
    if not found:
        what = "run" if runs else "action"
        raise ProposalError(f"there is no {what} whose id begins or ends with {quoted(text)}", "action.unknown")
    if len(found) > 1:
        raise ProposalError(f"{quoted(text)} may be {', '.join(found)}; write more of it", "id.ambiguous")
    return found[0]
