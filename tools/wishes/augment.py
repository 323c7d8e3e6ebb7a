"""Say the same wish in other manners: with phrases around it, as it is dictated, or by somebody who learns English."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sayso.models.builtin.tokens import vocabulary, word_list
from tools.wishes.chance import Chance

MANNERS = Path(__file__).parent / "manners"
_ORDERS = vocabulary("orders") | vocabulary("verbs")
_ARTICLES = re.compile(r"\b(the|a|an|my) ", re.IGNORECASE)
_PREPOSITIONS = ("in", "on", "at", "to", "for", "from", "of", "by", "into", "with")
_NUMBERS = word_list("zero one two three four five six seven eight nine ten eleven twelve")
_LEAST = 4


def manners(folder: Path = MANNERS) -> Mapping[str, Sequence[str]]:
    """Return the phrases of all files, by what they are."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.toml")):
        for name, phrases in tomllib.loads(path.read_text("utf-8")).items():
            found.setdefault(name, []).extend(phrases)
    return found


def said_otherwise(text: str, told: Mapping[str, Sequence[str]], chance: Chance) -> str:
    """Return a wish in another manner that means the same."""
    for change, share in _CHANGES.items():
        if chance.share() < share:
            text = change(text, chance)
    for part, share in (("reasons", 0.12), ("openings", 0.3), ("endings", 0.25), ("fillers", 0.2), ("asides", 0.06)):
        if chance.share() < share and told.get(part):
            text = _with(part, text, chance.choice(told[part]), chance)
    if chance.share() < _DICTATED:
        text = dictated(text)
    return text


def _with(part: str, text: str, phrase: str, chance: Chance) -> str:
    match part:
        case "openings":
            return f"{phrase} {_lowered(text)}"
        case "endings":
            return f"{text.rstrip('.!')}{',' if chance.share() < _HALF else ''} {phrase}"
        case "fillers":
            return _inside(text, phrase, chance)
        case "reasons" | "asides":
            join = chance.choice((", ", ". ", " - ", " ", "; ", ", "))
            if chance.share() < _HALF:
                return f"{phrase}{join}{text}"
            because = chance.choice(("", "", "because ", "since ", "as "))
            return f"{text.rstrip('.!')}{join}{because}{_lowered(phrase)}"
        case _:
            return text


_HALF, _DICTATED = 0.5, 0.3


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _inside(text: str, phrase: str, chance: Chance) -> str:
    words = text.split(" ")
    if len(words) < _LEAST or "“" in text or '"' in text:
        return text
    at = 1 + int(chance.share() * (len(words) - 1))
    return " ".join([*words[:at], phrase, *words[at:]])


def dictated(text: str) -> str:
    """Return a text as a machine writes down what it hears: small letters, no marks, numbers as words."""
    plain = re.sub(r"(?<=\w)[,;:!?]+(?= |$)|[.!?]+$|[“”\"]|(?<= )[-–—](?= )", "", text.lower())
    return " ".join(_spelled(word) for word in plain.split())


def _spelled(word: str) -> str:
    return _NUMBERS[int(word)] if word.isascii() and word.isdigit() and int(word) < len(_NUMBERS) else word


def _without_articles(text: str, chance: Chance) -> str:
    return _ARTICLES.sub(lambda found: "" if chance.share() < _MOSTLY else found[0], text)


_MOSTLY = 0.8


def _other_prepositions(text: str, chance: Chance) -> str:
    words = [
        chance.choice(_PREPOSITIONS) if word in _PREPOSITIONS and chance.share() < _HALF else word
        for word in text.split(" ")
    ]
    return " ".join(words)


def _verb_last(text: str, _: Chance) -> str:
    words = text.rstrip(".!").split(" ")
    if len(words) < _LEAST - 1 or words[0].lower() not in _ORDERS or len(words) > 2 * _LEAST:
        return text
    return " ".join([*words[1:], words[0].lower()])


def _other_form(text: str, chance: Chance) -> str:
    """Return a text whose first verb has another form, as in “closing the tab” or “to close the tab”."""
    first, blank, rest = text.partition(" ")
    if first.lower() not in _ORDERS or not blank:
        return text
    verb = first.lower()
    form = chance.choice(
        (f"to {verb}", f"{verb.removesuffix('e')}ing", f"{verb}s", f"i want {verb}", f"i want that you {verb}",
         f"must {verb}", f"you can {verb}", f"i need {verb}", f"make {verb}", f"do {verb}")
    )  # fmt: skip
    return f"{form} {rest}"


def _with_slip(text: str, chance: Chance) -> str:
    words = text.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > _LEAST and word.isalpha()]
    if not long:
        return text
    at = chance.choice(long)
    word, place = words[at], 1 + int(chance.share() * (len(words[at]) - 2))
    slips = (
        word[:place] + word[place + 1 :],
        word[:place] + word[place + 1 : place + 2] + word[place] + word[place + 2 :],
        word[:place] + word[place] + word[place:],
    )
    words[at] = chance.choice(slips)
    return " ".join(words)


_CHANGES: Mapping[Callable[[str, Chance], str], float] = MappingProxyType(
    {_without_articles: 0.3, _other_prepositions: 0.15, _verb_last: 0.12, _other_form: 0.15, _with_slip: 0.15}
)
_ASKS_NOTHING = (
    "don't {wish}", "do not {wish}", "never {wish}", "please don't {wish}", "no need to {wish}", "i said not to {wish}",
    "i wouldn't {wish}", "should i {wish}?", "should we {wish}?", "i wonder if i should {wish}",
    "what happens if i {wish}?", "what would happen if you {wish}", "maybe i will {wish} later", "one day i'll {wish}",
    "i was going to {wish} but then i forgot", "my boss said to {wish}", "she told me to {wish}",
    "he asked me to {wish}, can you believe it", "they always want me to {wish}", 'my brother wrote "{wish}"',
    "the mail says to {wish}", "the page says “{wish}”", "i already asked somebody to {wish}",
    "remember when i had to {wish}", "i used to {wish} every day", "nobody wants to {wish}", "who would {wish}?",
    "if i had time i would {wish}", "if it rains we will {wish}", "is it wise to {wish}?", "how do i {wish}?",
    "you can't {wish}", "i don't want to {wish}", "i don't want you to {wish}", "don't you dare {wish}",
    "imagine if you could {wish}", "we might {wish} tomorrow", "in the film they {wish}",
    "i dreamt that i had to {wish}",
    "i hate to {wish}", "thinking about whether to {wish}", "it would be silly to {wish}", "why would anyone {wish}",
    "unless they call, {wish}", "if he says yes, {wish}", "do you think i should {wish}?",
    "i forgot to {wish} yesterday",
)  # fmt: skip


def asking_nothing(text: str, chance: Chance) -> Iterator[str]:
    """Yield a sentence that names the same things and asks for nothing; none if the text begins with no verb."""
    first = text.partition(" ")[0].lower()
    if first in _ORDERS:
        yield chance.choice(_ASKS_NOTHING).replace("{wish}", _lowered(text).rstrip(".!"))
