"""Offer a grant after a yes: its card, what it would have allowed before, and giving it."""

from collections.abc import Sequence

from msgspec.structs import replace

from sayso.assembly import Home
from sayso.core.decision import Decision
from sayso.core.encoding import Json, canonical
from sayso.core.errors import SaysoError
from sayso.core.grant import Grant, GrantOffer, Wish
from sayso.policy.wording import reach_words, varies_words, word_grant
from sayso.runtime.grants import TIMES, BacktestResult, GrantBacktest
from sayso.runtime.results import Report
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.context import CommandContext
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.preview import texts_in
from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.prompts import word_from
from sayso.surfaces.cli.render import about, moment
from sayso.surfaces.cli.terminal import Talk, needs_person
from sayso.surfaces.cli.text import block, one_line, sentence, style_at, visible, warnings

_MARGIN = "     "
MOST_ROWS = 8


def in_words(grant: Grant, home: str) -> str:
    """Return a permission in one sentence, with the time as the person's clock shows it, and `~` for their home."""
    return word_grant(grant, home).replace(grant.expires, moment(grant.expires))


def offer_lines(offer: GrantOffer, like: str, width: int, home: str) -> list[str]:
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
        lines += _show_fixed(name, value, width)
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


def trial_lines(trial: GrantBacktest, width: int, most: int = MOST_ROWS) -> list[str]:
    """Return what a permission would have done with the history."""
    if not trial.tried:
        return sentence("no past action like this was asked about", width, f"{_MARGIN}{'history':<9}")
    allowed, asked = len(trial.allowed_ones), len(trial.asked)
    of_all = _count(len(trial.tried))
    words = f"of {of_all} asked about so far, {allowed:,} would have been allowed, and {asked:,} stay asked"
    lines = sentence(words, width, f"{_MARGIN}{'history':<9}")
    for one in trial.against_you:
        no = f"{one.record.id} would have been allowed, and you said no to it: {about(one.record)}"
        lines += sentence(visible(no), width, f"{_MARGIN}{'careful':<9}")
    return [*lines, *_rows("allowed", trial.allowed_ones, width, most), *_rows("asked", trial.asked, width, most)]


def _rows(answer: str, tried: tuple[BacktestResult, ...], width: int, most: int) -> list[str]:
    lines: list[str] = []
    for one in tried[:most]:
        first = f"{_MARGIN}{answer:<9}{one.record.id}  {one.record.state.value:<9} "
        lines.append(one_line(first + _summary(one), width))
        lines += sentence(visible(one.why), width, f"{_MARGIN}{'':<9}because ") if one.why else []
    if len(tried) > most:
        lines.append(f"{_MARGIN}{'':<9}… {len(tried) - most:,} more; --json lists all")
    return lines


def _summary(tried: BacktestResult) -> str:
    plan = tried.record.plan
    return str(plan["summary"]) if plan else about(tried.record)


def _show_fixed(name: str, value: Json, width: int) -> list[str]:
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


EVERY = 10
"""How many further yeses it takes until the same line is said once more."""


async def add_hint(home: Home, done: Report | list[Report]) -> Report | list[Report]:
    """Return what was done, a report or several, with the line among the warnings of the last one."""
    reports = [done] if isinstance(done, Report) else done
    hint = await _hint(home, reports)
    if hint is None:
        return done
    *others, last = reports
    last = replace(last, warnings=(*last.warnings, hint))
    return last if isinstance(done, Report) else [*others, last]


async def _hint(home: Home, reports: Sequence[Report]) -> str | None:
    outcomes = [outcome for report in reports for outcome in report.outcomes]
    yes = {outcome.record.id for outcome in outcomes if outcome.record.marks.approved_by == "terminal"}
    if not yes:
        return None
    try:
        suggested = await home.grants.suggest_grants()
    except SaysoError:
        return None  # what was done is told in any case
    for one in suggested:
        count = len(one.said_yes)
        if one.said_yes[0] in yes and (count == TIMES or count % EVERY == 0):
            return f"you have said yes to this {count:,} times; “sayso grants suggest” shows how to be asked no more"
    return None


YES = frozenset({"y", "yes"})


def ask_to_permit(talk: Talk, offer: GrantOffer, lines: Sequence[str]) -> Decision:
    """Show `lines` and return the decision about what they show."""
    with talk.terminal.alone:
        talk.say("sayso asks before this is permitted from now on.")
        talk.gap()
        talk.quote(lines)
        talk.gap()
        yes = (talk.line("Permit this from now on? [y/N]") or "").strip(" \t\r\n").lower() in YES
        talk.say("" if yes else "no; nothing is permitted")
    return Decision(yes, "terminal", offer.digest)


async def make_offer(home: Home, wish: Wish) -> tuple[GrantOffer, str, GrantBacktest]:
    """Return an offer with what it is like and what it would have done with the history."""
    offer = await home.grants.offer(wish)
    (record,) = await home.log_of(wish.ref)
    return offer, str(record.plan["summary"]) if record.plan else "", await home.grants.tried(offer.grant)


def give(here: CommandContext, wish: Wish) -> Grant:
    """Ask on the person's terminal and give what they say yes to. Raises `Refused` for a no, and without a terminal."""
    terminal = needs_person("sayso grants add")
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop:
        word = word_from(RandomIds().token())
        talk = Talk(terminal, word, style_at(here.environ), stop.descriptor, lambda: False)

        async def ask(home: Home) -> tuple[GrantOffer, Decision]:
            offer, like, trial = await make_offer(home, wish)
            width = talk.width
            lines = [*offer_lines(offer, like, width, home.settings.policy.home), *trial_lines(trial, width)]
            return offer, ask_to_permit(talk, offer, lines)

        async def work(home: Home) -> Grant:
            offer, decision = await ask(home)
            return await home.grants.give(offer, decision, entry="cli")

        try:
            return in_home(here, work)
        finally:
            terminal.close()
