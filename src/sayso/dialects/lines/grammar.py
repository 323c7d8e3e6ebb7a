"""The grammar of lines: how a line is cut into words, quotes, heredocs and values, and the form of each command."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple, cast, get_args, get_origin

from msgspec import Struct

from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.operation import Operation, Parameter
from sayso.dialects import vocabulary
from sayso.dialects.json import NotStrict, strict_json

BLANKS = " \t"

_SHIFT = re.compile(r"<<++")
_TAG = r"[A-Z][A-Z0-9_]*+"
_PROPER = re.compile(rf"""<<(?:({_TAG})|'({_TAG})'|"({_TAG})")""")

_ENDS_A_COMMENT = re.compile(rf"[# \t](<<({_TAG}))[ \t]*+\Z")

_QUOTES = "\"'`“”„‟‘’«»\u201a\u201b\u2039\u203a"
_QUOTE = re.compile(f"[{_QUOTES}]")
_LEAD = re.compile(r"\A\W*+")
_AFTER_A_WORD = re.compile(r"[\s#;|&<>]")
_USUAL = "END"


class Opener(Struct, frozen=True):
    """The part of a line that opens a heredoc; the heredoc ends at a line that is equal to `tag`."""

    written: str
    tag: str
    proper: bool
    """False for a malformed opener (`x<<END`, `<<END;`, `<<end`, `<<`).

    The lines after such an opener are not read as commands either.
    """
    doubtful: bool = False
    """True if it may be plain text, as in `a<<b` or in a comment. It is taken as text if the line is then valid."""
    quoted: bool = False
    """True if it comes after a quote that is not closed."""


def shifts(text: str, start: int) -> list[int]:
    """Return the index of each `<<` in a text; `start` is the index at which the text begins in its line."""
    return [start + match.start() for match in _SHIFT.finditer(text)]


def find(code: str, places: Sequence[int]) -> Opener | None:
    """Return the opener of a heredoc in a line whose quotes are all closed; the line is given without its comment.

    `places` are the indexes of each `<<` outside quotes. A `<<` at the beginning of a word always opens a heredoc.
    """
    if not places:
        return None
    heads = [place for place in places if _is_head(code, place)]
    match = _PROPER.fullmatch(code, heads[0]) if len(heads) == 1 else None
    if match is not None:
        return Opener(match[0], match[1] or match[2] or match[3], proper=True)
    place, written, tag = _near(code, heads or places)
    capitals = tag[0].isupper() and tag == tag.upper()
    doubtful = not heads and not capitals and code[place - 1] not in _QUOTES
    return Opener(written, tag, proper=False, doubtful=doubtful)


def find_after_open_quote(line: str, *, outside: bool) -> Opener | None:
    """Return the opener of a heredoc in a line with an open quote; `outside` says that a `<<` comes before the quote.

    In such a line, text and comments cannot be told apart, so everything that may be an opener is taken as one.
    """
    places = shifts(line, 0)
    if not places:
        return None
    _, written, tag = _near(line, [place for place in places if _is_head(line, place)] or places)
    return Opener(written, tag, proper=False, quoted=not outside)


def find_in_comment(line: str, at: int) -> Opener | None:
    """Return the opener of a heredoc at the end of a comment; the comment begins at index `at`.

    The lines after it are then the body of the heredoc, unless the command before the comment is valid by itself.
    """
    match = _ENDS_A_COMMENT.search(line, at)
    return None if match is None else Opener(match[1], match[2], proper=False, doubtful=True)


def _is_head(code: str, place: int) -> bool:
    return place == 0 or code[place - 1] in BLANKS


def _near(code: str, places: Sequence[int]) -> tuple[int, str, str]:
    # Returns the index of the opener, its text, and its tag.
    last = len(code.rstrip(BLANKS + "<"))
    place = next((place for place in reversed(places) if place < last), places[-1])
    written = code[place:]
    return place, written, _guess_name(written)


def _guess_name(written: str) -> str:
    # Returns the word without quotes and punctuation. If the guess is wrong, all following lines are part of the body.
    word = _LEAD.sub("", written)
    quoted = _QUOTE.search(written.removesuffix(word))
    closing = _QUOTE.search(word) if quoted else None
    end = closing or _AFTER_A_WORD.search(word)
    word = word[: end.start()] if end else word
    kept = len(word)
    while kept and word[kept - 1] != "_" and unicodedata.category(word[kept - 1])[0] not in "LMN":
        kept -= 1
    return word[:kept] or written.strip(BLANKS + "<") or _USUAL


MOST_WORDS = 64
"""How many words of a line are kept at most; further words are only counted, because no command takes so many."""

# A plain line can be cut by a single expression. It has only quoted words without escapes, bare words without special
# characters, and perhaps a proper opener at its end.
_PLAIN_WORDS = re.compile(r'"[^"\\]*+"|[^ \t"<]++')
_PLAIN_WORD = r'(?:[^ \t"#<“„”][^ \t"<]*+|"[^"\\]*+")'
_PLAIN = re.compile(rf"{_PLAIN_WORD}(?:[ \t]++{_PLAIN_WORD})*+(?:[ \t]++<<([A-Z][A-Z0-9_]*+))?")

# Possessive quantifiers (`*+`, `++`) never backtrack, so the time grows only with the length of the line.
_BETWEEN = re.compile(r"[ \t]*+")
_WORD = re.compile(r'(?:[^ \t"]++|"(?:[^"\\]++|\\.)*+")*+("(?:[^"\\]++|\\.)*+\\?)?', re.DOTALL)
_PIECE = re.compile(r'"((?:[^"\\]++|\\.)*+\\?)"?|([^"]++)', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\nt])')
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}

# Typographic quotes count only around a whole word: after the closing one comes a blank or the end of the line (T-02).
# There may be another pair between “ and ”. A closing quote inside a word is ordinary text. If there is no closing
# quote at all, the quote is open.
_INSIDE = r'\\["\\nt]?+|[{closing}](?![ \t]|\Z)'
_TYPOGRAPHIC = {
    "“": re.compile(rf"“((?:[^“”\\]++|“[^“”]*+”|{_INSIDE.format(closing='”')})*+)(”)?"),
    "„": re.compile(rf"„((?:[^„“”\\]++|{_INSIDE.format(closing='“”')})*+)([“”])?"),
    "”": re.compile(rf"”((?:[^”\\]++|{_INSIDE.format(closing='”')})*+)(”)?"),
}
_CLOSING = {"“": re.compile("”"), "„": re.compile("[“”]"), "”": re.compile("”")}
_MOST_LOOSE = 16
"""How many words of a line may begin with a typographic quote without being enclosed in quotes.

