"""Write what a model gets back in its own dialect: results, notes and corrections."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from sayso.core.encoding import Json
from sayso.core.errors import Candidate
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.dialects.actions import OPERATION as TEMPLATE
from sayso.dialects.answers import AnsweringDialect, Arguments, Operations, OperationWords, ResultRow, arguments_of
from sayso.dialects.base import FeedbackNote, Reading, read
from sayso.dialects.detect import CHAT
from sayso.dialects.json import LONGEST, SAID_BEFORE
from sayso.dialects.lines.reader import LONGEST_QUOTE


def project_rows(dialect: AnsweringDialect, rows: Sequence[ResultRow], operations: Operations) -> list[dict[str, Json]]:
    """Return each result in the form of the dialect of its proposal; in a chat, that is blocks or actions."""
    return [_shaping(dialect, row).result(row, operations) for row in rows]


def _shaping(dialect: AnsweringDialect, row: ResultRow) -> AnsweringDialect:
    return CHAT if dialect.in_chat and row["operation"] == TEMPLATE else dialect


LONGEST_SAID = 200
"""How many characters of a model's text are repeated to the model at most."""

_BY_HAND = "app.ambiguous"
"""The code for several applications with the same name; then the person must choose, not the model."""
_NO_TEMPLATE = "template.not_found"
_AMBIGUOUS = frozenset({"target.ambiguous", _BY_HAND})
_NOT_FOUND = frozenset(
    {
        "app.unknown", "notes.no_folder", "path.missing", "preset.unknown", "shortcut.unknown", "tab.range",
        "tab.another", "target.not_found", "instance.not_found", _NO_TEMPLATE,
    }
)  # fmt: skip
_NO_SUCH = "command.unknown"
_AGAIN = "Write the whole of it again, as strict JSON."
_NOTHING = Proposal(0, "")
_MALFORMED = frozenset({"json", "document", "block", "action", "heredoc", "quote"})
"""A code for a text that cannot be read has one of these before its first dot; a new dialect must use them too."""
_ENDS: Mapping[str, str] = {
    "declined": "The person said no. Do not propose it again unless they ask for it.",
    "expired": "Nobody decided in time, and nothing was done. Propose it again only if it is still wanted.",
    "refused": "It is not allowed here, and writing it in another way does not change that. Propose something else.",
    "failed": "Look at what is there before you propose it again.",
    "skipped": "It was not tried. Propose it again when what stood in its way is mended.",
    "unknown": "Whether it happened is not certain. Do not propose it again before the person has looked.",
    "unchanged": "It would change nothing, and was dropped. Do not propose it again.",
}
"""What the model should do next, for each outcome that writing the proposal differently would not change."""
_IN_WORDS = "The person said no, and wrote why:"
_FITTING = "Propose only what fits these words, and this again only if they ask for it."
_NOT_HERE = "Nothing here can do it. Say so to the person instead of proposing it again."


def notes(
    dialect: AnsweringDialect, reading: Reading, rows: Sequence[ResultRow], operations: Operations
) -> tuple[FeedbackNote, ...]:
    """Return a note for each proposal of a reading that was not carried out; `rows` are the results of the proposals.

    In a chat, the model also gets a note about a proposal that would change nothing; the person is not shown it
    (T-70).
    """
    read = {proposal.index: proposal for proposal in reading.proposals}
    told = [_note(dialect, row, read.get(cast("int", row["index"]), _NOTHING), operations) for row in rows]
    return tuple(note for note in told if note is not None)


def _note(dialect: AnsweringDialect, row: ResultRow, proposal: Proposal, operations: Operations) -> FeedbackNote | None:
    kind = _kind(str(row["state"]), str(row["code"] or ""))
    said, index = proposal.said, cast("int", row["index"])
    own = (CHAT if dialect.in_chat else dialect).part_of(row, said)
    if kind is None or (kind == "unchanged" and not own.tells_unchanged):
        return None
    if row["code"] == "declined.because":
        words = str(row["error"]).partition(": ")[2]
        return FeedbackNote(kind, index, said[:LONGEST_SAID], f"{_IN_WORDS} {words}. {_FITTING}", (), proposal.line)
    problem = _end_sentence(str(row["error"] or row["message"]).partition(SAID_BEFORE)[0].rstrip(". "))
    if row["code"] == "unavailable":
        hint = _NOT_HERE
    else:
        hint = _ENDS[kind] if kind in _ENDS else _instead(own, row, said, operations)
    cut = said
    if len(said) > LONGEST_SAID:
        cut, quoted = said[:LONGEST_SAID] + "…", said[:LONGEST_QUOTE]
        problem = problem.replace(f"{quoted}…", cut).replace(quoted, cut)
    return FeedbackNote(kind, index, cut, f"{problem} {hint}".rstrip(), candidates_of(row), proposal.line)


