"""A standing permission that the person is offered, in words: what it allows, and what it would have allowed so far."""

from collections.abc import Collection, Sequence

from sayso.assembly import Home
from sayso.core.card_contents import argument_rows, texts_in
from sayso.core.grant import GrantOffer
from sayso.core.lookalikes import warnings
from sayso.policy.wording import reach_words, varies_words
from sayso.runtime.grants import BacktestResult
from sayso.surfaces.web.card_answers import Argument, Offered, PastAction, Varying


async def offered(home: Home, offer: GrantOffer, waiting: Collection[str]) -> Offered:
    """Return an offered permission; the actions that wait for the yes itself are not counted as past ones."""
    grant, folder = offer.grant, home.settings.policy.home
    trial = await home.grants.tried(grant)
    past = [one for one in trial.tried if one.record.id not in waiting]
    texts = [text for value in grant.fixed.values() for text in texts_in(value)]
    texts += [one.of for one in grant.varies]
    return Offered(
        digest=offer.digest,
        operation=grant.operation,
        fixed=[Argument(row.name, row.value, row.text) for row in argument_rows(grant.fixed)],
        varies=[Varying(one.argument, varies_words(one, folder)) for one in grant.varies],
        reach=reach_words(grant),
        expires=grant.expires,
        most_uses=grant.most_uses,
        looks=list(dict.fromkeys(odd for text in texts for odd in warnings(text))),
        allowed=_past([one for one in past if one.answer == "allowed"]),
        asked=_past([one for one in past if one.answer == "asked"]),
    )


def _past(tried: Sequence[BacktestResult]) -> list[PastAction]:
    return [
        PastAction(
            id=one.record.id,
            text=one.record.summary,
            state=one.record.state.value,
            because=one.why or None,
            you_said_no=one.you_said_no,
        )
        for one in tried
    ]
