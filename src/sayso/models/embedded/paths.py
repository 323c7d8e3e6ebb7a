"""Read which file or folder is meant: by its path, or by a name that the context knows."""

import posixpath
import re
from collections.abc import Sequence

from sayso.models.embedded.readings import Choice, Found, Reading, Several, quoted
from sayso.models.embedded.things import Thing, bare, one
from sayso.models.embedded.words import Word, between, joined
from sayso.models.embedded.world import File, Scene

USUAL = {
    "documents": "~/Documents", "downloads": "~/Downloads", "desktop": "~/Desktop", "pictures": "~/Pictures",
    "music": "~/Music", "videos": "~/Videos", "movies": "~/Movies", "home": "~",
}  # fmt: skip
"""Folders that most homes have, by what they are called."""
_PATH = re.compile(r"(?:~?/|~$)\S*")
_NAME = re.compile(r"[^\s/\\]+\.[a-z0-9]{1,8}", re.IGNORECASE)
_FILE_NOUNS = frozenset(
    {"file", "document", "files", "doc", "picture", "image", "photo", "spreadsheet", "presentation"}
)
_FOLDER_NOUNS = frozenset({"folder", "directory", "project", "repo", "repository", "in"})
_KINDS = {
    "spreadsheet": ("xls", "xlsx", "ods", "csv"), "presentation": ("ppt", "pptx", "odp", "key"),
    "picture": ("png", "jpg", "jpeg", "gif", "webp", "heic"), "image": ("png", "jpg", "jpeg", "gif", "webp", "heic"),
    "photo": ("png", "jpg", "jpeg", "heic"),
}  # fmt: skip


def existing(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the path of the file that is meant; of a path that was written out nothing more is asked."""
    written = _written(words, scene)
    if written is not None:
        return written
    files = [file for file in scene.world.files if not file.is_folder]
    for noun, endings in _KINDS.items():
        if any(word.text == noun for word in words):
            files = [file for file in files if file.name.rpartition(".")[2].casefold() in endings]
    return one("file", words, scene, [_thing(file) for file in files], _FILE_NOUNS)


def folder(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the path of the folder that is meant."""
    written = _written(words, scene)
    if written is not None:
        return written
    folders = [file for file in scene.world.files if file.is_folder]
    found = one("folder", words, scene, [_thing(file) for file in folders], _FOLDER_NOUNS)
    usual = _usual(joined(bare(words, _FOLDER_NOUNS)), between(scene.text, words))
    if usual is None:
        return found
    same = [file for file in folders if file.name.casefold() == usual.rpartition("/")[2].casefold()]
    other = [file for file in same if _name_of(posixpath.dirname(file.path)) in USUAL]
    if other:
        choices = (Choice(quoted(usual), usual), *(Choice(quoted(file.path), file.path) for file in other))
        return Several(f"Which folder is meant by {quoted(between(scene.text, words))}?", choices)
    return Found(usual)


def _usual(called: str, said: str) -> str | None:
    """Return the path of a folder that most homes have, or of one that is said to be in it: `Documents/loans`."""
    top, slash, below = said.partition("/")
    if slash and below and " " not in said:
        above = USUAL.get(top.casefold())
        return f"{above}/{below.rstrip('/')}" if above else None
    return USUAL.get(called)


def into(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return the path of a folder that something is put into: one that is known, or a path that ends with `/`."""
    said = between(scene.text, words)
    known = {file.path for file in scene.world.files if file.is_folder} | set(USUAL.values())
    if len(words) == 1 and _PATH.match(said) and not said.endswith("/") and said not in known:
        return None
    return folder(words, scene)


def new(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return a path that was written out, for something that need not be there yet."""
    return _written(words, scene)


def name(words: Sequence[Word], scene: Scene) -> Reading | None:
    """Return what a file or folder is to be called: one name, and no path."""
    said = between(scene.text, words)
    if "/" in said or said in {".", ".."} or said.startswith("~"):
        return None
    return Found(said, free=len(words))


def ending(path: str) -> str:
    """Return what the name of a file ends with, with its point."""
    return posixpath.splitext(path)[1]


def _written(words: Sequence[Word], scene: Scene) -> Reading | None:
    said = between(scene.text, words)
    if len(words) == 1 and _PATH.match(said):
        return Found(said if said in {"/", "~"} else said.rstrip("/"))
    return None


def _name_of(path: str) -> str:
    return posixpath.basename(path).casefold()


def _thing(file: File) -> Thing:
    stem = posixpath.splitext(file.name)[0]
    return Thing(file.path, quoted(file.path), (file.name, stem))
