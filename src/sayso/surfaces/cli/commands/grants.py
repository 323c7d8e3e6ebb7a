"""`sayso grants`: list, try, give and revoke grants, which are standing permissions."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from sayso.assembly import Home
from sayso.core.card_contents import texts_in
from sayso.core.decision import Decision
from sayso.core.encoding import Json, canonical
from sayso.core.errors import SaysoError
from sayso.core.grant import Grant, GrantOffer, Wish
from sayso.core.lookalikes import warnings
from sayso.core.quotes import quoted, visible
from sayso.core.record import id_part
from sayso.core.settings import seconds
from sayso.policy.wording import reach_words, varies_words, word_grant
from sayso.runtime.grant_documents import add_words, grant_json, offer_json, suggestion_json, trial_json
from sayso.runtime.grants import TIMES, BacktestResult, GrantBacktest, GrantSuggestion
from sayso.runtime.results import Report
from sayso.runtime.system import RandomIds
from sayso.surfaces.cli.app import Command, UsageProblem, near, whole_number
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.progress import stopping
from sayso.surfaces.cli.prompts import word_from
from sayso.surfaces.cli.references import find_reference
from sayso.surfaces.cli.render import action_ref, moment
from sayso.surfaces.cli.terminal import PromptTerminal, needs_person, no_questions_in_json, only_on_terminal
from sayso.surfaces.cli.text import block, one_line, sentence, style_at

_MARGIN = "     "
MOST_ROWS = 8


def in_words(grant: Grant, home: str) -> str:
    """Return a grant in one sentence, with times in local time and `~` for the person's home."""
    return word_grant(grant, home).replace(grant.expires, moment(grant.expires))


def offer_lines(offer: GrantOffer, like: str, width: int, home: str) -> list[str]:
    """Return the terms of an offered grant in full, and the arguments that could also vary."""
    grant = offer.grant
    lines = sentence(visible(f"{grant.operation} without a question, like {grant.learnt_from}: {like}"), width, "  ")
    lines += grant_lines(grant, width, home)
    for one in offer.could_vary:
        words = f"--vary {one.argument} would allow {varies_words(one, home)}"
        lines += sentence(visible(words), width, f"{_MARGIN}{'wider':<9}")
    return lines


def grant_lines(grant: Grant, width: int, home: str) -> list[str]:
    """Return the terms of a grant: fixed and varying arguments, learnt limits, and expiry."""
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
    """Return the state of a grant: who gave it, how often it was used, and how it ended."""
    given = f"{moment(grant.created)} by {grant.given_by or 'nobody known'}"
    given += f" ({grant.entry})" if grant.entry else ""
    used = times_said(grant.uses) + (f", last {moment(grant.last_used)}" if grant.last_used else "")
    lines = sentence(visible(given), width, f"{_MARGIN}{'given':<9}")
    lines += sentence(visible(used), width, f"{_MARGIN}{'used':<9}")
    if ended is not None:
        by = f" {moment(grant.revoked_at)} by {grant.revoked_by}" if grant.revoked_at else ""
        lines += sentence(visible(f"{ended}{by}; it allows nothing any more"), width, f"{_MARGIN}{'ended':<9}")
    return lines


def trial_lines(trial: GrantBacktest, width: int, most: int = MOST_ROWS) -> list[str]:
    """Return how a grant would have decided past actions."""
    if not trial.tried:
        return sentence("no past action like this was asked about", width, f"{_MARGIN}{'history':<9}")
    allowed, asked = len(trial.allowed_ones), len(trial.asked)
    of_all = _count(len(trial.tried))
    words = (
        f"of {of_all} asked about so far, {allowed:,} would have been allowed, and {asked:,} would still be asked about"
    )
    lines = sentence(words, width, f"{_MARGIN}{'history':<9}")
    for one in trial.against_you:
        no = f"{one.record.id} would have been allowed, and you said no to it: {one.record.about}"
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
    return str(plan["summary"]) if plan else tried.record.about


