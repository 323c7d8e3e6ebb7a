"""Find the things that a wish names: tabs, applications, paths and addresses."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from sayso.core.sites import SITES
from sayso.models.builtin.match import (
    BY_WORDS,
    CHANGING,
    FILLING,
    WHOLE,
    Ambiguous,
    Choice,
    Entity,
    Resolution,
    SlotValue,
    Unresolved,
    distinguishing_words,
    entity_named,
    explain_no_match,
    match_entities,
    match_entity,
    match_name,
    quote_words,
)
from sayso.models.builtin.match import match_entity as one_thing
from sayso.models.builtin.times import number, ordinal
from sayso.models.builtin.tokens import Token, fold, join_words, source_text, word_list
from sayso.models.builtin.world import ContextFile, ContextTab, Utterance

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_LOCAL = re.compile(r"localhost(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_WHOLE = re.compile(r"https?://\S+", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@,;<>]+@[^\s@,;<>][^\s@,;<>.]*\.[^\s@,;<>]+")
_ENDINGS = frozenset(
    word_list(
        "pdf txt md doc docx xls xlsx csv ppt pptx odt ods odp jpg jpeg png gif svg webp heic mp3 mp4 mov "
        "wav zip gz tar json toml yaml yml xml html py js ts go c h tex epub log ini cfg"
    )
)
"""Endings of file names; a name with one of them is a file, not a host."""
_TOP = frozenset(
    word_list(
        "com org net edu gov mil int info biz io dev app ai co me tv news blog shop online site page cloud tech wiki "
        "xyz social world live software systems design studio art museum travel example test"
    )
)
_COUNTRY = 2
_LONGEST_NAME = 3
_SAID = frozenset({"the", "website", "site", "page", "homepage", "my"})


def site_address(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the web address that the words mean: a full address, a host, or a known site that is named."""
    plain = [word for word in words if word.text not in _SAID]
    said = source_text(utterance.text, plain)
    if len(plain) == 1:
        if _WHOLE.fullmatch(said):
            return SlotValue(said)
        if _LOCAL.fullmatch(said):
            return SlotValue(f"http://{said}")
        if _HOST.fullmatch(said) and ("/" in said or _is_of_a_host(said.partition(":")[0].rpartition(".")[2].lower())):
            return SlotValue(f"https://{said}")
    host = SITES.get(fold(said).replace(" ", ""))
    return SlotValue(f"https://{host}", BY_WORDS) if host else None