A line with more of them counts as having an open quote.
"""


class Word(NamedTuple):
    """One argument: its text, the way it was written, and whether it began with a quote."""

    text: str
    raw: str
    quoted: bool


class Line(Struct, frozen=True):
    """One line, cut into words; a proper opener at its end is not one of the words."""

    written: str
    words: tuple[Word, ...]
    count: int
    """The number of words, including those that were not kept."""
    closed: bool
    """False if a quote is still open at the end of the line."""
    opener: Opener | None = None


def scan(line: str) -> Line:
    """Cut a line into words at its blanks (T-16); quotes (T-02, T-03) and comments (T-01) are respected."""
    plain = _PLAIN.fullmatch(line)
    raws = [] if plain is None else _PLAIN_WORDS.findall(line, 0, plain.start(1) if plain[1] else len(line))
    if plain is None or len(raws) >= MOST_WORDS:
        return scan_with_care(line)
    words = tuple([Word(raw[1:-1] if quoted else raw, raw, quoted) for raw in raws for quoted in [raw[0] == '"']])
    opener = Opener(f"<<{plain[1]}", plain[1], proper=True) if plain[1] else None
    return Line(line, words, len(words), closed=True, opener=opener)


def scan_with_care(line: str) -> Line:
    """Cut any line into words, one by one; for a plain line, `scan` gives the same result faster."""
    words: list[Word] = []
    places: list[int] = []
    count, loose, at, closed = 0, 0, _match_at(_BETWEEN, line, 0).end(), True
    end = at
    while closed and at < len(line) and line[at] != "#":
        match = _match_enclosed(line, at)
        if match is not None:
            word = Word(_unescape(match[1]), match[0], quoted=True)
        else:
            match = _match_at(_WORD, line, at)
            word = _word(match[0])
            places += _shifts(match[0], at)
            loose += line[at] in _TYPOGRAPHIC
            closed = match[1] is None and loose <= _MOST_LOOSE and _may_be_text(line, at)
        end = match.end()
        count += 1
        if count <= MOST_WORDS:
            words.append(word)
        at = _match_at(_BETWEEN, line, end).end()
    opener = find(line[:end], places) if closed else find_after_open_quote(line, outside=bool(places))
    if opener is None:
        opener = find_in_comment(line, at)
    if opener is not None and opener.proper:
        count -= 1
        words = words[:count]
    return Line(line, tuple(words), count, closed, opener)


def _match_enclosed(line: str, at: int) -> re.Match[str] | None:
    typographic = _TYPOGRAPHIC.get(line[at])
    match = None if typographic is None else typographic.match(line, at)
    return match if match is not None and match[2] is not None else None


def _may_be_text(line: str, at: int) -> bool:
    closing = _CLOSING.get(line[at])
    return closing is None or closing.search(line, at + 1) is not None


def _match_at(pattern: re.Pattern[str], line: str, at: int) -> re.Match[str]:
    match = pattern.match(line, at)
    if match is None:
        raise AssertionError(f"{pattern.pattern} must match any text")
    return match


def _word(raw: str) -> Word:
    if '"' not in raw:
        return Word(raw, raw, quoted=False)
    text = "".join([_unescape(quoted) if quoted else bare for quoted, bare in _PIECE.findall(raw)])
    return Word(text, raw, raw.startswith('"'))


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda escape: _ESCAPED[escape[1]], text) if "\\" in text else text


def _shifts(raw: str, start: int) -> list[int]:
    if "<<" not in raw:
        return []
    bare = [piece for piece in _PIECE.finditer(raw) if piece[2] is not None]
    return [place for piece in bare for place in shifts(piece[2], start + piece.start())]


_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_BLANK = re.compile(r"[ \t]")
_TRUTH: Mapping[str, Json] = {"true": True, "false": False}


def kinds(parameter: Parameter) -> frozenset[str]:
    """Return the JSON types that a parameter accepts: `string`, `integer`, `number`, `boolean`, `array`, `object`."""
    return frozenset(_kinds(parameter.schema) - {"null"})


def _kinds(schema: Mapping[str, Json]) -> set[str]:
    if "anyOf" in schema:
        options = cast("list[Mapping[str, Json]]", schema["anyOf"])
        return {kind for option in options for kind in _kinds(option)}
    if "enum" in schema:
        texts = all(isinstance(item, str | None) for item in cast("list[Json]", schema["enum"]))
        return {"string" if texts else "integer"}
    return {str(schema.get("type", "object"))}


def choices(parameter: Parameter) -> tuple[str, ...]:
    """Return the words that a parameter accepts, in the order of its declaration; empty if it accepts any text."""
    found = _choices(parameter.type)
    return found if "string" in kinds(parameter) else ()


def _choices(hint: object) -> tuple[str, ...]:
    if get_origin(hint) is Literal:
        return tuple(str(item) for item in get_args(hint) if item is not None)
    return next((found for part in get_args(hint) if (found := _choices(part))), ())


class ArgumentType(Struct, frozen=True):
    """A parameter, and the JSON types that it accepts, which are computed only once."""

    parameter: Parameter
    kinds: frozenset[str]


def read(takes: ArgumentType, word: Word) -> Json:
    """Return the value of a word for a parameter; a word that does not fit is returned as text and refused later.

    A list or an object is written as JSON without blanks (`[2,5,8]`, `["a","b"]`), or as JSON inside quotes. A list
    with one item may also be written as this item alone.
    """
    parameter, known, text = takes.parameter, takes.kinds, word.text
    if "string" in known:
        return text
    if "boolean" in known and text in _TRUTH:
        return _TRUTH[text]
    if known & {"integer", "number"}:
        return _number(text, whole="number" not in known)
    if known & {"array", "object"}:
        return _structure(parameter, word, lists="array" in known)
    return text


def _number(text: str, *, whole: bool) -> Json:
    try:
        if _WHOLE.fullmatch(text):
            return int(text)
        return text if whole or not _NUMBER.fullmatch(text) else strict_json(text)
    except ValueError:  # the number has thousands of digits, or is too large
        return text


def _structure(parameter: Parameter, word: Word, *, lists: bool) -> Json:
    written = word.text if word.quoted else word.raw
    try:
        if written.startswith("[" if lists else "{"):
            return strict_json(written)
    except NotStrict:
        return word.text
    return [_item(parameter, word.text)] if lists else word.text


def _item(parameter: Parameter, text: str) -> Json:
    options = cast("list[Mapping[str, Json]]", parameter.schema.get("anyOf", [parameter.schema]))
    items = [_kinds(cast("Mapping[str, Json]", option["items"])) for option in options if "items" in option]
    return _number(text, whole=True) if items == [{"integer"}] else text


def write(value: Json) -> str:
    """Return a word that the reader reads back as this value."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | Mapping):
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
        return quote(written) if _BLANK.search(written) else written
    return str(value)


