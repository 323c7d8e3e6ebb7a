"""Cut a wish into clauses: orders, things that are only named, and remarks; polite phrases are left out."""

from collections.abc import Sequence

from msgspec import Struct

from sayso.models.builtin.tokens import Token, is_past, strip_courtesy, vocabulary, word_list


class Part(Struct, frozen=True):
    """Words between two boundaries, without polite phrases around them."""

    words: tuple[Token, ...]
    order: bool
    """True if they begin with a verb as an order does, or with a polite request."""
    telling: bool
    """True if they are a sentence that only tells something, or a reason."""
    asked: bool
    """True if a polite request, or “so”, leads to them."""
    joined: bool
    """True if “and” or “then” leads to them."""
    guarded: bool
    """True if a word in them may take a wish back, put it off, or make it one of somebody else's."""


_PAUSES = frozenset(",;.!?…—–-")
_JOINS = frozenset(word_list("and then so but plus & hence therefore also"))
_REASONS = frozenset(word_list("because since lest seeing although though whereas cos given"))
_MAY_BE_REASONS = frozenset(word_list("as for while before which who where that so although when until"))
_PEOPLE = frozenset(word_list("i i'm i've i'd i'll we we're we've he she they it it's there that's they're you"))
SUBJECTS = frozenset(word_list("i we you they he she it to i'll we'll"))
"""Words after which “keep” and “leave” do not say what is to stay, as in “I keep forgetting”."""
_FINITE = vocabulary("finite") | frozenset(
    word_list(
        "will shall would should could may might must ought can cannot wishes swears said does did goes went lies"
    )
)
ORDERS = vocabulary("orders") | vocabulary("verbs")
_GUARDS = vocabulary("guards")
_HARMLESS = tuple(
    f" {one.replace('_', ' ')} "
    for one in sorted(vocabulary("harmless_not") | vocabulary("harmless"), key=len, reverse=True)
)
_NAMES_TEXT = frozenset(word_list("subject subj body text say says saying message title titled called named inside"))
_BEGIN = 4
"""Words that lead to a text, which is nothing that is told."""
_OF_SCREEN = frozenset(word_list("half third thirds side quarter corner screen monitor display edge one two"))
_GOING = frozenset({"go", "come", "try"})
"""Words that make one verb of two, as in “I go and make”."""
_BEFORE_OBJECT = frozenset(word_list("of for with to from in into on about"))
_LEADING = frozenset({"so", "please", "therefore"})
_NEXT = frozenset(word_list("after afterwards afterward next finally lastly later that to now"))
_COURTESY = vocabulary("asks") | vocabulary("closes")
_FOR_SOMEBODY = frozenset(word_list("you you'd you'll please thanks thank cheers ta"))
_UNITS = frozenset(word_list("min mins minute minutes hour hours day days week weeks h m"))
_MOST_AHEAD = 14


def parts_of(words: Sequence[Token]) -> list[Part]:
    """Return the parts of a wish in their order."""
    return [part for stretch in _stretches(words) if (part := _part(stretch)) is not None]


def focus_of(parts: Sequence[Part]) -> tuple[Token, ...]:
    """Return the words of a wish without remarks: each order with what follows it, or all that tells nothing."""
    found: list[Token] = []
    open_ = False
    for part in parts:
        open_ = part.order or (open_ and not part.telling)
        found += part.words if open_ else ()
    return tuple(found) or tuple(word for part in parts if not part.telling for word in part.words) or everything(parts)


def everything(parts: Sequence[Part]) -> tuple[Token, ...]:
    """Return the words of all parts."""
    return tuple(word for part in parts for word in part.words)


