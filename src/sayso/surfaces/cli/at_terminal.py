"""Put together what asks the person at the terminal, with an editor for what is asked."""

from sayso.assembly import Home
from sayso.assembly.parts import dialect
from sayso.runtime.ids import RandomIds
from sayso.surfaces.cli.editing import Editing
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.question import OnTerminal, word_from
from sayso.surfaces.cli.stopping import Stopping
from sayso.surfaces.cli.style import style_at
from sayso.surfaces.cli.terminal import Terminal


def person(here: Here, home: Home, terminal: Terminal, stop: Stopping, *, edit_first: bool) -> OnTerminal:
    """Return what asks the person of this home at this terminal."""
    ids = RandomIds()
    editing = Editing(
        operations=home.operations,
        dialect=dialect,
        read=home.read,
        scratch=home.settings.places.scratch,
        environ=here.environ,
        most=home.settings.policy.limits.reply_bytes,
        token=ids.token,
        deaf=stop.deaf,
    )
    style = style_at(here.environ)
    return OnTerminal(terminal, word_from(ids.token()), style, stop.descriptor, stop.ended, editing, edit_first)