def quote(text: str) -> str:
    """Return a text in double quotes, with the escapes of T-02."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text}"'


class Form(Struct, frozen=True, dict=True):
    """One command for an operation: its name, and the arguments that it takes, in order."""

    name: str
    operation: Operation
    takes: tuple[Parameter, ...]
    least: int
    """The number of required arguments."""
    body: int | None
    """The index of the argument that may be a heredoc, and is then the last one; None if no argument may be."""
    fixed: Mapping[str, Json]
    open: bool
    """True for a derived name; then an unquoted `-` leaves out an optional argument that is followed by others."""

    @cached_property
    def usage(self) -> str:
        """Return the form of the line, with a placeholder for each argument."""
        shown = [_placeholder(parameter) for parameter in self.takes]
        optional = [f"[{word}]" for word in shown[self.least :]]
        return " ".join([self.name, *shown[: self.least], *optional])

    @cached_property
    def given(self) -> tuple[str, str]:
        """Return the name and the usage, which messages about a proposal of this form show."""
        return self.name, self.usage

    @cached_property
    def taken(self) -> tuple[ArgumentType, ...]:
        """Return each argument with the JSON types that it accepts."""
        return tuple(ArgumentType(parameter, kinds(parameter)) for parameter in self.takes)

    @cached_property
    def drops_final_newline(self) -> bool:
        """Say whether a heredoc of this operation loses one final newline (T-09)."""
        return self.operation.id in vocabulary.DROPS_FINAL_NEWLINE


RESERVED_NAMES = frozenset(command.name for command in vocabulary.LINES)
"""The S0 names; they are never used as derived names."""

Forms = Mapping[str, Form]
"""All known names, in upper case, each with its form."""


class FormsOf(Mapping[str, Form]):
    """The forms of these operations by name: first those of S0, then the derived ones; each form is made on first use.

    A name of S0 is reserved even if its operation is not available. If two operations have the same derived name, it is
    not used.
    """

    def __init__(self, operations: Mapping[str, Operation]) -> None:
        self.operations = operations
        self._commands = {command.name: command for command in vocabulary.LINES if command.operation in operations}
        names = {id_: derive_name(id_) for id_ in operations}
        free = {name for name, times in Counter(names.values()).items() if times == 1} - RESERVED_NAMES
        self._derived = {name: id_ for id_, name in names.items() if name in free}
        self._made: dict[str, Form] = {}

    def __getitem__(self, name: str) -> Form:
        """Return the form with this name; only this form is made."""
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._form(name)
        return made

    def _form(self, name: str) -> Form:
        command = self._commands.get(name)
        if command is not None:
            return form_of_command(command, self.operations[command.operation])
        return derive_form(self.operations[self._derived[name]])

    def name_of(self, id_: str) -> str:
        """Return the S0 name of an operation, or else its derived name; empty if it has neither."""
        derive_form = derive_name(id_)
        form_of_command = (name for name, command in self._commands.items() if command.operation == id_)
        return next(form_of_command, derive_form if derive_form in self._derived else "")

    def __contains__(self, name: object) -> bool:
        """Say whether there is a form with this name."""
        return name in self._commands or name in self._derived

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        yield from self._commands
        yield from self._derived

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._commands) + len(self._derived)


def all_forms(operations: Iterable[Operation]) -> Forms:
    """Return every form of these operations by name.

    Raises `SetupError` if an operation lacks an argument of its S0 command.
    """
    return MappingProxyType(dict(FormsOf({operation.id: operation for operation in operations})))


def derive_name(id_: str) -> str:
    """Return the derived name of an operation: `task.add` → `TASK_ADD`."""
    return vocabulary.open_name(id_).upper()


def commands_of(operation: Operation) -> tuple[Form, ...]:
    """Return the forms of an operation under its S0 names; most have one, `file.write` has two."""
    return tuple(
        form_of_command(command, operation) for command in vocabulary.LINES if command.operation == operation.id
    )


def form_of_command(command: vocabulary.LineCommand, operation: Operation) -> Form:
    """Return the form of an S0 command. Raises `SetupError` if the operation lacks one of its arguments."""
    known = {parameter.name: parameter for parameter in operation.parameters}
    wanted = (*command.needs, *command.may)
    lacking = [name for name in (*wanted, *command.fixed) if name not in known]
    if lacking:
        raise SetupError(f"{operation.id} lacks “{lacking[0]}”, which {command.name} gives it", "catalogue.names")
    body = None if command.body is None else wanted.index(command.body)
    takes = tuple(known[name] for name in wanted)
    return Form(command.name, operation, takes, len(command.needs), body, command.fixed, open=False)


def derive_form(operation: Operation) -> Form:
    """Return the form under the derived name: arguments in the order of the signature, but optional ones last.

    The argument that may be a heredoc is the last required one, if this is a text, or else the last optional text.
    """
    takes = tuple(sorted(operation.parameters, key=lambda parameter: not parameter.required))
    least = sum(parameter.required for parameter in takes)
    texts = [at for at, parameter in enumerate(takes) if parameter.kind == "text" and at >= least - 1]
    body = None if not texts else texts[0] if texts[0] == least - 1 else texts[-1]
    return Form(derive_name(operation.id), operation, takes, least, body, {}, open=True)


def _placeholder(parameter: Parameter) -> str:
    known = kinds(parameter)
    words = [word for word in choices(parameter) if word in parameter.choices or not parameter.choices]
    if words:
        return "|".join(words)
    if "string" in known:
        return f'"{parameter.name}"'
    if "boolean" in known:
        return f"<{parameter.name}: true|false>"
    if known & {"array", "object"}:
        return f"<{parameter.name}: JSON {'list' if 'array' in known else 'object'}>"
    return f"<{parameter.name}>"
