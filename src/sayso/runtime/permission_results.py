"""Standing permissions as the JSON documents of the outside interface."""

from sayso.core.canonical import Json
from sayso.core.grant import Grant, Offer, Varies
from sayso.policy.permission_words import said
from sayso.runtime.suggesting import Suggestion
from sayso.runtime.trying import Trial, Tried


def grant_json(grant: Grant, ended: str | None) -> dict[str, Json]:
    """Return a standing permission; `ended` says why it holds no more."""
    return {
        "id": grant.id or None,
        "operation": grant.operation,
        "fixed": dict(grant.fixed),
        "varies": [varies_json(one) for one in grant.varies],
        "reach": _reach(grant),
        "created": grant.created,
        "expires": grant.expires,
        "uses": grant.uses,
        "most_uses": grant.most_uses,
        "last_used": grant.last_used,
        "learnt_from": grant.learnt_from or None,
        "given_by": grant.given_by or None,
        "entry": grant.entry or None,
        "revoked": grant.revoked,
        "revoked_at": grant.revoked_at,
        "revoked_by": grant.revoked_by,
        "ended": ended,
        "says": said(grant, home=""),
    }


def varies_json(varies: Varies) -> dict[str, Json]:
    """Return one argument that may vary, and within what."""
    return {"argument": varies.argument, "within": varies.within, "of": varies.of, "ending": varies.ending}


def offer_json(offer: Offer) -> dict[str, Json]:
    """Return a permission that could be given."""
    return {
        "offer": grant_json(offer.grant, None),
        "could_vary": [varies_json(one) for one in offer.could_vary],
        "digest": offer.digest,
    }


def trial_json(trial: Trial) -> dict[str, Json]:
    """Return what a permission would have done with the history."""
    return {
        "looked_at": trial.looked_at,
        "allowed": [_tried(one) for one in trial.allowed],
        "asked": [_tried(one) for one in trial.asked],
    }


def suggestion_json(suggestion: Suggestion) -> dict[str, Json]:
    """Return a permission that the person could give, and the words that would offer it."""
    return {
        "add": list(add_words(suggestion)),
        "said_yes": list(suggestion.said_yes),
        "grant": grant_json(suggestion.grant, None),
        **trial_json(suggestion.trial),
    }


def add_words(suggestion: Suggestion) -> list[str]:
    """Return the command that offers what is suggested, as a list of words."""
    vary = [word for name in suggestion.wish.vary for word in ("--vary", name)]
    return ["sayso", "grants", "add", suggestion.wish.ref, *vary]


def _tried(tried: Tried) -> dict[str, Json]:
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
