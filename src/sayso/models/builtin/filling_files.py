"""Fill the arguments of operations on files and folders."""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from sayso.core.encoding import Json
from sayso.models.builtin.clause import Answer, Arguments, Clause, Picked
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.names import KINDS_OF_FILE
from sayso.models.builtin.outcomes import Ambiguous, Unresolved
from sayso.models.builtin.tokens import source_text

_INTO = frozenset({"to", "into", "in", "onto", "inside", "under", "on", "at", "with", "->", "for"})
_FROM = frozenset({"from", "in", "inside", "on", "under", "within"})
_MANY = frozenset({"all", "both", "every", "each", "them"})
MOST_FILES = 40
"""The most files that one wish may move or copy."""


def _file(clause: Clause, without: Sequence[int] = ()) -> Picked | Ambiguous | Unresolved:
    """Return the file that is named: by its path, by its name, or by its name and its folder."""
    written = [one for one in clause.of("path") if one.start not in without]
    if written:
        return Picked(written[0].value, 1.0, frozenset(range(written[0].start, written[0].end)))
    found = clause.one("file", without)
    if isinstance(found, Ambiguous):
        for fits in (*_year(clause), *_places(clause, without)):
            inside = clause.one("file", without, fits=fits)
            if isinstance(inside, Picked):
                return inside
    return found


def _places(clause: Clause, without: Sequence[int]) -> Iterator[Callable[[Json], bool]]:
    """Yield for each folder that is named what says whether a file is in it."""
    for one in clause.of("folder", without=without):
        place = str(one.value).removeprefix("~")
        yield lambda value, place=place: posixpath.dirname(str(value)).endswith(place)


def _year(clause: Clause) -> Iterator[Callable[[Json], bool]]:
    """Yield what says whether a file is of a year, if one is said, as in “last year's rota”."""
    for which, noun in pairwise(clause.said):
        if which in _YEARS and noun.replace("'", "").removesuffix("s") in {"year", "yr"}:
            year = f"{clause.utterance.now.year + _YEARS[which]}"
            yield lambda value, year=year: year in posixpath.basename(str(value))


_YEARS = {"last": -1, "this": 0, "next": 1}


def _folder(clause: Clause, words: frozenset[str] | None = None) -> Mention | None:
    """Return the folder that is named: after one of some words, or else the last one."""
    found = clause.of("path", "folder")
    after = None if words is None else clause.after(words, "path", "folder")
    return after or (found[-1] if found else None)


def _path_of(folder: Mention) -> str:
    return str(folder.value)


def _open(clause: Clause) -> Answer:
    many = clause.several("file")
    if many is not None:
        return [{"path": one.value} for one in many]
    file = _file(clause)
    apps = clause.of("app")
    opener = clause.after(frozenset({"in", "with", "using", "use", "inside"}), "app")
    app: Arguments = {"app": opener.value} if opener is not None and apps else {}
    best = max((one.strength for one in clause.of("folder")), default=0.0)
    if isinstance(file, Ambiguous) and best < 1 and not clause.has(_FOLDERS):
        return file
    if isinstance(file, Unresolved) or _is_rather_folder(clause):
        folder = _folder(clause)
        if folder is None:
            return Unresolved("It is not clear which file is meant.") if isinstance(file, Picked) else file
        clause.strength = 1.0
        clause.weaken(folder.strength)
        return {"path": _path_of(folder), **app}
    return {"path": file.value, **app} if isinstance(file, Picked) else file


def _is_rather_folder(clause: Clause) -> bool:
    """Say whether a folder is named better than any file."""
    files = max((one.strength for one in clause.of("file", "path")), default=0.0)
    found = [one for one in clause.of("folder") if files < _WEAK or clause.near(one, _FOLDERS)]
    return max((one.strength for one in found), default=0.0) > files - _FOR_NOUN * bool(found)


_FOR_NOUN = 0.2
_FOLDERS = frozenset({"folder", "directory", "project", "dir"})


def _path(clause: Clause) -> Answer:
    many = clause.several("file")
    if many is not None:
        return [{"path": one.value} for one in many]
    file = _file(clause)
    if isinstance(file, Unresolved) or (clause.operation == "file.reveal" and _is_rather_folder(clause)):
        folder = _folder(clause)
        if folder is not None and clause.operation in {"file.reveal", "file.delete"}:
            clause.weaken(folder.strength if clause.operation == "file.reveal" else 0.5)
            return {"path": _path_of(folder)}
    return {"path": file.value} if isinstance(file, Picked) else file


def _list(clause: Clause) -> Answer:
    folder = _folder(clause)
    if folder is None:
        return clause.missing("folder")
    clause.weaken(folder.strength)
    return {"path": _path_of(folder)}


