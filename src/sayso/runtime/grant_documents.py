"""Grants, and offers, trials and suggestions of grants, as the JSON that sayso prints (docs/reference/documents.md)."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from sayso.core.encoding import Json
from sayso.core.grant import Grant, GrantOffer, VariableArgument
from sayso.policy.wording import word_grant
from sayso.runtime.grants import BacktestResult, GrantBacktest, GrantSuggestion
from sayso.runtime.results import Document


class VariesDocument(Document, frozen=True):
    """An argument that a grant lets vary, and its limits."""

    argument: str
    within: str
    of: str
    ending: str


class GrantDocument(Document, frozen=True):
    """A standing permission; `ended` is the reason why it no longer applies."""

    id: str | None
    operation: str
    fixed: Mapping[str, Any]
    varies: Sequence[VariesDocument]
    reach: Any
    created: str
    expires: str | None
    uses: int
    most_uses: int | None
    last_used: str | None
    learnt_from: str | None
    given_by: str | None
    entry: str | None
    revoked: bool
    revoked_at: str | None
    revoked_by: str | None
    ended: str | None
    says: str


def grant_document(grant: Grant, ended: str | None) -> GrantDocument:
    """Return a grant as it is shown; `ended` is the reason why it no longer applies, or None."""
    return GrantDocument(
        id=grant.id or None,
        operation=grant.operation,
        fixed=dict(grant.fixed),
        varies=[_varies(one) for one in grant.varies],
        reach=_reach(grant),
        created=grant.created,
        expires=grant.expires,
        uses=grant.uses,
        most_uses=grant.most_uses,
        last_used=grant.last_used,
        learnt_from=grant.learnt_from or None,
        given_by=grant.given_by or None,
        entry=grant.entry or None,
        revoked=grant.revoked,
        revoked_at=grant.revoked_at,
        revoked_by=grant.revoked_by,
        ended=ended,
        says=word_grant(grant, home=""),
    )


def grant_json(grant: Grant, ended: str | None) -> dict[str, Json]:
    """Return a grant as JSON; `ended` is the reason why it no longer applies, or None."""
    return to_builtins(grant_document(grant, ended))


def varies_json(varies: VariableArgument) -> dict[str, Json]:
    """Return one argument that a grant lets vary, and its limits, as JSON."""
    return to_builtins(_varies(varies))


def _varies(varies: VariableArgument) -> VariesDocument:
    return VariesDocument(varies.argument, varies.within, varies.of, varies.ending)


def offer_json(offer: GrantOffer) -> dict[str, Json]:
    """Return an offered grant as JSON."""
    return {
        "offer": grant_json(offer.grant, None),
        "could_vary": [varies_json(one) for one in offer.could_vary],
        "digest": offer.digest,
    }


def trial_json(trial: GrantBacktest) -> dict[str, Json]:
    """Return, as JSON, which past actions a grant would have allowed, and which it would still have asked about."""
    return {
        "looked_at": trial.looked_at,
        "allowed": [_trial_json(one) for one in trial.allowed_ones],
        "asked": [_trial_json(one) for one in trial.asked],
    }


def suggestion_json(suggestion: GrantSuggestion) -> dict[str, Json]:
    """Return a suggested grant as JSON, with the command that offers it."""
    return {
        "add": list(add_words(suggestion)),
        "said_yes": list(suggestion.said_yes),
        "grant": grant_json(suggestion.grant, None),
        **trial_json(suggestion.trial),
    }


def add_words(suggestion: GrantSuggestion) -> list[str]:
    """Return the command that offers a suggested grant, as an argument vector."""
    vary = [word for name in suggestion.wish.vary for word in ("--vary", name)]
    return ["sayso", "grants", "add", suggestion.wish.ref, *vary]


def _trial_json(tried: BacktestResult) -> dict[str, Json]:
    record = tried.record
    return {
        "id": record.id,
        "time": record.time,
        "state": record.state.value,
        "summary": str(record.plan["summary"]) if record.plan else None,
        "because": tried.why or None,
        "you_said_no": tried.you_said_no,
    }


def _reach(grant: Grant) -> dict[str, Json]:
    scope = grant.scope
    return {
        "steps": list(scope.steps),
        "places": [
            {"step": one.step, "field": one.field, "path": one.path, "ending": one.ending} for one in scope.places
        ],
        "apps": list(scope.apps),
        "sends": list(scope.sends),
        "kinds": list(scope.kinds),
        "loses": scope.loses,
        "changes": scope.changes,
        "backends": dict(scope.backends),
    }