def _show_fixed(name: str, value: Json, width: int) -> list[str]:
    text = value if isinstance(value, str) else canonical(value).decode()
    first = f"{_MARGIN}{'fixed':<9}"
    if "\n" not in text:
        return sentence(
            visible(f"{name}: {quoted(text)}" if isinstance(value, str) else f"{name}: {text}"), width, first
        )
    return [f"{first}{visible(name)}: a text of {len(text):,} characters", *block(text, width, _MARGIN)]


def times_said(count: int) -> str:
    """Return a count of uses in words."""
    return "once" if count == 1 else f"{count:,} times"


def _count(count: int) -> str:
    return f"{count:,} action" if count == 1 else f"{count:,} actions"


EVERY = 10
"""Number of further approvals after which the hint is repeated."""


async def add_hint(home: Home, done: Report | list[Report]) -> Report | list[Report]:
    """Return the reports, with the hint about grants added to the warnings of the last one."""
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
        return None  # the results are printed without the hint
    for one in suggested:
        count = len(one.said_yes)
        if one.said_yes[0] in yes and (count == TIMES or count % EVERY == 0):
            return (
                f"you have said yes to this {count:,} times; “sayso grants suggest” shows how not to be asked any more"
            )
    return None


YES = frozenset({"y", "yes"})


def ask_to_permit(talk: PromptTerminal, offer: GrantOffer, lines: Sequence[str]) -> Decision:
    """Show `lines`, ask the person, and return their decision about the offer."""
    with talk.terminal.alone:
        talk.say("sayso asks before this is permitted from now on.")
        talk.gap()
        talk.quote(lines)
        talk.gap()
        yes = (talk.line("Permit this from now on? [y/N]") or "").strip(" \t\r\n").lower() in YES
        talk.say("" if yes else "no; nothing is permitted")
    return Decision(yes, "terminal", offer.digest)


async def permit(home: Home, talk: PromptTerminal, refs: Sequence[str]) -> tuple[GrantOffer, ...]:
    """Show the permissions that could follow from these waiting actions; return those that the person gives.

    Nothing is given yet: that happens once the actions are done.
    """
    try:
        offers = await home.grants.foresee(refs)
    except SaysoError as no:
        talk.say(f"{visible(str(no))}; y does it this once")
        return ()
    given: list[GrantOffer] = []
    for offer in offers:
        width, grant = talk.width, offer.grant
        lines = sentence(visible(f"{grant.operation}, done without a question if all of this fits"), width, "  ")
        lines += [*grant_lines(grant, width, home.settings.policy.home)]
        trial = await home.grants.tried(grant)
        past = replace(trial, tried=tuple(one for one in trial.tried if one.record.id not in refs))
        lines += trial_lines(past, width, _FEW_ROWS)
        if ask_to_permit(talk, offer, lines).yes:
            given.append(offer)
    return tuple(given)


_FEW_ROWS = 3


async def make_offer(home: Home, wish: Wish) -> tuple[GrantOffer, str, GrantBacktest]:
    """Return an offer, the summary of the action that it was learnt from, and its test on the history."""
    offer = await home.grants.offer(wish)
    (record,) = await home.log_of(wish.ref)
    return offer, str(record.plan["summary"]) if record.plan else "", await home.grants.tried(offer.grant)


def give(here: CommandContext, wish: Wish) -> Grant:
    """Ask on the person's terminal, and give the grant that they accept.

    Raises `Refused` if they say no, or if there is no terminal.
    """
    terminal = needs_person("sayso grants add")
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop:
        word = word_from(RandomIds().token())
        talk = PromptTerminal(terminal, word, style_at(here.environ), stop.descriptor, lambda: False)

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


