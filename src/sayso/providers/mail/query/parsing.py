"""Read a query in Gmail's language."""

from sayso.core.arguments import LONGEST_LINE
from sayso.core.errors import SetupError
from sayso.core.loading import load
from sayso.providers.mail.query.terms import Query
from sayso.providers.mail.query.values import Asked, wrong

NO_EXTRA = "queries are read with lark, which is not installed; pip install 'sayso[mail]'"


def parse(text: str, asked: Asked) -> Query:
    """Return what a query means.

    Raises `ProposalError` that names what is wrong or not understood, and `SetupError` where lark is missing.
    """
    if len(text) > LONGEST_LINE:
        raise wrong(f"the query is longer than the {LONGEST_LINE} characters that are taken")
    try:
        read = load("sayso.providers.mail.query.tree:read")
    except ImportError:
        raise SetupError(NO_EXTRA, "mail.extra") from None
    found: Query = read(text, asked)
    return found
