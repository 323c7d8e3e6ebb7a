"""Put the question that came back to the person at the terminal, and take one line as the answer."""

from collections.abc import Iterator

from sayso.core.values import dataclass
from sayso.surfaces.cli.escape import visible_lines
from sayso.surfaces.cli.layout import BAR, WRAPPED, sentence
from sayso.surfaces.cli.talking import Talk, Unanswered

USUAL = "Say more exactly what you want."


@dataclass(frozen=True)
class AsksBack:
    """Asks under sayso's own word; the question itself is another's, and stands behind a bar."""

    talk: Talk

    def answer(self, reason: str | None, who: str = "the model asks") -> str:
        """Return what is typed; nothing where the person leaves, or nobody can answer now."""
        terminal = self.talk.terminal
        with terminal.alone:
            if terminal.wrong or self.talk.ended():
                return ""
            self.talk.say(f"{who} back; nothing is done yet")
            terminal.write("".join(f"{line}\n" for line in _lines(reason or USUAL, terminal.width)))
            try:
                return (self.talk.line("Your answer (Enter leaves it):") or "").strip()
            except Unanswered:
                return ""


def _lines(question: str, width: int) -> Iterator[str]:
    for line in visible_lines(question):
        yield from sentence(line, width, f"  {BAR}", f"  {WRAPPED}")
