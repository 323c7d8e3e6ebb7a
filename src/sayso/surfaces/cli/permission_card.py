"""Write what a standing permission would let happen, whole, before it is given and whenever it is looked at."""

from sayso.core.canonical import Json, canonical
from sayso.core.grant import Grant, Offer
from sayso.policy.permission_words import reach_words, said, varies_words
from sayso.runtime.trying import Trial, Tried
from sayso.surfaces.cli.card import texts_in
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.layout import block, one_line, sentence
from sayso.surfaces.cli.rows import about, moment
from sayso.surfaces.cli.scripts import warnings

_MARGIN = "     "
MOST_ROWS = 8


def in_words(grant: Grant, home: str) -> str:
    """Return a permission in one sentence, with the time as the person's clock shows it, and `~` for their home."""
    return said(grant, home).replace(grant.expires, moment(grant.expires))


def offer_lines(offer: Offer, like: str, width: int, home: str) -> list[str]:
    """Return what would be given, and what else could vary; nothing of it is left out."""
    grant = offer.grant
    lines = sentence(visible(f"{grant.operation} without a question, like {grant.learnt_from}: {like}"), width, "  ")
    lines += grant_lines(grant, width, home)
    for one in offer.could_vary:
        words = f"--vary {one.argument} would allow {varies_words(one, home)}"
        lines += sentence(visible(words), width, f"{_MARGIN}{'wider':<9}")
    return lines


def grant_lines(grant: Grant, width: int, home: str) -> list[str]:
    """Return everything a permission stands on: fixed, varying, as then, how long."""
    lines: list[str] = []
    for name, value in grant.fixed.items():
        lines += _fixed(name, value, width)
    for one in grant.varies:
        words = f"{one.argument}: {varies_words(one, home)}"
        lines += sentence(visible(words), width, f"{_MARGIN}{'varies':<9}")
    for words in reach_words(grant):
        lines += sentence(visible(words), width, f"{_MARGIN}{'as then':<9}")
    often = "" if grant.most_uses is None else f", {times_said(grant.most_uses)} at most"
    lines += sentence(f"until {moment(grant.expires)}{often}", width, f"{_MARGIN}{'holds':<9}")
    texts = [text for value in grant.fixed.values() for text in texts_in(value)]
    texts += [one.of for one in grant.varies]
    for words in dict.fromkeys(odd for text in texts for odd in warnings(text)):
        lines += sentence(visible(words), width, f"{_MARGIN}{'look':<9}")
    return lines


def state_lines(grant: Grant, ended: str | None, width: int) -> list[str]:
    """Return how a permission stands: given by whom, used how often, whether it holds."""
    given = f"{moment(grant.created)} by {grant.given_by or 'nobody known'}"
    given += f" ({grant.entry})" if grant.entry else ""
    used = times_said(grant.uses) + (f", last {moment(grant.last_used)}" if grant.last_used else "")
    lines = sentence(visible(given), width, f"{_MARGIN}{'given':<9}")
    lines += sentence(visible(used), width, f"{_MARGIN}{'used':<9}")
    if ended is not None:
        by = f" {moment(grant.revoked_at)} by {grant.revoked_by}" if grant.revoked_at else ""
        lines += sentence(visible(f"{ended}{by}; it answers nothing any more"), width, f"{_MARGIN}{'ended':<9}")
    return lines


def trial_lines(trial: Trial, width: int, most: int = MOST_ROWS) -> list[str]:
    """Return what a permission would have done with the history."""
    if not trial.tried:
        return sentence("no past action like this was asked about", width, f"{_MARGIN}{'history':<9}")
    allowed, asked = len(trial.allowed), len(trial.asked)
    of_all = _count(len(trial.tried))
    words = f"of {of_all} asked about so far, {allowed:,} would have been allowed, and {asked:,} stay asked"
    lines = sentence(words, width, f"{_MARGIN}{'history':<9}")
    for one in trial.against_you:
        no = f"{one.record.id} would have been allowed, and you said no to it: {about(one.record)}"
        lines += sentence(visible(no), width, f"{_MARGIN}{'careful':<9}")
    return [*lines, *_rows("allowed", trial.allowed, width, most), *_rows("asked", trial.asked, width, most)]


def _rows(answer: str, tried: tuple[Tried, ...], width: int, most: int) -> list[str]:
    lines: list[str] = []
    for one in tried[:most]:
        first = f"{_MARGIN}{answer:<9}{one.record.id}  {one.record.state.value:<9} "
        lines.append(one_line(first + _summary(one), width))
        lines += sentence(visible(one.why), width, f"{_MARGIN}{'':<9}because ") if one.why else []
    if len(tried) > most:
        lines.append(f"{_MARGIN}{'':<9}… {len(tried) - most:,} more; --json lists all")
    return lines


def _summary(tried: Tried) -> str:
    plan = tried.record.plan
    return str(plan["summary"]) if plan else about(tried.record)


def _fixed(name: str, value: Json, width: int) -> list[str]:
    text = value if isinstance(value, str) else canonical(value).decode()
    first = f"{_MARGIN}{'fixed':<9}"
    if "\n" not in text:
        return sentence(visible(f"{name}: “{text}”" if isinstance(value, str) else f"{name}: {text}"), width, first)
    return [f"{first}{visible(name)}: a text of {len(text):,} characters", *block(text, width, _MARGIN)]


def times_said(count: int) -> str:
    """Write how often."""
    return "once" if count == 1 else f"{count:,} times"


def _count(count: int) -> str:
    return f"{count:,} action" if count == 1 else f"{count:,} actions"
