"""Find the entry of an application by the name that the person sees."""

from collections.abc import Iterator, Mapping
from configparser import ConfigParser, Error
from pathlib import Path

from sayso.core.errors import Candidate, ProviderError

GROUP = "Desktop Entry"


class Plain(ConfigParser):
    """A reader that leaves the letters of names as they are."""

    def optionxform(self, optionstr: str) -> str:
        """Return the name as it is written."""
        return optionstr


def entry_called(name: str, environ: Mapping[str, str]) -> str:
    """Return the file of the one application of this name. Raises `ProviderError` for none and for several."""
    found = [file for file in entries(environ) if name in names_of(file, environ)]
    if not found:
        raise ProviderError(f"no application is called “{name}”", "app.unknown")
    if len(found) > 1:
        ids = tuple(Candidate(name, where=file.stem) for file in found)
        listed = ", ".join(file.stem for file in found)
        raise ProviderError(f"{len(found)} applications are called “{name}” ({listed})", "app.ambiguous", ids)
    return str(found[0])


def entries(environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield the entries of all applications, the person's own in place of others of the same id."""
    seen: set[str] = set()
    for folder in folders(environ):
        for file in sorted(folder.rglob("*.desktop")):
            ident = str(file.relative_to(folder)).replace("/", "-")
            if ident not in seen:
                seen.add(ident)
                yield file


def folders(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the folders of entries, the first wins."""
    home = environ.get("HOME", "/")
    own = environ.get("XDG_DATA_HOME") or f"{home}/.local/share"
    shared = environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    given = [Path(folder) for folder in (own, *shared.split(":"))]
    return tuple(folder / "applications" for folder in given if folder.is_absolute())


def names_of(file: Path, environ: Mapping[str, str]) -> frozenset[str]:
    """Return what an application is called, plainly and in the person's language; nothing for one that is hidden."""
    entry = Plain(interpolation=None, delimiters=("=",), strict=False, comment_prefixes=("#",))
    try:
        entry.read_string(file.read_text(encoding="utf-8", errors="replace"))
    except (Error, OSError):
        return frozenset()
    if GROUP not in entry or not _is_shown(values := entry[GROUP]):
        return frozenset()
    language = (environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or "").partition(".")[0]
    keys = ("Name", f"Name[{language}]", f"Name[{language.partition('_')[0]}]")
    return frozenset(values[key] for key in keys if key in values)


def _is_shown(values: Mapping[str, str]) -> bool:
    return values.get("Type") == "Application" and values.get("Hidden", "false") != "true"
