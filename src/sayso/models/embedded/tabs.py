"""Read which tabs are meant: by number, by site, by words of title or address, or the one in front."""

from collections.abc import Iterator, Sequence
from typing import cast

from sayso.core.sites import SITES
from sayso.models.embedded.names import WHOLE
from sayso.models.embedded.numbers import number, ordinal
from sayso.models.embedded.readings import Choice, Found, Missing, Reading, Several, quoted
from sayso.models.embedded.things import Thing, none_of, some
from sayso.models.embedded.things import one as one_thing
from sayso.models.embedded.words import Word, between, each
from sayso.models.embedded.world import Scene, Tab

_KINDS = frozenset(each("tab tabs page pages site website window browser open on of from in"))
"""Words for a tab, which tell none apart."""
_SHOWN = frozenset(
    each(
        "recipe article video docs documentation thread ad listing post blog results dashboard story chat feed "
        "ticket issue"
    )
)
"""Words for what a tab shows, which tell tabs apart only where they stand in a title or an address."""
_GROUPS = frozenset({"all", "every", "each", "any"})
_IN_FRONT = frozenset({"this", "current", "active", "front", "this current"})
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu"})
_DEEDS = frozenset(
    each(
        "open close switch go show list quit mute add delete remove put move remind start launch "
        "set turn find take bring"
    )
)
"""Words with which another wish begins, behind “and”."""
_AND = frozenset({"and", "plus"})
_TWO, _MOST = 2, 1000
_RANGE = frozenset({"to", "through", "until", "-"})


