"""How a dialect answers a model: the names of its operations, the form of its results, and corrected spellings."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, cast

from msgspec import Struct

from sayso.core.dialect import Dialect
from sayso.core.encoding import Json
from sayso.core.errors import ProposalError
from sayso.core.lazy import load
from sayso.core.operation import Operation
from sayso.dialects.json import NotStrict, correct_json, strict_json
from sayso.dialects.vocabulary import KEYED, Keyed, shape, write_keyed

ResultRow = Mapping[str, Json]
"""One result as `sayso run --json` prints it; if it has `said`, that is the text that the model wrote."""
Operations = Mapping[str, Operation]
Arguments = Mapping[str, Json]


class OperationWords(Struct, frozen=True):
    """An operation as a dialect writes it: its name, its form as an example, and the key for each argument name."""

    name: str
    keys: Mapping[str, str]
    form: str


class AnsweringDialect(Dialect):
    """A dialect that can also answer a model; the methods with a body here suit most dialects."""

    tells_unchanged: ClassVar[bool] = False
    """Whether a model gets a note about a proposal that would change nothing (T-70).

    The person is not shown such a proposal.
    """

    def part_of(self, row: ResultRow, said: str) -> "AnsweringDialect":
        """Return the dialect in which a proposal was written; for a dialect that mixes others, it is one of these."""
        return self

    def words(self, operation: Operation, arguments: Arguments) -> OperationWords | None:
        """Return the dialect's name and form for an operation; None if the dialect has no name for it.

        If there are several names, the one that can express these arguments is chosen, or else the one that contradicts
        them least.
        """
        raise NotImplementedError

    def result(self, row: ResultRow, operations: Operations) -> dict[str, Json]:
        """Return one result in the form in which the model gets it."""
        raise NotImplementedError

    def find_meant(self, said: str, operations: Operations) -> list[Operation]:
        """Return the operations that an unknown name may mean, the likeliest first."""
        raise NotImplementedError

    def with_other_names(self, said: str, operation: Operation) -> Iterator[str]:
        """Yield the proposal once for each name that the dialect has for the operation, with this name and its keys."""
        raise NotImplementedError

    def spellings(self, said: str, error: str) -> Iterator[str]:
        """Yield other spellings of a proposal that the model may have meant."""
        raise NotImplementedError

    def whole(self, said: str) -> str:
        """Return a whole reply that contains only this proposal."""
        return said

    def suggest(self, said: str, operations: Operations) -> str:
        """Return a sentence that suggests what an unknown name may mean; empty if nothing can be suggested."""
        return ""


_NOT_TAKEN = re.compile(r"does not take “([^”]{1,200})”; it takes ([^;]+?)(?:, and |$)|has no “([^”]{1,200})”")
_INSTANCE = ("templateId", "label", "params", "style", "description")
_CLOSE = 0.4
"""How similar an unknown key must be to a known one (from 0 to 1) to be replaced by it."""
_NO_SUCH = re.compile("there is no (?:command|type) “([^”]{1,200})”")


class JsonDialect(AnsweringDialect):
    """A dialect whose proposals are JSON objects; in each, the name for the operation is the value of “type”."""

    def types(self, operation: Operation) -> Iterable[Keyed]:
        """Return the dialect's names for an operation."""
        raise NotImplementedError

    def words(self, operation: Operation, arguments: Arguments) -> OperationWords | None:
        """Return the name that can express these arguments best."""
        keyed = best_of(self.types(operation), operation, arguments)
        return None if keyed is None else OperationWords(keyed.name, keys_of(keyed), shape(keyed, operation, "type"))

    def find_meant(self, said: str, operations: Operations) -> list[Operation]:
        """Return the operations that an unknown name may mean, judged by the words in the name."""
        # Imported only here, because most replies have no unknown name.
        meaning: Any = load("sayso.dialects.suggestions:NameMeanings")(operations)
        return [operations[id_] for id_ in meaning.of(self.name_in(said)[0])]

    def with_other_names(self, said: str, operation: Operation) -> Iterator[str]:
        """Yield the object once for each name that the dialect has for the operation, with the keys of this name."""
        members = self.name_in(said)[1]
        for keyed in self.types(operation):
            yield write_members({"type": keyed.name, **translate_keys(members, keyed, operation)})

    def spellings(self, said: str, error: str) -> Iterator[str]:
        """Yield the text as corrected JSON, then the text with an unknown key replaced by each similar known key."""
        whole = correct_json(said)
        if whole and whole != said:
            yield whole
        for wrong in _NOT_TAKEN.finditer(error):
            known = wrong.group(2).split(", ") if wrong.group(2) else _INSTANCE
            key = wrong.group(1) or wrong.group(3)
            if said.count(f'"{key}"') == 1:
                nearest: list[str] = load("difflib:get_close_matches")(key, known, 3, _CLOSE)
                yield from (said.replace(f'"{key}"', f'"{name}"') for name in nearest)

    def name_in(self, said: str) -> tuple[str, Arguments]:
        """Return the name of a proposal and its other members; the name is empty if the proposal has none."""
        try:
            value = strict_json(said)
        except NotStrict:
            return "", {}
        name, members = self.read_name(value, said)
        return (name, members) if isinstance(name, str) else ("", {})

    def read_name(self, value: Json, said: str) -> tuple[Json, Arguments]:
        """Return the name in an object, and its other members."""
        members = dict(cast("Arguments", value)) if isinstance(value, dict) else {}
        return members.pop("type", ""), members

    def type_of(self, row: ResultRow, operations: Operations) -> Json:
        """Return the dialect's own name for the operation of a result.

        If the dialect has no name, return the canonical one; for an unknown operation, return what the model wrote.
        """
        operation = operations.get(str(row["operation"]))
        if operation is None:
            # A long text is shortened, and then the name may be only in the error message.
            named = _NO_SUCH.match(str(row["error"]))
            return row["operation"] or self.name_in(original_text(row))[0] or (named.group(1) if named else None)
        words = self.words(operation, arguments_of(row))
        return row["operation"] if words is None else words.name


