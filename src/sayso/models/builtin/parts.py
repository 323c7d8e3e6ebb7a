"""Cut a wish into parts: orders, things that are only named, and remarks; reasons are left out."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from sayso.models.builtin.tokens import Token, is_past, strip_courtesy, vocabulary, word_list


class Part(Struct, frozen=True):
    """Words between two boundaries, without polite phrases around them."""

    words: tuple[Token, ...]
    order: bool
    """True if they begin with a verb as an order does."""
    telling: bool
    """True if they are a sentence that only tells something."""


_PAUSES = frozenset(",;.!?…—–-")
_JOINS = frozenset(word_list("and then so but plus & hence therefore"))
_UNITS = frozenset(word_list("min minute minutes hour hours day days week weeks h"))
_REASONS = frozenset(word_list("because since lest seeing although though whereas cos given"))
_MAY_BE_REASONS = frozenset(word_list("as for while before which who where that so although when until"))
_PEOPLE = frozenset(word_list("i i'm i've i'd i'll we we're we've he she they it it's there that's they're you"))
_FINITE = vocabulary("finite") | frozenset(
    word_list(
        "will shall would should could may might must ought can cannot wishes swears said does did goes went lies"
    )
)
_GUARDS = frozenset(
    word_list(
        "not never no nope don't doesn't didn't won't can't cannot isn't shouldn't nothing nobody none "
        "without "
        "except unless if whether maybe perhaps wonder wondering suppose supposing imagine said says say told tells "
        "asked asks wrote writes joke kidding everything every all anything anyone instead yesterday ever should might "
        "wish hate love why how who dreamt dreamed heard thinking thought think considering tempted almost nearly "
        "ignore once stop cancel keep leave later someday eventually but until than wouldn't"
    )
)
"""Words that may take a wish back, put it off, or make it one of somebody else's."""
_SPEECH = frozenset(word_list("said says told tells asked asks wrote writes texted yelled shouted dreamt heard reads"))


def parts_of(words: Sequence[Token], verbs: Collection[str]) -> list[Part] | None:
    """Return the parts of a wish without its reasons; None if a word in it may take the wish back."""
    found: list[Part] = []
    whole = strip_courtesy(words).words
    for stretch in _stretches(whole, verbs):
        bare = strip_courtesy(stretch).words
        while len(bare) > 1 and bare[0].text in _JOINS | {"also", "to"} and not bare[0].quoted:
            bare = strip_courtesy(bare[1:]).words
        said = [word.text for word in bare if not word.quoted]
        if not bare or _is_reason(bare, 0):
            if _SPEECH & set(said):
                return None
            continue
        begins = bare[0].text in verbs and not bare[0].quoted
        tells = bool((_FINITE | _PEOPLE) & set(said)) or any(is_past(one) for one in (*said[:1], *said[-1:]))
        if _is_guarded(said):
            return None
        found.append(Part(bare, begins, tells and not begins and said[:1] != ["do"]))
    return found


def _is_guarded(said: Sequence[str]) -> bool:
    plain = f" {' '.join(said)} "
    for harmless in (
        *_HARMLESS,
        " do not disturb ",
        " how to ",
        " once more ",
        " at once ",
        " once a ",
        " nothing more ",
    ):
        plain = plain.replace(harmless, " ")
    return bool(_GUARDS & set(plain.split())) and not _allowed(plain)


_HARMLESS = tuple(f" {one.replace('_', ' ')} " for one in vocabulary("harmless_not"))


def _allowed(plain: str) -> bool:
    said = plain.split()
    left = set(said) & _GUARDS
    if "later" in left and said[said.index("later") - 1] in _UNITS:
        left -= {"later"}
    return left <= {"every"} or (left <= {"until"} and said.index("until") > 0)


def _is_reason(words: Sequence[Token], at: int) -> bool:
    word = words[at].text
    if word in _REASONS:
        return True
    if word not in _MAY_BE_REASONS or at + 2 >= len(words):
        return False
    rest = [one.text for one in words[at + 1 : at + 14]]
    if word in {"which", "who"}:
        return True
    return (rest[0] in _PEOPLE and len(rest) > 1) or (
        word in {"as", "for", "while", "so"} and bool(_FINITE & set(rest[1:]))
    )


def _stretches(words: Sequence[Token], verbs: Collection[str]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for at, word in enumerate(words):
        cut = at > 0 and (
            words[at - 1].pause in _PAUSES
            or (not word.quoted and _is_reason(words, at))
            or (word.text in _JOINS and at + 1 < len(words) and _begins_anew(words[at + 1 :], verbs))
        )
        if cut and words[at - 1].pause != ":":
            found.append([])
        found[-1].append(word)
    return [one for one in found if one]


def _begins_anew(rest: Sequence[Token], verbs: Collection[str]) -> bool:
    if rest[0].text == "to" and len(rest) > 1:
        rest = rest[1:]
    bare = strip_courtesy(rest).words
    return len(bare) < len(rest) or bare[0].text in verbs or bare[0].text in _PEOPLE