def mail_addresses(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the mail addresses in the words; if the words are only a name, return a question for the address."""
    said = [word for word in words if word.text != "and"]
    addresses = [source_text(utterance.text, [word]) for word in said]
    if all(_MAIL.fullmatch(address) for address in addresses):
        return SlotValue(", ".join(addresses))
    if len(said) <= _LONGEST_NAME and all(word.text.isalpha() for word in said):
        return Unresolved(
            f"What is the mail address of {quote_words(source_text(utterance.text, words))}? Write it out."
        )
    return None


def _is_of_a_host(ending: str) -> bool:
    """Say whether a name with this ending is a host rather than a file."""
    return ending in _TOP or (len(ending) == _COUNTRY and ending not in _ENDINGS)


_WINDOW = frozenset({"window", "windows"})
_NOUNS = _WINDOW | {"app", "application", "program"}
_MAKERS = frozenset({"google", "microsoft", "mozilla", "libreoffice", "gnome", "apple", "adobe", "jetbrains", "brave"})
_SHORT: Mapping[str, str] = MappingProxyType({"visual studio code": "vs code"})
"""Short names of applications, by their full name."""
_BROWSERS = frozenset(word_list("firefox chrome chromium safari brave edge vivaldi opera"))


def any_app(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the name of the application that the words mean; it need not be running."""
    return _app("application", words, utterance, utterance.world.apps)


def app_name(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the name of an application if the words are nothing but its name, without fillers such as “the”."""
    found = any_app(words, utterance)
    return (
        found if isinstance(found, SlotValue) and not any(word.text in CHANGING | FILLING for word in words) else None
    )


def running_app(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the name of the running application that the words mean; it is not enough to name a window."""
    if any(word.text in _WINDOW for word in words):
        return Unresolved("A window alone cannot be closed: name the application to quit it.")
    found = _app("running application", words, utterance, utterance.world.running)
    if isinstance(found, Unresolved):
        other = _app("application", words, utterance, utterance.world.installed)
        if isinstance(other, SlotValue) and isinstance(other.value, str):
            return Unresolved(f"{quote_words(other.value)} is not running.")
    return found


def _app(what: str, words: Sequence[Token], utterance: Utterance, known: Sequence[str]) -> Resolution | None:
    if join_words(distinguishing_words(words, _NOUNS)) in {"browser", "web browser", "internet browser"}:
        return _browser(utterance, known)
    return match_entity(what, words, utterance, [_app_entity(name) for name in known], _NOUNS)


def _app_entity(name: str) -> Entity:
    maker, _, rest = name.partition(" ")
    short = [_SHORT[name.casefold()]] if name.casefold() in _SHORT else []
    return entity_named(name, *([rest] if rest and maker.casefold() in _MAKERS else []), *short)


def _browser(utterance: Utterance, known: Sequence[str]) -> Resolution:
    there = [name for name in known if _BROWSERS & set(name.casefold().split())]
    pool = [name for name in there if name in utterance.world.running] or there
    if not pool:
        return Unresolved("No browser is known here by its name.")
    if len(pool) > 1:
        return Ambiguous("Which browser is meant?", tuple(Choice(quote_words(name), name) for name in pool))
    return SlotValue(pool[0], BY_WORDS)


USUAL = {
    "documents": "~/Documents", "downloads": "~/Downloads", "desktop": "~/Desktop", "pictures": "~/Pictures",
    "music": "~/Music", "videos": "~/Videos", "movies": "~/Movies", "home": "~",
}  # fmt: skip
"""The paths of the folders that most home folders contain, by name."""
_PATH = re.compile(r"(?:~?/|~$)\S*")
_NAME = re.compile(r"[^\s/\\]+\.[a-z0-9]{1,8}", re.IGNORECASE)
_FILE_NOUNS = frozenset(
    {"file", "document", "files", "doc", "picture", "image", "photo", "spreadsheet", "presentation"}
)
_FOLDER_NOUNS = frozenset({"folder", "directory", "project", "repo", "repository", "in"})
KINDS_OF_FILE: Mapping[str, str] = {
    said: endings
    for names, endings in {
        "pdf pdfs": "pdf", "png pngs": "png", "jpg jpgs jpeg jpegs": "jpg jpeg", "csv csvs": "csv", "zip zips": "zip",
        "docx docs doc": "docx doc odt", "txt txts": "txt", "mp3 mp3s": "mp3", "wav wavs": "wav", "md markdown": "md",
        "picture pictures image images photo photos": "png jpg jpeg gif webp heic", "video videos": "mp4 mov mkv avi",
        "screenshot screenshots": "png jpg jpeg", "spreadsheet spreadsheets": "xls xlsx ods csv", "svg svgs": "svg",
        "recording recordings": "wav mp3 flac m4a ogg", "presentation presentations": "ppt pptx odp key",
        "xlsx xls": "xlsx xls", "odt": "odt", "ods": "ods", "flac": "flac", "json": "json", "gif gifs": "gif",
    }.items()
    for said in names.split()
}  # fmt: skip
"""The endings of the files of a kind, by the words for the kind."""
_KINDS = {
    "spreadsheet": ("xls", "xlsx", "ods", "csv"), "presentation": ("ppt", "pptx", "odp", "key"),
    "picture": ("png", "jpg", "jpeg", "gif", "webp", "heic"), "image": ("png", "jpg", "jpeg", "gif", "webp", "heic"),
    "photo": ("png", "jpg", "jpeg", "heic"),
}  # fmt: skip


def existing_file(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the path of the file that the words mean; a written path is returned even if no such file is known."""
    written = _read_literal(words, utterance)
    if written is not None:
        return written
    files = [file for file in utterance.world.files if not file.is_folder]
    for noun, endings in _KINDS.items():
        if any(word.text == noun for word in words):
            files = [file for file in files if file.name.rpartition(".")[2].casefold() in endings]
    return match_entity("file", words, utterance, [_file_entity(file) for file in files], _FILE_NOUNS)


MOST_FILES = 40
"""The most files that one wish may move or copy."""


def several_files(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the paths of the files that the words mean, such as “all PDFs from Downloads” or “both rota pdfs”."""
    said = [word for word in words if word.text == "from" or word.text not in FILLING]
    many = [word for word in said if word.text in {"all", "both", "every", "each"}]
    said = [word for word in said if word.text not in {"all", "both", "every", "each", "of", "files", "documents"}]
    at = next((at for at, word in enumerate(said) if word.text in {"in", "from", "inside", "on"} and at), None)
    place = None if at is None else folder(said[at + 1 :], utterance) if said[at + 1 :] else None
    if at is not None and not isinstance(place, SlotValue):
        return None
    telling = said if at is None else said[:at]
    kinds = [KINDS_OF_FILE[word.text] for word in telling if word.text in KINDS_OF_FILE]
    names = [word for word in telling if word.text not in KINDS_OF_FILE]
    plural = any(word.text.endswith("s") for word in telling if word.text in KINDS_OF_FILE)
    if not telling or not (many or plural):
        return None
    if not names and at is None:
        return Unresolved("In which folder are they?", sure=True)
    inside = str(place.value) if isinstance(place, SlotValue) else None
    found = [file.path for file in utterance.world.files if _is_among(file, kinds, names, inside)]
    if not found:
        return Unresolved(f"No file here is meant by {quote_words(source_text(utterance.text, words))}.", sure=True)
    if any(word.text == "both" for word in many) and len(found) != _TWO:
        return Unresolved(f"There are {len(found)} files, and not two.", sure=True)
    if len(found) > MOST_FILES:
        return Unresolved(f"These are {len(found)} files, and {MOST_FILES} is the most at once.", sure=True)
    certain = not names or any(word.text == "both" for word in many)
    return SlotValue([*found], WHOLE if certain else BY_WORDS)


def _is_among(file: ContextFile, kinds: Sequence[str], names: Sequence[Token], inside: str | None) -> bool:
    ending = file.name.rpartition(".")[2].casefold()
    if file.is_folder or (kinds and not any(ending in kind.split() for kind in kinds)):
        return False
    if names and not match_name(join_words(names), [(file.name, posixpath.splitext(file.name)[0])]).at:
        return False
    above = posixpath.dirname(file.path)
    return inside is None or above == inside or (inside[:2] == "~/" and above.endswith(inside[1:]))


def folder(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the path of the folder that the words mean."""
    written = _read_literal(words, utterance)
    if written is not None:
        return written
    folders = [file for file in utterance.world.files if file.is_folder]
    found = match_entity("folder", words, utterance, [_file_entity(file) for file in folders], _FOLDER_NOUNS)
    usual = _usual_folder(join_words(distinguishing_words(words, _FOLDER_NOUNS)), source_text(utterance.text, words))
    if usual is None:
        return found
    same = [file for file in folders if file.name.casefold() == usual.rpartition("/")[2].casefold()]
    apart = [file for file in same if usual.count("/") == 1 or not file.path.endswith(usual.removeprefix("~"))]
    other = [file for file in apart if _name_of(posixpath.dirname(file.path)) in USUAL]
    if other:
        choices = (Choice(quote_words(usual), usual), *(Choice(quote_words(file.path), file.path) for file in other))
        return Ambiguous(f"Which folder is meant by {quote_words(source_text(utterance.text, words))}?", choices)
    return SlotValue(usual)


def _usual_folder(called: str, said: str) -> str | None:
    """Return the path of a usual folder, or of a folder inside one, as in `Documents/loans`."""
    top, slash, below = said.partition("/")
    if slash and below and " " not in said:
        above = USUAL.get(top.casefold())
        return f"{above}/{below.rstrip('/')}" if above else None
    return USUAL.get(called)


def destination_folder(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the path of a target folder; a written path that is not known must end with `/`."""
    said = source_text(utterance.text, words)
    known = {file.path for file in utterance.world.files if file.is_folder} | set(USUAL.values())
    if len(words) == 1 and _PATH.match(said) and not said.endswith("/") and said not in known:
        return None
    return folder(words, utterance)


def new_path(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the path if the words are a written path, else None; no file needs to exist at it yet."""
    return _read_literal(words, utterance)


def new_folder(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the path of a folder that is to be inside a usual one, such as `Documents/loans`; else None."""
    path = _usual_folder("", source_text(utterance.text, words)) if len(words) == 1 else None
    return None if path is None else SlotValue(path)


def new_name(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the new name of a file or folder; None if the words are a path."""
    said = source_text(utterance.text, words)
    if "/" in said or not said.strip(".") or said.startswith("~") or said.partition(" ")[0] in {"called", "named"}:
        return None
    return SlotValue(said, free_words=len(words))


def _read_literal(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    said = source_text(utterance.text, words)
    if len(words) == 1 and _PATH.match(said):
        return SlotValue(said if said in {"/", "~"} else said.rstrip("/"))
    return None


def _name_of(path: str) -> str:
    return posixpath.basename(path).casefold()


def _file_entity(file: ContextFile) -> Entity:
    stem = posixpath.splitext(file.name)[0]
    return Entity(file.path, quote_words(file.path), (file.name, stem))


_TWO = 2
_TABS_KINDS = frozenset(word_list("tab tabs page pages site website window browser open on of from in"))
"""Words that mean a tab; they do not distinguish one tab from another."""
_SHOWN = frozenset(
    word_list(
        "recipe article video docs documentation thread ad listing post blog results dashboard story chat feed "
        "ticket issue"
    )
)
"""Words for the content of a tab; they distinguish tabs only if they occur in a title or an address."""
_GROUPS = frozenset({"all", "every", "each", "any"})
_IN_FRONT = frozenset({"this", "current", "active", "front", "this current"})
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu"})
_OTHER_VERBS = frozenset(
    word_list(
        "open close switch go show list quit mute add delete remove put move remind start launch "
        "set turn find take bring"
    )
)
"""Verbs that may begin another wish after “and”."""
_AND = frozenset({"and", "plus"})
_MOST = 1000
_RANGE = frozenset({"to", "through", "until", "-"})


def one_tab(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the number of the one tab that the words mean."""
    said = [word.text for word in words]
    numbers = _numbers(said)
    if numbers is not None:
        return _open_tabs(numbers, utterance) if len(numbers) == 1 else None
    if _is_in_front(said):
        return _front_tab(utterance)
    return one_thing("tab", words, utterance, _tab_entities(utterance), _tab_nouns(words, utterance))


def tab_by_number(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the number of the tab that the words mean; None if they do not give its number."""
    numbers = _numbers([word.text for word in words])
    return _open_tabs(numbers, utterance) if numbers is not None and len(numbers) == 1 else None


def tab_by_name(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the number of the tab that the words mean; None if they do not give its site or its whole title."""
    if _numbers([word.text for word in words]) is not None:
        return None
    found = one_thing("tab", words, utterance, _tab_entities(utterance), _tab_nouns(words, utterance))
    return found if not isinstance(found, Unresolved) and found is not None and found.confidence == WHOLE else None


_EXCEPT = (("except",), ("but", "not"), ("but", "keep"), ("but", "leave"), ("apart", "from"), ("other", "than"))


def several_tabs(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the numbers of the tabs that the words mean, without those after “except”.

    They are several tabs only if the words mean a group of tabs.
    """
    said = [word.text for word in words]
    for at in range(1, len(words)):
        kept = next((one for one in _EXCEPT if tuple(said[at : at + len(one)]) == one), None)
        if kept is not None:
            many, few = _tabs(words[:at], utterance), _tabs(words[at + len(kept) :], utterance)
            if not isinstance(many, SlotValue) or not isinstance(few, SlotValue):
                said_whole = quote_words(source_text(utterance.text, words))
                unclear = many if not isinstance(many, SlotValue) else few
                return unclear or Unresolved(explain_no_match(f"No tab is on {said_whole}.", words))
            left = set(cast("list[int]", many.value)) - set(cast("list[int]", few.value))
            return SlotValue(sorted(left), min(many.confidence, few.confidence)) if left else None
    return _tabs(words, utterance)


def _tabs(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    said = [word.text for word in words]
    numbers = _numbers(said)
    if numbers is not None:
        found = _open_tabs(numbers, utterance)
        return SlotValue([found.value]) if isinstance(found, SlotValue) and len(numbers) == 1 else found
    if _is_in_front(said):
        front = _front_tab(utterance)
        return SlotValue([front.value]) if isinstance(front, SlotValue) else front
    return _groups(words, utterance)


def _groups(words: Sequence[Token], utterance: Utterance) -> Resolution | None:
    """Return the tabs of one group, or of several groups that are separated by “and” or by commas."""
    many = _is_many(words)
    shares = list(_split_shared(words))
    if any(share[0].text in _OTHER_VERBS for share in shares[1:]):
        return None
    found: list[Resolution | None] = [_group(share, utterance, many=many or _is_many(share)) for share in shares]
    if len(shares) == 1:
        return found[0]
    wrong = next((one for one in found if not isinstance(one, SlotValue)), None)
    if wrong is not None or None in found:
        return wrong
    groups = [one for one in found if isinstance(one, SlotValue)]
    indices = {index for one in groups for index in cast("list[int]", one.value)}
    return SlotValue(sorted(indices), min(one.confidence for one in groups))


def _is_many(words: Sequence[Token]) -> bool:
    return words[-1].text in {"tabs", "pages"} or words[0].text in _GROUPS or words[0].text == "both"


def _group(words: Sequence[Token], utterance: Utterance, *, many: bool) -> Resolution | None:
    plain = [word for word in words if word.text not in _GROUPS and word.text != "both"]
    found = match_entities(plain, _tab_entities(utterance), _tab_nouns(plain, utterance)) if plain else None
    if found is None:
        return None
    meant, confidence = found
    said = quote_words(source_text(utterance.text, words))
    if not meant:
        return Unresolved(explain_no_match(f"No tab is on {said}.", words))
    if len(meant) > 1 and not many:
        return Ambiguous(
            f"Which tab is meant by {said}?", tuple(Choice(one.label, [one.value]) for one in meant), confidence
        )
    if any(word.text == "both" for word in words) and len(meant) != _TWO:
        return Unresolved(f"There are {len(meant)} tabs, and not two, for {said}.", sure=True)
    return SlotValue([one.value for one in meant], confidence)


def _split_shared(words: Sequence[Token]) -> Iterator[list[Token]]:
    share: list[Token] = []
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
    """Return the tab numbers in `tab 3`, `tabs 1, 3 and 5`, `tabs 8 to 10` or `the third tab`; None for other words."""
    words = [word for word in said if word not in {"the", "my"} and word not in _AND]
    if words and words[0] in {"tab", "tabs", "number"}:
        return _list_indices(words[1:])
    if list(words[1:]) == ["tab"]:
        count = ordinal(words[0])
        return None if count is None else [count]
    return _list_indices(words) if words and all(word.isdecimal() for word in words) else None


def _list_indices(words: Sequence[str]) -> list[int] | None:
    words = [word for word in words if word != "tab"]
    if len(words) == 1 and "-" in words[0]:
        words = words[0].replace("-", " - ").split()
    if words[1:2] and words[1] in _RANGE:
        first, last = number(words[0]), number(" ".join(words[2:]))
        return [*range(first, last + 1)] if first and last and first < last < first + _MOST else None
    found = [number(word) for word in words if word != "number"]
    return [one for one in found if one is not None] if found and None not in found else None


def _open_tabs(numbers: Sequence[int], utterance: Utterance) -> Resolution:
    known = {tab.index for tab in utterance.world.tabs}
    missing = [index for index in numbers if index not in known]
    if missing:
        open_ = f"the open tabs are 1 to {len(known)}" if known else "no tab is open"
        return Unresolved(f"There is no tab {missing[0]}; {open_}.", sure=True)
    return SlotValue(numbers[0] if len(numbers) == 1 else list(numbers))


def _is_in_front(said: Sequence[str]) -> bool:
    words = [word for word in said if word not in {"the", "my", "tab", "page", "one"}]
    return len(words) == 1 and words[0] in _IN_FRONT and len(said) > 1


def _front_tab(utterance: Utterance) -> Resolution:
    active = [tab.index for tab in utterance.world.tabs if tab.active]
    if len(active) == 1:
        return SlotValue(active[0])
    return Unresolved("It cannot be seen which tab is in front; name it, or give its number.", sure=True)


def _tab_nouns(words: Sequence[Token], utterance: Utterance) -> frozenset[str]:
    """Return the words to ignore in a search for a tab.

    A word for its content, such as “article”, is not ignored if a tab has this word.
    """
    found = match_entities(words, _tab_entities(utterance), _TABS_KINDS)
    return _TABS_KINDS if found is not None and found[0] else _TABS_KINDS | _SHOWN


def _tab_entities(utterance: Utterance) -> list[Entity]:
    return [
        Entity(tab.index, f"{tab.index} {quote_words(tab.title or tab.url)}", tuple(_names(tab)))
        for tab in utterance.world.tabs
    ]


def _names(tab: ContextTab) -> Iterator[str]:
    yield tab.domain
    yield _site(tab.domain)
    yield from (name for name, host in SITES.items() if host == tab.domain)
    yield tab.title
    known = " ".join(name for name, host in SITES.items() if host == tab.domain)
    yield f"{tab.title} {tab.url.partition('://')[2]} {known}"


def _site(domain: str) -> str:
    """Return the name of a site without its domain endings: `reddit` for old.reddit.com, `bbc` for bbc.co.uk."""
    labels = domain.split(".")[:-1]
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    return labels[-1] if labels else domain
