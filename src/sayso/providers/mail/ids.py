"""The ids a model gives for messages, and the messages they stand for."""

from collections.abc import Sequence

from sayso.core.arguments import text_problem
from sayso.core.errors import Candidate, ProposalError
from sayso.providers.mail.places import Place
from sayso.providers.mail.store import Mail, Message

SHOWN = 5


def checked(ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids, each once. Raises `ProposalError` for one that no mail can carry."""
    for given in ids:
        problem = text_problem(given, "line")
        if problem is not None:
            raise ProposalError(f"an id in “ids” {problem}", "arguments.characters")
    return tuple(dict.fromkeys(ids))


def ambiguous(id_: str, places: Sequence[Place]) -> ProposalError:
    """Say that several messages in one mailbox have the same Message-ID; each of them has an id by its place."""
    return ProposalError(
        f"{len(places)} messages in “{places[0].mailbox}” call themselves “{id_}”. Name the one that is meant by its "
        f"place: {', '.join(f'“{place}”' for place in places[:SHOWN])}",
        "target.ambiguous",
        tuple(Candidate(id_, str(place)) for place in places[:SHOWN]),
    )


async def all_of(mail: Mail, ids: Sequence[str]) -> tuple[Message, ...]:
    """Return all messages that are named, without their text. Raises `ProposalError` with the ids no message has."""
    wanted = checked(ids)
    found = await mail.heads(wanted)
    there = {message.message_id for message in found}
    missing = [given for given in wanted if given not in there]
    if missing:
        raise unknown(missing)
    return found


def unknown(missing: Sequence[str]) -> ProposalError:
    """Say that no message has these ids."""
    names = ", ".join(f"“{given}”" for given in missing[:SHOWN])
    more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
    return ProposalError(f"No message has the id {names}{more}. Take ids from a listing of mail.", "target.not_found")


def no_file(number: int, there: int) -> ProposalError:
    """Say that a message came with fewer files."""
    has = "no file" if not there else "one file" if there == 1 else f"{there} files"
    return ProposalError(f"The mail came with {has}; there is no number {number}", "mail.attachment")


def too_large(name: str, most: int) -> ProposalError:
    """Say that a file is longer than is saved."""
    return ProposalError(f"“{name}” is longer than {most // 2**20} MiB and is not saved", "mail.attachment")
