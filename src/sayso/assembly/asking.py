"""Ask at one of the entry points of a home, and say what of it may be kept."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import cast

import msgspec

from sayso.assembly.home import Home
from sayso.assembly.model import open_model
from sayso.assistant import automation, chat, commands
from sayso.assistant.answer import Answer, Asker
from sayso.assistant.asking import ask
from sayso.assistant.entry import Entry
from sayso.assistant.triggers.switch import must_be_on
from sayso.core.canonical import Json
from sayso.core.errors import Refused, SetupError
from sayso.core.ids import session_id
from sayso.core.model import Model
from sayso.core.proposal import Proposal
from sayso.core.sessions import Exchange
from sayso.journal.redaction import Hide, without

ENTRIES: Mapping[str, Entry] = MappingProxyType(
    {one.name: one for one in (commands.ENTRY, automation.ENTRY, chat.ENTRY)}
)


async def asked(home: Home, words: str, entry: str, model: Model | None, asker: Asker | None) -> Answer:
    """Ask, and answer the questions among what comes of it by the same model."""
    if entry not in ENTRIES:
        raise SetupError(f"there is no entry point “{entry}”; there are: {', '.join(ENTRIES)}", "entry.unknown")
    if entry == automation.ENTRY.name:
        must_be_on(home.settings.policy)
    if home.settings.policy.paused:
        raise Refused("everything is paused; “sayso resume” lets sayso go on", "policy.paused", "paused")
    asker = asker or Asker()
    if not asker.session:
        asker = replace(asker, session=session_id(home.tools.ids.key()))
    model = model or open_model(home.settings, home.tools.ids, clock=home.tools.clock)
    home.questions.answering.serve(asker.session, model, asker.hears)
    return await ask(home, ENTRIES[entry], model, words, asker)


def kept(exchange: Exchange, proposals: Sequence[Proposal], patterns: Sequence[str]) -> Exchange:
    """Return an exchange without the values of arguments that a pattern names, wherever in it they stand."""
    values = frozenset(value for one in proposals for value in without(one.operation or "", one.arguments, patterns)[1])
    if not values:
        return exchange
    hidden = Hide(values).value(cast("Json", msgspec.to_builtins(exchange)))
    return msgspec.convert(hidden, Exchange)
