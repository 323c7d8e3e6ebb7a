"""Read which web address or mail address is meant."""

import re
from collections.abc import Sequence

from sayso.core.sites import SITES
from sayso.models.embedded.names import BY_WORDS
from sayso.models.embedded.readings import Found, Missing, Reading, quoted
from sayso.models.embedded.words import Word, between, each, folded
from sayso.models.embedded.world import Scene

_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_LOCAL = re.compile(r"localhost(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_WHOLE = re.compile(r"https?://\S+", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+")
_ENDINGS = frozenset(
    each(
        "pdf txt md doc docx xls xlsx csv ppt pptx odt ods odp jpg jpeg png gif svg webp heic mp3 mp4 mov "
        "wav zip gz tar json toml yaml yml xml html py js ts go c h tex epub log ini cfg"
    )
)
"""What names of files end with, and hosts hardly ever."""
_TOP = frozenset(
    each(
        "com org net edu gov mil int info biz io dev app ai co me tv news blog shop online site page cloud tech wiki "
        "xyz social world live software systems design studio art museum travel example test"
    )
)
_COUNTRY = 2
_LONGEST_NAME = 3
_SAID = frozenset({"the", "website", "site", "page", "homepage", "my"})


def site(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the address that is meant: a whole one, a host, or a known site by its name."""
    plain = [word for word in words if word.text not in _SAID]
    said = between(scene.text, plain)
    if len(plain) == 1:
        if _WHOLE.fullmatch(said):
            return Found(said)
        if _LOCAL.fullmatch(said):
            return Found(f"http://{said}")
        if _HOST.fullmatch(said) and ("/" in said or _is_of_a_host(said.partition(":")[0].rpartition(".")[2].lower())):
            return Found(f"https://{said}")
    host = SITES.get(folded(said).replace(" ", ""))
    return Found(f"https://{host}", BY_WORDS) if host else None


def mail(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the mail addresses that are meant; a name alone is no address."""
    said = [word for word in words if word.text != "and"]
    addresses = [between(scene.text, [word]) for word in said]
    if all(_MAIL.fullmatch(address) for address in addresses):
        return Found(", ".join(addresses))
    if len(said) <= _LONGEST_NAME and all(word.text.isalpha() for word in said):
        return Missing(f"What is the mail address of {quoted(between(scene.text, words))}? Write it out.")
    return None


def _is_of_a_host(ending: str) -> bool:
    """Say whether a name that ends so is a host's, and no file's."""
    return ending in _TOP or (len(ending) == _COUNTRY and ending not in _ENDINGS)