def best_of(found: Iterable[Keyed], operation: Operation, arguments: Arguments) -> Keyed | None:
    """Return the name that can express these arguments, or else the one that contradicts them least, if any."""
    known = list(found)
    able = [keyed for keyed in known if says(keyed, operation, arguments)]
    alike = [
        keyed
        for keyed in known
        if all(arguments.get(name, value) == value for name, value in keyed.fixed.items())
        and set(arguments) <= {*keyed.keys.values(), *keyed.fixed}
    ]
    return next(iter([*able, *alike, *known]), None)


def says(keyed: Keyed, operation: Operation, arguments: Arguments) -> bool:
    """Say whether a name can express these arguments; no name can express invalid ones."""
    try:
        write_keyed(keyed, operation, arguments)
    except ProposalError:
        return False
    return True


def keys_of(keyed: Keyed) -> dict[str, str]:
    """Return the key of each argument for this name; if an argument has several keys, the first."""
    return {name: key for key, name in reversed(list(keyed.keys.items()))}


def translate_keys(members: Arguments, keyed: Keyed, operation: Operation) -> dict[str, Json]:
    """Return the members with the keys of this name; a key that no dialect knows is left unchanged."""
    meanings = {key: name for one in KEYED if one.operation == operation.id for key, name in one.keys.items()}
    wanted = keys_of(keyed)
    return {
        key if key in keyed.keys else wanted.get(meanings.get(key, key), key): value for key, value in members.items()
    }


def write_members(members: Arguments) -> str:
    """Return an object as JSON."""
    return json.dumps(members, ensure_ascii=False)


def outcome_of(row: ResultRow) -> dict[str, Json]:
    """Return the members that most dialects include in a result."""
    return {key: row[key] for key in ("success", "message", "error")}


def original_text(row: ResultRow) -> str:
    """Return the text that the model wrote; empty if the result does not contain it."""
    return str(row.get("said") or "")


def data_of(row: ResultRow) -> Arguments:
    """Return the data of a result."""
    return cast("Arguments", row["data"])


def arguments_of(row: ResultRow) -> Arguments:
    """Return the canonical arguments of a result."""
    return cast("Arguments", row["arguments"])
