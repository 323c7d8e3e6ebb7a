"""The budget of one ask: how many turns, tokens, seconds and how much money it may take, and what it has taken."""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sayso.core.conversation import ConversationRequest, ReplyEnd
from sayso.core.encoding import Json

PER_TOKEN = 4
"""About how many characters are one token, for models that do not report their tokens."""
_MILLION = 1_000_000


class Budget(Struct, frozen=True):
    """What one ask may take at most."""

    turns: int = 12
    tokens: int = 500_000
    seconds: float = 1200.0
    """The time spent waiting for the model; the time in which the person decides does not count."""
    money: float | None = None
    """None if the settings name no limit."""
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """By the full name of a model, the prices of a million tokens read and of a million tokens written."""

    def reached(self, used: "Used", asked: ConversationRequest) -> str:
        """Return why another turn would go beyond the budget, as the start of a sentence; empty if it would not."""
        if used.turns >= self.turns:
            return f"stopped after {used.turns} turns, the most for one request ([model] budget_turns)"
        ahead = tokens_of(asked)
        if used.tokens + ahead > self.tokens:
            return (
                f"stopped after {used.text}: the next turn needs about {ahead:,} tokens, and a request may take "
                f"{self.tokens:,} ([model] budget_tokens)"
            )
        if used.seconds >= self.seconds:
            return f"stopped after {used.text}: the time for one request is over ([model] budget_time)"
        if self.money is not None and (used.money or 0.0) >= self.money:
            return f"stopped after {used.text}: a request may cost {self.money:g} ([model] budget_money)"
        return ""


class Used(Struct, frozen=True):
    """What an ask has taken so far."""

    turns: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    about: bool = False
    """Whether a model did not report its tokens, so that they are counted by the length of the texts."""
    seconds: float = 0.0
    money: float | None = None
    """None if the settings name no price of the model."""

    @property
    def tokens(self) -> int:
        """Return the tokens read and written."""
        return self.tokens_in + self.tokens_out

    @property
    def text(self) -> str:
        """Return what was taken in words, such as `3 turns, 4,120 tokens, 11 s`."""
        turns = "1 turn" if self.turns == 1 else f"{self.turns} turns"
        tokens = f"{'about ' if self.about else ''}{self.tokens:,} tokens"
        money = [] if self.money is None else [f"cost {self.money:.4f}".rstrip("0").rstrip(".")]
        return ", ".join((turns, tokens, f"{self.seconds:.0f} s", *money))

    def json(self) -> dict[str, Json]:
        """Return what was taken as JSON data."""
        return {
            "turns": self.turns,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "tokens_are_estimated": self.about,
            "seconds": round(self.seconds, 3),
            "money": self.money,
        }

    def after(
        self, asked: ConversationRequest, said: str, ended: ReplyEnd | None, seconds: float, budget: Budget
    ) -> "Used":
        """Return what was taken after one more turn; without `ended`, its reply broke off."""
        read = ended.tokens_in if ended else None
        written = ended.tokens_out if ended else None
        about = read is None or written is None
        read, written = (
            tokens_of(asked) if read is None else read,
            len(said) // PER_TOKEN if written is None else written,
        )
        prices = budget.prices.get(ended.model if ended else "")
        cost = None if prices is None else (read * prices[0] + written * prices[1]) / _MILLION
        return replace(
            self,
            turns=self.turns + 1,
            tokens_in=self.tokens_in + read,
            tokens_out=self.tokens_out + written,
            about=self.about or about,
            seconds=self.seconds + seconds,
            money=self.money if cost is None else (self.money or 0.0) + cost,
        )


def tokens_of(asked: ConversationRequest) -> int:
    """Return about how many tokens a request has; its tools are left out."""
    texts = (
        asked.system,
        *(turn.text for turn in asked.turns),
        *(c.arguments for turn in asked.turns for c in turn.calls),
    )
    return sum(map(len, texts)) // PER_TOKEN
