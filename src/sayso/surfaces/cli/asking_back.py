"""Put a model's question to the person at the terminal, and take one line as the answer."""

from sayso.core.values import dataclass
from sayso.surfaces.cli.layout import block
from sayso.surfaces.cli.talking import Talk, Unanswered

USUAL = "The model asks you to say more exactly what you want."


@dataclass(frozen=True)
class AsksBack:
    """Asks under sayso's own word; the question itself is the model's, and stands behind a bar."""

    talk: Talk

    def answer(self, reason: str | None) -> str:
        """Return what is typed; nothing where the person leaves, or nobody can answer now."""
        terminal = self.talk.terminal
        with terminal.alone:
            if terminal.wrong or self.talk.ended():
                return ""
            self.talk.say("the model asks back; nothing is done yet")
            terminal.write("".join(f"{line}\n" for line in block(reason or USUAL, terminal.width, "  ")))
            try:
                return (self.talk.line("Your answer (Enter leaves it):") or "").strip()
            except Unanswered:
                return ""
