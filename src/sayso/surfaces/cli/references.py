"""Ids that a person types for actions and runs, whole or shortened, and the names by which sessions are found."""

from collections.abc import Callable, Sequence

from sayso.core.conversation import Session, Sessions
from sayso.core.errors import ProposalError
from sayso.core.lazy import load
from sayso.core.ports import Ids
from sayso.core.quotes import quoted
from sayso.core.record import id_part, session_id
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


LATEST = "latest"
"""The word that names the last session."""
KNOWN = 200
"""Maximum number of sessions, the last ones, among which a name is looked for."""


async def find_session(sessions: Sessions, ids: Ids, name: str, entry: str, begin: str) -> str:
    """Return the id of the session that the person names, or of a new one without a name.

    “latest” is the last session of the entry point; `begin` is the command that begins one. Raises `ProposalError` with
    the nearest id or name if there is no such session.
    """
    if not name:
        return session_id(ids.key())
    if name != LATEST and await sessions.session(name) is not None:
        return name
    known = await sessions.all(KNOWN)
    if name == LATEST:
        last = next((one for one in known if one.entry == entry), None)
        if last is None:
            raise ProposalError(f"there is no session to go on with yet; {quoted(begin)} begins one", "session.unknown")
        return last.id
    called = [one for one in known if one.name.casefold() == name.casefold()]
    if len(called) == 1:
        return called[0].id
    raise ProposalError(
        f"there is no session {quoted(name[:60])}{_suggest(name, known)}; “sayso sessions” lists them",
        "session.unknown",
    )


def _suggest(name: str, known: Sequence[Session]) -> str:
    """Return a question with the session whose id or name is nearest; empty if none is near."""
    by_word = {word.casefold(): one for one in reversed(known) for word in (one.name, one.id)}
    near: list[str] = load("difflib:get_close_matches")(name[:60].casefold(), list(by_word), 1)
    if not near:
        return ""
    found = by_word[near[0]]
    return f"; did you mean {found.id} ({quoted(found.name)})?"