def _find(clause: Clause) -> Answer:
    folder = _folder(clause, _FROM)
    if folder is None:
        return Unresolved("In which folder?")
    ending = next((word for word in clause.said if word.removeprefix("*").removeprefix(".") in KINDS_OF_FILE), None)
    name = clause.text("T")
    if ending is not None:
        bare = ending.removeprefix("*").removeprefix(".")
        endings = KINDS_OF_FILE[bare]
        bare = bare if bare in endings else bare.removesuffix("s")
        if len(endings) == 1 or bare in endings:
            return {"path": _path_of(folder), "pattern": f"*.{bare if bare in endings else next(iter(endings))}"}
    if name is None:
        return Unresolved("What is it called?")
    return {"path": _path_of(folder), "pattern": name if "*" in name else f"*{name}*"}


def _move(clause: Clause) -> Answer:
    """Return the source and the destination: a folder, a new name, or a written path."""
    name = _new_name(clause)
    written = clause.of("path")
    copying = clause.operation == "file.copy"
    if len(written) > 1:
        return _checked(clause, str(written[0].value), str(written[-1].value))
    into = clause.after(_INTO, "path", "folder") or _last_folder(clause)
    if name is not None and into is None and (folder := _named_in_text(clause)) is not None:
        name, into = None, folder
    if name is not None and (into is None or not copying):
        into = None
    taken = [*range(into.start, into.end)] if into is not None else []
    if into is not None and name is None and (many := _many(clause, into, taken)) is not None:
        return many
    file = _file_or_folder(clause, into, taken)
    if not isinstance(file, Picked):
        return file
    source = str(file.value)
    if name is not None:
        folder = posixpath.dirname(source) if into is None else _path_of(into)
        ending = "" if posixpath.splitext(name)[1] else posixpath.splitext(source)[1]
        return _checked(clause, source, posixpath.join(folder, name + ending))
    if into is None:
        return Unresolved("Where is it to go?")
    clause.weaken(into.strength)
    target = _path_of(into)
    if into.kind == "path" and posixpath.splitext(target)[1]:
        return _checked(clause, source, target)
    return _checked(clause, source, posixpath.join(target, posixpath.basename(source)))


def _last_folder(clause: Clause) -> Mention | None:
    found = reversed(clause.of("path", "folder"))
    return next((one for one in found if one.start > 0 and _is_last(clause, one)), None)


def _many(clause: Clause, into: Mention, taken: Sequence[int]) -> Answer | None:
    """Return the moves of several files, if several are meant or listed."""
    files = clause.of("file", without=taken)
    named = Clause(clause.operation, clause.words, files, (), clause.utterance)
    for fits in (None, *_places(clause, taken)):
        if (listed := named.several("file", fits)) is not None:
            return _all_to(clause, [str(one.value) for one in listed], into)
    return _several(clause, into, taken) if clause.has(_MANY | _plurals(clause, taken)) else None


def _file_or_folder(clause: Clause, into: Mention | None, taken: Sequence[int]) -> Picked | Ambiguous | Unresolved:
    file = _file(clause, taken)
    if not isinstance(file, Unresolved):
        return file
    folders = clause.of("folder", without=taken)
    whole = [one for one in folders if not one.start or clause.said[one.start - 1] not in _FROM | {"the"}]
    source = next((one for one in whole if into is None or one.start < into.start), None)
    return file if source is None else Picked(source.value, source.strength, frozenset(range(source.start, source.end)))


def _named_in_text(clause: Clause) -> Mention | None:
    """Return the folder that what was taken for a new name is the name of."""
    span = clause.spans.get("T")
    if span is None:
        return None
    inside = [
        one
        for one in clause.mentions
        if one.kind in {"folder", "path"} and span.start <= one.start and one.end <= span.end
    ]
    return inside[-1] if inside and inside[-1].strength >= _NAMED and not clause.has(_RENAMING) else None


_NAMED = 0.85
_RENAMING = frozenset(
    {"rename", "name", "called", "named", "call", "retitle", "titled", "renamed", "title", "new", "names"}
)


def _new_name(clause: Clause) -> str | None:
    """Return the new name of a file, if there is a word for giving one, or if it looks like a name of a file."""
    span = clause.spans.get("T")
    there = {one.name.casefold() for one in clause.utterance.world.files}
    names = [one for one in clause.mentions if one.kind == "filename"]
    new = [one for one in names if str(one.value).casefold() not in there]
    if new and len(names) > 1 and new[-1] is names[-1] and (span is None or not span.start <= new[-1].start < span.end):
        clause.in_texts = {new[-1].start}
        return _whole(new[-1].start, new[-1].end, clause)
    if span is None:
        return None
    if clause.said[span.start] in there and span.end == span.start + 1:
        clause.in_texts -= set(range(span.start, span.end))
        return None
    is_name = any(one.kind == "filename" and span.start <= one.start < span.end for one in clause.mentions)
    if is_name or clause.has(_RENAMING) or any(word.quoted for word in clause.words[span.start : span.end]):
        name = clause.text("T")
        return _whole(span.start, span.end, clause) if is_name else name
    clause.spans.pop("T")
    clause.in_texts -= set(range(span.start, span.end))
    return None


