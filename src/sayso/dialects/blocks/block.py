"""Read one `json-action` block: a JSON object, or a list of them, each one proposal."""

from collections.abc import Mapping
from typing import cast

from sayso.core.canonical import Json
from sayso.core.events import Event, Proposed, Warned
from sayso.core.operation import Operation, Problem
from sayso.core.proposal import Proposal
from sayso.core.replacing import replace
from sayso.dialects import names
from sayso.dialects.blocks.labels import default_label
from sayso.dialects.fences import INLINE, Block
from sayso.dialects.keyed import LONGEST_NAME, Place, Vocabulary, places, understood, unknown
from sayso.dialects.meaning import Meaning
from sayso.dialects.mending import mended
from sayso.dialects.spans import elements
from sayso.dialects.strict import NotStrict, strict_json

TAG = INLINE
VOCABULARY = Vocabulary(names.BLOCKS, "type")
_FORM = 'a json-action block holds an object such as {"type": "add_task", "text": "…"}, or a list of them'


def read_block(block: Block, first: int, operations: Mapping[str, Operation]) -> list[Event]:
    """Return what a block proposes, numbered from `first`; a malformed one is one invalid proposal and a warning."""
    text = block.content
    try:
        value = strict_json(text)
    except NotStrict as wrong:
        sentence = f"the json-action block at line {block.line} cannot be read: {wrong.sentence}"
        proposal = unknown(Place(first, text.strip(), block.line), Problem(wrong.code, sentence + mended(text)))
        return [Proposed(proposal), Warned(sentence)]
    if not isinstance(value, list):
        bare = text.lstrip()
        line = block.line + text.count("\n", 0, len(text) - len(bare))
        return [Proposed(_proposal(Place(first, bare.rstrip(), line), value, operations))]
    found = zip(places(text, elements(text), block.line, first), cast("list[Json]", value), strict=True)
    return [Proposed(_proposal(place, item, operations)) for place, item in found]


def _proposal(place: Place, value: Json, operations: Mapping[str, Operation]) -> Proposal:
    if not isinstance(value, dict):
        return unknown(place, Problem("block.form", _FORM))
    members = dict(cast("Mapping[str, Json]", value))
    label = members.pop("label", None)
    if not isinstance(label, str | None):
        return unknown(place, Problem("arguments.type", "“label” must be a text"))
    name = members.pop("type", None)
    keyed = VOCABULARY.keyed(name, operations) if isinstance(name, str) else None
    if keyed is None:
        return unknown(place, _unknown_type(name, operations), label)
    if label:
        return understood(place, keyed, members, operations, label)
    proposal = understood(place, keyed, members, operations, default_label(keyed.name, members))
    return replace(proposal, label_by_us=True)


def _unknown_type(name: Json, operations: Mapping[str, Operation]) -> Problem:
    known = VOCABULARY.at_hand(operations)
    permitted = f"there are: {', '.join(known)}" if known else "none is enabled"
    if name is None:
        return Problem("arguments.missing", f"a json-action needs “type”; {permitted}")
    if not isinstance(name, str):
        return Problem("arguments.type", f"“type” must be a name; {permitted}")
    meant = Meaning([keyed.operation for keyed in VOCABULARY.names if keyed.operation in operations]).of(name)
    hint = f"did you mean {VOCABULARY.called(meant[0])}?" if meant else permitted
    return Problem("command.unknown", f"there is no type “{name[:LONGEST_NAME]}”; {hint}")
