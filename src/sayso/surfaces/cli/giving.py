"""Show the person a standing permission with what it would have done, and give it on their yes."""

from collections.abc import Callable, Sequence

from sayso.assembly import Home
from sayso.core.grant import Grant, Offer, Wish
from sayso.core.values import dataclass
from sayso.core.verdict import Decision
from sayso.runtime.ids import RandomIds
from sayso.runtime.trying import Trial
from sayso.surfaces.cli.here import Here
from sayso.surfaces.cli.homes import in_home
from sayso.surfaces.cli.layout import sentence
from sayso.surfaces.cli.permission_card import offer_lines, trial_lines
from sayso.surfaces.cli.persons import needs_person
from sayso.surfaces.cli.question import word_from
from sayso.surfaces.cli.stopping import stopping
from sayso.surfaces.cli.style import Style, style_at
from sayso.surfaces.cli.terminal import Terminal

YES = frozenset({"y", "yes"})


@dataclass(frozen=True)
class Permitting:
    """Asks at a terminal; `word` marks which lines are sayso's own."""

    terminal: Terminal
    word: str
    style: Style
    interrupted: Callable[[], int]
    """Returns a descriptor that becomes readable when the person presses Ctrl-C."""

    def ask(self, offer: Offer, lines: Sequence[str]) -> Decision:
        """Show `lines` and return the decision about what they show."""
        with self.terminal.alone:
            head = (
                f"{self.word}: sayso asks before this is permitted from now on. "
                f"Only lines that begin with “{self.word}” are sayso's own question."
            )
            self._say(head)
            self.terminal.write("\n".join(["", *lines, "", ""]))
            prompt = self.style.bold(f"{self.word}: Permit this from now on? [y/N] ")
            line = self.terminal.fresh_line(prompt, self.interrupted())
            if line is None:
                self.terminal.write("\n")
            yes = (line or "").strip(" \t\r\n").lower() in YES
            self._say("" if yes else f"{self.word}: no; nothing is permitted")
        return Decision(yes, "terminal", offer.digest)

    def _say(self, text: str) -> None:
        lines = sentence(text, self.terminal.width, "", " " * (len(self.word) + 2))
        self.terminal.write("\n".join([*lines, ""]))


async def offered(home: Home, wish: Wish) -> tuple[Offer, str, Trial]:
    """Return an offer with what it is like and what it would have done with the history."""
    offer = await home.grants.offer(wish)
    (record,) = await home.log_of(wish.ref)
    return offer, str(record.plan["summary"]) if record.plan else "", await home.grants.tried(offer.grant)


def give(here: Here, wish: Wish) -> Grant:
    """Ask on the person's terminal and give what they say yes to. Raises `Refused` for a no, and without a terminal."""
    terminal = needs_person("sayso grants add")
    with stopping(lambda said: here.tell(f"sayso: {said}")) as stop:
        permitting = Permitting(terminal, word_from(RandomIds().token()), style_at(here.environ), stop.descriptor)

        async def ask(home: Home) -> tuple[Offer, Decision]:
            offer, like, trial = await offered(home, wish)
            width = terminal.width
            lines = [*offer_lines(offer, like, width, home.settings.policy.home), *trial_lines(trial, width)]
            return offer, permitting.ask(offer, lines)

        async def work(home: Home) -> Grant:
            offer, decision = await ask(home)
            return await home.grants.give(offer, decision, entry="cli")

        try:
            return in_home(here, work)
        finally:
            terminal.close()
