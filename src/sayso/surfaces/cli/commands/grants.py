"""`sayso grants`: standing permissions, seen, tried on the history, given and taken back by the person alone."""

import argparse
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sayso.assembly import Home
from sayso.core.grant import Grant, GrantOffer, Wish
from sayso.core.settings import seconds
from sayso.runtime.grants import TIMES, GrantBacktest, GrantSuggestion
from sayso.runtime.results import add_words, grant_json, offer_json, suggestion_json, trial_json
from sayso.surfaces.cli.app import Command, UsageProblem, near, whole_number
from sayso.surfaces.cli.context import CommandContext, settings_of, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.grant_offers import (
    give,
    grant_lines,
    in_words,
    make_offer,
    offer_lines,
    state_lines,
    times_said,
    trial_lines,
)
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.render import action_ref
from sayso.surfaces.cli.terminal import no_questions_in_json, only_on_terminal
from sayso.surfaces.cli.text import sentence, visible

MANY = 1_000_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; list by itself")
    parser.add_argument("ref", nargs="?", metavar="ID", help="a permission, or a done action that others are like")
    parser.add_argument("--vary", action="append", default=[], metavar="NAME", help="an argument that may vary")
    parser.add_argument("--for", dest="length", type=_length, metavar="7d", help="how long it holds, at most")
    parser.add_argument("--uses", type=whole_number, metavar="N", help="how often it answers, at most")
    parser.add_argument("--times", type=whole_number, metavar="N", help=f"suggest: after so many yeses; {TIMES}")
    parser.add_argument("--all", action="store_true", help="list: also what has ended; revoke: every one")


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Do it."""
    what: str = arguments.what
    if what not in DEEDS:
        raise UsageProblem(f"sayso grants does not know “{what}”{near(what, DEEDS)}")
    _fits(what, arguments)
    return DEEDS[what](arguments, here)


def _fits(what: str, arguments: argparse.Namespace) -> None:
    needs = what in {"show", "try", "add"} or (what == "revoke" and not arguments.all)
    if needs and arguments.ref is None:
        raise UsageProblem(f"sayso grants {what} needs {_NEEDS[what]}")
    if arguments.ref is not None and not needs:
        raise UsageProblem(f"sayso grants {what} does not take “{arguments.ref}”")
    for option, given in (("--vary", arguments.vary), ("--for", arguments.length), ("--uses", arguments.uses)):
        if given and (what not in {"show", "try", "add"} or _is_given(arguments.ref)):
            raise UsageProblem(f"{option} is for what is yet to be given: sayso grants add, show or try of an action")
    if arguments.all and what not in {"list", "revoke"}:
        raise UsageProblem("--all is for sayso grants list and revoke")
    if arguments.times is not None and what != "suggest":
        raise UsageProblem("--times is for sayso grants suggest")


def _wish(arguments: argparse.Namespace) -> Wish:
    return Wish(action_ref(arguments.ref), tuple(arguments.vary), arguments.length, arguments.uses)


def _list(arguments: argparse.Namespace, here: CommandContext) -> int:
    async def found(home: Home) -> list[tuple[Grant, str | None]]:
        return [(grant, home.grants.ended(grant)) for grant in await home.grants.all(ended=arguments.all)]

    grants = in_home(here, found)
    if here.json:
        here.document({"grants": [grant_json(grant, ended) for grant, ended in grants]})
    elif not grants:
        here.print("There are no standing permissions.")
    else:
        here.print(*(line for grant, ended in grants for line in _list_grant(grant, ended, here)))
    return Exit.FINE


def _list_grant(grant: Grant, ended: str | None, here: CommandContext) -> list[str]:
    used = f"; used {grant.uses:,} of {grant.most_uses:,} times" if grant.most_uses else f"; used {grant.uses:,} times"
    words = in_words(grant, settings_of(here).policy.home) + used + (f"; {ended}" if ended else "")
    return sentence(visible(words), terminal_width(here), f"{grant.id}  ", "    ")


def _show(arguments: argparse.Namespace, here: CommandContext) -> int:
    if not _is_given(arguments.ref):
        return _show_offer(arguments, here)

    async def found(home: Home) -> tuple[Grant, str | None, str]:
        grant = await home.grants.get(arguments.ref)
        return grant, home.grants.ended(grant), home.settings.policy.home

    grant, ended, home = in_home(here, found)
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
    async def found(home: Home) -> tuple[GrantOffer, str, str]:
        offer, like, _ = await make_offer(home, _wish(arguments))
        return offer, like, home.settings.policy.home

    offer, like, home = in_home(here, found)
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

    async def found(home: Home) -> list[GrantSuggestion]:
        return await home.grants.suggest_grants(times)

    suggestions = in_home(here, found)
    if here.json:
        here.document({"suggestions": [suggestion_json(one) for one in suggestions]})
    elif not suggestions:
        here.print(f"There is nothing to suggest: nothing that you said yes to {times_said(times)} is still asked.")
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
        raise argparse.ArgumentTypeError(f"“{text}” is no length of time such as 7d or 12h")
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