def one(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the number of the one tab that is meant."""
    said = [word.text for word in words]
    numbers = _numbers(said)
    if numbers is not None:
        return _there(numbers, scene) if len(numbers) == 1 else None
    if _is_in_front(said):
        return _in_front(scene)
    return one_thing("tab", words, scene, _things(scene), _nouns(words, scene))


def by_number(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the number of the tab that is named by its number, and by nothing else."""
    numbers = _numbers([word.text for word in words])
    return _there(numbers, scene) if numbers is not None and len(numbers) == 1 else None


def by_name(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the number of the tab that is named by its site or its whole title, and by nothing less."""
    if _numbers([word.text for word in words]) is not None:
        return None
    found = one_thing("tab", words, scene, _things(scene), _nouns(words, scene))
    return found if not isinstance(found, Missing) and found is not None and found.sureness == WHOLE else None


def several(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the numbers of the tabs that are meant; only where a group is named may they be many."""
    said = [word.text for word in words]
    numbers = _numbers(said)
    if numbers is not None:
        found = _there(numbers, scene)
        return Found([found.value]) if isinstance(found, Found) and len(numbers) == 1 else found
    if _is_in_front(said):
        front = _in_front(scene)
        return Found([front.value]) if isinstance(front, Found) else front
    return _groups(words, scene)


def _groups(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the tabs of one group, or of several with “and” between them."""
    many = _is_many(words)
    shares = list(_shared(words))
    if any(share[0].text in _DEEDS for share in shares[1:]):
        return None
    found: list[Reading | None] = [_group(share, scene, many=many or _is_many(share)) for share in shares]
    if len(shares) == 1:
        return found[0]
    wrong = next((one for one in found if not isinstance(one, Found)), None)
    if wrong is not None or None in found:
        return wrong
    groups = [one for one in found if isinstance(one, Found)]
    indices = {index for one in groups for index in cast("list[int]", one.value)}
    return Found(sorted(indices), min(one.sureness for one in groups))


def _is_many(words: Sequence[Word]) -> bool:
    return words[-1].text in {"tabs", "pages"} or words[0].text in _GROUPS or words[0].text == "both"


def _group(words: Sequence[Word], scene: Scene, *, many: bool) -> Reading | None:
    plain = [word for word in words if word.text not in _GROUPS and word.text != "both"]
    found = some(plain, _things(scene), _nouns(plain, scene)) if plain else None
    if found is None:
        return None
    meant, sureness = found
    said = quoted(between(scene.text, words))
    if not meant:
        return Missing(none_of(f"No tab is on {said}.", words))
    if len(meant) > 1 and not many:
        return Several(
            f"Which tab is meant by {said}?", tuple(Choice(one.said, [one.value]) for one in meant), sureness
        )
    if any(word.text == "both" for word in words) and len(meant) != _TWO:
        return Missing(f"There are {len(meant)} tabs, and not two, for {said}.", sure=True)
    return Found([one.value for one in meant], sureness)


def _shared(words: Sequence[Word]) -> Iterator[list[Word]]:
    share: list[Word] = []
    for word in words:
        if word.text in _AND:
            yield from [share] if share else []
            share = []
            continue
        share.append(word)
        if word.pause == ",":
            yield share
            share = []
    yield from [share] if share else []


def _numbers(said: Sequence[str]) -> list[int] | None:
    """Return the numbers of `tab 3`, `tabs 1, 3 and 5`, `tabs 8 to 10`, `the third tab`; else None."""
    words = [word for word in said if word not in {"the", "my"} and word not in _AND]
    if words and words[0] in {"tab", "tabs", "number"}:
        return _listed(words[1:])
    if list(words[1:]) == ["tab"]:
        count = ordinal(words[0])
        return None if count is None else [count]
    return _listed(words) if words and all(word.isdecimal() for word in words) else None


def _listed(words: Sequence[str]) -> list[int] | None:
    words = [word for word in words if word != "tab"]
    if len(words) == 1 and "-" in words[0]:
        words = words[0].replace("-", " - ").split()
    if words[1:2] and words[1] in _RANGE:
        first, last = number(words[0]), number(" ".join(words[2:]))
        return [*range(first, last + 1)] if first and last and first < last < first + _MOST else None
    found = [number(word) for word in words if word != "number"]
    return [one for one in found if one is not None] if found and None not in found else None


def _there(numbers: Sequence[int], scene: Scene) -> Reading:
    known = {tab.index for tab in scene.world.tabs}
    missing = [index for index in numbers if index not in known]
    if missing:
        open_ = f"the open tabs are 1 to {len(known)}" if known else "no tab is open"
        return Missing(f"There is no tab {missing[0]}; {open_}.", sure=True)
    return Found(numbers[0] if len(numbers) == 1 else list(numbers))


def _is_in_front(said: Sequence[str]) -> bool:
    words = [word for word in said if word not in {"the", "my", "tab", "page", "one"}]
    return len(words) == 1 and words[0] in _IN_FRONT and len(said) > 1


def _in_front(scene: Scene) -> Reading:
    active = [tab.index for tab in scene.world.tabs if tab.active]
    if len(active) == 1:
        return Found(active[0])
    return Missing("It cannot be seen which tab is in front; name it, or give its number.", sure=True)


def _nouns(words: Sequence[Word], scene: Scene) -> frozenset[str]:
    """Return the words that tell no tab apart here."""
    found = some(words, _things(scene), _KINDS)
    return _KINDS if found is not None and found[0] else _KINDS | _SHOWN


def _things(scene: Scene) -> list[Thing]:
    return [
        Thing(tab.index, f"{tab.index} {quoted(tab.title or tab.url)}", tuple(_names(tab))) for tab in scene.world.tabs
    ]


def _names(tab: Tab) -> Iterator[str]:
    yield tab.domain
    yield _site(tab.domain)
    yield from (name for name, host in SITES.items() if host == tab.domain)
    yield tab.title
    known = " ".join(name for name, host in SITES.items() if host == tab.domain)
    yield f"{tab.title} {tab.url.partition('://')[2]} {known}"


def _site(domain: str) -> str:
    """Return the name of a site without its end: `reddit` of old.reddit.com, `bbc` of bbc.co.uk."""
    labels = domain.split(".")[:-1]
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    return labels[-1] if labels else domain