MANY = 1_000_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; without it, list")
    parser.add_argument(
        "ref", nargs="?", metavar="ID", help="a permission, or an action that was done, as an example for it"
    )
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME", help="an argument that may be different each time"
    )
    parser.add_argument("--for", dest="length", type=_length, metavar="7d", help="how long it holds, at most")
    parser.add_argument("--uses", type=whole_number, metavar="N", help="how often it may be used, at most")
    parser.add_argument("--times", type=whole_number, metavar="N", help=f"with suggest: after how many yeses; {TIMES}")
    parser.add_argument(
        "--all", action="store_true", help="with list: also those that have ended; with revoke: all of them"
    )


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Carry out the subcommand."""
    what: str = arguments.what
    if what not in DEEDS:
        raise UsageProblem(f"sayso grants does not know {quoted(what)}{near(what, DEEDS)}")
    _fits(what, arguments)
    if id_part(arguments.ref or "") is not None:
        arguments.ref = find_reference(arguments.ref, here)
    return DEEDS[what](arguments, here)


def _fits(what: str, arguments: argparse.Namespace) -> None:
    needs = what in {"show", "try", "add"} or (what == "revoke" and not arguments.all)
    if needs and arguments.ref is None:
        raise UsageProblem(f"sayso grants {what} needs {_NEEDS[what]}")
    if arguments.ref is not None and not needs:
        raise UsageProblem(f"sayso grants {what} does not take {quoted(arguments.ref)}")
    for option, given in (("--vary", arguments.vary), ("--for", arguments.length), ("--uses", arguments.uses)):
        if given and (what not in {"show", "try", "add"} or _is_given(arguments.ref)):
            raise UsageProblem(
                f"{option} is for a permission that is not given yet: sayso grants add, show or try of an action"
            )
    if arguments.all and what not in {"list", "revoke"}:
        raise UsageProblem("--all is for sayso grants list and revoke")
    if arguments.times is not None and what != "suggest":
        raise UsageProblem("--times is for sayso grants suggest")


def _wish(arguments: argparse.Namespace) -> Wish:
    return Wish(action_ref(arguments.ref), tuple(arguments.vary), arguments.length, arguments.uses)


def _list(arguments: argparse.Namespace, here: CommandContext) -> int:
    async def look(home: Home) -> list[tuple[Grant, str | None]]:
        return [(grant, home.grants.ended(grant)) for grant in await home.grants.all(ended=arguments.all)]

    grants = in_home(here, look)
    if here.json:
        here.document({"grants": [grant_json(grant, ended) for grant, ended in grants]})
    elif not grants:
        here.print("There are no standing permissions.")
    else:
        here.print(*(line for grant, ended in grants for line in _list_grant(grant, ended, here)))
    return Exit.FINE


def _list_grant(grant: Grant, ended: str | None, here: CommandContext) -> list[str]:
    used = (
        f"; used {grant.uses:,} of {grant.most_uses:,} times" if grant.most_uses else f"; used {times_said(grant.uses)}"
    )
    words = in_words(grant, settings_of(here).policy.home) + used + (f"; {ended}" if ended else "")
    return sentence(visible(words), terminal_width(here), f"{grant.id}  ", "    ")


def _show(arguments: argparse.Namespace, here: CommandContext) -> int:
    if not _is_given(arguments.ref):
        return _show_offer(arguments, here)

    async def look(home: Home) -> tuple[Grant, str | None, str]:
        grant = await home.grants.get(arguments.ref)
        return grant, home.grants.ended(grant), home.settings.policy.home

    grant, ended, home = in_home(here, look)
    if here.json:
        here.document({"grants": [grant_json(grant, ended)]})
        return Exit.FINE
    width = terminal_width(here)
    here.print(
        *sentence(visible(f"{grant.operation} without a question, like {grant.learnt_from}"), width, f"{grant.id}  ")
    )
    here.print(*grant_lines(grant, width, home), *state_lines(grant, ended, width))
    return Exit.FINE


def _show_offer(arguments: argparse.Namespace, here: CommandContext) -> int:
    async def look(home: Home) -> tuple[GrantOffer, str, str]:
        offer, like, _ = await make_offer(home, _wish(arguments))
        return offer, like, home.settings.policy.home

    offer, like, home = in_home(here, look)
    if here.json:
        here.document(offer_json(offer))
        return Exit.FINE
    here.print("This could be permitted; “sayso grants add” with the same words asks you.", "")
    here.print(*offer_lines(offer, like, terminal_width(here), home))
    return Exit.FINE


def _try(arguments: argparse.Namespace, here: CommandContext) -> int:
    async def tried(home: Home) -> tuple[Grant, str | None, GrantBacktest]:
        if _is_given(arguments.ref):
            grant = await home.grants.get(arguments.ref)
            return grant, home.grants.ended(grant), await home.grants.tried(grant)
        offer, _, trial = await make_offer(home, _wish(arguments))
        return offer.grant, None, trial

    grant, ended, trial = in_home(here, tried)
    if here.json:
        here.document({"grant": grant_json(grant, ended), **trial_json(trial)})
        return Exit.FINE
    width = terminal_width(here)
    here.print(
        *sentence(visible(in_words(grant, settings_of(here).policy.home)), width, f"{grant.id}  " if grant.id else "")
    )
    here.print(*trial_lines(trial, width, MANY))
    return Exit.FINE


def _suggest(arguments: argparse.Namespace, here: CommandContext) -> int:
    times = arguments.times or TIMES

    async def look(home: Home) -> list[GrantSuggestion]:
        return await home.grants.suggest_grants(times)

    suggestions = in_home(here, look)
    if here.json:
        here.document({"suggestions": [suggestion_json(one) for one in suggestions]})
    elif not suggestions:
        here.print(f"Nothing to suggest: nothing that you said yes to {times_said(times)} is still asked about.")
    else:
        home = settings_of(here).policy.home
        here.print(*(line for one in suggestions for line in _list_suggestion(one, terminal_width(here), home)))
    return Exit.FINE


def _list_suggestion(suggestion: GrantSuggestion, width: int, home: str) -> list[str]:
    words = (
        f"You said yes {len(suggestion.said_yes):,} times to what this would allow: {in_words(suggestion.grant, home)}"
    )
    command = " ".join(add_words(suggestion))
    return [*sentence(visible(words), width), f"    {visible(command)}"]


def _add(arguments: argparse.Namespace, here: CommandContext) -> int:
    no_questions_in_json("sayso grants add", here)
    wish = _wish(arguments)
    grant = give(here, wish)
    here.print(
        *sentence(
            visible(f"✓ permitted: {in_words(grant, settings_of(here).policy.home)}"), terminal_width(here), "", "  "
        )
    )
    here.print(f"  sayso grants revoke {grant.id} takes it back")
    return Exit.FINE


def _revoke(arguments: argparse.Namespace, here: CommandContext) -> int:
    only_on_terminal("sayso grants revoke")

    async def revoked(home: Home) -> list[Grant]:
        if arguments.all:
            return await home.grants.revoke_all(by="terminal")
        return [await home.grants.revoke(arguments.ref, by="terminal")]

    grants = in_home(here, revoked)
    if here.json:
        here.document({"grants": [grant_json(grant, "revoked") for grant in grants]})
    elif not grants:
        here.print("There are no standing permissions to take back.")
    else:
        width, home = terminal_width(here), settings_of(here).policy.home
        here.print(
            *(line for one in grants for line in sentence(visible(f"taken back: {in_words(one, home)}"), width, "✓ "))
        )
    return Exit.FINE


def _is_given(ref: str | None) -> bool:
    return ref is not None and ref.startswith("grant_")


def _length(text: str) -> int:
    length = seconds(text)
    if not length:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no length of time such as 7d or 12h")
    return length


_NEEDS: Mapping[str, str] = MappingProxyType(
    {
        "show": "the id of a permission, or of an action that was done",
        "try": "the id of a permission, or of an action that was done",
        "add": "the id of an action that was done; “sayso log” lists them",
        "revoke": "the id of the permission, or --all; “sayso grants” lists them",
    }
)
DEEDS: Mapping[str, Callable[[argparse.Namespace, CommandContext], int]] = MappingProxyType(
    {"list": _list, "show": _show, "try": _try, "suggest": _suggest, "add": _add, "revoke": _revoke}
)
COMMAND = Command(
    configure,
    act,
    "sayso grants add do_0D8M2YQ5Z3F4K --vary content --for 7d",
    "A permission is learnt from an action that was done with your yes, and is shown to you whole before you give it.",
)
