"""Tell whether two words are forms of one: `watered` and `water`, `paid` and `pay`, `wiping` and `wipe`."""

from collections.abc import Mapping
from types import MappingProxyType

from sayso.models.embedded.words import each

_IRREGULAR: Mapping[str, str] = MappingProxyType(
    {
        form: pair.partition("/")[0]
        for pair in each(
            "be/been begin/began,begun bite/bit break/broke,broken bring/brought build/built buy/bought "
            "catch/caught choose/chose,chosen come/came cut/cut dig/dug do/did,done draw/drew,drawn "
            "drink/drank,drunk drive/drove,driven eat/ate,eaten feed/fed fight/fought find/found fly/flew,flown "
            "forget/forgot,forgotten get/got,gotten give/gave,given go/went,gone grow/grew,grown hang/hung "
            "hear/heard hide/hid,hidden hold/held keep/kept lay/laid learn/learnt leave/left lend/lent light/lit "
            "lose/lost make/made mean/meant meet/met mow/mown pay/paid put/put read/read ride/rode,ridden "
            "ring/rang,rung run/ran say/said see/saw,seen sell/sold send/sent set/set sew/sewn shake/shook "
            "shut/shut sing/sang,sung sit/sat sleep/slept speak/spoke,spoken spend/spent stand/stood steal/stole "
            "stick/stuck sweep/swept swim/swam,swum take/took,taken teach/taught tear/tore,torn tell/told "
            "think/thought throw/threw,thrown understand/understood wake/woke,woken wear/wore,worn win/won "
            "wind/wound write/wrote,written"
        )
        for form in pair.partition("/")[2].split(",")
    }
)
"""Forms of verbs that no rule tells, with the verb."""
_VOWELS = frozenset("aeiouy")
_LEAST = 3
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("ss", "ss"), ("s", ""))
"""What the forms of a word end with, and what stands there in the word itself."""


def same(word: str, other: str) -> bool:
    """Say whether two folded words are forms of one word."""
    return _stem(word) == _stem(other)


def is_past(word: str) -> bool:
    """Say whether a folded word is a verb's form for what is over."""
    return word in _IRREGULAR or (word.endswith("ed") and _stem(word) != word)


def _stem(word: str) -> str:
    """Return what all regular forms of a word begin with."""
    word = _IRREGULAR.get(word, word)
    for ending, instead in _ENDINGS:
        stem = word.removesuffix(ending) + instead
        if word.endswith(ending) and len(stem) >= _LEAST and _VOWELS & set(stem):
            return _bare(stem)
    return _bare(word)


def _bare(stem: str) -> str:
    """Return a stem without what is dropped or doubled before an ending: `wip`, `stop` of `wipe`, `stopp`."""
    stem = stem.removesuffix("e")
    return stem[:-1] if len(stem) > _LEAST and stem[-1:] == stem[-2:-1] else stem