def _end_sentence(sentence: str) -> str:
    return sentence if sentence.endswith("?") else f"{sentence}."


def candidates_of(row: ResultRow) -> tuple[Candidate, ...]:
    """Return the candidates that a result lists."""
    data = cast("Mapping[str, Json]", row.get("data") or {})
    found = cast("Sequence[Mapping[str, str]]", data.get("candidates") or ())
    return tuple(Candidate(one["name"], one["id"], one["where"]) for one in found)


def _kind(state: str, code: str) -> str | None:
    if state not in (*_ENDS, "invalid"):
        return None
    if state in {"invalid", "failed"}:
        if code in _AMBIGUOUS:
            return "ambiguous"
        if code in _NOT_FOUND:
            return "not_found"
    if state == "invalid" and code.partition(".")[0] in _MALFORMED:
        return "malformed"
    return state


def _instead(dialect: AnsweringDialect, row: ResultRow, said: str, operations: Operations) -> str:
    operation = operations.get(str(row["operation"])) or _find_meant_operation(dialect, row, said, operations)
    if row["state"] == "invalid":
        problem = Problem(str(row["code"] or ""), str(row["error"]))
        better = write_corrected(dialect, said, problem, operations)
        if better:
            return f"Write this instead:\n{better}"
    arguments = arguments_of(row)
    words = None if operation is None else dialect.words(operation, arguments)
    if words is None and row["code"] == _NO_SUCH:
        return dialect.suggest(said, operations)
    if words is None or row["code"] == _BY_HAND:
        return _AGAIN if str(row["code"]).partition(".")[0] == "json" else ""
    if row["code"] == _NO_TEMPLATE:
        there = "with one of those as “templateId”" if candidates_of(row) else "once there is one"
        return f"Write it again {there}: {words.form}"
    if row["code"] not in _AMBIGUOUS | _NOT_FOUND:
        return f"Write it again: {words.form}"
    candidates, key = candidates_of(row), _key_named(words, arguments, str(row["error"]))
    if key and not candidates:
        return _ENDS["failed"]
    where = f" with one of those as “{key}”, {_name_candidate(candidates, str(row['error']))}" if key else ""
    return f"Write it again{where}: {words.form}"


def _name_candidate(candidates: Sequence[Candidate], error: str) -> str:
    """Return the words that say how to name a candidate: by its id, or by its exact text.

    The id is asked for if `error` shows it; a message shows an id if the text of that candidate is not unique.
    """
    by_id = [bool(one.id) and f"id {one.id}" in error for one in candidates]
    if all(by_id):
        return "by its id"
    return "by its id where one is given, else by its exact text" if any(by_id) else "letter for letter"


def _find_meant_operation(
    dialect: AnsweringDialect, row: ResultRow, said: str, operations: Operations
) -> Operation | None:
    """Return the operation that an unknown name means; None if there is none, or more than one is possible."""
    may = dialect.find_meant(said, operations) if row["code"] == _NO_SUCH else []
    return may[0] if len(may) == 1 else None


def _key_named(words: OperationWords, arguments: Arguments, error: str) -> str:
    """Return the dialect's key for the argument whose value the error message quotes."""
    named = (name for name, value in arguments.items() if isinstance(value, str) and f"“{value}”" in error)
    name = next(named, "")
    return words.keys.get(name, name)


MOST_TRIED = 8


def write_corrected(dialect: AnsweringDialect, said: str, problem: Problem, operations: Operations) -> str:
    """Return a valid reply with what the model meant; empty if that is not certain. It is only shown, never run.

    Three corrections are tried: strict JSON, the most similar known key, and a known name with the same meaning. A name
    with another meaning is not tried, however similar its spelling is, since it may mean the opposite.
    """
    if len(said) > LONGEST:
        return ""
    return _first_valid(dialect, dialect.spellings(said, problem.sentence), operations) or (
        _correct_name(dialect, said, operations) if problem.code == _NO_SUCH else ""
    )


def _correct_name(dialect: AnsweringDialect, said: str, operations: Operations) -> str:
    """Return the reply with the name that was meant; if several names are possible, only if all are read operations."""
    may = dialect.find_meant(said, operations)
    found = [(one, _first_valid(dialect, dialect.with_other_names(said, one), operations)) for one in may]
    able = [(one, reply) for one, reply in found if reply]
    sure = len(able) == 1 or all(one.kind == "read" for one, _ in able)
    return able[0][1] if able and sure else ""


def _first_valid(dialect: AnsweringDialect, candidates: Iterator[str], operations: Operations) -> str:
    for _, candidate in zip(range(MOST_TRIED), candidates, strict=False):
        reply = dialect.whole(candidate)
        found = read(dialect, operations, reply)
        if found.proposals and all(proposal.problem is None for proposal in found.proposals):
            return reply
    return ""
