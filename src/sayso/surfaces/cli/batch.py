"""Lead the person through the preview of a batch: leave some of it out, see more of it, execute, edit or cancel."""

from sayso.surfaces.cli.choosing import Choice, More, Turn, Unclear, Wish, ranges
from sayso.surfaces.cli.dialog import Answer, Dialog, is_about_apps
from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.preview import Ticks, changed, listing

_FEW = 12
"""So many changed lines are shown again at once; of more only the count is said."""


class BatchDialog(Dialog):
    """Several actions, decided together; what is not understood is asked again."""

    def head(self) -> str:
        """Say what the question is, and which lines are sayso's own."""
        count, asking = len(self.question.cards), len(self.question.asking)
        whose = f"Only lines that begin with “{self.talk.word}” are sayso's own question."
        what = f"sayso asks before these {count:,} actions are done"
        if self.question.edited:
            return f"{what}, as you edited them; nothing is approved by editing. {whose}"
        needs = "1 of them needs your yes" if asking == 1 else f"{asking:,} of them need your yes"
        return f"{what}, all together{'' if asking == count else f'; {needs}'}. {whose}"

    def show_list(self) -> None:
        """Show the list, and the keys."""
        terminal, keys = self.talk.terminal, self._keys()
        blocks = listing(self.question, self.ticks, terminal.width, self.talk.style)
        self.seen |= self.talk.show(blocks, len(self.talk.said(self.head())), len(self.talk.said(keys)))
        self.talk.gap()
        self.talk.say(keys)

    def _keys(self) -> str:
        edit = "" if self.editing is None else " e Edit,"
        numbers = "a number or range (2 or 2-4) leaves it out or takes it in again"
        return f"y Execute,{edit} Enter Cancel, ? more keys; {numbers}."

    def prompt(self) -> str:
        """Return the words before what is typed."""
        count, going = len(self.question.cards), len(self.ticks.going(self.question))
        if not going:
            return "Nothing is left to execute; Enter cancels [N]"
        what = f"all {count:,}" if going == count else f"{going:,} of {count:,}"
        unseen = self.unseen()
        view = f" (m {ranges(unseen)[:40]} or v shows what is left out; y counts after that)" if unseen else ""
        return f"Execute {what}? {self.choices()}{view}"

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers that may be typed."""
        return tuple(card.index + 1 for card in self.question.cards)

    def turn(self, said: Choice) -> Answer | None:
        """Take one line; None when the question goes on."""
        match said:
            case Turn() | Wish.ALL | Wish.NONE:
                return self._left_out(self._out_after(said))
            case More(numbers):
                return self.view({number - 1 for number in numbers})
            case Wish.LIST:
                return self.show_list()
            case Wish.HELP:
                return self._help()
            case Unclear(why):
                return self._unclear(why)
            case Wish.ALWAYS if not is_about_apps(self.question):
                return self._unclear("“a” is no choice here")
            case Wish.EDIT if self.editing is None:
                return self._unclear("this cannot be edited here")
            case _:
                return super().turn(said)

    def _unclear(self, why: str) -> None:
        self.talk.say(f"{visible(why)}; ? tells what there is, Enter cancels")

    def execute(self, how: Wish) -> Answer | None:
        """Return the yes, if there is something left and all of it was seen."""
        if not self.ticks.going(self.question):
            return self.talk.say("nothing is left to execute; Enter cancels, all takes everything in again")
        return super().execute(how)

    def _out_after(self, said: Turn | Wish) -> set[int]:
        """Return what is left out once this was said: numbers that are all out come in again, others go out."""
        if not isinstance(said, Turn):
            return set() if said is Wish.ALL else {card.index for card in self.question.cards}
        indices, out = {number - 1 for number in said.numbers}, set(self.ticks.left_out)
        return out - self._with_what_they_need(indices) if indices <= self._not_going() else out | indices

    def _not_going(self) -> set[int]:
        return {*self.ticks.left_out, *self.ticks.lacking}

    def _with_what_they_need(self, indices: set[int]) -> set[int]:
        """Return these and everything they need: what cannot happen without is taken in with them."""
        needs = {card.index: card.needs for card in self.question.cards}
        found: set[int] = set()
        more = set(indices)
        while more:
            found |= more
            more = {need for index in more for need in needs.get(index, ())} - found
        return found

    def _left_out(self, out: set[int]) -> None:
        before = {card.index: self.ticks.mark(card.index) for card in self.question.cards}
        self.ticks = Ticks.of(self.question, out)
        moved = {index for index, mark in before.items() if self.ticks.mark(index) != mark}
        if len(moved) <= _FEW:
            terminal = self.talk.terminal
            self.talk.show(changed(self.question, moved, self.ticks, terminal.width, self.talk.style))
        self.talk.say(self._said(moved))

    def _said(self, moved: set[int]) -> str:
        if not moved:
            return "nothing has changed"
        out = [index + 1 for index in sorted(moved) if self.ticks.mark(index) == " "]
        lacking = [index for index in sorted(moved) if self.ticks.mark(index) == "-"]
        taken_in = [index + 1 for index in sorted(moved) if self.ticks.mark(index) == "x"]
        said = [f"{ranges(out)} left out"] if out else []
        if lacking:
            needed = sorted({self.ticks.lacking[index] + 1 for index in lacking})
            numbers = ranges([index + 1 for index in lacking])
            said.append(f"without {ranges(needed)}, {numbers} cannot happen")
        if taken_in:
            said.append(f"{ranges(taken_in)} taken in again")
        edit = " (e plans the rest anew without it)" if lacking and self.editing is not None else ""
        return "; ".join(said) + edit

    def _help(self) -> None:
        for line in (
            "y executes what is ticked [x], in this order; Enter, n or Ctrl-C cancels all of it.",
            *(() if self.editing is None else ("e opens your editor: what you save is checked and shown here again.",)),
            "3, 2-4 or 2,5 leaves these out, or takes them in again; none and all do that with everything.",
            "m 3 shows all of 3, v shows all of everything, l shows the list again.",
        ):
            self.talk.say(line)