def _part(stretch: Sequence[Token]) -> Part | None:
    bare = strip_courtesy(stretch).words
    led = [word.text for word in stretch[: len(stretch) - len(bare)]] if bare and bare[0] is not stretch[0] else []
    asked = bool(set(led) - _JOINS) or stretch[0].text in _LEADING
    while len(bare) > 1 and (bare[0].text in _JOINS | {"to"} or _leads_on(bare)) and not bare[0].quoted:
        bare = strip_courtesy(bare[1:]).words
    if not bare or (stretch[0].text in _OPENING and _is_polite(bare)):
        return None
    said = [word.text for word in bare if not word.quoted]
    reason = is_reason(bare, 0)
    begins = bare[0].text in ORDERS and not bare[0].quoted
    telling = [
        word
        for at, word in enumerate(said)
        if said[at : at + 3] != _QUIET
        and not (word == "am" and at and said[at - 1][:1].isdigit())
        and not (word == "left" and _OF_SCREEN & set(said[at + 1 : at + 2]))
        and not (word in {"it", "you"} and at and said[at - 1] in _BEFORE_OBJECT)
    ]
    if stretch[0].text in _NAMES_TEXT or (led and (":" in said or _NAMES_TEXT & set(said[:_BEGIN]))):
        telling = []
    tells = bool(telling) and (
        bool((_FINITE | _PEOPLE) & set(telling)) or any(is_past(one) for one in (*telling[:1], *telling[-1:]))
    )
    order = begins and not reason
    joined = stretch[0].text in _JOINS and not stretch[0].quoted
    return Part(bare, order, reason or (tells and not order and not asked), asked, joined, is_guarded(said))


_QUIET = ["do", "not", "disturb"]
_OPENING = frozenset(word_list("if when whenever would could will thanks thank please"))


def _is_polite(words: Sequence[Token]) -> bool:
    """Say whether words are nothing but a polite phrase, as in “if you'd be so kind”."""
    said = {word.text for word in words}
    return said <= _COURTESY and bool(said & _FOR_SOMEBODY)


def _leads_on(words: Sequence[Token]) -> bool:
    """Say whether words such as “after that” stand before an order."""
    at = 0
    while at < len(words) - 1 and words[at].text in _NEXT and not words[at].quoted:
        at += 1
    return 0 < at <= len(_QUIET) and words[at].text in ORDERS and not words[at].quoted


def is_guarded(said: Sequence[str]) -> bool:
    """Say whether a word may take a wish back, put it off, or make it one of somebody else's."""
    plain = f" {' '.join(said)} "
    for harmless in _HARMLESS:
        plain = plain.replace(harmless, " ")
    plain = plain.replace(" should i ", " should_i ").replace(" should we ", " should_we ")
    told = plain.split()
    left = _GUARDS & set(told)
    if "later" in left and told.index("later") and told[told.index("later") - 1] in _UNITS:
        left = left - {"later"}
    if "until" in left and told.index("until"):
        left = left - {"until"}
    return bool(left)


def is_reason(words: Sequence[Token], at: int) -> bool:
    """Say whether a reason, or a clause that only describes something, begins at a word."""
    word = words[at].text
    if words[at].quoted or at + 2 >= len(words):
        return False
    if word in _REASONS:
        return True
    rest = [one.text for one in words[at + 1 : at + _MOST_AHEAD]]
    if word == "or":
        return rest[0] in _PEOPLE or rest[0].endswith("'ll")
    if word not in _MAY_BE_REASONS:
        return False
    return rest[0] in _PEOPLE or (word in {"as", "for", "while", "so"} and bool(_FINITE & set(rest[1:])))


def _stretches(words: Sequence[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for at, word in enumerate(words):
        cut = at > 0 and (
            words[at - 1].pause in _PAUSES
            or is_reason(words, at)
            or (
                word.text in _JOINS
                and not word.quoted
                and words[at - 1].text not in _GOING
                and _begins_anew(words[at + 1 : at + _MOST_AHEAD])
            )
        )
        only_joins = at > 0 and words[at - 1].pause not in _PAUSES and all(one.text in _JOINS for one in found[-1])
        if (cut and words[at - 1].pause != ":" and not only_joins) or _follows_colon(words, at, found[-1]):
            found.append([])
        found[-1].append(word)
    return [one for one in found if one]


def _follows_colon(words: Sequence[Token], at: int, before: Sequence[Token]) -> bool:
    """Say whether an order begins behind a colon, as in “the kettle boils: please mute the sound”."""
    if not before or before[-1].text != ":" or before[-1].quoted or not _begins_anew(words[at : at + _MOST_AHEAD]):
        return False
    part = _part(before[:-1]) if len(before) > 1 else None
    return part is not None and part.telling


def _begins_anew(rest: Sequence[Token]) -> bool:
    while len(rest) > 1 and (rest[0].text in _JOINS | {"to"} or _leads_on(rest)):
        rest = rest[1:]
    if not rest:
        return False
    bare = strip_courtesy(rest).words
    begins = bool(bare) and bare[0] is not rest[0]
    return begins or ((rest[0].text in ORDERS or rest[0].text in _PEOPLE) and not rest[0].quoted)