def _whole(start: int, end: int, clause: Clause) -> str:
    """Return a new name with the words before it that belong to it: in “… to letter to mum.txt” there is one name."""
    old = [one for one in clause.mentions if one.kind == "filename" and one.end < start]
    begins = old[0].end + 1 if old and clause.said[old[0].end] in _LEADS else start
    return source_text(clause.utterance.text, clause.words[begins:end])


_LEADS = frozenset({"to", "as", "into"})


def _is_last(clause: Clause, mention: Mention) -> bool:
    files = clause.of("file")
    return bool(files) and mention.start >= files[0].end


def _plurals(clause: Clause, taken: Sequence[int]) -> frozenset[str]:
    return frozenset(
        word for at, word in enumerate(clause.said) if word in KINDS_OF_FILE and word.endswith("s") and at not in taken
    )


def _all_to(clause: Clause, paths: Sequence[str], into: Mention) -> Answer:
    """Return the moves of files into a folder, unless one of them is there already."""
    found: list[Arguments] = []
    for path in paths:
        move = _checked(clause, path, posixpath.join(_path_of(into), posixpath.basename(path)))
        if not isinstance(move, dict):
            return move
        found.append(move)
    return found


def _checked(clause: Clause, source: str, destination: str) -> Answer:
    """Return the move, unless the file is there already, whichever way its folder is written."""
    one, other = (clause.at_home(path) for path in (source, destination))
    if one == other or posixpath.dirname(other).startswith(f"{one}/"):
        return Unresolved("It is there already.")
    return {"source": source, "destination": destination}


def _several(clause: Clause, into: Mention, taken: Sequence[int]) -> Answer | None:
    """Return the moves of all files that are meant, as in “all PDFs from Downloads”; None if they are not many."""
    files = [one for one in clause.utterance.world.files if not one.is_folder]
    found = clause.of("file", without=taken)
    named = [
        str(value)
        for one in found
        if one.strength > _WEAK
        for value in (one.value, *(each.value for each in one.rivals))
    ]
    inside = next((_path_of(one) for one in clause.of("folder", without=taken)), None)
    endings = {ending for word in _plurals(clause, taken) for ending in KINDS_OF_FILE[word]}
    if not named and inside is None:
        return Unresolved("In which folder are they?") if endings else None
    pool = [one.path for one in files if not named or one.path in named]
    pool = [path for path in pool if not endings or posixpath.splitext(path)[1][1:].casefold() in endings]
    pool = [path for path in pool if inside is None or posixpath.dirname(path).endswith(inside.removeprefix("~"))]
    if not pool or len(pool) > MOST_FILES or (not endings and not named):
        return Unresolved("It is not clear which files are meant.")
    if clause.has({"both"}) and len(pool) != len(("one", "other")):
        return Unresolved(f"There are {len(pool)} files, and not two.")
    return _all_to(clause, pool, into)


_WEAK = 0.5


def _mkdir(clause: Clause) -> Answer:
    written = clause.of("path")
    name = clause.text("T")
    if written and name is None:
        return {"path": written[-1].value}
    folder = _folder(clause, _FROM)
    if name is None:
        return Unresolved("What is the folder to be called?")
    if folder is None:
        return Unresolved("In which folder is it to be?")
    return {"path": posixpath.join(_path_of(folder), name)}


def _append(clause: Clause) -> Answer:
    content = clause.text("B")
    if content is None:
        return Unresolved("What is to be added?")
    file = _file(clause)
    return {"path": file.value, "content": content} if isinstance(file, Picked) else file


def _write(clause: Clause) -> Answer:
    name, content = clause.text("T"), clause.text("B")
    written = clause.of("path")
    if written:
        return {"path": written[0].value, "content": content or ""}
    folder = _folder(clause, _FROM)
    if name is None or folder is None:
        return Unresolved("What is the file to be called, and in which folder is it to be?")
    return {"path": posixpath.join(_path_of(folder), name), "content": content or ""}


FILES: Mapping[str, Callable[[Clause], Answer]] = {
    "file.open": _open,
    "file.reveal": _path,
    "file.read": _path,
    "file.delete": _path,
    "file.list": _list,
    "file.find": _find,
    "file.move": _move,
    "file.copy": _move,
    "file.mkdir": _mkdir,
    "file.append": _append,
    "file.write": _write,
}
"""The readers of these operations."""
