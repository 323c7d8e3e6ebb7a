"""Put together what asks the person at the terminal, with an editor for what is asked."""

from sayso.assembly import Home
from sayso.assembly.parts import dialect
from sayso.core.dialect import Dialect
from sayso.core.verdict import Question
from sayso.dialects.chat import CHAT
from sayso.runtime.ids import RandomIds
from sayso.surfaces.cli.editing import Editing
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.question import OnTerminal, word_from
from sayso.surfaces.cli.stopping import Stopping
from sayso.surfaces.cli.style import style_at
from sayso.surfaces.cli.terminal import Terminal

_IN_CHATS = frozenset({"blocks", "actions"})


def dialect_of(question: Question) -> Dialect:
    """Return the dialect of its run; where a chat reply holds blocks and the person's own actions, that of both."""
    own = {card.template_id is not None for card in question.cards}
    mixed = question.dialect in _IN_CHATS and own != {question.dialect == "actions"}
    return CHAT if mixed else dialect(question.dialect)


def person(here: Here, home: Home, terminal: Terminal, stop: Stopping, *, edit_first: bool) -> OnTerminal:
    """Return what asks the person of this home at this terminal."""
    ids = RandomIds()
    editing = Editing(
        operations=home.operations,
        dialect=dialect_of,
        scratch=home.settings.places.scratch,
        environ=here.environ,
        most=home.settings.policy.limits.reply_bytes,
        token=ids.token,
        deaf=stop.deaf,
    )
    style = style_at(here.environ)
    return OnTerminal(terminal, word_from(ids.token()), style, stop.descriptor, stop.ended, editing, edit_first)
