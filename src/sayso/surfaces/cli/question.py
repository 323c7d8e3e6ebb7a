"""Ask one question on the terminal and take nothing for a yes but a yes typed after it was shown."""

from collections.abc import Callable
from dataclasses import dataclass

from sayso.core.verdict import Decision, Question
from sayso.surfaces.cli.card import page
from sayso.surfaces.cli.layout import sentence
from sayso.surfaces.cli.style import Style
from sayso.surfaces.cli.terminal import Terminal

YES = frozenset({"y", "yes"})
ALWAYS = frozenset({"a", "always"})
VIEW = frozenset({"v", "view"})


class YesAlways(Decision):
    """A yes to applications that are not listed, and the wish to list them (T-31)."""


def is_about_apps(question: Question) -> bool:
    """Say whether everything that asks does so because an application is not listed."""
    return bool(question.asking) and all(card.verdict.rule == "allowed_apps" for card in question.asking)


@dataclass(frozen=True)
class OnTerminal:
    """Asks the person at the terminal; `word` marks which lines are sayso's own in this run."""

    terminal: Terminal
    word: str
    style: Style
    interrupted: Callable[[], int]
    """Returns a descriptor that becomes readable when the person presses Ctrl-C."""

    async def ask(self, question: Question) -> Decision | None:
        """Return the decision; None when the terminal has stopped being one that a person types at."""
        with self.terminal.alone:
            if self.terminal.wrong:
                return None
            said = self._answer(question)
        decision = YesAlways if said in ALWAYS else Decision
        return decision(said != "", "terminal", question.digest)

    def _answer(self, question: Question) -> str:
        """Return the yes that was typed; nothing for a no."""
        yes = YES | ALWAYS if is_about_apps(question) else YES
        self._say(self._head(question))
        left_out = self._show(question, whole=False)
        while True:
            line = self.terminal.fresh_line(self._prompt(question, left_out), self.interrupted())
            said = (line or "").strip(" \t\r\n").lower()
            if line is None:
                self.terminal.write("\n")
            if said in VIEW:
                left_out = self._show(question, whole=True)
            elif said in yes and left_out:
                self._say(f"{self.word}: there is more to see first; v shows all of it")
            else:
                self._say("" if said in yes else f"{self.word}: no; nothing is done")
                return said if said in yes else ""

    def _show(self, question: Question, *, whole: bool) -> int:
        shown = page(question, self.terminal.width, self.style, whole=whole)
        self.terminal.write("\n".join([*shown.lines, "", ""]))
        return shown.left_out

    def _say(self, text: str) -> None:
        lines = sentence(text, self.terminal.width, "", " " * (len(self.word) + 2))
        self.terminal.write("\n".join([*lines, ""]))

    def _head(self, question: Question) -> str:
        count, asking = len(question.cards), len(question.asking)
        if count == 1:
            what = "sayso asks before this is done."
        elif asking == count:
            what = f"sayso asks before these {count:,} actions are done, all together."
        else:
            needs = "1 of them asks" if asking == 1 else f"{asking:,} of them ask"
            what = f"sayso asks before these {count:,} actions are done, all together; {needs}."
        return f"{self.word}: {what} Only lines that begin with “{self.word}” are sayso's own question."

    def _prompt(self, question: Question, left_out: int) -> str:
        count = len(question.cards)
        what = "Do this?" if count == 1 else f"Do all {count:,}?"
        choices = "[y]es once / [a]lways / [N]o" if is_about_apps(question) else "[y/N]"
        view = f" (v shows the {left_out:,} characters left out; y counts after that)" if left_out else ""
        return self.style.bold(f"{self.word}: {what} {choices}{view} ")


def word_from(token: str) -> str:
    """Return a short word that can be said, made from a token that nobody can guess."""
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    letters = [ord(letter) for letter in token]
    return "".join(consonants[a % 14] + vowels[b % 5] for a, b in zip(letters[:6:2], letters[1:6:2], strict=True))
